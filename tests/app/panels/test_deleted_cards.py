"""Deleted cards leave nothing to the collection of garbage, which would stop the interface for long."""

from __future__ import annotations

import weakref
from typing import Any

from app.panels.entry_cards import EntryCard
from app.panels.op_menu import made, offers
from app.shell.main_window import MainWindow
from engine import Grade, ops


def test_a_deleted_card_of_any_operation_is_freed_at_once(graded: MainWindow, uncollected: None, qtbot: Any):
    cards: list[weakref.ref[EntryCard]] = []
    for offer in offers():
        graded.document.open_grade(Grade([made(offer.kind)]), None)
        qtbot.waitUntil(lambda: graded.panel.complete)
        cards += map(weakref.ref, graded.panel.cards)
    wait_until_freed(cards, graded, qtbot)


def test_so_is_one_with_a_matte(graded: MainWindow, uncollected: None, qtbot: Any):
    graded.document.open_grade(Grade([ops.Cdl()]), None)
    graded.document.select(0)
    for kind in ("lineargradient", "hslqualifier", "ellipse"):
        graded.actions_by_name[f"matte_add_{kind}"].trigger()
        qtbot.waitUntil(lambda: graded.panel.complete)
    wait_until_freed([*map(weakref.ref, graded.panel.cards)], graded, qtbot)


def wait_until_freed(cards: list[weakref.ref[EntryCard]], window: MainWindow, qtbot: Any) -> None:
    window.document.open_grade(Grade(), None)
    window.panel.stack._spare.drop_all()
    qtbot.waitUntil(lambda: not any(card() for card in cards))
