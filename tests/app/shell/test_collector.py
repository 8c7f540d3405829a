"""When Python's garbage is collected."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.shell import collector
from app.shell.collector import COLLECT_MS, MOST_RETRIES, RETRY_MS, Collector


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found = list[str]()
    monkeypatch.setattr(collector, "collect_old", lambda: found.append("old"))
    return found


def test_it_waits_until_no_frame_is_computed(qapp: QApplication, collected: list[str]) -> None:
    idle, owner = [False], QObject()
    made = Collector(lambda: idle[0], owner)
    for _ in range(3):
        made.timer.timeout.emit()
        qapp.processEvents()
    assert not collected and made.timer.interval() == RETRY_MS
    idle[0] = True
    made.timer.timeout.emit()
    qapp.processEvents()
    assert collected == ["old"] and made.timer.interval() == COLLECT_MS


def test_it_does_not_wait_for_ever(qapp: QApplication, collected: list[str]) -> None:
    owner = QObject()
    made = Collector(lambda: False, owner)
    for _ in range(2 * (MOST_RETRIES + 1)):
        made.timer.timeout.emit()
        qapp.processEvents()
    assert collected == ["old", "old"]


def test_only_the_interface_thread_collects(qapp: QApplication) -> None:
    class Cycle:
        def __init__(self) -> None:
            self.me = self

    def leave_garbage() -> None:
        cycle = Cycle()
        weakref.finalize(cycle, lambda: collectors.append(threading.current_thread()))
        del cycle
        kept.extend([n] for n in range(10 * gc.get_threshold()[0]))

    collectors, kept, owner = list[threading.Thread](), list[list[int]](), QObject()
    gc.enable()
    Collector(lambda: True, owner).start()
    thread = threading.Thread(target=leave_garbage)
    thread.start()
    thread.join()
    assert not collectors
    qapp.processEvents()
    assert collectors == [threading.main_thread()]
