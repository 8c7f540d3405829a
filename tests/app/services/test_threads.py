"""How the threads of the window's process share the interpreter and the cores."""

from __future__ import annotations

import os
import subprocess
import sys

from app.services.threads import LEAST_SPINNING, SPINNING, SWITCH_SECONDS
from tests.app.command_line import ROOT


def said_by(code: str, **env: str) -> str:
    """What code prints in a process of its own."""
    env = {**{k: v for k, v in os.environ.items() if k != SPINNING}, "QT_QPA_PLATFORM": "offscreen", **env}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_threads_switch_often_and_idle_ones_sleep():
    code = f"""
import os, sys
from app.services.threads import prepare_threads
prepare_threads()
print(sys.getswitchinterval(), os.environ[{SPINNING!r}])
"""
    assert said_by(code) == f"{SWITCH_SECONDS} {LEAST_SPINNING}"
    assert said_by(code, **{SPINNING: "9"}) == f"{SWITCH_SECONDS} 9"
