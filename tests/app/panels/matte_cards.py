"""What tests of mattes in cards share: nodes, and what the window has of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QApplication, QMenu

from app.panels.mattes.card_matte import CardMatte
from app.panels.mattes.section import MatteSection
from app.shell.main_window import MainWindow
from engine.grade.entries import layer_of
from engine.mattes import (
    Branch,
    Ellipse,
    HslQualifier,
    Leaf,
    Matte,
    Rectangle,
)
from engine.mattes.tree import Node
from tests.typed import expect

A, B, C = Leaf(Ellipse()), Leaf(Rectangle()), Leaf(HslQualifier())


def union(*nodes: Node) -> Branch:
    return Branch("union", nodes)


def matte_of(window: MainWindow, at: int = 0) -> Matte | None:
    return layer_of(window.document.entries[at]).matte


def root_of(window: MainWindow, at: int = 0) -> Node:
    return expect(Matte, matte_of(window, at)).root


def card_matte(window: MainWindow, at: int = 0) -> CardMatte:
    return expect(CardMatte, window.panel.cards[at].findChild(CardMatte))


def section_of(window: MainWindow, root: Node, at: int = 0) -> MatteSection:
    """The open section of an entry with this tree."""
    window.document.edit_entry(at, window_layer(window, at, Matte(root)), "matte")
    window.panel.select(at)
    card_matte(window, at).open(True)
    QApplication.processEvents()
    return expect(MatteSection, card_matte(window, at).section)


def window_layer(window: MainWindow, at: int, matte: Matte) -> Any:
    return replace(layer_of(window.document.entries[at]), matte=matte)


def the_menu(window: MainWindow) -> QMenu:
    """The menu that is open in the panel."""
    (menu,) = (each for each in window.panel.findChildren(QMenu) if each.isVisible())
    return expect(QMenu, menu)


def choose(menu: QMenu, name: str) -> None:
    next(action for action in menu.actions() if action.objectName() == name).trigger()
    menu.close()
    QApplication.processEvents()
