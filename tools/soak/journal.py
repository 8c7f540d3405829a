"""The journal of a process that will be killed: what the model held, and what was on disk by then.

Events are appended to one file, each as a pickle; the last may be cut short by the kill.
"""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.soak.windows import Stored, Window, World


@dataclass
class State:
    """What the model holds between two actions; `crashed` are sessions that are yet to be recovered."""

    time: float
    world: World
    windows: list[Window]
    crashed: list[Stored]


@dataclass
class Begin:
    """An action begins in a window."""

    action: str
    window: int


@dataclass
class Written:
    """The recovery of a window holds what the state of this index says, or a later one."""

    window: int
    state: int


class Writer:
    """Appends events to a journal."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self.states = 0

    def state(self, world: World, windows: list[Window], crashed: list[Stored]) -> None:
        self._write(State(time.time(), world, windows, crashed))
        self.states += 1

    def begin(self, action: str, window: int) -> None:
        self._write(Begin(action, window))

    def written(self, window: int, state: int) -> None:
        self._write(Written(window, state))

    def _write(self, event: object) -> None:
        self._file.write(pickle.dumps(event))
        self._file.flush()


@dataclass
class Journal:
    """What was read of a journal."""

    states: list[State]
    written: dict[int, int]  # the newest state that is on disk, by window
    begun: Begin | None = None  # the action that the kill met

    def before_kill(self, window: int, killed: float, allowed: float) -> list[int]:
        """The states that the recovery of a window may hold: none older than what was written or than `allowed`."""
        last = len(self.states) - 1
        young = [at for at in range(last) if self.states[at + 1].time >= killed - allowed]
        return [at for at in [*young, last] if at >= self.written.get(window, 0)]


def read(path: Path) -> Journal:
    journal = Journal([], {})
    with path.open("rb") as file:
        while (event := _next(file)) is not None:
            if isinstance(event, State):
                journal.states.append(event)
                journal.begun = None
            elif isinstance(event, Begin):
                journal.begun = event
            elif isinstance(event, Written):
                journal.written[event.window] = event.state
    return journal


def _next(file: Any) -> object | None:
    try:
        event: object = pickle.load(file)
    except (EOFError, pickle.UnpicklingError):
        return None
    return event
