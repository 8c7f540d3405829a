"""Runs of a soak: many steps from one seed; the first difference ends it."""

from __future__ import annotations

import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from tools.soak.actions import edits, files, sessions, versions
from tools.soak.rig import Rig, Stuck, application, rig
from tools.soak.use import Different, Use

ACTIONS = (*edits.ACTIONS, *versions.ACTIONS, *files.ACTIONS, *sessions.ACTIONS)
WEIGHTS = [weight for weight, _ in ACTIONS]


def soak(seed: int, steps: int) -> Counter[str]:
    """One run: how often each action was done. Different or Stuck, with the last actions, if it does not end well."""
    application()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="tessera-soak-") as folder, rig(Path(folder)) as made:
        collect_errors(made)
        use = Use(made, seed)
        chance = random.Random(f"actions {seed}")
        try:
            for _ in range(steps):
                counts.update(step(use, chance))
                use.compare()
        except (Different, Stuck) as problem:
            words = [f"seed {seed}, step {counts.total() + 1}: {problem}", "the last actions:", *use.log, *made.errors]
            raise type(problem)("\n".join(words)) from None
        finally:
            use.end()
    return counts


def step(use: Use, chance: random.Random, begin: Callable[[str, int], None] = lambda _name, _at: None) -> list[str]:
    """Do one action in one of the windows; actions that can't be done now are passed over. `begin` hears of each."""
    while True:
        use.at = chance.randrange(len(use.windows))
        action = chance.choices(ACTIONS, WEIGHTS)[0][1]
        begin(action.__name__, use.at)
        if use.act(action.__name__, action):
            return [action.__name__]


def collect_errors(made: Rig) -> None:
    """Have exceptions that nothing catches, such as those of slots, end the run."""

    def collect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        made.errors.append("".join(traceback.format_exception(kind, error, trace)))

    sys.excepthook = collect
