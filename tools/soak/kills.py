"""Kills of a process at random moments; what the next one recovers is compared with the journal of the killed one."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.soak import left
from tools.soak.journal import read
from tools.soak.use import Different
from tools.soak.victim import BEGUN, JOURNAL, START

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 6.0
"""Seconds that a process lives at most, from when it makes its windows."""
MOST = 12
"""Documents that are recovered; after more of them, the next process starts with nothing."""


def kills(times: int, seed: int, longest: float = LONGEST) -> str:
    """Start and kill a process so many times; what differed after one, or ''."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="tessera-kills-") as name:
        number = series = 0
        while number < times:
            series, documents = series + 1, 0
            folder = Path(name) / str(series)
            folder.mkdir()
            while number < times and documents <= MOST:
                number += 1
                try:
                    documents, line = once(folder, chance.randrange(1 << 30), chance.uniform(0.0, longest))
                except Different as problem:
                    return f"seed {seed}, kill {number}: {problem}"
                print(f"{number}: {line}", flush=True)
    return ""


def once(folder: Path, seed: int, seconds: float) -> tuple[int, str]:
    """One process: start, kill, and compare. How many documents the next one recovers, and all of it in words."""
    words = [sys.executable, "-m", "tools.soak", "victim", str(folder), "--seed", str(seed)]
    environment = os.environ | {"PYTHONFAULTHANDLER": "1"}
    with subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        begun = child.stdout.readline().strip() == BEGUN
        try:
            child.wait(seconds if begun else 60.0)
        except subprocess.TimeoutExpired:
            killed = time.time()
            child.kill()
        else:
            raise Different(f"the process ended by itself with {child.returncode}: {child.stdout.read()}")
    journal = read(folder / JOURNAL)
    found = left.sessions(journal, folder / "config", killed)
    world = left.settle_files(journal, folder)
    forgive(folder / "config")
    (folder / START).write_bytes(pickle.dumps((world, found)))
    documents = sum(len(each.held[0]) for each in found)
    cut = f"in {journal.begun.action}" if journal.begun is not None else "between actions"
    return (
        documents,
        f"killed after {len(journal.states) - 1} actions, {cut}: {documents} documents in {len(found)} sessions",
    )


def forgive(config: Path) -> None:
    """Have sessions recovered again, however often a kill met their recovery."""
    for path in config.glob("recovery/*/tried*"):
        path.unlink()
