"""A graded picture as a file: read, compute and write in bands, with a report of how it went."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engine.detect import create_executor
from engine.errors import Cancelled, TargetExists
from engine.grade import Grade
from engine.io import copy_picture, describe, open_output, open_source
from engine.io.source import choose_part

Progress = Callable[[float], None]
Asked = Callable[[], bool]


@dataclass(frozen=True)
class ExportOptions:
    """How a picture is written and computed.

    `type` is that of the graded channels: source, half or float. `compression` is `NAME[:LEVEL]`, or None for the
    source's. `threads` 0 is one per core. `max_memory` is in bytes. `tile` is the side of a tile, or the rows of a
    band, in pixels. `part` and `layer` say which picture of the file is graded; None is the main one.
    """

    type: str = "source"
    compression: str | None = None
    backend: str = "auto"
    threads: int = 0
    max_memory: int | None = None
    tile: int | None = None
    part: int | str | None = None
    layer: str | None = None
    force: bool = False


@dataclass(frozen=True)
class ExportReport:
    """What an export did. Times in seconds; they overlap, so that they need not add up to the total.

    `strategy` is `copy` where there was nothing to grade. `peak_memory` is the most main memory, in bytes, that this
    process has held so far. `notes` are sentences for the user about what could not be kept.
    """

    backend: str
    device: str
    strategy: str
    tile: int
    tiles: int
    pixels: int
    seconds_read: float
    seconds_compute: float
    seconds_write: float
    seconds_total: float
    peak_memory: int
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"notes": list(self.notes)}


def export_picture(
    source_path: str | Path,
    target_path: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> ExportReport:
    """Write the graded picture; its format follows from the target's suffix, and all that was not graded is kept.

    The target appears when it is complete, or not at all. `progress` gets the share that is done, 0..1; `cancelled` is
    asked between bands. A grade that changes nothing is a copy of the file. Raises FileError, BackendError,
    MemoryLimitError, and Cancelled where `cancelled` said so.
    """
    options = options or ExportOptions()
    start = time.perf_counter()
    _stop_if(cancelled)
    if Path(target_path).exists() and not options.force:
        raise TargetExists(target_path)
    if not grade.effective:
        return _copied(Path(source_path), Path(target_path), options, start, progress)
    source = open_source(source_path, options.part, options.layer, options.threads)
    try:
        executor = create_executor(options.backend, options.threads, options.tile, options.max_memory)
        _stop_if(cancelled)
        output = open_output(
            target_path,
            source,
            type=options.type,
            compression=options.compression,
            force=options.force,
            threads=options.threads,
        )
        done = executor.execute_color_streaming(source, output, grade.effective, progress, cancelled)
        return ExportReport(
            backend=executor.primitives.name,
            device=executor.primitives.device,
            strategy=done.strategy,
            tile=done.tile,
            tiles=done.tiles,
            pixels=source.width * source.height,
            seconds_read=done.seconds_read,
            seconds_compute=done.seconds_compute,
            seconds_write=done.seconds_write,
            seconds_total=time.perf_counter() - start,
            peak_memory=peak_memory(),
            notes=tuple(output.notes),
        )
    finally:
        source.close()


def _stop_if(cancelled: Asked | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled()


def _copied(
    source: Path, target: Path, options: ExportOptions, start: float, progress: Progress | None
) -> ExportReport:
    """The export of a grade that changes nothing: no device is asked."""
    part = choose_part(describe(source), options.part)
    notes = copy_picture(
        source,
        target,
        type=options.type,
        compression=options.compression,
        force=options.force,
        threads=options.threads,
        part=options.part,
        layer=options.layer,
    )
    if progress is not None:
        progress(1.0)
    return ExportReport(
        backend="none",
        device="",
        strategy="copy",
        tile=0,
        tiles=0,
        pixels=part.width * part.height,
        seconds_read=0.0,
        seconds_compute=0.0,
        seconds_write=0.0,
        seconds_total=time.perf_counter() - start,
        peak_memory=peak_memory(),
        notes=tuple(notes),
    )


def peak_memory() -> int:
    """The most main memory, in bytes, that this process has held so far."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    status = Path("/proc/self/status")
    if status.exists():
        # Preferred to getrusage, which on Linux begins with the peak of the process that started this one.
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
