"""Folders for the frames of a movie that are not encoded yet: in shared memory where there is enough, else on disk."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.core.file_errors import cannot_write
from engine.core.system import available_memory

SHARED_MEMORY = Path("/dev/shm")
LEAST_FREE = 2 << 30
"""Bytes of shared memory that must be free: containers often have very little."""
_BEGINNING = ".tessera-movie-"
_NAME = re.compile(r"\.tessera-movie-[0-9a-f]{6}-(\d{1,10})-.*")


@contextmanager
def plane_folder(beside: Path | None = None) -> Iterator[Path]:
    """Make a folder, and remove it with all frames in it. Removes those that dead processes have left.

    It is `beside` a file if other machines must reach it.
    """
    root = _root() if beside is None else beside.absolute().parent
    _remove_stale(root)
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"{_BEGINNING}{_host()}-{os.getpid()}-", dir=root))
    except OSError as problem:
        raise cannot_write(root, problem) from problem
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _root() -> Path:
    try:
        free = min(shutil.disk_usage(SHARED_MEMORY).free, available_memory())
    except OSError:
        free = 0
    return SHARED_MEMORY if free >= LEAST_FREE and os.access(SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())


def _remove_stale(root: Path) -> None:
    """Remove the folders of processes that have ended."""
    found = [(each, match) for each in root.glob(f"{_BEGINNING}{_host()}-*") if (match := _NAME.fullmatch(each.name))]
    if not found:
        return
    import psutil  # leftovers are rare

    for folder, match in found:
        if not psutil.pid_exists(int(match[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _host() -> str:
    """Return a short name of this machine: others may see the same folders."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:6]
