"""How fast the window answers: slider to frame, the longest turn of its loop, and the start. Run as a script.

3840x2160 half, fitted in a canvas of 1280x720 and of 1920x1080, through sRGB and through the ACES 2 view; the grade is
an exposure and a CDL, and without the ACES 2 view a 33-point LUT. The exposure slider is dragged by mouse events, one
every 16 ms. A drag event is finished when a frame with its value, or a later one, has been painted: a quick frame while
the slider moves; the exact one is timed after the last event of each drag. The start is a process of its own, from its
launch to the first graded image, the compiled kernels cached, and modules compiled as where Tessera is installed.

    python -m tests.benchmarks.window [--backend cpu|wgpu|cuda]    the above
    python -m tests.benchmarks.window --starts 10                  starts alone, so many and a first one
    python -m tests.benchmarks.window --device cuda|wgpu|cpu       no window: exact frames from 4K and 16K sources
    python -m tests.benchmarks.window --mattes [--backend ...]     drags and clicks with mattes: tests/benchmarks/mattes
    python -m tests.benchmarks.window --keys [--backend ...]       a drag of a grade with 100 keyed sliders: keys
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.benchmarks.start import (  # noqa: E402 (the path comes first)
    make_application,
    make_window,
)
from tests.benchmarks.turns import Turns  # noqa: E402

SECONDS, EVERY = 3.0, 0.016
FIRST_STAYS = "8"
"""So many seconds the first run stays, as a user would, so that it keeps what the next ones use."""
DRAGS = 3
FRAMES = 20
STARTS = 3
CANVASES = ((1280, 720), (1920, 1080))


def make_files(folder: Path) -> tuple[Path, Path]:
    """A 3840x2160 image, enlarged from the sample, and a grade."""
    import numpy as np

    from engine import Grade, ops, save_grade
    from engine.export.image import export_image

    image, grade = folder / "uhd.exr", folder / "grade.json"
    export_image(ROOT / "resources" / "sample.exr", image, Grade([ops.Resize(3840, 2160, "bilinear")]))
    axis = np.linspace(0.0, 1.0, 33)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1) ** 0.9
    cdl = ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, 0.0), power=(1.0, 1.1, 1.0), saturation=1.2)
    save_grade(Grade([ops.Exposure(0.1), cdl, ops.Lut3d(cube)]), grade)
    return image, grade


def make_turns() -> Turns:
    """The loop of an application as `run` makes it."""
    return Turns(make_application())


class Drag:
    """Drags a slider of the first entry and notes when each event's frame was painted."""

    def __init__(self, turns: Turns, window: Any, slider: str = "stops") -> None:
        self.turns, self.window = turns, window
        self.track = window.panel.cards[0].editors[slider].row.track
        self.latencies: list[float] = []
        self.settled: list[float] = []
        self.quick, self.quick_size = 0, ""
        self._exact: Any = None
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
            self.turns.turn()
            time.sleep(0.0005)
        last = self._event_time
        self.turns.wait(lambda: self._exact is self.window.document.grade_at_frame)
        self.window.canvas.repaint()
        self.settled.append(time.perf_counter() - last)
        self._send(QEvent.Type.MouseButtonRelease, middle)
        self.turns.wait(lambda: not self._waiting)

    def _send(self, kind: Any, x: float) -> None:
        from PySide6.QtCore import QPointF, Qt
        from PySide6.QtGui import QMouseEvent
        from PySide6.QtWidgets import QApplication

        place = QPointF(x, self.track.height() / 2)
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        self._event_time = time.perf_counter()
        event = QMouseEvent(kind, place, self.track.mapToGlobal(place), left, left, none)
        self.turns.call(QApplication.sendEvent, self.track, event)

    @property
    def exact(self) -> bool:
        """Whether the newest frame was an exact one."""
        return self._exact is not None

    def end(self) -> None:
        """Listen no more."""
        self.window.document.grade_changed.disconnect(self._note_edit)
        self.window.preview.frame.disconnect(self._note_frame)
        self.window.canvas.painted.disconnect(self._note_paint)

    def _note_edit(self, grade: Any) -> None:
        self._waiting.append((self._event_time, self.window.document.grade_at_frame))

    def _note_frame(self, image: Any, request: Any) -> None:
        self._finished = request.grade
        self._exact = request.grade if request.exact else None
        if not request.exact:
            self.quick += 1
            self.quick_size = f"{image.width()} x {image.height()}"

    def _note_paint(self) -> None:
        shown = next((n for n, (_, grade) in enumerate(self._waiting) if grade is self._finished), None)
        if shown is not None:
            now = time.perf_counter()
            self.latencies += [now - sent for sent, _ in self._waiting[: shown + 1]]
            del self._waiting[: shown + 1]


def measure_drags(image: Path, grade: Path, backend: str) -> None:
    turns = make_turns()
    window = make_window(image, grade, backend)
    turns.wait(lambda: window.canvas.has_frame)
    opening = turns.longest
    for aces in (False, True):
        if aces:
            show_aces(window)
        for size in CANVASES:
            measure_drag(turns, window, size, "ACES 2 view" if aces else "sRGB")
    print(f"longest turn, start and opening: {opening}")
    window.document.mark_saved(window.document.grade, grade)
    window.close()


def show_aces(window: Any) -> None:
    """From now on the ACES 2 view, and no LUT in the grade, whose light is ACEScg's."""
    from engine import Grade, ops
    from engine.ocio import load_config

    view = load_config("ocio://studio-config-latest").view_ops("ACEScg")
    from unittest.mock import patch  # takes a twentieth of a start

    patch("app.render.requests.view_ops", lambda *_: (ops.Exposure(0.0), *view)).start()
    window.document.open_grade(Grade(window.document.grade.entries[:2]), None)


def measure_drag(turns: Turns, window: Any, size: tuple[int, int], name: str, slider: str = "stops") -> list[float]:
    """Drag a slider of the first entry in a canvas of a size, say how long frames took, and return the milliseconds of
    all events."""
    from PySide6.QtCore import QSize

    window.resize(window.size() + QSize(*size) - window.canvas.size())
    drag = Drag(turns, window, slider)
    turns.wait(lambda: drag.exact)
    turns.spin(1.0)
    turns.clear()
    drag.quick = 0
    for _ in range(DRAGS):
        drag.run()
    milliseconds = sorted(1000 * latency for latency in drag.latencies)
    late = milliseconds[int(0.95 * (len(milliseconds) - 1))]
    canvas = window.canvas
    print(f"{name}, {canvas.width()} x {canvas.height()}, slider to frame: ", end="")
    print(f"median {statistics.median(milliseconds):.1f} ms, 95th {late:.1f} ms ({len(milliseconds)} events, ", end="")
    print(f"{drag.quick} quick frames of {drag.quick_size}); exact after the last event: ", end="")
    print(f"{1000 * statistics.median(drag.settled):.0f} ms, at most {1000 * max(drag.settled):.0f} ms; ", end="")
    print(f"longest turn {turns.longest}")
    drag.end()
    return milliseconds


def measure_keys(folder: Path, backend: str) -> None:
    """What `tests.benchmarks.keys` measures."""
    from tests.benchmarks import keys

    image, grade = make_files(folder)
    turns = make_turns()
    window = make_window(image, grade, backend)
    turns.wait(lambda: window.canvas.has_frame)
    keys.measure(window, partial(measure_drag, turns, window, CANVASES[0]))
    window.document.mark_saved(window.document.grade, grade)
    window.close()


def measure_mattes(folder: Path, backend: str) -> None:
    """What `tests.benchmarks.mattes` measures."""
    from engine.io.source import read_image
    from tests.benchmarks import mattes

    image, grade = make_files(folder)
    names = mattes.write_objects(read_image(image).pixels, folder / "objects.exr")
    turns = make_turns()
    window = make_window(folder / "objects.exr", grade, backend)
    turns.wait(lambda: window.canvas.has_frame)
    mattes.measure(turns, window, names, measure_drag)
    window.document.mark_saved(window.document.grade, grade)
    window.close()


def measure_start(image: Path, grade: Path, starts: int = STARTS) -> None:
    from tests.benchmarks import export
    from tests.benchmarks import start as start_module

    took = []
    env = export.environment(image.parent)
    for number in range(starts + 1):
        start = time.perf_counter()
        stays = [] if number else [FIRST_STAYS]
        command = [sys.executable, start_module.__file__, str(image), str(grade), *stays]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            assert child.stdout is not None
            if start_module.PAINTED not in child.stdout.readline():
                raise SystemExit("the window did not start")
            took.append(time.perf_counter() - start)
    print(f"warm start to the first graded image: median {statistics.median(took[1:]):.2f} s, first {took[0]:.2f} s")


def measure_device(name: str) -> None:
    """Exact frames of 1920x1080 through the ACES 2 view, fitted, of sources of 4K and 16K."""
    import numpy as np

    from engine import create_executor, ops
    from engine.kernel.op import ColorOp
    from engine.ocio import load_config
    from engine.viewing import FrameMaker, WholeLevels, viewport_request

    executor = create_executor(name)
    view = [op for op in load_config("ocio://studio-config-latest").view_ops("ACEScg") if isinstance(op, ColorOp)]
    cdl = ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, 0.0), power=(1.0, 1.1, 1.0), saturation=1.2)
    grade = [ops.Exposure(0.1), cdl]
    rng = np.random.default_rng(1)
    print(f"{executor.primitives.device}: exact frames of 1920 x 1080, Exposure, CDL and the ACES 2 view")
    for width, height in ((3840, 2160), (16384, 9216)):
        small = (rng.random((height // 16, width // 16, 4)) * 2.0).astype(np.float16)
        maker = FrameMaker(executor, WholeLevels(small.repeat(16, axis=0).repeat(16, axis=1)))
        region = (0.0, 0.0, float(width), float(height))
        source = maker.sources.whole(viewport_request(region, 1920, 1080, (width, height))).strips[0]
        on_device = time_device(executor.primitives, source, [*grade, *view])
        frame = partial(maker.exact, region, 1920, 1080, grade, view, lambda: False)
        frames = [timed(frame) for _ in range(FRAMES)]
        print(f"  from {width} x {height}: {1000 * on_device:.3f} ms on the device, ", end="")
        print(f"{1000 * statistics.median(frames):.2f} ms with its way to the host (medians)")


def time_device(primitives: Any, source: Any, ops: list[Any]) -> float:
    """Seconds for a frame that stays on the device: the median of runs of several, each waited for once."""
    target = primitives.allocate(source.width, source.height, 4, "uint8")

    def several() -> None:
        for _ in range(FRAMES):
            primitives.exec_point(source, target, ops)
        primitives.synchronize()

    several()
    return statistics.median(timed(several) for _ in range(7)) / FRAMES


def timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--backend", default="auto", help="what the window computes on")
    options.add_argument("--device", help="time frames on this device alone, without a window")
    options.add_argument("--mattes", action="store_true", help="drags and clicks with mattes alone")
    options.add_argument("--keys", action="store_true", help="a drag of a grade with keys, and of the same without")
    options.add_argument("--starts", type=int, help="time so many starts alone")
    chosen = options.parse_args()
    if chosen.starts:
        with tempfile.TemporaryDirectory() as folder:
            measure_start(*make_files(Path(folder)), chosen.starts)
    elif chosen.device:
        measure_device(chosen.device)
    elif chosen.keys:
        with tempfile.TemporaryDirectory() as folder:
            measure_keys(Path(folder), chosen.backend)
    elif chosen.mattes:
        with tempfile.TemporaryDirectory() as folder:
            measure_mattes(Path(folder), chosen.backend)
    else:
        with tempfile.TemporaryDirectory() as folder:
            files = make_files(Path(folder))
            measure_start(*files)
            measure_drags(*files, chosen.backend)


if __name__ == "__main__":
    main()
