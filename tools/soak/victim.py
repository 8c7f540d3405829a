"""A process that uses two windows until it is killed, and keeps a journal of what the model holds."""

from __future__ import annotations

import pickle
import random
import sys
import time
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

from app.services.autosave import Autosave
from tools.soak.journal import Writer
from tools.soak.rig import Stuck, application, rig, turn
from tools.soak.run import collect_errors, step
from tools.soak.use import Different, Use
from tools.soak.windows import Stored, World

JOURNAL, START = "journal", "start"
BEGUN = "begun"
"""The line that says that the windows are about to be made."""
PAUSE = 0.1
"""The longest pause between two actions in seconds."""


class Victim:
    """Uses windows; their snapshots for the recovery are taken between actions, where the model says what they hold."""

    def __init__(self, folder: Path) -> None:
        self.journal = Writer(folder / JOURNAL)
        self.use: Use | None = None
        self.acting = True

    def live(self, use: Use, chance: random.Random) -> None:
        self.use = use
        use.compare()
        self._rest(use, chance)
        while True:
            windows = list(use.windows)
            step(use, chance, self._begin)
            use.compare()
            replaced = [at for at, window in enumerate(windows) if window is not use.windows[at]]
            self._rest(use, chance, replaced)

    def _begin(self, action: str, window: int) -> None:
        self.acting = True
        self.journal.begin(action, window)

    def _rest(self, use: Use, chance: random.Random, replaced: list[int] | None = None) -> None:
        """Note what holds now, and let snapshots be taken for a while."""
        self.journal.state(use.world, use.models, [])
        for window in replaced or []:  # that one is closed, and nothing of it must come back
            self.journal.written(window, self.journal.states - 1)
        self.acting = False
        for shown in use.windows:
            assert isinstance(shown.autosave, Snapshots)
            shown.autosave.make_up()
        end = time.monotonic() + chance.uniform(0.0, PAUSE)
        while time.monotonic() < end:
            turn()
            time.sleep(0.001)

    def window_of(self, autosave: Autosave) -> int | None:
        windows = self.use.windows if self.use is not None else []
        return next((at for at, window in enumerate(windows) if window.autosave is autosave), None)


class Snapshots(Autosave):
    """The recovery of a window, with snapshots between actions only; the journal says when they are on disk."""

    victim: ClassVar[Victim]
    _late = False
    _state = 0

    def make_up(self) -> None:
        """Take the snapshot that was due during an action."""
        if self._late:
            self._late = False
            self._save()

    def _save(self) -> None:
        if self.victim.acting:
            self._late = True
            return
        if not self._writing:
            self._state = self.victim.journal.states - 1
        super()._save()

    def _saved(self, done: None) -> None:
        window = self.victim.window_of(self)
        if window is not None:
            self.victim.journal.written(window, self._state)
        super()._saved(done)


def run(folder: Path, seed: int) -> None:
    """Live until the kill; whatever else ends this is printed."""
    application()
    world, crashed = start(folder)
    victim = Snapshots.victim = Victim(folder)
    with rig(folder) as made, patch("app.shell.main_window.Autosave", Snapshots):
        collect_errors(made)
        victim.journal.state(world, [], crashed)
        print(BEGUN, flush=True)
        use = None
        try:
            use = Use(made, seed, world, crashed)
            victim.live(use, random.Random(f"actions {seed}"))
        except (Different, Stuck) as problem:
            print(problem, *(use.log if use is not None else []), *made.errors, sep="\n", flush=True)
            sys.exit(1)


def start(folder: Path) -> tuple[World, list[Stored]]:
    """What the kill before left: files, and sessions to recover."""
    path = folder / START
    if not path.exists():
        return World(), []
    world, crashed = pickle.loads(path.read_bytes())
    return world, crashed
