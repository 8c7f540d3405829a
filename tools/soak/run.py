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

from app.services.event_loop import turn_queue
from tools.soak.actions import edits, files, sessions, versions
from tools.soak.answers import ShuffledJobs
from tools.soak.rig import Rig, Stuck, application, rig
from tools.soak.use import Different, Use

Actions = tuple[tuple[int, Callable[[Use], str | None]], ...]
Begin = Callable[[str, int], None]
ACTIONS: Actions = (*edits.ACTIONS, *versions.ACTIONS, *files.ACTIONS, *sessions.ACTIONS)
QUICK: Actions = (*edits.ACTIONS, *versions.ACTIONS, (40, files.image), (20, files.layer), (30, sessions.tab))
"""Actions that wait for no answer."""
AT_ONCE = 4


def soak(seed: int, steps: int) -> Counter[str]:
    """One run: how often each action was done. Different or Stuck, with the last actions, if it does not end well."""
    application()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="tessera-soak-") as folder, rig(Path(folder), ShuffledJobs) as made:
        collect_errors(made)
        ShuffledJobs.chance = random.Random(f"answers {seed}")
        use = Use(made, seed)
        chance, done = random.Random(f"actions {seed}"), 0
        try:
            while done < steps:
                counts.update(step(use, chance, most=AT_ONCE if chance.random() < 0.3 else 1))
                use.compare()
                done += 1
        except (Different, Stuck) as problem:
            words = [f"seed {seed}, step {done + 1}: {problem}", "the last actions:", *use.log, *made.errors]
            raise type(problem)("\n".join(words)) from None
        finally:
            use.end()
    return counts


def step(use: Use, chance: random.Random, begin: Begin = lambda _name, _at: None, most: int = 1) -> list[str]:
    """Do an action, or up to `most` quick ones before any of their answers comes, and let all come to rest.

    `begin` is called before each, with its name and the window.
    """
    count = chance.randint(1, most)
    names = [_act(use, chance, begin, QUICK if count > 1 else ACTIONS) for _ in range(count)]
    use.rest()
    return names


def _act(use: Use, chance: random.Random, begin: Begin, actions: Actions) -> str:
    """Do an action in one of the windows; those that can't be done now are passed over."""
    weights = [weight for weight, _ in actions]
    while True:
        use.at = chance.randrange(len(use.windows))
        action = chance.choices(actions, weights)[0][1]
        begin(action.__name__, use.at)
        turn_queue().prepare_input()  # as before a key or a click
        if use.act(action.__name__, action):
            return action.__name__


def collect_errors(made: Rig) -> None:
    """Have exceptions that nothing catches, such as those of slots, end the run."""

    def collect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        made.errors.append("".join(traceback.format_exception(kind, error, trace)))

    sys.excepthook = collect
