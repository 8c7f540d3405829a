"""The soak, briefly: random use of two windows, compared with a model after each step, and recovery after kills."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.thorough import THOROUGH

ROOT = Path(__file__).resolve().parents[1]


def run(*words: str) -> str:
    """What the soak prints, in a process of its own; it must find no difference."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.soak", *words],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_windows_used_at_random_are_as_the_model_says():
    steps = "60" if THOROUGH else "25"
    assert f"{steps} steps without a difference" in run("use", "--seed", "7", "--runs", "1", "--steps", steps)


def test_what_kills_leave_is_recovered():
    assert "2 kills, all recovered" in run("kills", "2", "--seed", "3", "--longest", "2")
