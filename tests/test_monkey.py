"""The hands of the monkey, in parts of a window that run event loops of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.turns import Turns

ROOT = Path(__file__).resolve().parents[1]


def used(platform: str, *before: str) -> dict[str, Any]:
    """What came of it, in a process of its own, since a loop that does not end can't be ended from within."""
    done = subprocess.run(
        [*before, sys.executable, "-m", "tests.nested_loops"],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": platform},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_menus_and_dialogs_are_closed():
    used("offscreen")


@pytest.mark.skipif(not (shutil.which("xvfb-run") and shutil.which("xauth")), reason="there is no Xvfb with xauth")
def test_drags_end_as_those_of_a_user():
    found = used("xcb", "xvfb-run", "-a", "-s", "-screen 0 800x600x24")
    assert found["drags"] > 0 and 0 < found["dropped"] < found["drags"]


def test_a_turn_that_waits_for_a_user_is_left_out():
    turns = Turns(None)
    turns.call(lambda: turns.apart(turns.apart, lambda: None))
    assert turns.count == 1
    turns.call(lambda: None)
    assert turns.count == 2
