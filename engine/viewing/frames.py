"""Frames of the viewport: quick ones during interaction, and exact ones in strips, which a newer request interrupts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import LOG, GpuPrimitives, ImageHandle
from engine.compute.executor import TiledExecutor
from engine.core.bounded_cache import BoundedCache
from engine.core.geometry import Rect
from engine.errors import BackendError
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.viewing.backdrop import ALPHA_ALONE, FIELD, composite_backdrop
from engine.viewing.baked import BakedView, baking, is_costly, split
from engine.viewing.frame import Frame
from engine.viewing.levels import Levels
from engine.viewing.pace import QUICK_SECONDS, Pace
from engine.viewing.request_source import RequestSource
from engine.viewing.requests import Region, ViewportRequest, shown_ops, viewport_request

STRIP_SECONDS, STRIP_PIXELS = 0.020, (32768, 262144)
"""The time limit of a strip on a device that computes on the CPU, which is how long a newer request waits, and the
limits of its pixels. The first strip is the shortest, since a newer request is most likely then."""
KEPT_BAKES, KEPT_PACES = 3, 64
GUESSED_SECONDS = 40e-9
"""The assumed time per pixel of a run that has not been timed yet, on such a device."""


class FrameMaker:
    """Makes frames of one image at a time with one executor. Not thread-safe."""

    def __init__(self, executor: TiledExecutor, levels: Levels | None = None) -> None:
        self.executor = executor
        self._source = RequestSource(executor, levels)
        self._costs: BoundedCache[Any, float] = BoundedCache(KEPT_PACES)
        self._paces: BoundedCache[Any, Pace] = BoundedCache(KEPT_PACES)
        self._seconds = 0.0
        self._baked: dict[tuple[ColorOp, ...], BakedView] = {}
        self._baking: tuple[tuple[ColorOp, ...], Iterator[BakedView | None]] | None = None
        self._backdrop, self._field = "", 1.0
        self.leaves = False
        """Whether frames that are made in one piece stay on the device."""

    def show(self, levels: Levels | None) -> None:
        """Make frames of another image. With None, all memory kept for frames is freed too."""
        if levels is None and self._source.has_image:
            self._baked.clear()
            self._baking = None
            self.let_go()
        self._source.show(levels)

    def let_go(self) -> None:
        """Free device memory that is not needed for the next frame."""
        self._source.let_go()
        self.executor.primitives.release_cached()

    def set_backdrop(self, backdrop: str, width: int) -> None:
        """Set the backdrop, one of BACKDROPS, for views that are `width` screen pixels wide."""
        self._backdrop, self._field = backdrop, FIELD / width

    @property
    def levels(self) -> Levels:
        return self._source.levels

    @property
    def picks(self) -> bool:
        """Whether pixels are picked, never averaged, as for IDs; set it before the first frame of an image."""
        return self._source.picks

    @picks.setter
    def picks(self, picks: bool) -> None:
        self._source.picks = picks

    @property
    def complete(self) -> bool:
        """Whether the image was completely loaded in the region of the last frame."""
        return self._source.complete

    def fall_back(self, failed: GpuPrimitives, error: BackendError) -> None:
        """Drop everything on a failed device and continue on the next one. Raises `error` if there is none."""
        self._source.let_go()
        self._costs.clear()
        self._paces.clear()
        self.executor.fall_back(failed, error)

    def exact(
        self,
        region: Region,
        width: int,
        height: int,
        grade: Sequence[Op],
        view: Sequence[ColorOp],
        stop: Callable[[], bool],
    ) -> Frame | None:
        """Return the exact frame; None if `stop()` returned True before it was finished."""
        request = viewport_request(region, width, height, (self.levels.width, self.levels.height))
        pixels = self._run(request, shown_ops(grade, 1.0 / request.shrink), view, stop)
        return None if pixels is None else Frame(pixels, request.region, self._source.complete)

    def quick(self, region: Region, width: int, height: int, grade: Sequence[Op], view: Sequence[ColorOp]) -> Frame:
        """Return a frame within about QUICK_SECONDS: with fewer pixels, and through the baked view if there is one."""
        size = self.levels.width, self.levels.height
        view = self.quick_view(view)
        full = viewport_request(region, width, height, size)
        pace = self._pace((*grade, *view), full)
        request = viewport_request(region, width, height, size, pace.coarse)
        pixels = self._run(request, shown_ops(grade, 1.0 / request.shrink), view, None)
        assert pixels is not None
        pace.took(self._seconds)
        return Frame(pixels, request.region, False)

    def quick_view(self, view: Sequence[ColorOp]) -> Sequence[ColorOp]:
        """Return the view with its end replaced by the baked view, if there is one that is accurate enough."""
        head, tail = split(view)
        baked = self._baked.get(tail)
        return (*head, baked.op) if baked is not None and baked.good else view

    def strips(
        self, region: Region, width: int, height: int, grade: Sequence[Op], view: Sequence[ColorOp]
    ) -> Iterator[ImageHandle]:
        """Yield what a frame shows as values after grade and view, on the device, in strips from the top."""
        request = viewport_request(region, width, height, (self.levels.width, self.levels.height))
        complete, rest = self._source.complete, shown_ops(grade, 1.0 / request.shrink)
        if any(isinstance(op, ImageOp) for op in rest):
            whole, rest = self.executor.filtered(self.source(request), rest)
            strips = [whole]
        else:
            strips = self._strips(request, (*rest, *view), True)
        self._source.complete = complete
        run = [op for op in (*rest, *view) if isinstance(op, ColorOp)]
        device = self.executor.primitives
        for strip in strips:
            if run:
                target = device.allocate(strip.width, strip.height, strip.channels)
                device.exec_point(strip, target, run)
                strip = target
            yield strip

    def prepare(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> None:
        """Compile the kernels for frames of the current image with these ops."""
        for ops in self._runs(grade, view):
            self.executor.prepare(ops, self._source.format, display=True)
        self.executor.primitives.prepare(self._source.resampling)

    def prepared(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> bool:
        """Return whether frames with these ops need no compiling."""
        runs = (self.executor.prepared(ops, self._source.format, display=True) for ops in self._runs(grade, view))
        return self.executor.primitives.prepared(self._source.resampling) and all(runs)

    def is_slow(self, region: Region, width: int, height: int, grade: Sequence[Op], view: Sequence[ColorOp]) -> bool:
        """Return whether a quick frame should come first, because the exact one is slow or the image not complete."""
        request = viewport_request(region, width, height, (self.levels.width, self.levels.height))
        seconds = self._predicted((*grade, *view)) * request.width * request.height
        return seconds > 1.5 * QUICK_SECONDS or not self._source.complete

    def bake(self, view: Sequence[ColorOp], stop: Callable[[], bool]) -> None:
        """Bake the view if that is worth it and not done, in about a second; continue where `stop()` interrupted it."""
        tail = split(view)[1]
        if self._baking is not None and self._baking[0] != tail:
            self._baking = None
        if not self.executor.runs_on_cpu or tail in self._baked or not is_costly(tail):
            return
        if self._baking is None:
            self._baking = tail, baking(tail, self.executor.execute_color, self.executor.primitives.repairs)
        for baked in self._baking[1]:
            if baked is not None:
                LOG.info("baked view: %.2f/255 off, %.1f %% exact", 255.0 * baked.error, 100.0 * baked.repaired)
                self.executor.prepare((*split(view)[0], baked.op), self._source.format, display=True)
                if len(self._baked) >= KEPT_BAKES:
                    self._baked.pop(next(iter(self._baked)))
                self._baked[tail] = baked
            elif stop():
                return
        self._baking = None

    def source(self, request: ViewportRequest) -> ImageHandle:
        """Return the image resampled to the pixels of a request, on the device: the source of all frames of a view."""
        return self._source.handles(request, lambda parts: len(parts) == 1, [request])[0]

    def values(self, region: Region, grade: Iterable[Op]) -> NDArray[np.float32]:
        """Return (height, width, 3|4) values of whole pixels of level 0 after the colour ops of a grade."""
        x, y, width, height = (int(v) for v in region)
        pixels = np.ascontiguousarray(self.levels.exact(Rect(x, y, width, height)), np.float32)
        return self.executor.execute_color(pixels, shown_ops(grade, 0.0))

    def value(self, x: int, y: int, grade: Iterable[Op]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the channels of one pixel of level 0, before and after the colour ops of a grade."""
        pixel = np.ascontiguousarray(self.levels.exact(Rect(x, y, 1, 1)), np.float32)
        return pixel[0, 0], self.executor.execute_color(pixel, shown_ops(grade, 0.0))[0, 0]

    def graded(
        self, region: Region, width: int, height: int, grade: Sequence[Op]
    ) -> tuple[NDArray[np.float32], Region]:
        """Return what a frame shows as (rows, columns, 3|4) values after the grade, before the view; and its region."""
        request = viewport_request(region, width, height, (self.levels.width, self.levels.height))
        handle, rest = self.executor.filtered(self.source(request), shown_ops(grade, 1.0 / request.shrink))
        pixels = np.ascontiguousarray(self.executor.download(handle), np.float32)
        return self.executor.execute_color(pixels, rest), request.region

    def displayed(self, pixels: NDArray[np.float32], view: Sequence[ColorOp]) -> NDArray[np.uint8]:
        """Return the RGBA bytes of graded values after a view."""
        return self.executor.display(self.executor.upload(pixels), view)

    # -- internals

    def _runs(self, grade: Sequence[Op], view: Sequence[ColorOp]) -> list[tuple[Op, ...]]:
        """Return the runs of ops of exact and quick frames; the radius of a blur is not part of a kernel."""
        graded = shown_ops(grade, 1.0)
        runs = [(*graded, *view), (*graded, *self.quick_view(view))]
        return runs if runs[0] != runs[1] else runs[:1]

    def _pace(self, run: Sequence[Op], full: ViewportRequest) -> Pace:
        """Return the pace of quick frames of a run, which starts with the time of its exact frames."""
        pixels = full.width * full.height
        return self._paces.of((_structures(run), pixels), lambda: Pace(self._predicted(run) * pixels))

    def _run(
        self, request: ViewportRequest, grade: Sequence[Op], view: Sequence[ColorOp], stop: Callable[[], bool] | None
    ) -> NDArray[np.uint8] | ImageHandle | None:
        """Return the frame of a request, made in strips if it can be stopped; None if it was stopped."""
        edge = sum(op.halo() for op in grade if isinstance(op, ImageOp))
        if edge:
            return self._filtered_frame(request, edge, grade, view)
        strips = self._strips(request, (*grade, *view), stop is not None)
        frame = np.empty((request.height, request.width, 4), np.uint8) if len(strips) > 1 else None
        start, top = time.perf_counter(), 0
        stays = self.leaves and frame is None and not self._shows_backdrop
        for strip in strips:
            if stop is not None and stop():
                return None
            if stays:
                return self._left(strip, (*grade, *view))
            pixels = self.executor.display(strip, (*grade, *view))
            if frame is None:
                frame = pixels
            else:
                frame[top : top + strip.height] = pixels
            top += strip.height
            self._seconds = time.perf_counter() - start
            self._costs.put(_structures((*grade, *view)), self._seconds / (top * request.width))
        return frame if frame is None else self._before_backdrop(frame, request, strips)

    def _left(self, source: ImageHandle, run: Sequence[Op]) -> ImageHandle:
        """Make a frame that stays on the device. Waiting for it measures its time and keeps frames from queueing up."""
        start = time.perf_counter()
        frame = self.executor.displayed(source, run)
        self.executor.primitives.synchronize()
        self._seconds = time.perf_counter() - start
        self._costs.put(_structures(run), self._seconds / (frame.height * frame.width))
        return frame

    def _filtered_frame(
        self, request: ViewportRequest, edge: int, grade: Sequence[Op], view: Sequence[ColorOp]
    ) -> NDArray[np.uint8]:
        source = self.source(request.grown(edge))
        start = time.perf_counter()
        frame = self.executor.display(source, (*grade, *view))[
            edge : edge + request.height, edge : edge + request.width
        ]
        self._seconds = time.perf_counter() - start
        self._costs.put(_structures((*grade, *view)), self._seconds / (request.height * request.width))
        return self._before_backdrop(np.ascontiguousarray(frame), request, None)

    @property
    def _shows_backdrop(self) -> bool:
        return bool(self._backdrop) and self.levels.channels == 4

    def _before_backdrop(
        self, frame: NDArray[np.uint8], request: ViewportRequest, strips: list[ImageHandle] | None
    ) -> NDArray[np.uint8]:
        if not self._shows_backdrop:
            return frame
        frame = frame if frame.flags.writeable else frame.copy()
        field, top = max(1, round(self._field * request.width)), 0
        for strip in strips or [self.source(request)]:
            alpha = self.executor.display(strip, [ALPHA_ALONE])[..., 0]
            composite_backdrop(frame[top : top + strip.height], alpha, top, self._backdrop, field)
            top += strip.height
        return frame

    def _predicted(self, run: Sequence[Op]) -> float:
        """Return the predicted seconds per pixel of a run of ops."""
        guess = GUESSED_SECONDS if self.executor.runs_on_cpu else 0.0
        cost = self._costs.get(_structures(run))
        return guess if cost is None else cost

    def _strips(self, request: ViewportRequest, run: Sequence[Op], stoppable: bool) -> list[ImageHandle]:
        """Return the source of a request in one piece, or in strips if it is stoppable and the device is the CPU.

        Sources that are kept from an earlier request are reused if they suit.
        """
        if not stoppable or not self.executor.runs_on_cpu:
            return self._source.handles(request, lambda parts: True, [request])
        most = int(STRIP_SECONDS / self._predicted(run))
        most = min(max(most, STRIP_PIXELS[0]), STRIP_PIXELS[1])
        cut = _cut(request, most)
        return self._source.handles(request, lambda parts: 2 * len(parts) >= len(cut), cut)


def _cut(request: ViewportRequest, most: int) -> list[ViewportRequest]:
    """Return the strips of a request, each twice as high as the one before until they have `most` pixels."""
    parts, top = list[ViewportRequest](), 0
    while top < request.height:
        rows = max(1, min(STRIP_PIXELS[0] << len(parts), most) // request.width)
        parts.append(request.rows(top, min(top + rows, request.height)))
        top += rows
    return parts


def _structures(run: Sequence[Op]) -> tuple[Any, ...]:
    return tuple(op.structure if isinstance(op, ColorOp) else type(op) for op in run)
