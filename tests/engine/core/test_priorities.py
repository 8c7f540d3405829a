"""Threads that leave the cores to those of the interface."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from engine.core.priorities import NICENESS, lower_priority


def niceness() -> int:
    """That of the calling thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no priority of a thread")
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
