"""Counts the steps of ten tasks in the window.

    python -m tools.tasks [NAME ...]

A step is a click, a drag or a key. Each task is done in a new window of 1280 x 720 and fails if its goal is not
reached. The table compares the steps with those of the first edition of the window. Runs under Xvfb where there is no
display, or with QT_QPA_PLATFORM=offscreen without any.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.shell.start import prepare
from tools.tasks.hand import Hand
from tools.tasks.scripts import TASKS
from tools.xvfb import on_screen

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    words = [sys.executable, "-m", "tools.tasks", *sys.argv[1:]]
    command = on_screen(words, "1280x720")
    if command != words:
        raise SystemExit(subprocess.run(command, cwd=ROOT, check=False).returncode)
    app = QApplication(sys.argv[:1])
    prepare(app)
    chosen = {task: before for task, before in TASKS.items() if task.__name__ in (sys.argv[1:] or [task.__name__])}
    total = 0
    for task, before in chosen.items():
        with tempfile.TemporaryDirectory(prefix="tessera-tasks-", ignore_cleanup_errors=True) as folder:
            hand = Hand(Path(folder))
            task(hand)
            hand.finish()
        total += len(hand.steps)
        print(f"{before:3d} -> {len(hand.steps):3d}  {task.__doc__}", flush=True)
        print(f"            {', '.join(hand.steps)}", flush=True)
    print(f"{sum(chosen.values()):3d} -> {total:3d}  in all")
    sys.stdout.flush()
    os._exit(0)  # threads that still compile are not waited for


if __name__ == "__main__":
    main()
