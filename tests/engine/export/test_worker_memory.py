"""The memory budget of a worker process, which its parent keeps."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from engine.export import worker
from engine.export.frames import Recipe
from engine.export.worker_messages import Ask, Free, Start
from tests.engine.drawn_frames import GRADE


@pytest.mark.parametrize(("size", "trims", "expected"), [(50, False, 0), (51, False, 1), (1, True, 1)])
def test_memory_beyond_the_share_goes_back_to_the_system(size, trims, expected, monkeypatch):
    given, said = list[int](), list[Any]()
    monkeypatch.setattr(worker, "_give_memory_back", lambda: given.append(len(said)))
    start = Start(Recipe(GRADE), "cpu", 1, 1, 100, 50, 0, frozenset(), trims, logging.WARNING)

    class Parent:
        def write(self, message):
            said.append(message)
            if isinstance(message, Ask):
                budget.grant(message.number)

    budget = worker.RemoteMemoryBudget(start, Parent(), lambda: 7)  # type: ignore[arg-type]
    with budget.taken(size):
        assert not given
    assert (len(given), said) == (expected, [Ask(7, size), Free(7)])
    assert given in ([], [1])  # before it is free for others
