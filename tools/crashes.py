"""Kills the window at random moments of use, and checks what the next one recovers.

    python -m tools.crashes [--times 20] [--seed 1]

The window that is killed opens images, edits grades and switches tabs, and records each edit with its time before it
is made. The next window must show every edit that was older than 5 s at the kill, in the same images, and continues
from there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NoReturn

from PySide6.QtWidgets import QApplication

from app.model.document import Document
from app.shell.main_window import MainWindow
from app.shell.start import prepare
from engine import ops

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = 5.0
"""Seconds of work that a crash may cost."""


def main() -> None:
    """Kill the window several times; the exit status is 1 unless every session is recovered."""
    parser = argparse.ArgumentParser(description="Kill the window and recover.")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        use(Path(asked.child), asked.seed)
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory(prefix="tessera-crashes-") as folder:
        make_images(Path(folder))
        recovered, back = 0, Shown()
        for number in range(asked.times):
            well, back = once(Path(folder), number, chance, back)
            recovered += well
    print(f"{recovered} of {asked.times} sessions recovered, nothing older than {ALLOWED:g} s lost")
    sys.exit(0 if recovered == asked.times else 1)


def make_images(folder: Path) -> None:
    """Copy the sample under four names."""
    for number in range(4):
        (folder / f"image{number}.exr").write_bytes((ROOT / "resources" / "sample.exr").read_bytes())


Shown = dict[str, list[float]]
"""The values that each image shows, one for each time that it is open."""


def once(folder: Path, number: int, chance: random.Random, before: Shown) -> tuple[bool, Shown]:
    """Start the window, see what it recovers, use it for a while and kill it.

    Return whether all that had to be recovered was, and what was.
    """
    notes = folder / "edits.jsonl"
    edits = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    notes.unlink(missing_ok=True)
    killed = float((folder / "killed").read_text()) if number else 0.0
    seed = str(chance.randrange(1 << 30))
    words = [sys.executable, "-m", "tools.crashes", "--child", str(folder), "--seed", seed]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        assert child.stdout is not None
        line = child.stdout.readline()
        back = json.loads(line) if line else None
        time.sleep(chance.uniform(0.3, 9.0))
        (folder / "killed").write_text(str(time.time()))
        child.send_signal(signal.SIGKILL)
    wrong = "the window did not start" if back is None else compare(before, edits, killed, back)
    print(f"{number + 1}: {wrong or f'recovered, {len(edits)} edits'}", flush=True)
    return not wrong, back or {}


def compare(before: Shown, edits: list[dict[str, Any]], killed: float, back: Shown) -> str:
    """Return what is missing, or ''. An image must show its last edit that is old enough, or a later one."""
    for name in {*before, *(edit["image"] for edit in edits)}:
        made = [(edit["value"], edit["time"]) for edit in edits if edit["image"] == name]
        values = [*before.get(name, []), *(value for value, _ in made)]
        must = [*before.get(name, [])[-1:], *(value for value, when in made if when < killed - ALLOWED)]
        if must and name not in back:
            return f"{name} is not open"
        if must and not any(value in values[values.index(must[-1]) :] for value in back[name]):
            return f"{name} shows {back[name]}, not {must[-1]}"
    return ""


def use(folder: Path, seed: int) -> NoReturn:
    """Use the window until this process is killed."""
    prepare(QApplication(sys.argv[:1]))
    user = User(folder, random.Random(seed))
    user.start()
    while True:
        user.act()


class User:
    """Opens images, edits grades and switches tabs at random, and records each edit before it is made."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.window = MainWindow("cpu", folder=folder / "config")
        self.window.show()
        self.workspace = self.window.workspace
        self.count = 0

    def start(self) -> None:
        """Wait until the window is complete, and print what it shows."""
        self.spin(0.1)
        while self.workspace.jobs.active and not self.window.bar.text:
            self.spin(0.05)
        self.spin(0.5)
        shown = self.shown()
        self.count = round(1000 * max((value for values in shown.values() for value in values), default=0.0)) + 1000
        print(json.dumps(shown), flush=True)

    def shown(self) -> Shown:
        """The exposure of each open image."""
        found: Shown = {}
        for document in self.workspace.documents:
            if document.image_path is not None:
                exposure = document.grade.entries[0]
                assert isinstance(exposure, ops.Exposure)
                found.setdefault(document.image_path.name, []).append(exposure.stops)
        return found

    def act(self) -> None:
        """Open an image, switch tabs or edit, and pause."""
        document = self.workspace.document
        if document.image_path is None or self.chance.random() < 0.1:
            self.workspace.files.open_image(self.folder / f"image{self.chance.randrange(4)}.exr")
        elif self.chance.random() < 0.1:
            self.workspace.open_documents.show(self.chance.choice(self.workspace.documents))
        elif document.image is not None:
            self.edit(document, document.image_path)
        self.spin(self.chance.uniform(0.0, 0.2))

    def edit(self, document: Document, image: Path) -> None:
        """Record the next exposure, then set it."""
        self.count += 1
        value = round(self.count / 1000, 3)
        with (self.folder / "edits.jsonl").open("a") as notes:
            print(json.dumps({"time": time.time(), "image": image.name, "value": value}), file=notes)
        document.edit_entry(0, ops.Exposure(value), "exposure", "0.stops" if self.chance.random() < 0.5 else "")

    def spin(self, seconds: float) -> None:
        """Process events for some seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            QApplication.processEvents()
            time.sleep(0.002)


if __name__ == "__main__":
    main()
