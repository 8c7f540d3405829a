"""One run of random use: the window, its images, warming up, and what is found."""

from __future__ import annotations

import faulthandler
import importlib.util
import logging
import random
import shutil
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import psutil
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from app.model.document_state import default_grade
from app.model.internal_errors import LOG as INTERNAL_ERRORS
from app.panels.op_menu import made, offers
from app.shell.main_window import MainWindow
from app.shell.start import prepare
from app.workspace import RETURN_MS
from engine import Grade, ops
from engine.export.image import export_image
from tests.benchmarks.images import natural
from tests.benchmarks.turns import Turns
from tests.engine.movies.numbered import Case, make
from tools.monkey.hands import MOVES, Hands
from tools.monkey.mattes import MATTE_MOVES, MatteHands

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
LOOKS = ROOT / "resources" / "looks"
FRAMES, FRAME_SIZE = 12, (960, 540)
ALL_MOVES = (*MOVES, *MATTE_MOVES)
YARDSTICK = 100_000
LIMIT, WARM_UP_LIMIT = 120.0, 400.0
"""Seconds after which a move, and what comes before the first one, ends the process with the stacks of its threads."""


class Complaints(logging.Handler):
    """Exceptions that nothing caught, internal errors that were reported to the user, and what Qt said."""

    def __init__(self, turns: Turns) -> None:
        super().__init__()
        self._turns = turns
        INTERNAL_ERRORS.addHandler(self)
        self.exceptions: list[str] = []
        self.messages: list[str] = []
        sys.excepthook = lambda _kind, error, _trace: self.note(error)
        threading.excepthook = lambda raised: self.note(raised.exc_value)
        qInstallMessageHandler(lambda _kind, _context, text: self._hear(text))

    def note(self, error: BaseException | None) -> None:
        trace = traceback.extract_tb(error.__traceback__) if error is not None else []
        where = f"{Path(trace[-1].filename).name}:{trace[-1].lineno}" if trace else ""
        self.exceptions.append(f"{type(error).__name__}: {error} ({where}, during {self._turns.doing})")

    def emit(self, record: logging.LogRecord) -> None:
        self.note(record.exc_info[1] if record.exc_info else None)

    def _hear(self, text: str) -> None:
        if "propagateSizeHints" not in text:  # of platforms without windows
            self.messages.append(text)


def use(seed: int, seconds: float, periods: int, backend: str, folder: Path) -> dict[str, Any]:
    """One run, in a process that is prepared for a window; what was found."""
    faulthandler.dump_traceback_later(WARM_UP_LIMIT, exit=True)
    app = QApplication(sys.argv[:1])
    prepare(app)
    files, frames, looks = images(folder), sequence(folder), looks_in(folder)
    turns = Turns(app)
    window = MainWindow(backend, folder=folder / "config")
    window.show()
    hands = MatteHands(window, turns, random.Random(seed), files, frames, looks)
    complaints, speeds = Complaints(turns), list[float]()
    turns.on = False
    warm_up(hands, complaints, seconds / 2)
    memory, count = [memory_of(hands)], 0
    turns.on = True
    for _ in range(periods):
        for path in files[:2]:
            window.files.open_image(path)
        count += play(hands, complaints, seconds, speeds)
        turns.doing = "closing all"
        memory.append(memory_of(hands))
    return {
        "moves": count,
        "turns": turns.count,
        "exceptions": complaints.exceptions,
        "messages": complaints.messages,
        "longest": turns.longest,
        "busiest": turns.busiest,
        "slow": turns.slow,
        "memory": memory,
        "speeds": speeds,
    }


def images(folder: Path) -> list[Path]:
    """The sample, the sample at 3840 x 2160, some of the corpus, an image with many objects in it, and a movie."""
    sample, large = ROOT / "resources" / "sample.exr", folder / "uhd.exr"
    export_image(sample, large, Grade([ops.Resize(3840, 2160, "bilinear")]))
    found = sorted(CORPUS.glob("exr/**/*.exr"))
    objects = sorted(CORPUS.glob("cryptomatte/*.exr"))[:1]
    return [sample, large, *random.Random(0).sample(found, min(6, len(found))), *objects, *movies(folder)]


def looks_in(folder: Path) -> list[Path]:
    """Copies of the looks: a move may save a grade where it was opened."""
    return sorted(Path(shutil.copytree(LOOKS, folder / "looks")).iterdir())


def movies(folder: Path) -> list[Path]:
    """A movie of a second; none without PyAV."""
    if importlib.util.find_spec("av") is None:
        return []
    return [make(folder, Case("shot.mp4", "libx264", "yuv420p", size=FRAME_SIZE, times=range(24), tags=(1, 1, 1)))]


def sequence(folder: Path) -> list[Path]:
    """A short sequence of small frames."""
    base = natural(*FRAME_SIZE)
    paths = [folder / f"shot.{1001 + n}.exr" for n in range(FRAMES)]
    for n, path in enumerate(paths):
        output = oiio.ImageOutput.create(str(path))
        assert output is not None
        output.open(str(path), oiio.ImageSpec(*FRAME_SIZE, 4, "half"))
        output.write_image(np.roll(base, 9 * n, 1))
        output.close()
    return paths


def warm_up(hands: MatteHands, complaints: Complaints, seconds: float) -> None:
    """Every panel, image, operation and command once, then random use: what is loaded and compiled for good is there
    then."""
    hands.workspace.services.backends()  # loads the drivers, as the preferences do
    for path in [*hands.files, hands.frames[0]]:
        hands.workspace.files.open_image(path)
        hands.spin(1.0)
    for name in hands.window.docks.docks:
        hands.window.docks.show(name)
        hands.spin(0.3)
    for offer in offers():
        hands.workspace.document.open_grade(Grade([made(offer.kind)]), None)
        hands.spin(0.1)
    hands.workspace.document.open_grade(default_grade(), None)
    hands.window.docks.show("looks").open_folder(hands.looks[0].parent)
    hands.spin(1.0)
    hands.workspace.open_documents.show(hands.workspace.documents[0])
    hands.add_all_sources()
    hands.give_all_commands()
    play(hands, complaints, seconds)


def play(hands: MatteHands, complaints: Complaints, seconds: float, speeds: list[float] | None = None) -> int:
    """Moves by chance for some seconds; how many. Before each, what the same loop takes is added to `speeds`."""
    weights = [weight for weight, _ in ALL_MOVES]
    end, count, turns, last = time.perf_counter() + seconds, 0, hands.turns, "none"
    while time.perf_counter() < end:
        (_, move), count = hands.chance.choices(ALL_MOVES, weights)[0], count + 1
        turns.doing, last = f"{move.__name__} (after {last})", move.__name__  # which may have left something to do
        if speeds is not None:
            speeds.append(yardstick())
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            move(hands)
        except Exception as error:  # noqa: BLE001 (it is what is looked for)
            complaints.note(error)
        hands.spin(hands.chance.choice((0.0, 0.02, 0.1)))
        hands.tidy()
    return count


def yardstick() -> float:
    """The seconds that this thread computes for a loop that is always the same: how fast the machine is now."""
    start = time.thread_time()
    sum(range(YARDSTICK))
    return time.thread_time() - start


def memory_of(hands: Hands) -> int:
    """Bytes that the process holds once all images were closed and it has returned their memory for the last time."""
    hands.tidy()
    for document in list(hands.workspace.documents):
        hands.turns.call(hands.workspace.open_documents.close, document)
    hands.spin(RETURN_MS[-1] / 1000 + 1.0)
    return int(psutil.Process().memory_info().rss)
