"""Export of a graded sequence by the workers of a dask.distributed cluster.

Workers read and write the files themselves, so they need access to the same storage. Each thread of a worker exports
one frame at a time; a worker process uses one device. If a worker dies, its frames are given to another.
"""

from __future__ import annotations

import os
import queue
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol

from engine.color.job_config import JobConfig, pin_for_others
from engine.compute.devices import devices_in_turn
from engine.core.atomic import remove_stale_files
from engine.core.bounded_cache import BoundedCache
from engine.errors import BackendError, TesseraError
from engine.export.farm_cluster import Credentials, cluster
from engine.export.frame_patterns import parse_pattern
from engine.export.frame_sources import frame_source
from engine.export.frames import Asked, Existing, FrameExporter, FrameJob, FrameResult, Recipe
from engine.export.options import ExportOptions
from engine.export.provenance import tessera_version
from engine.export.sequence import OnProgress, SequenceReport, Tally, checked_frames, plan_sequence
from engine.grade.config_pin import ConfigPin
from engine.grade.grade import Grade

CHUNKS_PER_THREAD = 4
"""Chunks per thread, which even out differences between frames."""
MOST_FRAMES = 16
"""The most frames of a chunk: if a worker dies, its chunk is done again from the start."""
ASK_SECONDS = 0.2


def export_on_farm(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    address: str,
    tls: Credentials | None = None,
    frames: str | Sequence[int] | None = None,
    missing: str = "error",
    resume: bool = False,
    existing: Existing = "",
    progress: OnProgress | None = None,
    cancelled: Asked | None = None,
) -> SequenceReport:
    """Export a sequence as `export_sequence` does, by the workers of a cluster.

    `address` is that of a scheduler, or `local` or `local:N` for N processes on this machine. `tls` are the credentials
    for a scheduler that requires them, unless Dask's configuration names them. `options.max_memory` applies to each
    worker process. Also raises TesseraError, before anything starts, if there is no scheduler or no worker, or if a
    worker can't reach the files.
    """
    options = options or ExportOptions()
    numbers = checked_frames(frames, missing, existing)
    plan = plan_sequence(frame_source(source), parse_pattern(target), options, numbers, missing, resume, existing)
    jobs = [replace(job, source=job.source.absolute(), target=job.target.absolute()) for job in plan.jobs]
    tally = Tally(plan, progress)
    stopped = cancelled or (lambda: False)
    if not jobs:
        return tally.report(stopped())
    # Existing targets have been checked. A frame that is given to a second worker may exist too: it is made again, or
    # kept as with `resume` where not every target may be replaced.
    again = resume or existing not in ("", "replace")
    config = pin_for_others(options.colour.over(grade.colour))
    recipe = Recipe(grade, replace(options, force=True, threads=1), again, existing, config)
    _made_on_farm(recipe, jobs, address, tls, tally.begun, tally.ended, stopped)
    return tally.report(stopped())


class Paced(Protocol):
    """Says how many frames may begin, and whether none should."""

    @property
    def allowed(self) -> int:
        """The number of frames that may have begun by now."""

    @property
    def ended_early(self) -> bool:
        """Whether no more frames are wanted."""


def make_on_farm(
    recipe: Recipe,
    jobs: Sequence[FrameJob],
    address: str,
    tls: Credentials | None,
    begun: Callable[[int], None],
    ended: Callable[[FrameResult], None],
    paced: Paced,
) -> None:
    """Make frames by the workers of a cluster, no more at once than `paced` allows. Raises as `export_on_farm` does."""
    jobs = [replace(job, source=job.source.absolute(), target=job.target.absolute()) for job in jobs]
    options = replace(recipe.options, force=True, threads=1)
    config = pin_for_others(options.colour.over(recipe.grade.colour))
    recipe = replace(recipe, options=options, config=config)
    if jobs:
        _made_on_farm(recipe, jobs, address, tls, begun, ended, lambda: paced.ended_early, lambda: paced.allowed)


def _made_on_farm(
    recipe: Recipe,
    jobs: list[FrameJob],
    address: str,
    tls: Credentials | None,
    begun: Callable[[int], None],
    ended: Callable[[FrameResult], None],
    stopped: Asked,
    allowed: Callable[[], int] | None = None,
) -> None:
    """Check the workers and let them make the frames."""
    with cluster(address, recipe.options, len(jobs), tls) as client:
        _check_workers(client, jobs)
        _check_config(client, recipe)
        try:
            _run(client, recipe, jobs, begun, ended, stopped, allowed or (lambda: len(jobs)))
        finally:
            remove_stale_files(*(job.target for job in jobs))


# -- checks before the export


def _check_workers(client: Any, jobs: list[FrameJob]) -> None:
    """Raise TesseraError unless every worker runs this version of Tessera and can reach the files."""
    folder = jobs[0].target.parent
    token = folder / f".tessera-farm-{secrets.token_hex(8)}.tmp"
    token.touch(exist_ok=False)
    try:
        answers = client.run(_reach, jobs[0].source, token, on_error="return")
    finally:
        token.unlink(missing_ok=True)
    for worker, answer in sorted(answers.items()):
        if isinstance(answer, BaseException):
            what = f"the worker {worker} can't run Tessera ({str(answer).splitlines()[0]})"
            raise TesseraError(what, "install it there, in the same version")
        version, host, problem = answer
        if problem:
            raise TesseraError(
                f"{problem} by the worker {worker} on {host}", "mount the storage there under the same path, or stop it"
            )
        if version != tessera_version():
            raise TesseraError(
                f"the worker {worker} on {host} has Tessera {version}, not {tessera_version()}", "install it there"
            )


def _check_config(client: Any, recipe: Recipe) -> None:
    """Raise TesseraError unless every worker finds the config of the job with the same content."""
    answers = client.run(_config_problem, recipe.config, on_error="return")
    for worker, problem in sorted(answers.items()):
        if problem:
            line = str(problem).splitlines()[0]
            raise TesseraError(f"{line} (on the worker {worker})", "give all workers the same config, or stop this one")


def _config_problem(pin: ConfigPin | None) -> str:
    """Return what is wrong with the config on this worker, or ''. Runs on a worker."""
    try:
        if pin is not None:
            _ = JobConfig(pin).config
    except TesseraError as problem:
        return problem.what
    return ""


def _reach(source: Path, token: Path) -> tuple[str, str, str]:
    """Return the version of Tessera, the host, and what can't be reached from it. Runs on a worker."""
    problem = ""
    try:
        with source.open("rb") as file:
            file.read(1)
    except OSError as error:
        problem = f"{source}: can't be read ({error.strerror})"
    own = token.with_suffix(f".{os.getpid()}.tmp")
    try:
        if not problem and not token.exists():
            problem = f"{token.parent}: is not the same folder when it is seen"
        elif not problem:
            own.touch(exist_ok=False)
            own.unlink()
    except OSError as error:
        problem = f"{token.parent}: can't be written to ({error.strerror})"
    return tessera_version(), socket.gethostname(), problem


# -- the export


def _run(
    client: Any,
    recipe: Recipe,
    jobs: list[FrameJob],
    begun: Callable[[int], None],
    on_end: Callable[[FrameResult], None],
    stopped: Asked,
    allowed: Callable[[], int],
) -> None:
    """Submit the chunks, those that are allowed, and collect their results until all have ended."""
    import distributed

    threads = max(1, sum(client.nthreads().values()))
    size = min(max(1, len(jobs) // (threads * CHUNKS_PER_THREAD)), MOST_FRAMES)
    chunks = [jobs[start : start + size] for start in range(0, len(jobs), size)]
    name = f"tessera-{secrets.token_hex(8)}"
    halt = distributed.Event(name, client=client)
    ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
    reported = set[int]()

    def on_event(event: tuple[Any, Any]) -> None:
        ended.put(event[1])

    client.subscribe_topic(name, on_event)
    waiting: dict[str, tuple[Any, list[FrameJob]]] = {}
    submitted = 0

    def submit() -> None:
        nonlocal submitted
        while submitted < len(chunks) and (not waiting or submitted * size + size <= allowed()):
            chunk = chunks[submitted]
            future = client.submit(_chunk, recipe, chunk, name, key=f"{name}-{submitted}", pure=False)
            future.add_done_callback(ended.put)
            waiting[future.key] = (future, chunk)
            submitted += 1

    def take(result: FrameResult) -> None:
        if result.frame not in reported:
            reported.add(result.frame)
            on_end(result)

    halted = False
    while waiting or (not halted and submitted < len(chunks)):
        if not halted and stopped():
            halted = True
            halt.set()
        if not halted:
            submit()
        try:
            event = ended.get(timeout=ASK_SECONDS)
        except queue.Empty:
            continue
        if isinstance(event, int):
            begun(event)
        elif isinstance(event, dict):
            values = event["result"]
            take(FrameResult(**values | {"seconds": tuple(values["seconds"]), "notes": tuple(values["notes"])}))
        elif event.key in waiting:
            future, chunk = waiting.pop(event.key)
            for result in _results(future, chunk):
                take(result)
    client.unsubscribe_topic(name)


def _results(future: Any, chunk: list[FrameJob]) -> list[FrameResult]:
    """Return the results of a chunk; failures if no worker could complete it."""
    problem = future.exception() if future.status != "cancelled" else BackendError("the farm cancelled it")
    if problem is None:
        return list(future.result())
    words = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
    return [
        FrameResult(job.frame, str(job.target), "failed", f"{job.source}: the workers failed ({words})", repr(problem))
        for job in chunk
    ]


MOST_EXPORTERS = 2
"""The number of jobs whose devices, kernels and config a worker keeps ready."""
_EXPORTERS: BoundedCache[str, FrameExporter] = BoundedCache(MOST_EXPORTERS)
_LOCK = threading.Lock()


def _chunk(recipe: Recipe, jobs: list[FrameJob], name: str) -> list[FrameResult]:
    """Export these frames one after the other, with the OpenColorIO config of the job. Runs on a worker."""
    from distributed import Event, get_worker

    worker = get_worker()
    exporter = _exporter(recipe, worker.state.nthreads)
    halt = _Halt(Event(name).is_set)
    results = []
    for job in jobs:
        worker.log_event(name, job.frame)
        result = exporter.run(job, 0, halt.asked)
        if result.log:
            result = replace(result, log=f"on {socket.gethostname()}, process {os.getpid()}:\n{result.log}")
        worker.log_event(name, {"result": asdict(result)})
        results.append(result)
    return results


def _exporter(recipe: Recipe, threads: int) -> FrameExporter:
    """Return the exporter of this process for a job, created for its first chunk."""
    key = f"{recipe.digest()} {recipe.options} {recipe.resume} {recipe.existing} {recipe.config}"

    def made() -> FrameExporter:
        device = devices_in_turn(recipe.options.backend)[0]
        return FrameExporter(recipe, threads, threads, [device])

    with _LOCK:
        return _EXPORTERS.of(key, made)


class _Halt:
    """Asks the scheduler every SECONDS whether to stop."""

    SECONDS = 0.5

    def __init__(self, ask: Callable[[], bool]) -> None:
        self._ask, self._next, self._answer = ask, 0.0, False

    def asked(self) -> bool:
        if not self._answer and time.monotonic() >= self._next:
            self._answer = self._ask()
            self._next = time.monotonic() + self.SECONDS
        return self._answer
