"""Export of a graded image: reads, computes and writes in bands, and reports the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.compute.devices import create_executor, may_have_gpu
from engine.compute.executor import TiledExecutor
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import Pipeline, Progress, StreamReport
from engine.compute.plan import plan
from engine.compute.streaming import Pixels, StreamingOutput
from engine.core.address_space import check_address_space, needed_to_compute
from engine.core.atomic import checked_target
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.core.system import peak_memory, resident_memory
from engine.errors import BackendUnavailable, Cancelled, MemoryLimitError, UnreadableFile, escaped
from engine.export.deep import deep_formats, deep_result, export_deep
from engine.export.device_frames import DeviceReport, Obstacle, early_obstacle, export_on_device
from engine.export.image_job import resolve_image
from engine.export.job import ExportJob
from engine.export.mattes import matte_inputs
from engine.export.options import ExportOptions, ExportPreview, ExportReport
from engine.grade.grade import Grade
from engine.io import FileOutput, FileSource
from engine.io.copying import copy_bytes
from engine.io.description import check_unchanged
from engine.io.exr import header as exr_header
from engine.io.exr.header_text import header_lines
from engine.movies.images import file_source

Asked = Callable[[], bool]


@dataclass(frozen=True)
class SharedResources:
    """What exports share that run concurrently, each in a thread of its own."""

    executor: TiledExecutor
    budget: MemoryBudget


def export_image(
    source_path: str | Path,
    target_path: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    frame: int | None = None,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> ExportReport:
    """Write a graded image. The target's suffix determines the format; everything that is not graded is kept.

    The target appears when it is complete, or not at all. A grade that changes nothing copies the file. `frame` is that
    of a movie, by default the first, and of the grade's keys, by default the number in the name of the source.
    `progress` is called with the completed share, 0..1; `cancelled` is called between bands. Raises FileError,
    BackendError, MemoryLimitError, and Cancelled after `cancelled` returned True.
    """
    options = options or ExportOptions()
    start = time.perf_counter()
    _stop_if(cancelled)
    check_address_space(needed_to_compute(options.threads))
    checked_target(Path(target_path), options.force)
    job = resolve_image(source_path, target_path, grade, options, cancelled, frame=frame)
    report = run_export(job, progress=progress, cancelled=cancelled)
    return replace(report, seconds_total=time.perf_counter() - start)


def run_export(
    job: ExportJob,
    *,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
    shared: SharedResources | None = None,
) -> ExportReport:
    """Run a resolved export, as `export_image` does."""
    start = time.perf_counter()
    _stop_if(cancelled)
    if job.copies:
        copy_bytes(job.info, job.output.target, job.options.force)
        if progress is not None:
            progress(1.0)
        return export_report(job, _COPIED, ("none", ""), ("none", "none"), start, job.notes)
    executor, notes = shared.executor if shared else None, list[str]()
    if job.part.is_deep:
        streamed, device, notes = _stream_deep(job, progress, cancelled, shared)
        return export_report(job, streamed, device, ("cpu", "cpu"), start, notes)
    if uses_device(job, executor):
        executor, progress = executor or _executor(job), _rising(progress)
        done = _export_on(executor, job, progress, cancelled, shared)
        if isinstance(done, tuple):
            report, notes = done
            return export_report(job, report.stream, _device(executor), (report.decoder, "gpu"), start, notes)
        check_encoder(executor, job.options.encoder)
        notes += [f"Encoded on the CPU: {done.why}."] if job.options.encoder == "gpu" else []
    with _opened(job) as (source, output):
        streamed, device = stream_image(job, source, output, progress, cancelled, shared, executor)
        return export_report(job, streamed, device, ("cpu", "cpu"), start, [*output.notes, *notes])


def uses_device(job: ExportJob, executor: TiledExecutor | None) -> bool:
    """Return whether the device of an export may decode and encode it. `executor` is None if there is none yet.

    A device is not opened for a frame that needs no computing, unless that was asked for.
    """
    if job.options.encoder != "auto":
        return job.options.encoder == "gpu"
    if early_obstacle(job) is not None:
        return False
    if executor is None:
        return job.output.graded and may_have_gpu()
    return executor.primitives.chunk_codec is not None


def _export_on(
    executor: TiledExecutor,
    job: ExportJob,
    progress: Progress | None,
    cancelled: Asked | None,
    shared: SharedResources | None,
) -> tuple[DeviceReport, list[str]] | Obstacle:
    """Export a frame on a device: return the report and notes, or why it was not possible."""
    obstacle = early_obstacle(job)
    if obstacle is not None or executor.primitives.chunk_codec is None:
        return obstacle or Obstacle("the device does not encode EXRs")
    with _opened(job) as (source, output):
        for form in source.formats:
            executor.prepare(job.steps(), form)
        _stop_if(cancelled)
        done = export_on_device(job, source, output, executor, shared.budget if shared else None, progress, cancelled)
        return done if isinstance(done, Obstacle) else (done, output.notes)


def check_encoder(executor: TiledExecutor, encoder: str) -> None:
    """Raise BackendUnavailable if the device must encode EXRs and does not."""
    if encoder == "gpu" and executor.primitives.chunk_codec is None:
        what = f"{executor.primitives.device} does not encode EXRs"
        raise BackendUnavailable(what, "use --backend cuda, or --encoder auto")


def _stream_deep(
    job: ExportJob, progress: Progress | None, cancelled: Asked | None, shared: SharedResources | None
) -> tuple[StreamReport, tuple[str, str], list[str]]:
    """Stream a deep image. Return the report, the backend and device, and notes."""
    budget = shared.budget if shared else None
    if job.black or not job.ops:
        streamed, notes = export_deep(job, None, progress, cancelled, budget)
        return streamed, ("none", ""), notes
    executor = shared.executor if shared else _executor(job)
    check_encoder(executor, job.options.encoder)
    for form in deep_formats(job):
        executor.prepare(job.ops, form)
    _stop_if(cancelled)
    streamed, notes = export_deep(job, executor, progress, cancelled, budget)
    if job.options.encoder == "gpu":
        notes.append("Encoded on the CPU: the image is deep.")
    return streamed, _device(executor), notes


def preview_export(
    source_path: str | Path,
    target_path: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    of_sequence: bool = False,
    frame: int | None = None,
) -> ExportPreview:
    """Return what `export_image` would do, without writing anything; or what that of a sequence does with a frame.

    Raises the same errors as its checks.
    """
    options = options or ExportOptions()
    checked_target(Path(target_path), options.force)
    job = resolve_image(source_path, target_path, grade, options, of_sequence=of_sequence, frame=frame)
    colour = job.managed.describe() if job.managed.converts else ""
    if job.part.is_deep and not job.copies:
        result = deep_result(job)
        lines = header_lines(result.raw.headers), header_lines(result.headers)
        return ExportPreview(*lines, tuple(map(escaped, result.notes)), colour)
    with _opened(job) as (source, output):
        before = _lines_before(source)
        if job.copies:
            return ExportPreview(before, before, tuple(map(escaped, job.notes)))
        width, height = job.size()
        output.init(width, height, source.channels)
        kind = [f"{output.path.suffix[1:].upper()} of {width} x {height} pixels, {source.channels} channels"]
        return ExportPreview(before, header_lines(output.headers) or kind, tuple(map(escaped, output.notes)), colour)


def _lines_before(source: FileSource) -> list[str]:
    if source.info.format == "openexr":
        return header_lines(exr_header.parse(source.path, source.options.salvage).headers)
    channels = ", ".join(f"{c.name} {c.type}" for c in source.part.channels)
    return [f"{source.info.format} of {source.width} x {source.height} pixels: {channels}"]


@contextmanager
def _opened(job: ExportJob) -> Iterator[tuple[FileSource, FileOutput]]:
    """Open source and output; at the end close both, and remove an incomplete output."""
    options, reading_options = job.options, job.source_options()
    with reading(job.info.path):
        source = file_source(job.info, job.part, job.layers, reading_options)
    output: FileOutput | None = None
    try:
        record, notes = job.record()
        output = FileOutput(
            job.output.target, source, replace(job.output, record=record), options.force, options.threads
        )
        output.notes += notes
        yield source, output
    except UnreadableFile:
        check_unchanged(job.info)  # a changed file may be the only problem
        raise
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{job.info.path}: {error.what}", error.do) from error
    finally:
        if output is not None:
            output.abort()
        source.close()


def stream_image(
    job: ExportJob,
    source: FileSource,
    output: StreamingOutput,
    progress: Progress | None,
    cancelled: Asked | None,
    shared: SharedResources | None,
    executor: TiledExecutor | None,
) -> tuple[StreamReport, tuple[str, str]]:
    """Stream the image, on a device if there is something to compute. Return the report, and the backend and device."""
    options, steps = job.options, job.steps()
    budget = shared.budget if shared else None
    if job.black or not (job.output.graded or job.mattes):
        compute, used = _black if job.black else _unchanged, budget.held if budget else resident_memory()
        pipeline = Pipeline(source, output, plan(steps), compute, options.tile, options.max_memory, used, budget)
        return pipeline.run(progress, cancelled), ("none", "")
    executor = executor or _executor(job)
    mattes = job.matte_steps()
    for form in source.formats:
        executor.prepare(steps, form)
    for each in mattes:
        executor.prepare(each, source.formats[0])
    _stop_if(cancelled)
    used = budget.held if budget else resident_memory()
    inputs = matte_inputs(source, job.all_ops, options.threads)
    done = executor.execute_color_streaming(source, output, steps, progress, cancelled, used, budget, inputs, mattes)
    return done, _device(executor)


def _executor(job: ExportJob) -> TiledExecutor:
    options = job.options
    return create_executor(options.backend, options.threads, options.tile, options.max_memory)


def _device(executor: TiledExecutor) -> tuple[str, str]:
    return executor.primitives.name, executor.primitives.device


def _unchanged(number: int, pixels: Pixels, region: Rect, band: Rect) -> Pixels:
    return pixels


def _black(number: int, pixels: Pixels, region: Rect, band: Rect) -> Pixels:
    return np.zeros((band.height, band.width, pixels.shape[2]), pixels.dtype)


def _size(path: Path) -> int:
    """Return the size of a finished file; 0 if another program has taken it away."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _rising(progress: Progress | None) -> Progress | None:
    """Return a function that does not report a smaller share than before: a frame may begin again on the CPU."""
    most = 0.0

    def rising(share: float) -> None:
        nonlocal most
        if share >= most and progress is not None:
            most = share
            progress(share)

    return rising if progress is not None else None


def _stop_if(cancelled: Asked | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled()


_COPIED = StreamReport("copy", 0, 0, 0.0, 0.0, 0.0)


def export_report(
    job: ExportJob,
    done: StreamReport,
    device: tuple[str, str],
    coders: tuple[str, str],
    start: float,
    notes: Iterable[str] = (),
) -> ExportReport:
    """Return the report of an export that began at `start`; `device` is backend and device, `coders` decoder and
    encoder."""
    return ExportReport(
        backend=device[0],
        device=device[1],
        strategy="copy" if device[0] == "none" else done.strategy,
        tile=done.tile,
        tiles=done.tiles,
        pixels=job.part.width * job.part.height,
        seconds_read=done.seconds_read,
        seconds_compute=done.seconds_compute,
        seconds_write=done.seconds_write,
        seconds_total=time.perf_counter() - start,
        peak_memory=peak_memory(),
        decoder=coders[0],
        encoder=coders[1],
        file_size=_size(job.output.target),
        colour=job.managed.describe(),
        notes=tuple(map(escaped, notes)),
    )
