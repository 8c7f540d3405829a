"""Reads large LUT files in another process: OpenColorIO holds the interpreter's lock, which the window needs."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from pathlib import Path

from engine import FileLook
from engine.core.small_files import check_small
from engine.errors import UnreadableFile

LARGE_BYTES = 100_000
"""About the size of a 3D LUT with 16 entries per axis, as text: OpenColorIO reads it in 5 ms."""
PROCESSES = 2
"""The most processes; the second starts when two files are read at once, as the LUT wall does."""
_LOCK = threading.Lock()
_PROCESSES: list[ProcessPoolExecutor] = []


def read_look(path: Path, interpolation: str, cdl_id: str | None) -> FileLook:
    """Call `engine.ocio.look_from_file`, in another process if the file is slow to read; same errors."""
    check_small(path)
    if not _is_slow(path):
        return _read(path, interpolation, cdl_id)
    process = _process()
    try:
        return process.submit(_read, path, interpolation, cdl_id).result()
    except BrokenProcessPool as error:
        with _LOCK:
            if process in _PROCESSES:
                _PROCESSES.remove(process)
        raise UnreadableFile(path, "reading stopped halfway", "export the file again") from error


def _is_slow(path: Path) -> bool:
    """Return whether a file is large and not a plain .cube, which is read without OpenColorIO."""
    from engine.ocio.plain_cube import seems_plain

    try:
        large = path.stat().st_size >= LARGE_BYTES
    except OSError:
        return False
    return large and not (path.suffix.lower() == ".cube" and seems_plain(path))


def _process() -> ProcessPoolExecutor:
    """Return the pool of reading processes, created when first needed."""
    with _LOCK:
        if not _PROCESSES:
            _PROCESSES.append(ProcessPoolExecutor(PROCESSES, get_context("spawn"), _end_with_window))
        return _PROCESSES[0]


def _end_with_window() -> None:
    """End this reading process when the window's process ends, even if that was killed."""

    def end() -> None:
        window = parent_process()
        assert window is not None
        window.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _read(path: Path, interpolation: str, cdl_id: str | None) -> FileLook:
    from engine.ocio import look_from_file

    return look_from_file(path, interpolation, cdl_id)
