"""Export of a graded image: reads, computes and writes in bands, and reports the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from engine.color.job_config import JobConfig
from engine.color.management import Managed, manage
from engine.compute.devices import create_executor
from engine.compute.executor import TiledExecutor
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import Pipeline, Progress, StreamReport
from engine.compute.plan import CropStep, plan
from engine.compute.streaming import Pixels
from engine.core.address_space import check_address_space, needed_to_compute
from engine.core.atomic import checked_target
from engine.core.geometry import Rect
from engine.core.system import peak_memory, resident_memory
from engine.errors import Cancelled, MemoryLimitError, UnreadableFile, UnsupportedFile, escaped
from engine.export.options import ExportOptions, ExportPreview, ExportReport
from engine.export.provenance import EXPORT, digest_of, record_of
from engine.grade.grade import Grade
from engine.io import FileOutput, FileSource, describe, open_output, open_source
from engine.io.copying import can_copy, copy_bytes
from engine.io.describe import check_unchanged
from engine.io.exr import header as exr_header
from engine.io.exr.header_text import header_lines
from engine.io.info import PartInfo
from engine.io.output_options import OutputOptions
from engine.io.selection import choose_part
from engine.kernel.op import ColorOp, Op
from engine.ops import Resize

Asked = Callable[[], bool]


@dataclass(frozen=True)
class Together:
    """State shared by exports that run concurrently, each in a thread of its own.

    `digest` identifies grade and options; the digest recorded in an image also covers the ops that they resolve to.
    With `black` all pixels are 0. `config` is that of the job.
    """

    executor: TiledExecutor
    budget: MemoryBudget
    digest: str = ""
    black: bool = False
    config: JobConfig | None = None


def export_image(
    source_path: str | Path,
    target_path: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
    together: Together | None = None,
) -> ExportReport:
    """Write a graded image. The target's suffix determines the format; everything that is not graded is kept.

    The target appears when it is complete, or not at all. A grade that changes nothing copies the file. `progress` is
    called with the completed share, 0..1; `cancelled` is called between bands. `together` is for concurrent exports.
    Raises FileError, BackendError, MemoryLimitError, and Cancelled after `cancelled` returned True.
    """
    options = options or ExportOptions()
    start = time.perf_counter()
    _stop_if(cancelled)
    check_address_space(needed_to_compute(options.threads))
    target = _checked(Path(target_path), options)
    info = describe(source_path, options.salvage)
    part = choose_part(info, options.part)
    work = _work(grade, part, info.path, options, together.config if together else None)
    output_options = OutputOptions(
        target, options.type, options.compression, _changes_pixels(work, options), **_framing(work, options)
    )
    if not output_options.graded and not options.salvage and can_copy(info, output_options):
        copy_bytes(info, target, options.force)
        if progress is not None:
            progress(1.0)
        return _report(_COPIED, ("none", ""), part.width * part.height, start, work, ())
    with _opened(info.path, target, work, options, together) as (source, output):
        done, device = _run(source, output, work, options, progress, cancelled, together)
        return _report(done, device, source.width * source.height, start, work, tuple(map(escaped, output.notes)))


def would_copy(
    source_path: str | Path,
    target_path: str | Path,
    grade: Grade,
    options: ExportOptions,
    config: JobConfig | None = None,
) -> bool:
    """Return whether `export_image` would copy the file unchanged. Raises the same errors as its checks."""
    info = describe(source_path, options.salvage)
    work = _work(grade, choose_part(info, options.part), info.path, options, config)
    changed = _changes_pixels(work, options)
    output_options = OutputOptions(
        Path(target_path), options.type, options.compression, changed, **_framing(work, options)
    )
    return not changed and not options.salvage and can_copy(info, output_options)


def export_digest(
    source_path: str | Path, grade: Grade, options: ExportOptions, digest: str, config: JobConfig | None = None
) -> str:
    """Return the digest that `export_image` records in an image. Raises the same errors as its checks."""
    info = describe(source_path, options.salvage)
    return _work(grade, choose_part(info, options.part), info.path, options, config).digest(digest)


def preview_export(
    source_path: str | Path, target_path: str | Path, grade: Grade, options: ExportOptions | None = None
) -> ExportPreview:
    """Return what `export_image` would do, without writing anything. Raises the same errors as its checks."""
    options = options or ExportOptions()
    target = _checked(Path(target_path), options)
    info = describe(source_path, options.salvage)
    work = _work(grade, choose_part(info, options.part), info.path, options)
    with _opened(info.path, target, work, options) as (source, output):
        before = _lines_before(source)
        changed = _changes_pixels(work, options)
        if can_copy(
            source.info, OutputOptions(target, options.type, options.compression, changed, **_framing(work, options))
        ):
            return ExportPreview(before, before, ())
        width, height = plan(_steps(work, options, source, target)).sizes(source.width, source.height)[-1]
        output.init(width, height, source.channels)
        kind = [f"{target.suffix[1:].upper()} of {width} x {height} pixels, {source.channels} channels"]
        colour = work.managed.describe() if work.managed.converts else ""
        return ExportPreview(before, header_lines(output.headers) or kind, tuple(map(escaped, output.notes)), colour)


@dataclass(frozen=True)
class _Work:
    """A grade, and the ops that it resolves to for one image, colour space conversions included."""

    grade: Grade
    managed: Managed

    @cached_property
    def effective(self) -> tuple[Op, ...]:
        return tuple(op for op in self.managed.expanded(self.grade) if not op.is_identity())

    def digest(self, made_by: str) -> str:
        """Return a digest of the result: the ops include the relevant content of every LUT and of the config, and the
        spaces are those written to the header."""
        managed = self.managed
        spaces = (managed.input, managed.interop_id(), managed.result_id, managed.kept.to_json())
        result = managed.result if managed.converts and managed.viewing else ""
        return digest_of(made_by, self.effective, spaces, result)


def _work(grade: Grade, part: PartInfo, path: Path, options: ExportOptions, config: JobConfig | None = None) -> _Work:
    setup = options.colour.over(grade.colour)
    managed = manage(setup, path, part.metadata, options.viewing, job=config)
    return _Work(replace(grade, colour=managed.kept), managed)


def _lines_before(source: FileSource) -> list[str]:
    if source.info.format == "openexr":
        return header_lines(exr_header.parse(source.path, source.salvage).headers)
    channels = ", ".join(f"{c.name} {c.type}" for c in source.part.channels)
    return [f"{source.info.format} of {source.width} x {source.height} pixels: {channels}"]


def _checked(target: Path, options: ExportOptions) -> Path:
    checked_target(target, options.force)
    if options.resize and not all(1 <= side <= 1 << 16 for side in options.resize):
        raise UnsupportedFile(target, "can't have {} x {} pixels".format(*options.resize), "give sides of 1 to 65536")
    return target


def _framing(work: _Work, options: ExportOptions) -> dict[str, Any]:
    """Return the fields of OutputOptions with the same name in `options`, and the colour space of the result."""
    names = ("only_graded", "storage", "crop")
    spaces = {"output_space": work.managed.interop_id(), "result_space": work.managed.result_id}
    return {name: getattr(options, name) for name in names} | spaces


def _changes_pixels(work: _Work, options: ExportOptions) -> bool:
    return bool(work.effective) or options.resize is not None


@contextmanager
def _opened(
    path: Path, target: Path, work: _Work, options: ExportOptions, together: Together | None = None
) -> Iterator[tuple[FileSource, FileOutput]]:
    """Open source and output; at the end close both, and remove an incomplete output."""
    source = open_source(path, options.part, options.layer, options.threads, options.salvage)
    output: FileOutput | None = None
    try:
        changed = _changes_pixels(work, options)
        record, notes = list[tuple[str, str]](), list[str]()
        if work.effective:
            view = work.managed.result if options.viewing else ""
            record, notes = record_of(work.grade, source.part, tuple(layer.name for layer in source.layers), view)
        if together is not None:
            record.append((EXPORT, work.digest(together.digest)))
        output_options = OutputOptions(
            target,
            options.type,
            options.compression,
            changed,
            alpha=options.resize is not None or changes_alpha(work.effective),
            record=tuple(record),
            **_framing(work, options),
        )
        output = open_output(target, source, options=output_options, force=options.force, threads=options.threads)
        output.notes += notes
        yield source, output
    except UnreadableFile:
        check_unchanged(source.info)  # a changed file may be the only problem
        raise
    except MemoryLimitError as error:
        raise MemoryLimitError(f"{path}: {error.what}", error.do) from error
    finally:
        if output is not None:
            output.abort()
        source.close()


@lru_cache(maxsize=16)
def changes_alpha(ops: tuple[Op, ...]) -> bool:
    """Return whether any of these ops changes alpha, tested on random pixels."""
    rgba = np.random.default_rng(1).uniform(-0.5, 2.0, (256, 4))
    return any(not isinstance(op, ColorOp) or (op.reference(rgba)[..., 3] != rgba[..., 3]).any() for op in ops)


def _steps(work: _Work, options: ExportOptions, source: FileSource, target: Path) -> list[Op | CropStep]:
    steps: list[Op | CropStep] = [*work.effective]
    frame = OutputOptions(target, crop=options.crop).frame(source.part)
    if frame is not None:
        steps.append(CropStep(frame.part))
    if options.resize is not None:
        steps.append(Resize(*options.resize, options.filter))
    return steps


def _run(
    source: FileSource,
    output: FileOutput,
    work: _Work,
    options: ExportOptions,
    progress: Progress | None,
    cancelled: Asked | None,
    together: Together | None,
) -> tuple[StreamReport, tuple[str, str]]:
    """Stream the image, on a device if there is something to compute. Return the report, and the backend and device."""
    steps = _steps(work, options, source, output.path)
    budget = together.budget if together else None
    black = together is not None and together.black
    if black or not _changes_pixels(work, options):
        compute, used = _black if black else _unchanged, budget.held if budget else resident_memory()
        pipeline = Pipeline(source, output, plan(steps), compute, options.tile, options.max_memory, used, budget)
        return pipeline.run(progress, cancelled), ("none", "")
    executor = (
        together.executor
        if together
        else create_executor(options.backend, options.threads, options.tile, options.max_memory)
    )
    for form in source.formats:
        executor.prepare(steps, form)
    _stop_if(cancelled)
    used = budget.held if budget else resident_memory()
    done = executor.execute_color_streaming(source, output, steps, progress, cancelled, used, budget)
    return done, (executor.primitives.name, executor.primitives.device)


def _unchanged(pixels: Pixels, region: Rect, band: Rect) -> Pixels:
    return pixels


def _black(pixels: Pixels, region: Rect, band: Rect) -> Pixels:
    return np.zeros((band.height, band.width, pixels.shape[2]), pixels.dtype)


def _stop_if(cancelled: Asked | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled()


_COPIED = StreamReport("copy", 0, 0, 0.0, 0.0, 0.0)


def _report(
    done: StreamReport, device: tuple[str, str], pixels: int, start: float, work: _Work, notes: tuple[str, ...]
) -> ExportReport:
    return ExportReport(
        backend=device[0],
        device=device[1],
        strategy="copy" if device[0] == "none" else done.strategy,
        tile=done.tile,
        tiles=done.tiles,
        pixels=pixels,
        seconds_read=done.seconds_read,
        seconds_compute=done.seconds_compute,
        seconds_write=done.seconds_write,
        seconds_total=time.perf_counter() - start,
        peak_memory=peak_memory(),
        colour=work.managed.describe(),
        notes=notes,
    )
