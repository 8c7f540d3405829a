"""The Python bindings of Qt that are installed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMutex
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication

APP = Path(__file__).parents[2] / "app"
CALLS = 1000


def test_a_call_of_qt_keeps_the_references_of_none():
    """Bindings that lose one with each call end the process sooner or later. None is immortal from Python 3.12 on."""
    mutex = QMutex()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        mutex.lock()
        mutex.unlock()
    assert sys.getrefcount(None) > before - CALLS


def test_a_painter_ends_with_its_block_even_if_its_frame_is_kept(qapp: QApplication):
    """One that an exception's traceback keeps would go on painting a widget that has been painted again: Qt crashes."""
    pixmap = QPixmap(8, 8)
    with pytest.raises(ZeroDivisionError) as kept, QPainter(pixmap) as painter:
        painter.drawPoint(0, round(1 / 0))
    assert kept.tb is not None and not painter.isActive()


def test_painters_are_used_in_blocks():
    plain = re.compile(r"(?<!:)= Q(Style)?Painter\(")
    found = [path.name for path in APP.rglob("*.py") if plain.search(path.read_text(encoding="utf-8"))]
    assert not found
