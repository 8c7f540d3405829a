"""Export of a frame of a movie: graded as for a file, converted to Y'CbCr on the device, and written as planes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import GpuPrimitives
from engine.compute.planar import PlanarFormat
from engine.compute.streaming import Pixels, StreamingOutput
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import UnreadableFile, UnsupportedFile
from engine.export.image import SharedResources, export_report, stream_image
from engine.export.job import ExportJob
from engine.export.options import ExportReport
from engine.io.description import check_unchanged
from engine.movies.burn_drawing import burn, draw_slate
from engine.movies.burn_in import Overlay
from engine.movies.content_light import measured
from engine.movies.images import file_source
from engine.movies.movie_options import FramePlanes
from engine.movies.plane_files import write_planes
from engine.movies.plane_header import PlaneHeader


@dataclass(frozen=True)
class FramePlace:
    """Which frame of a movie this is; see FrameJob."""

    frame: int
    position: int = 0
    stand_in: str = ""


def frame_size(job: ExportJob) -> tuple[int, int]:
    """Return width and height of a frame of a movie: the resized image, else its display window or crop."""
    if job.options.resize is not None:
        return job.options.resize
    return _window(job)[2:]


def _window(job: ExportJob) -> tuple[int, int, int, int]:
    """Return where the graded pixels lie in the frame, and width and height of it."""
    frame = job.output.frame(job.part)
    assert frame is not None
    x0, y0, x1, y1 = frame.display
    left, top = job.part.data_window[:2]
    return left + frame.part.x - x0, top + frame.part.y - y0, x1 - x0 + 1, y1 - y0 + 1


def export_planes(
    job: ExportJob, place: FramePlace, shared: SharedResources, cancelled: Callable[[], bool] | None = None
) -> ExportReport:
    """Run the resolved export of a frame of a movie. Raises the same errors as `run_export`."""
    start, output = time.perf_counter(), PlanesOutput(job, place, shared.executor.primitives)
    with reading(job.info.path):
        source = file_source(job.info, job.part, job.layers, job.source_options())
    try:
        streamed, device = stream_image(job, source, output, None, cancelled, shared, shared.executor)
        check_unchanged(job.info)
    except UnreadableFile:
        check_unchanged(job.info)  # a changed file may be the only problem
        raise
    finally:
        source.close()
    report = export_report(job, streamed, device, ("cpu", "cpu"), start, job.notes)
    return replace(report, device=shared.executor.primitives.device)


class PlanesOutput(StreamingOutput):
    """Collects the graded pixels of a frame; `finish` converts them to planes and writes these."""

    def __init__(self, job: ExportJob, place: FramePlace, primitives: GpuPrimitives) -> None:
        self._job, self._place, self._primitives = job, place, primitives
        assert job.options.planes is not None
        self._planes: FramePlanes = job.options.planes
        self._check_size()
        self._left, self._top = (0, 0) if job.options.resize is not None else _window(job)[:2]
        self._pixels: NDArray[Any] = np.empty((0, 0, 4), np.float32)

    def _check_size(self) -> None:
        job, planes = self._job, self._planes
        x, y, width, height = _window(job)
        frame = job.output.frame(job.part)
        assert frame is not None
        whole = (x, y, frame.part.width, frame.part.height) == (0, 0, width, height)
        if job.options.resize is not None and not whole:
            what = "has a data window within its display window, which can't be resized"
            raise UnsupportedFile(job.info.path, what, "leave out --resize, or give --crop data")
        size = frame_size(job)
        if size != (planes.width, planes.height):
            what = "has {} x {} pixels, the movie {} x {}".format(*size, planes.width, planes.height)
            raise UnsupportedFile(job.info.path, what, "give --resize, or export it on its own")

    @property
    def fixed_bytes(self) -> int:
        """The frame as pixels, as an image of the device and as planes."""
        return self._planes.width * self._planes.height * (2 * 16 + 8)

    def init(self, width: int, height: int, channels: int) -> None:
        self._pixels = np.zeros((self._planes.height, self._planes.width, 4), np.float32)
        self._pixels[..., 3] = 0.0 if self._planes.pixels.alpha else 1.0

    def write_region(self, rect: Rect, pixels: Pixels) -> None:
        x, y = self._left + rect.x, self._top + rect.y
        part = self._pixels[y : y + rect.height, x : x + rect.width]
        part[..., :3] = pixels[..., :3]
        if self._planes.pixels.alpha:
            part[..., 3] = pixels[..., 3] if pixels.shape[2] == 4 else 1.0

    def finish(self) -> None:
        """Convert the frame and write its planes."""
        job, planes = self._job, self._planes
        pixels = planes.pixels
        header = PlaneHeader(pixels.chroma, pixels.depth, planes.width, planes.height, job.digest(), alpha=pixels.alpha)
        if planes.overlay is not None:
            self._draw(planes.overlay)
        if planes.measures:
            highest, mean = measured(self._pixels)
            header = replace(header, highest=highest, mean=mean)
        if planes.only_measured:
            write_planes(job.output.target, replace(header, width=0, height=0), ())
            return
        write_planes(job.output.target, header, to_planes(self._primitives, self._pixels, planes))

    def _draw(self, overlay: Overlay) -> None:
        place, size = self._place, (self._planes.width, self._planes.height)
        facts = overlay.facts(place.frame, place.position, self._job.info.path.name, size)
        if place.stand_in == "slate":
            draw_slate(self._pixels, overlay, facts)
        else:
            burn(self._pixels, overlay, facts)

    def abort(self) -> None:
        self._pixels = np.empty((0, 0, 4), np.float32)


def to_planes(primitives: GpuPrimitives, pixels: Pixels, planes: FramePlanes) -> list[NDArray[Any]]:
    """Return the planes Y', Cb and Cr of R'G'B' pixels, converted on the device."""
    form = PlanarFormat(
        planes.width,
        planes.height,
        planes.pixels.depth,
        planes.pixels.chroma,
        full_range=planes.tags.full_range,
        matrix=planes.tags.matrix_name,
        siting=planes.siting,
        alpha=planes.pixels.alpha,
    )
    source = primitives.upload(np.ascontiguousarray(pixels))
    try:
        made = primitives.exec_to_planes(source, form)
    finally:
        primitives.free(source)
    try:
        return [plane.reshape(plane.shape[0], -1) for plane in primitives.download_planes(made)]
    finally:
        primitives.free(made)
