"""The threads of the CPU backend beside an interface."""

from __future__ import annotations

import threading

import pytest

from engine.compute.backends.cpu.threads import Threads
from engine.core.priorities import INTERFACE_TURN, lower_priority


@pytest.mark.parametrize("is_lowered", [True, False])
def test_bands_of_a_thread_of_low_priority_give_way_to_the_interface(
    is_lowered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    gave_way, done = list[int](), list[int]()
    monkeypatch.setattr(INTERFACE_TURN, "give_way", lambda: gave_way.append(1))

    def work() -> None:
        if is_lowered:
            lower_priority()
        Threads(2).share(done.append, range(5))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert sorted(done) == list(range(5)) and len(gave_way) == 5 * is_lowered
