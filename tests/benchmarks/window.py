"""How fast the window answers: slider to frame, the longest event handler, and the start. Run as a script.

3840x2160 half in a window of 1280x720, the grade an exposure, a CDL and a 33-point LUT. The exposure slider is dragged
by mouse events, one every 16 ms for 5 s. A drag event is finished when a frame with its value, or a later one, has been
painted. The start is a process of its own, from its launch to the first graded picture, the compiled kernels cached.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SECONDS, EVERY = 5.0, 0.016
STARTS = 3
PAINTED = "painted"


def make_files(folder: Path) -> tuple[Path, Path]:
    """A 3840x2160 picture, enlarged from the sample, and a grade."""
    import numpy as np

    from engine import Grade, ops, save_grade
    from engine.export import export_picture

    picture, grade = folder / "uhd.exr", folder / "grade.json"
    export_picture(ROOT / "resources" / "sample.exr", picture, Grade([ops.Resize(3840, 2160, "bilinear")]))
    axis = np.linspace(0.0, 1.0, 33)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1) ** 0.9
    cdl = ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, 0.0), power=(1.0, 1.1, 1.0), saturation=1.2)
    save_grade(Grade([ops.Exposure(0.1), cdl, ops.Lut3d(cube)]), grade)
    return picture, grade


def make_window(picture: Path, grade: Path) -> Any:
    """The window as `run` makes it, with a grade."""
    from app.main_window import MainWindow
    from engine import load_grade

    window = MainWindow()
    window.document.open_grade(load_grade(grade), grade)
    window.resize(1280, 720)
    window.show()
    window.files.open_picture(picture)
    return window


def make_application() -> Any:
    """An application that times what each event's handler takes."""
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication

    from app import style
    from app.repairs import keep_constants

    class Timed(QApplication):
        longest: tuple[float, str] = (0.0, "")
        depth = 0

        def notify(self, receiver: QObject, event: QEvent) -> bool:
            self.depth += 1
            start = time.perf_counter()
            try:
                return super().notify(receiver, event)
            finally:
                self.depth -= 1
                if self.depth == 0:
                    took = time.perf_counter() - start
                    self.longest = max(self.longest, (took, f"{event.type().name} of {type(receiver).__name__}"))

    keep_constants()
    app = Timed(sys.argv[:1])
    style.apply(app)
    return app


class Drag:
    """Drags the exposure slider and notes when each event's frame was painted."""

    def __init__(self, app: Any, window: Any) -> None:
        self.app, self.window = app, window
        self.track = window.panel.cards[0].editors["stops"].row.track
        self.latencies: list[float] = []
        self._waiting: list[tuple[float, Any]] = []
        self._finished: Any = None
        self._event_time = 0.0
        window.document.grade_changed.connect(self._note_edit)
        window.preview.frame.connect(self._note_frame)
        window.canvas.painted.connect(self._note_paint)

    def run(self) -> None:
        from PySide6.QtCore import QEvent

        middle = self.track.width() / 2
        self._send(QEvent.Type.MouseButtonPress, middle)
        start = time.perf_counter()
        count = 0
        while (now := time.perf_counter()) - start < SECONDS:
            if now - start >= count * EVERY:
                count += 1
                sweep = abs((count % 80) - 40) - 20
                self._send(QEvent.Type.MouseMove, middle + sweep + count / 100)
            self.app.processEvents()
            time.sleep(0.0005)
        self._send(QEvent.Type.MouseButtonRelease, middle)
        wait(self.app, lambda: not self._waiting)

    def _send(self, kind: Any, x: float) -> None:
        from PySide6.QtCore import QPointF, Qt
        from PySide6.QtGui import QMouseEvent
        from PySide6.QtWidgets import QApplication

        place = QPointF(x, self.track.height() / 2)
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        self._event_time = time.perf_counter()
        event = QMouseEvent(kind, place, self.track.mapToGlobal(place), left, left, none)
        QApplication.sendEvent(self.track, event)

    def _note_edit(self, grade: Any) -> None:
        self._waiting.append((self._event_time, grade))

    def _note_frame(self, _image: Any, request: Any) -> None:
        self._finished = request.grade

    def _note_paint(self) -> None:
        shown = next((n for n, (_, grade) in enumerate(self._waiting) if grade is self._finished), None)
        if shown is not None:
            now = time.perf_counter()
            self.latencies += [now - sent for sent, _ in self._waiting[: shown + 1]]
            del self._waiting[: shown + 1]


def wait(app: Any, until: Any, limit: float = 60.0) -> None:
    end = time.perf_counter() + limit
    while not until():
        if time.perf_counter() > end:
            raise SystemExit("the window did not answer in time")
        app.processEvents()
        time.sleep(0.001)


def measure_drag(picture: Path, grade: Path) -> None:
    app = make_application()
    window = make_window(picture, grade)
    wait(app, lambda: window.canvas.has_frame)
    opening, app.longest = app.longest, (0.0, "")
    drag = Drag(app, window)
    drag.run()
    milliseconds = sorted(1000 * latency for latency in drag.latencies)
    late = milliseconds[int(0.95 * (len(milliseconds) - 1))]
    print(f"slider to frame: median {statistics.median(milliseconds):.1f} ms, 95th {late:.1f} ms ", end="")
    print(f"({len(milliseconds)} events, {window.canvas.width()} x {window.canvas.height()} canvas)")
    for name, (took, what) in (("start and opening", opening), ("drag", app.longest)):
        print(f"longest event handler, {name}: {1000 * took:.1f} ms ({what})")
    window.document.mark_saved(window.document.grade, grade)
    window.close()


def start_once(picture: Path, grade: Path) -> None:
    """What the child process does: show the picture, say so, end."""
    app = make_application()
    window = make_window(picture, grade)
    wait(app, lambda: window.canvas.has_frame)
    window.canvas.repaint()
    print(PAINTED, flush=True)
    window.close()


def measure_start(picture: Path, grade: Path) -> None:
    took = []
    for _ in range(STARTS + 1):
        start = time.perf_counter()
        command = [sys.executable, __file__, "--start", str(picture), str(grade)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            assert child.stdout is not None
            if PAINTED not in child.stdout.readline():
                raise SystemExit("the window did not start")
            took.append(time.perf_counter() - start)
    print(f"warm start to the first graded picture: median {statistics.median(took[1:]):.2f} s, first {took[0]:.2f} s")


def main() -> None:
    if "--start" in sys.argv:
        start_once(*map(Path, sys.argv[-2:]))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(Path(folder))
        measure_start(*files)
        measure_drag(*files)


if __name__ == "__main__":
    main()
