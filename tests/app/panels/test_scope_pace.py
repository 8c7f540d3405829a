"""When the scopes are read while frames follow each other."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from app.render.scope_reader import ScopeReader
from engine.viewing.scopes import ScopeOptions


@pytest.fixture
def paced(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A reader whose readings are only noted, and the clock that it reads."""
    state = SimpleNamespace(now=100.0, busy=False, read=[])
    made = ScopeReader(SimpleNamespace(waits=lambda: state.busy, settled=lambda: not state.busy, scopes=ScopeOptions()))

    def read(_maker: Any, _request: Any, quick: bool) -> None:
        state.read.append(quick)
        made._last = state.now

    monkeypatch.setattr(made, "_read", read)
    monkeypatch.setattr(time, "monotonic", lambda: state.now)
    state.reader = made
    return state


def test_readings_are_apart_while_something_moves(paced: SimpleNamespace):
    for _ in range(10):
        paced.reader.after_quick(None, None)
        paced.now += 0.025
    assert paced.read == [True] * 4


def test_newer_frames_come_first_but_not_for_ever(paced: SimpleNamespace):
    paced.reader.after_exact(None, None)
    paced.busy = True
    for _ in range(16):
        paced.now += 0.020
        paced.reader.after_quick(None, None)
        paced.reader.after_exact(None, None)
    assert paced.read == [False, True, True]
