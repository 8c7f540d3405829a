"""Work that waits for a turn of the event loop with time for it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from app.services.event_loop import BUSY_SECONDS, MOST_WAITS, TurnQueue, turn_queue
from tests.app.turns import compute

LONG = BUSY_SECONDS + 0.002

pytestmark = pytest.mark.usefixtures("busy_turns")


@pytest.fixture
def queue(qapp: QApplication) -> TurnQueue:
    """The queue, once nothing waits any more."""
    found = turn_queue()
    while found.waits:
        qapp.processEvents()
    return found


def test_there_is_one_for_the_application(queue: TurnQueue) -> None:
    assert turn_queue() is queue


def test_short_work_shares_a_turn_in_order(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner = list[str](), QObject()
    for name in "abc":
        queue.put(owner, partial(done.append, name))
    assert not done
    qapp.processEvents()
    assert done == ["a", "b", "c"] and not queue.waits


def test_long_work_has_a_turn_of_its_own(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner = list[str](), QObject()

    def work(name: str) -> None:
        compute(LONG)
        done.append(name)

    for name in "abc":
        queue.put(owner, partial(work, name))
    for count in (1, 2, 3):
        qapp.processEvents()
        assert len(done) == count
    assert done == ["a", "b", "c"]


def test_work_that_is_put_by_work_waits_for_the_next_turn(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner = list[int](), QObject()

    def again() -> None:
        done.append(len(done))
        if len(done) < 3:
            queue.put(owner, again)

    queue.put(owner, again)
    for count in (1, 2, 3):
        qapp.processEvents()
        assert len(done) == count


def test_busy_turns_are_waited_for_but_not_for_ever(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner = list[str](), QObject()
    busy = QTimer(owner, interval=0)
    busy.timeout.connect(lambda: compute(LONG))
    busy.start()
    qapp.processEvents()  # the timer of the queue fires after this one from now on
    queue.put(owner, lambda: done.append("a"))
    for _ in range(MOST_WAITS):
        qapp.processEvents()
        assert not done
    for _ in range(2):
        qapp.processEvents()
    assert done == ["a"]


def test_work_of_what_is_deleted_is_dropped(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner, other = list[str](), QObject(), QObject()
    queue.put(owner, lambda: done.append("dropped"))
    queue.put(other, lambda: done.append("done"))
    delete(owner)
    qapp.processEvents()
    assert done == ["done"]


def test_a_turn_is_busy_once_it_has_computed(qapp: QApplication, queue: TurnQueue) -> None:
    found, owner = list[bool](), QObject()

    def look() -> None:
        found.append(queue.is_busy)
        compute(LONG)
        found.append(queue.is_busy)

    QTimer.singleShot(0, owner, look)
    qapp.processEvents()
    QTimer.singleShot(0, owner, look)
    qapp.processEvents()
    assert found == [False, True, False, True]


def test_a_turn_is_half_busy_before_it_is_busy(qapp: QApplication, queue: TurnQueue) -> None:
    found, owner = list[tuple[bool, bool]](), QObject()

    def look() -> None:
        for _ in range(2):
            compute(BUSY_SECONDS * 0.6)
            found.append((queue.is_half_busy, queue.is_busy))

    QTimer.singleShot(0, owner, look)
    qapp.processEvents()
    assert found == [(True, False), (True, True)]


def test_an_error_does_not_stop_the_others(qapp: QApplication, queue: TurnQueue, qtbot: Any) -> None:
    done, owner = list[str](), QObject()
    queue.put(owner, lambda: 1 // 0)
    queue.put(owner, lambda: done.append("done"))
    with qtbot.captureExceptions() as raised:
        qapp.processEvents()
        qapp.processEvents()
    assert [kind for kind, *_ in raised] == [ZeroDivisionError] and done == ["done"] and not queue.waits


@pytest.fixture
def widget(qtbot: Any) -> QWidget:
    """A window that is shown."""
    made = QWidget()
    qtbot.addWidget(made)
    made.show()
    return made


def press_key(widget: QWidget) -> None:
    QTest.keyClick(widget.windowHandle(), Qt.Key.Key_A)


def press_button(widget: QWidget) -> None:
    QTest.mouseClick(widget.windowHandle(), Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("act", [press_key, press_button])
def test_what_input_depends_on_is_done_before_it(queue: TurnQueue, widget: QWidget, act: Any) -> None:
    done = list[str]()
    for name in ("keyPressEvent", "mousePressEvent"):
        setattr(widget, name, lambda _event: done.append("input"))
    queue.put(widget, lambda: done.append("later"))
    queue.put(widget, lambda: done.append("first"), before_input=True)
    act(widget)
    assert done[:2] == ["first", "input"]
    while queue.waits:
        QApplication.processEvents()
    assert done == ["first", "input", "later"]


def test_what_input_depends_on_does_not_wait_for_input(qapp: QApplication, queue: TurnQueue) -> None:
    done, owner = list[str](), QObject()
    queue.put(owner, lambda: done.append("later"))
    queue.put(owner, lambda: done.append("first"), before_input=True)
    qapp.processEvents()
    assert done == ["first", "later"] and not queue.waits


def test_input_is_prepared_for_without_what_is_deleted(queue: TurnQueue) -> None:
    done, owner, other = list[str](), QObject(), QObject()
    queue.put(owner, lambda: done.append("dropped"), before_input=True)
    queue.put(other, lambda: done.append("done"), before_input=True)
    delete(owner)
    queue.prepare_input()
    queue.prepare_input()
    assert done == ["done"] and not queue.waits
