"""The Python bindings of Qt that are installed."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMutex

CALLS = 1000


def test_a_call_of_qt_keeps_the_references_of_none():
    """Bindings that lose one with each call end the process sooner or later. None is immortal from Python 3.12 on."""
    mutex = QMutex()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        mutex.lock()
        mutex.unlock()
    assert sys.getrefcount(None) > before - CALLS
