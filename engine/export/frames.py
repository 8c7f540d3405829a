"""One frame of a sequence: what it is made from, whether it is made already, and making it."""

from __future__ import annotations

import filecmp
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from engine.color.job_config import JobConfig
from engine.compute.backends.base import LOG
from engine.compute.devices import create_executor
from engine.compute.memory_budget import MemoryBudget
from engine.core.address_space import check_address_space, needed_to_compute
from engine.core.file_watch import state_of
from engine.core.system import available_memory, resident_memory, usable_cores
from engine.errors import Cancelled, MemoryLimitError, TesseraError
from engine.export.image import Together, export_digest, export_image, would_copy
from engine.export.options import ExportOptions, ExportReport
from engine.export.provenance import EXPORT, digest_of
from engine.grade.config_pin import ConfigPin
from engine.grade.grade import Grade
from engine.io import describe
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import check_complete
from engine.io.other_formats import DIGEST_PREFIX, check_plain

EXISTING = ("fail", "skip", "replace")
"""What becomes of a frame whose target is there already: a failure, nothing, or it is made again."""
Existing = str | frozenset[int]
"""One of EXISTING, or the frames whose targets may be replaced, and no others; '' is what `force` and `resume` say."""
HOW = ("backend", "threads", "max_memory", "tile", "force")
"""Options that say how an image is made, and change nothing of it."""


@dataclass(frozen=True)
class FrameJob:
    """One frame: where its pixels come from and where they go.

    `stand_in` is '' for its own file; `hold` for that of another frame and `black` for pixels of 0, with the shape and
    the metadata of `source`.
    """

    frame: int
    source: Path
    target: Path
    stand_in: str = ""


@dataclass(frozen=True)
class FrameResult:
    """How a frame went. `state` is done, kept (it was there already), failed or cancelled.

    `error` is one line for the user, `log` what a developer needs of a failure. `seconds` are those of reading,
    computing and writing.
    """

    frame: int
    target: str
    state: str
    error: str = ""
    log: str = ""
    device: str = ""
    seconds: tuple[float, float, float] = (0.0, 0.0, 0.0)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recipe:
    """What is done to every frame. With `resume` frames that are made already by this very recipe are left.

    `existing` says what becomes of others that are there: an Existing. `config` is the one to use where the frames are
    made, if that is not in this process.
    """

    grade: Grade
    options: ExportOptions = field(default_factory=ExportOptions)
    resume: bool = False
    existing: Existing = ""
    config: ConfigPin | None = None

    def replaces(self, frame: int) -> bool:
        """Whether the target of a frame may be replaced."""
        if isinstance(self.existing, str):
            return self.existing == "replace" or (not self.existing and (self.options.force or self.resume))
        return frame in self.existing

    def digest(self) -> str:
        """What tells this recipe from others: a hash of the grade and of the options that change pixels or files.

        What a config makes of them is told with each frame.
        """
        asked = {each.name: getattr(self.options, each.name) for each in fields(self.options) if each.name not in HOW}
        return digest_of(self.grade.to_json(), asked)

    def job_config(self) -> JobConfig:
        """The config of all frames that a process makes by this recipe."""
        return JobConfig(self.config) if self.config else JobConfig.of(self.options.colour.over(self.grade.colour))


class FrameExporter:
    """Makes frames by one recipe, with the device, its kernels and tables kept from frame to frame.

    Up to `workers` threads may call `export` at once, each for another frame; they share `threads` cores and the
    recipe's `max_memory`. With several `devices` the frames take them in turn. BackendError if a
    device can't be used, MemoryLimitError if the memory is taken before the first frame.
    """

    def __init__(self, recipe: Recipe, workers: int, threads: int, devices: Iterable[str]) -> None:
        check_address_space(needed_to_compute(threads))
        self.recipe = recipe
        self._digest, self._config = recipe.digest(), recipe.job_config()
        asked = recipe.options
        each = max(1, threads // workers)
        self._options = replace(asked, threads=each)
        self._executors = [create_executor(name, each, asked.tile) for name in devices]
        held = resident_memory()
        memory = available_memory() if asked.max_memory is None else asked.max_memory - held
        if memory <= 0:
            raise MemoryLimitError("the memory allowed is taken before the first frame", f"allow {2 * held >> 20} MB")
        self._budget = MemoryBudget(memory, max(1, threads // each), workers, held)

    def run(self, job: FrameJob, turn: int = 0, cancelled: Callable[[], bool] | None = None) -> FrameResult:
        """Make a frame, whatever comes; `turn` picks the device."""
        target = str(job.target)
        try:
            if self.recipe.existing == "skip" and job.target.exists():
                return FrameResult(job.frame, target, "kept")
            digest = self._digest_for(job)
            if self.recipe.resume and self.is_made(job, digest):
                return FrameResult(job.frame, target, "kept")
            report = self._export(job, digest, turn, cancelled)
            seconds = (report.seconds_read, report.seconds_compute, report.seconds_write)
            return FrameResult(
                job.frame, target, "done", device=report.device, seconds=seconds, notes=_notes(job, report)
            )
        except Cancelled:
            return FrameResult(job.frame, target, "cancelled")
        except Exception as error:  # noqa: BLE001 (one frame must not stop the others, whatever it is)
            LOG.debug("frame %d failed", job.frame, exc_info=error)
            return FrameResult(job.frame, target, "failed", _line(job, error), traceback.format_exc())

    def _digest_for(self, job: FrameJob) -> str:
        """What tells the frame from others, before it is known what a config makes of it: the recipe and the source.

        The source is told by its size and its time in seconds, which all file systems agree on; black needs none.
        """
        if job.stand_in == "black":
            return digest_of(self._digest, job.stand_in)
        state = state_of(job.source)
        held = job.source.name if job.stand_in == "hold" else ""
        return digest_of(self._digest, job.stand_in, held, state and (state[0], state[1] // 10**9))

    def is_made(self, job: FrameJob, digest: str) -> bool:
        """Whether the target is there, complete, not older than its source, and as it would be made now.

        `digest` tells of the recipe.
        """
        try:
            if job.target.stat().st_mtime_ns < job.source.stat().st_mtime_ns:
                return False
            found = recorded_digest(job.target)
            if found or job.stand_in == "black":
                options = self._options_for(job)
                wanted = export_digest(job.source, self.recipe.grade, options, digest, self._config)
                return found == wanted and is_complete(job.target)
            # A copy, byte for byte, has nothing of ours in its header.
            same = would_copy(job.source, job.target, self.recipe.grade, self._options, self._config)
            return same and filecmp.cmp(job.source, job.target, shallow=False)
        except (TesseraError, OSError):
            return False

    def _export(self, job: FrameJob, digest: str, turn: int, cancelled: Callable[[], bool] | None) -> ExportReport:
        executor = self._executors[turn % len(self._executors)]
        together = Together(executor, self._budget, digest, job.stand_in == "black", self._config)
        return export_image(
            job.source, job.target, self.recipe.grade, self._options_for(job), cancelled=cancelled, together=together
        )

    def _options_for(self, job: FrameJob) -> ExportOptions:
        options = replace(self._options, force=self.recipe.replaces(job.frame))
        return replace(options, only_graded=True) if job.stand_in == "black" else options


def _line(job: FrameJob, error: Exception) -> str:
    """One line about a failure, beginning with the file."""
    if isinstance(error, TesseraError):
        text = str(error)
    elif isinstance(error, MemoryError):
        text = "there is not enough memory; close other programs or allow less with --max-memory"
    else:
        text = f"unexpected: {type(error).__name__}: {error}".rstrip(": ")
    names = (str(job.source), str(job.target))
    return text if text.startswith(names) else f"{job.source}: {text}"


def _notes(job: FrameJob, report: ExportReport) -> tuple[str, ...]:
    stood = {"hold": f"Missing; {job.source.name} stands in.", "black": "Missing; black stands in."}
    return (*((stood[job.stand_in],) if job.stand_in else ()), *report.notes)


def recorded_digest(path: Path) -> str:
    """The digest that an image tells of; '' if it has none. FileError if it can't be read."""
    for part in describe(path).parts:
        found = part.metadata.get(EXPORT)
        if isinstance(found, str):
            return found
        software = part.metadata.get("Software")
        if isinstance(software, str) and software.startswith(DIGEST_PREFIX):
            return software.removeprefix(DIGEST_PREFIX)
    return ""


def is_complete(path: Path) -> bool:
    """Whether an image is there to its end, as far as that can be told without decoding all of it."""
    try:
        if exr_header.is_exr(path):
            check_complete(exr_header.parse(path))
        else:
            describe(path)
            check_plain(path, path)
    except (TesseraError, OSError):
        return False
    return True


def thread_budget(options: ExportOptions) -> int:
    return options.threads or usable_cores()
