"""Widgets that are built bit by bit."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.services.event_loop import BUSY_SECONDS
from app.widgets import gradual
from app.widgets.gradual import Gradual
from tests.app.turns import compute

pytestmark = pytest.mark.usefixtures("busy_turns")


class Parts:
    """Parts that compute for some time each; `built` has the name of each one."""

    def __init__(self, name: str, count: int, seconds: float, built: list[str], parent: QObject) -> None:
        self.name, self.left, self.seconds, self.built = name, count, seconds, built
        self.gradual = Gradual(self.advance, parent)
        self.gradual.start()

    def advance(self) -> bool:
        compute(self.seconds)
        self.built.append(self.name)
        self.left -= 1
        return self.left > 0


def test_a_turn_builds_parts_for_a_limited_time(qapp: QApplication, monkeypatch: Any) -> None:
    monkeypatch.setattr(gradual, "MAKING_SECONDS", 0.05)
    built, owner = list[str](), QObject()
    parts = Parts("a", 100, 0.001, built, owner)
    qapp.processEvents()
    assert 1 < len(built) < 60
    parts.gradual.finish()
    assert len(built) == 100 and not parts.gradual.is_active


def test_of_several_one_builds_in_each_turn(qapp: QApplication, qtbot: Any) -> None:
    built, owner = list[str](), QObject()
    several = [Parts(name, 3, BUSY_SECONDS + 0.001, built, owner) for name in "abc"]
    for turns in range(1, 4):
        qapp.processEvents()
        assert len(built) == turns
    qtbot.waitUntil(lambda: not any(parts.gradual.is_active for parts in several))
    assert sorted(built) == sorted("abc" * 3)


def test_the_next_one_begins_after_the_first(qapp: QApplication, qtbot: Any) -> None:
    built, owner = list[str](), QObject()
    first, second = Parts("a", 1, 0.0, built, owner), Parts("b", 1, 0.0, built, owner)
    qtbot.waitUntil(lambda: not (first.gradual.is_active or second.gradual.is_active))
    assert sorted(built) == ["a", "b"]
