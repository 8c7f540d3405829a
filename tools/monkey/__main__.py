"""Monkey test of the real window: random use for some minutes.

Finds exceptions, the longest turn of the event loop, and memory that is not returned after all images are closed.

    python -m tools.monkey [--seconds 60] [--seeds 1 2 3] [--periods 1] [--backend cpu] [--list 10]

Each seed is a process of its own, under Xvfb where there is no display. The actions are drawn from the table MOVES.
Moves on commands, panels and controls take whatever the window has, so they include what is added to it later. What a
move opens is closed before the next one; drags and menus that run an event loop are ended from within it, and a move
that never ends ends the process with the stacks of its threads. Before the clock starts, every panel and image is shown
once and the same moves are made for half as long; memory is measured then, with all images closed, and again at the
end. With several periods of so many seconds each it is measured after each of them, which tells growth from caches that
fill. For each slow turn, three times are printed: on the clock, how long its thread computed, and how long it could
have computed but had no core because the machine was busy. In the rest, it waited for other threads or the machine
stood still: beside each run, a process that only sleeps records how late it wakes. How long a thread computes counts
what the host of a virtual machine takes away, too: what it took from all cores is printed as stolen, in steps of 10 ms.
Before each move, a loop that is always the same is timed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from tests.benchmarks.turns import SLOW, Turn
from tools.xvfb import on_screen

ROOT = Path(__file__).resolve().parents[2]
SLEEPER = """
import sys, threading, time
done, late = [], []
threading.Thread(target=lambda: (sys.stdin.read(), done.append(1)), daemon=True).start()
while not done:
    start = time.perf_counter()
    time.sleep(0.005)
    late.append(time.perf_counter() - start - 0.005)
print(sum(each > 0.05 for each in late), max(late))
"""


def main() -> None:
    asked = arguments()
    if asked.child:
        from app.shell.loading import prepare_process

        prepare_process()  # as a window does before it is imported
        from tools.monkey.run import use

        try:
            result = use(asked.seeds[0], asked.seconds, asked.periods, asked.backend, Path(asked.child))
        except Exception:  # noqa: BLE001 (the hook for exceptions only counts them)
            traceback.print_exc()
            os._exit(1)
        print(json.dumps(result), flush=True)
        os._exit(0)  # threads that still compile are not waited for
    found = []
    for seed in asked.seeds:
        found.append(run_child(seed, asked))
        tell(seed, found[-1], asked.list)
    failed = sum(len(each["exceptions"]) for each in found)
    longest, busiest = (1000 * max(each[name][at] for each in found) for name, at in (("longest", 0), ("busiest", 1)))
    print(f"all seeds: {failed} exceptions, longest turn {longest:.0f} ms on the clock, {busiest:.0f} ms computing")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--periods", type=int, default=1, help="how often memory is measured after so many seconds")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--list", type=int, default=10, help="how many slow turns are listed")
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    return parser.parse_args()


def run_child(seed: int, asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="tessera-monkey-") as folder:
        words = [sys.executable, "-m", "tools.monkey", "--child", folder, "--seeds", str(seed)]
        words += ["--seconds", str(asked.seconds), "--periods", str(asked.periods), "--backend", asked.backend]
        beside = subprocess.Popen(
            [sys.executable, "-c", SLEEPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        quiet = os.environ | {"PYTHONWARNINGS": "ignore:resource_tracker"}  # of processes that end with the window
        done = subprocess.run(
            on_screen(words, "1920x1200"),
            cwd=ROOT,
            env=quiet,
            stdout=subprocess.PIPE,
            text=True,
            timeout=asked.seconds * 4 * asked.periods + 300,
        )
        late = beside.communicate()[0].split()
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"seed {seed}: the window ended with exit status {done.returncode}")
    return {**json.loads(done.stdout.strip().splitlines()[-1]), "late": (int(late[0]), float(late[1]))}


def tell(seed: int, found: dict[str, Any], count: int) -> None:
    slow = [Turn(*each) for each in found["slow"]]
    print(f"seed {seed}: {found['moves']} moves, {found['turns']} turns, {len(found['exceptions'])} exceptions")
    print(f"  longest turn on the clock: {Turn(*found['longest'])}")
    print(f"  longest turn computing:    {Turn(*found['busiest'])}")
    alone = sum(each.seconds - each.queued > SLOW for each in slow)
    own = sum(each.computed > SLOW for each in slow)
    print(f"  {len(slow)} over {1000 * SLOW:.0f} ms on the clock, {alone} but for a core, {own} computing for so long")
    for each in sorted(slow, reverse=True)[:count]:
        print(f"    {each}")
    times, most = found["late"]
    print(f"  a process that sleeps woke late by over 50 ms {times} times, at most by {1000 * most:.0f} ms")
    speeds = sorted(found["speeds"])
    median, late = (speeds[int(share * (len(speeds) - 1))] / speeds[0] for share in (0.5, 0.95))
    print(f"  a loop that is always the same computed {median:.1f} times its shortest time, in 5 % of cases {late:.1f}")
    before, *after = found["memory"]
    sizes = ", ".join(str(size >> 20) for size in after)
    print(f"  memory {before >> 20} MiB before, {sizes} MiB after closing all: {after[-1] / before - 1:+.1%}")
    for text, times in Counter(found["exceptions"]).most_common():
        print(f"  exception, {times} times: {text}")
    for text, times in Counter(found["messages"]).most_common(5):
        print(f"  Qt said, {times} times: {text}")


if __name__ == "__main__":
    main()
