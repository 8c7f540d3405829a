"""Random use of two windows, compared with a model after each step; and recovery after kills at random moments."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from tools.soak import victim
from tools.soak.kills import LONGEST, kills
from tools.soak.rig import Stuck
from tools.soak.run import soak
from tools.soak.use import Different

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    use = commands.add_parser("use", help="use two windows at random and compare them with the model")
    use.add_argument("--seed", type=int, default=1, help="the first seed; the default is %(default)s")
    use.add_argument("--runs", type=int, default=3, help="runs, each with the next seed; the default is %(default)s")
    use.add_argument("--steps", type=int, default=2000, help="actions of a run; the default is %(default)s")
    kill = commands.add_parser("kills", help="kill a process that uses two windows, and compare what is recovered")
    kill.add_argument("times", type=int, nargs="?", default=100, help="how often; the default is %(default)s")
    kill.add_argument("--seed", type=int, default=1, help="the default is %(default)s")
    kill.add_argument("--longest", type=float, default=LONGEST, help="seconds that a process lives at most")
    killed = commands.add_parser("victim", help="use two windows until this process is killed; for kills")
    killed.add_argument("folder", type=Path)
    killed.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.command == "victim":
        victim.run(asked.folder, asked.seed)
    if asked.command == "kills":
        return kill_windows(asked.times, asked.seed, asked.longest)
    return use_windows(asked.seed, asked.runs, asked.steps)


def use_windows(first: int, runs: int, steps: int) -> int:
    for seed in range(first, first + runs):
        begun = time.monotonic()
        try:
            counts = soak(seed, steps)
        except (Different, Stuck) as problem:
            print(problem)
            return 1
        print(f"seed {seed}: {steps} steps without a difference in {time.monotonic() - begun:.0f} s", flush=True)
        print("  " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())), flush=True)
    return 0


def kill_windows(times: int, seed: int, longest: float) -> int:
    begun = time.monotonic()
    problem = kills(times, seed, longest)
    print(problem or f"{times} kills, all recovered as the journal says, in {time.monotonic() - begun:.0f} s")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
