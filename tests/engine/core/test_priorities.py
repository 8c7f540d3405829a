"""Threads that leave the cores to those of the interface."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from engine.core import priorities
from engine.core.priorities import LONGEST_WAIT, NICENESS, InterfaceTurn, lower_priority

T = TypeVar("T")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no priority of a thread, nor its clock")


def niceness() -> int:
    """That of the calling thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@on_linux
def test_a_thread_and_those_that_it_starts_have_it() -> None:
    before, found = niceness(), list[int]()

    def work() -> None:
        lower_priority()
        found.append(niceness())
        with ThreadPoolExecutor(1) as pool:
            found.append(pool.submit(niceness).result())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [max(before, NICENESS)] * 2 and niceness() == before


def test_a_system_that_refuses_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse, raising=False)
    lower_priority()


@on_linux
def test_a_turn_is_long_once_its_thread_has_computed_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = InterfaceTurn()
    monkeypatch.setattr(priorities, "LONG_TURN", 1e-4)
    turn.begin()
    assert not turn.is_long
    compute()
    assert turn.is_long and others(lambda: turn.is_long)
    turn.begin()
    assert not turn.is_long


@on_linux
def test_a_thread_gives_way_until_the_next_turn_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = InterfaceTurn()
    monkeypatch.setattr(priorities, "LONG_TURN", 1e-4)
    monkeypatch.setattr(priorities, "LONGEST_WAIT", 60.0)
    turn.begin()
    compute()
    thread = threading.Thread(target=turn.give_way)
    thread.start()
    thread.join(0.05)
    assert thread.is_alive()
    turn.begin()
    thread.join(10.0)
    assert not thread.is_alive()


@on_linux
def test_a_turn_that_waits_for_others_delays_them_once(monkeypatch: pytest.MonkeyPatch) -> None:
    turn, waits = InterfaceTurn(), list[float]()
    monkeypatch.setattr(priorities, "LONG_TURN", 1e-4)
    turn.begin()
    compute()

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return False

    monkeypatch.setattr(turn._over, "wait", wait)
    for _ in range(3):
        others(turn.give_way)
    assert waits == [LONGEST_WAIT]


def test_nothing_waits_without_an_interface() -> None:
    compute()
    turn = InterfaceTurn()
    turn.give_way()
    assert not turn.is_long


def compute() -> None:
    """Compute for longer than a turn is short."""
    end = time.thread_time() + 2e-4
    while time.thread_time() < end:
        pass


def others(call: Callable[[], T]) -> T:
    """What another thread finds."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call).result()
