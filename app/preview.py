"""The picture on the screen: frozen requests, one worker thread, the newest request wins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engine import Grade, ops
from engine.errors import TesseraError
from engine.op import ColorOp, ImageOp, Op

MAX_RADIUS = 512.0
"""Screen pixels; a wider blur is shown as wide as this."""
Region = tuple[float, float, float, float]
"""x, y, width, height in source pixels; may reach a fraction of a pixel beyond the picture."""


@dataclass(frozen=True)
class View:
    """What of the picture is shown and how: `region` on `width` x `height` device pixels.

    `ops` are the view transform: they come after the grade and never reach an export. `graded` False shows the source.
    """

    region: Region
    width: int
    height: int
    ops: tuple[Op, ...] = ()
    graded: bool = True


@dataclass(frozen=True)
class Request:
    """One frame to make."""

    serial: int
    grade: Grade
    view: View


@dataclass(frozen=True)
class ProbeRequest:
    """One pixel, given by column and row of the picture's data window, to be told before and after the grade."""

    serial: int
    x: int
    y: int
    grade: Grade


@dataclass(frozen=True)
class ProbeResult:
    """The answer: channel values as they are in the file and as the grade makes them."""

    x: int
    y: int
    source: tuple[float, ...]
    graded: tuple[float, ...]


@dataclass
class _Source:
    """The picture in the worker's hands: its pixels, and levels on the device, each half the one before."""

    serial: int
    pixels: Any
    levels: list[Any] = field(default_factory=list)
    view_key: tuple[Any, ...] = ()
    view_handle: Any = None


class Preview(QObject):
    """Makes frames on a thread of its own. `submit` and `probe` return at once and replace what waits."""

    frame = Signal(object, object)  # QImage, Request
    probed = Signal(object)  # ProbeResult
    status = Signal(str)  # what the worker is busy with, '' when idle
    failed = Signal(str)  # one line
    ready = Signal(str)  # the backend's name

    def __init__(self, create_executor: Callable[[], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._create_executor = create_executor
        self._changed = threading.Condition()
        self._picture: _Source | None = None
        self._request: Request | None = None
        self._probe: ProbeRequest | None = None
        self._serial = 0
        self._said = ""
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="tessera-preview", daemon=True)

    def start(self) -> None:
        """Start the worker: it makes the executor first."""
        self._thread.start()

    def stop(self, wait_seconds: float = 5.0) -> None:
        """Stop after the frame in hand; wait for it no longer than that."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(wait_seconds)

    def set_picture(self, pixels: Any) -> None:
        """Show another picture, an array (height, width, 3|4), or none; requests for the last one are void."""
        with self._changed:
            self._serial += 1
            self._picture = None if pixels is None else _Source(self._serial, pixels)
            self._request = self._probe = None
            self._changed.notify()

    def submit(self, grade: Grade, view: View) -> Request:
        """Ask for a frame; replaces the one that waits."""
        with self._changed:
            self._request = Request(self._serial, grade, view)
            self._changed.notify()
            return self._request

    def probe(self, x: int, y: int, grade: Grade) -> None:
        """Ask for a pixel's values; replaces the question that waits."""
        with self._changed:
            self._probe = ProbeRequest(self._serial, x, y, grade)
            self._changed.notify()

    def is_current(self, request: Request) -> bool:
        """Whether the request is for the picture that is shown now."""
        return request.serial == self._serial

    def _run(self) -> None:
        try:
            executor = self._create_executor()
        except TesseraError as error:
            self._tell(self.failed, str(error))
            return
        self._tell(self.ready, str(getattr(executor, "name", "")))
        worker = _Worker(executor, self)
        try:
            while (work := self._next()) is not None:
                self._answer(worker, *work)
        finally:  # a mistake of ours ends the thread: say so rather than stand still
            self._tell(self.failed, "the preview has stopped because of a mistake of Tessera's; start it again")

    def _answer(self, worker: _Worker, source: _Source, work: Request | ProbeRequest) -> None:
        try:
            worker.do(source, work)
        except TesseraError as error:
            self._tell(self.failed, str(error))
        self.say("")

    def say(self, status: str) -> None:
        """Tell what the worker is busy with, if that is news. The worker's thread alone calls this."""
        if status != self._said:
            self._said = status
            self._tell(self.status, status)

    def _next(self) -> tuple[_Source, Request | ProbeRequest] | None:
        """The picture and what is wanted of it, frames before probes; None when it is time to stop."""
        with self._changed:
            while not self._stopping:
                work: Request | ProbeRequest | None = self._request or self._probe
                if self._request is None:
                    self._probe = None
                self._request = None
                if work is None or self._picture is None:
                    self._changed.wait()
                elif work.serial == self._picture.serial:
                    return self._picture, work
            return None

    def _tell(self, signal: Any, *values: Any) -> None:
        if not self._stopping:
            signal.emit(*values)


class _Worker:
    """Runs on the preview's thread only."""

    def __init__(self, executor: Any, preview: Preview) -> None:
        self._executor = executor
        self._preview = preview

    def do(self, source: _Source, work: Request | ProbeRequest) -> None:
        if isinstance(work, ProbeRequest):
            self._preview._tell(self._preview.probed, self._values(source, work))
        else:
            self._preview._tell(self._preview.frame, self._frame(source, work), work)

    def _frame(self, source: _Source, request: Request) -> QImage:
        view = request.view
        grade = preview_ops(request.grade, view.height / view.region[3]) if view.graded else ()
        colour = [op for op in (*grade, *view.ops) if isinstance(op, ColorOp)]
        if not self._executor.prepared(colour):
            self._preview.say("Preparing…")
        edge = sum(op.halo() for op in grade if isinstance(op, ImageOp))
        handle, rest = self._filtered(self._view_handle(source, grown(view, edge)), grade)
        pixels = self._executor.display(handle, (*rest, *view.ops))
        height, width = pixels.shape[:2]
        image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGBX8888)
        if edge:
            image = image.copy(edge, edge, view.width, view.height)
        return image.convertToFormat(QImage.Format.Format_RGB32)

    def _filtered(self, handle: Any, grade: Iterable[Op]) -> tuple[Any, list[Op]]:
        """The picture after the last filter of a grade, and the ops that are left."""
        point: list[Op] = []
        for op in grade:
            if isinstance(op, ColorOp):
                point.append(op)
                continue
            device = self._executor.primitives
            before, after = (device.allocate(handle.width, handle.height, handle.channels) for _ in range(2))
            device.exec_point(handle, before, point)
            device.exec_blur(before, after, op.radius)  # type: ignore[attr-defined]
            handle, point = after, []
        return handle, point

    def _view_handle(self, source: _Source, view: View) -> Any:
        """The source on exactly the view's pixels, kept until the view moves: a slider costs the viewport alone."""
        key = (view.region, view.width, view.height)
        if source.view_key != key:
            level, scale = self._level_for(source, view)
            x, y, width, height = view.region
            region = (x * scale[0], y * scale[1], width * scale[0], height * scale[1])
            how = filter_for(min(view.width / region[2], view.height / region[3]))
            source.view_handle = self._executor.resample(level, region, view.width, view.height, how)
            source.view_key = key
        return source.view_handle

    def _level_for(self, source: _Source, view: View) -> tuple[Any, tuple[float, float]]:
        """The smallest level that still has a pixel for every pixel of the view, and its size relative to level 0."""
        levels = source.levels
        if not levels:
            self._preview.say("Preparing…")
            levels.append(self._executor.upload(source.pixels))
        shrink = min(view.region[2] / view.width, view.region[3] / view.height)
        wanted = max(0, int(shrink).bit_length() - 1)
        while len(levels) <= wanted:
            last = levels[-1]
            width, height = max(1, (last.width + 1) // 2), max(1, (last.height + 1) // 2)
            levels.append(self._executor.resample(last, (0.0, 0.0, last.width, last.height), width, height, "area"))
        level = levels[wanted]
        return level, (level.width / levels[0].width, level.height / levels[0].height)

    def _values(self, source: _Source, probe: ProbeRequest) -> ProbeResult:
        pixel = source.pixels[probe.y : probe.y + 1, probe.x : probe.x + 1].astype("float32")
        graded = self._executor.execute_color(pixel, preview_ops(probe.grade, 0.0))
        before, after = (tuple(float(v) for v in array[0, 0]) for array in (pixel, graded))
        return ProbeResult(probe.x, probe.y, before, after)


def preview_ops(grade: Grade, scale: float) -> tuple[Op, ...]:
    """The ops of a grade as they are shown at `scale` screen pixels per picture pixel; at 0 its colour ops alone.

    A radius in pixels shrinks with the picture; what changes the picture's size changes nothing of the view.
    """
    shown: list[Op] = []
    for op in grade.effective:
        if isinstance(op, ColorOp):
            shown.append(op)
        elif isinstance(op, ops.Blur) and scale > 0.0:
            shown.append(op.replace(radius=min(op.radius * scale, MAX_RADIUS)))
    return tuple(shown)


def filter_for(scale: float) -> str:
    """The resampling filter at a scale: a pixel that is shown 2 wide or more is a square, and 1:1 is as it is."""
    if scale >= 2.0 or abs(scale - 1.0) < 1e-9:
        return "nearest"
    return "bilinear" if scale > 1.0 else "area"


def grown(view: View, edge: int) -> View:
    """The view with `edge` more screen pixels on each side, which a filter needs to be right at the view's edge."""
    x, y, width, height = view.region
    across, down = edge * width / view.width, edge * height / view.height
    region = (x - across, y - down, width + 2 * across, height + 2 * down)
    return replace(view, region=region, width=view.width + 2 * edge, height=view.height + 2 * edge)
