"""Export of single frames of a sequence, and checks for frames that are already exported."""

from __future__ import annotations

import filecmp
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any

from engine.color.job_config import JobConfig
from engine.compute.backends.base import LOG
from engine.compute.devices import create_executor
from engine.compute.memory_budget import MemoryBudget
from engine.core.address_space import check_address_space, needed_to_compute
from engine.core.attribute_names import EXPORT, EXPORT_IN_SOFTWARE
from engine.core.file_watch import state_of
from engine.core.records import dataclass
from engine.core.system import available_memory, resident_memory, usable_cores
from engine.errors import Cancelled, MemoryLimitError, TesseraError
from engine.export.image import SharedResources, check_encoder, run_export
from engine.export.job import ExportJob, resolve
from engine.export.movie_frames import FramePlace, export_planes
from engine.export.options import ExportOptions, ExportReport
from engine.export.provenance import digest_of
from engine.grade.config_pin import ConfigPin
from engine.grade.grade import Grade
from engine.grade.own_execution import load_carried
from engine.grade.own_ops import OwnFile
from engine.grade.renewal import own_files_of
from engine.io.description import describe
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import check_complete
from engine.io.other_formats import check_plain
from engine.movies.movie_files import is_movie
from engine.movies.plane_files import SUFFIX as PLANES
from engine.movies.plane_header import read_header

EXISTING = ("fail", "skip", "replace")
"""What to do with a frame whose target exists: report a failure, skip it, or replace the target."""
Existing = str | frozenset[int]
"""One of EXISTING, or the only frames whose targets may be replaced; '' leaves it to `force` and `resume`."""
Asked = Callable[[], bool]
RunFrame = Callable[["FrameJob"], "FrameResult"]
HOW = ("backend", "threads", "max_memory", "tile", "force", "encoder")
"""Options that do not change the result."""
EMPTY = ("black", "slate")
"""Frames that show nothing of their source."""


@dataclass(frozen=True)
class FrameJob:
    """The source and target of one frame.

    The source may be a movie that has the frame. `stand_in` is '' if `source` is the frame's own file, `hold` if it is
    that of another frame, `black` for pixels of 0 with the size and the metadata of `source`, and `slate` for the slate
    of a movie. `position` counts the frames of a movie from its first one, which is 0; slates are before it.
    """

    frame: int
    source: Path
    target: Path
    stand_in: str = ""
    position: int = 0


@dataclass(frozen=True)
class FrameResult:
    """The result of exporting a frame. `state` is done, kept (the target existed), failed or cancelled.

    `error` is one line for the user, `log` the details for a developer. `encoder` and `file_size` are those of an
    ExportReport, `seconds` the times of reading, computing and writing.
    """

    frame: int
    target: str
    state: str
    error: str = ""
    log: str = ""
    device: str = ""
    encoder: str = ""
    file_size: int = 0
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """The grade and options of every frame. With `resume`, frames already exported with this recipe are kept.

    `existing` says what to do with other existing targets: see Existing. `config` is the OpenColorIO config to use if
    frames are exported in another process. A recipe that is sent to one carries the files of the user's own ops.
    """

    grade: Grade
    options: ExportOptions = field(default_factory=ExportOptions)
    resume: bool = False
    existing: Existing = ""
    config: ConfigPin | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, each.name) for each in fields(self))
        files = own_files_of(self.grade)
        return (_with_own_ops, (files, pickle.dumps(values))) if files else (Recipe, values)

    def replaces(self, frame: int) -> bool:
        """Return whether the target of a frame may be replaced."""
        return may_replace(frame, self.options.force or self.resume, self.existing)

    def digest(self, frame: int | None = None) -> str:
        """Return a hash of the grade, or of what it is at a frame, and of the options that change pixels or files.

        The effect of the config is part of each frame's digest, not of this one.
        """
        asked = {each.name: getattr(self.options, each.name) for each in fields(self.options) if each.name not in HOW}
        grade = self.grade if frame is None else self.grade.at(frame)
        return digest_of(grade.to_json(), asked, *((grade.frame,) if grade.is_temporal else ()))

    def job_config(self) -> JobConfig:
        """Return the config for all frames that this process exports."""
        return JobConfig(self.config) if self.config else JobConfig.of(self.options.colour.over(self.grade.colour))


def _with_own_ops(files: tuple[OwnFile, ...], values: bytes) -> Recipe:
    """Return a recipe that another process has sent, once the user's files that its grade needs are loaded."""
    load_carried(files)
    return Recipe(*pickle.loads(values))


def may_replace(frame: int, force: bool, existing: Existing) -> bool:
    """Return whether the target of a frame may be replaced; `force` decides where `existing` says nothing."""
    if isinstance(existing, str):
        return existing == "replace" or (not existing and force)
    return frame in existing


class FrameExporter:
    """Exports frames with one recipe, reusing the device, its kernels and tables for all frames.

    Up to `workers` threads may call `run` at once, each for another frame; they share `threads` cores and the recipe's
    `max_memory`, or `budget`. With several `devices` the frames take turns. Raises BackendError if a device can't be
    used, MemoryLimitError if the memory is used up before the first frame.
    """

    workers_memory = 0
    """The peak memory of other processes."""

    def __init__(
        self, recipe: Recipe, workers: int, threads: int, devices: Iterable[str], budget: MemoryBudget | None = None
    ) -> None:
        check_address_space(needed_to_compute(threads))
        self.recipe, self.workers = recipe, workers
        self._digest = "" if recipe.grade.varies else recipe.digest()
        self._config = recipe.job_config()
        asked = recipe.options
        each = max(1, threads // workers)
        self._options = replace(asked, threads=each)
        self._executors = [create_executor(name, each, asked.tile) for name in devices]
        for executor in self._executors:
            check_encoder(executor, asked.encoder)
        if budget is None:
            memory, used = memory_for_frames(asked)
            if memory <= 0:
                what = "the memory limit is used up before the first frame"
                raise MemoryLimitError(what, f"allow {2 * used >> 20} MB")
            budget = MemoryBudget(memory, max(1, threads // each), workers, used)
        self._budget = budget

    @contextmanager
    def slot(self, number: int, cancelled: Asked) -> Iterator[RunFrame]:
        """Yield what exports a frame in the thread of this number."""
        yield lambda job: self.run(job, number, cancelled)

    def close(self) -> None:
        """Nothing to do: all work is done in the threads that call `run`."""

    def run(self, job: FrameJob, turn: int = 0, cancelled: Callable[[], bool] | None = None) -> FrameResult:
        """Export a frame; errors become part of the result. `turn` picks the device."""
        target = str(job.target)
        try:
            if self.recipe.existing == "skip" and job.target.exists():
                return FrameResult(job.frame, target, "kept")
            export = self.resolved(job)
            if self.recipe.resume and self.is_made(job, export):
                return FrameResult(job.frame, target, "kept")
            report = self._export(export, turn, cancelled, job)
            seconds = (report.seconds_read, report.seconds_compute, report.seconds_write)
            return FrameResult(
                job.frame,
                target,
                "done",
                device=report.device,
                encoder=report.encoder,
                file_size=report.file_size,
                seconds=seconds,
                notes=_notes(job, report),
            )
        except Cancelled:
            return FrameResult(job.frame, target, "cancelled")
        except Exception as error:  # noqa: BLE001 (no error of one frame may stop the others)
            LOG.debug("frame %d failed", job.frame, exc_info=error)
            return FrameResult(job.frame, target, "failed", _line(job, error), traceback.format_exc())

    def resolved(self, job: FrameJob) -> ExportJob:
        """Return the export of a frame. Raises the same errors as `resolve`."""
        recipe = self.recipe
        options = replace(self._options, force=recipe.replaces(job.frame))
        black, made_by = job.stand_in in EMPTY, self._digest_for(job)
        return resolve(
            job.source,
            job.target,
            recipe.grade,
            options,
            config=self._config,
            black=black,
            made_by=made_by,
            frame=job.frame - min(0, job.position),
        )

    def _digest_for(self, job: FrameJob) -> str:
        """Return a digest of the recipe and the source, without the effect of the config.

        The source is identified by its size and its time in seconds, the resolution that all file systems have. A black
        frame depends on no source.
        """
        recipe = self._digest or self.recipe.digest(job.frame)
        if job.stand_in in EMPTY:
            return digest_of(recipe, job.stand_in)
        state = state_of(job.source)
        name = job.source.name if job.stand_in == "hold" else ""
        frame = (job.frame,) if is_movie(job.source) else ()
        return digest_of(recipe, job.stand_in, name, state and (state[0], state[1] // 10**9), *frame)

    def is_made(self, job: FrameJob, export: ExportJob) -> bool:
        """Return whether the target exists, is complete, is not older than its source, and is what `export` makes."""
        try:
            if job.target.stat().st_mtime_ns < job.source.stat().st_mtime_ns:
                return False
            found = recorded_digest(job.target)
            if found or export.black:
                return found == export.digest() and is_complete(job.target)
            # A byte-for-byte copy has no digest in its header.
            return export.copies and filecmp.cmp(job.source, job.target, shallow=False)
        except (TesseraError, OSError):
            return False

    def _export(
        self, export: ExportJob, turn: int, cancelled: Callable[[], bool] | None, job: FrameJob
    ) -> ExportReport:
        shared = SharedResources(self._executors[turn % len(self._executors)], self._budget)
        if export.options.planes is not None:
            return export_planes(export, FramePlace(job.frame, job.position, job.stand_in), shared, cancelled)
        return run_export(export, cancelled=cancelled, shared=shared)


def _line(job: FrameJob, error: Exception) -> str:
    """Return one line about a failure, which begins with the file."""
    if isinstance(error, TesseraError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "there is not enough memory; close other programs or allow less with --max-memory"
    else:
        text = f"unexpected: {type(error).__name__}: {error}".rstrip(": ")
    names = (str(job.source), str(job.target))
    return text if text.startswith(names) else f"{job.source}: {text}"


def _notes(job: FrameJob, report: ExportReport) -> tuple[str, ...]:
    notes = {"hold": f"Missing; replaced with {job.source.name}.", "black": "Missing; replaced with black."}
    return (*((notes[job.stand_in],) if job.stand_in in notes else ()), *report.notes)


def recorded_digest(path: Path) -> str:
    """Return the export digest recorded in an image, or ''. Raises FileError if the file can't be read."""
    if path.suffix == PLANES:
        return read_header(path).digest
    for part in describe(path).parts:
        found = part.metadata.get(EXPORT)
        if isinstance(found, str):
            return found
        software = part.metadata.get("Software")
        if isinstance(software, str) and software.startswith(EXPORT_IN_SOFTWARE):
            return software.removeprefix(EXPORT_IN_SOFTWARE)
    return ""


def is_complete(path: Path) -> bool:
    """Return whether an image file is complete, as far as that can be checked without decoding it."""
    try:
        if path.suffix == PLANES:
            read_header(path)
        elif exr_header.is_exr(path):
            check_complete(exr_header.parse(path))
        else:
            describe(path)
            check_plain(path, path)
    except (TesseraError, OSError):
        return False
    return True


def memory_for_frames(options: ExportOptions) -> tuple[int, int]:
    """Return the bytes that frames may take, and those that this process uses now."""
    used = resident_memory()
    return available_memory() if options.max_memory is None else options.max_memory - used, used


def thread_budget(options: ExportOptions) -> int:
    return options.threads or usable_cores()
