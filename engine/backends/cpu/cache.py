"""Where compiled kernels are kept between runs, and how numba compiles. Imported before any other numba code."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from pathlib import Path

import llvmlite
import numba
from llvmlite import binding

STALE_SECONDS = 30 * 86400
"""A folder of an older build that was not touched for so long is removed."""


def cache_folder() -> Path:
    """TESSERA_CACHE, or the system's place for caches."""
    if chosen := os.environ.get("TESSERA_CACHE"):
        return Path(chosen)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "Tessera" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tessera"


def kernel_folder() -> Path:
    """A folder named by what compiled code depends on: numba, LLVM and the sources of this package.

    numba looks only at the file of a function itself, not at what it calls.
    """
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return cache_folder() / "kernels" / digest.hexdigest()[:16]


def configure() -> Path:
    """Point numba at the folder; let LLVM use the whole width of the processor's vectors."""
    folder = kernel_folder()
    _remove_stale(folder)
    _remove_empty(folder)
    numba.config.CACHE_DIR = str(folder)
    name, features = binding.get_host_cpu_name(), binding.get_host_cpu_features()
    # By itself LLVM stops at 256 bits. The first processors with 512 lower their clock for them.
    if features.get("avx512f") and name not in ("skylake-avx512", "cascadelake", "cooperlake"):
        numba.config.CPU_NAME = name
        numba.config.CPU_FEATURES = features.flatten() + ",-prefer-256-bit"
    return folder


def _remove_stale(current: Path) -> None:
    if not current.parent.is_dir() or current.is_dir():
        return
    for folder in current.parent.iterdir():
        if time.time() - folder.stat().st_mtime > STALE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_empty(folder: Path) -> None:
    """What a crash of the machine left of a file: numba would stumble over it for ever."""
    for path in folder.rglob("*"):
        if path.suffix in (".nbi", ".nbc", ".py") and path.stat().st_size == 0:
            path.unlink(missing_ok=True)


FOLDER = configure()
