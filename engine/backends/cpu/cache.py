"""Where compiled functions are kept between runs: one file of machine code for each. Knows nothing of numba."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path

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
    """A folder named by what machine code depends on: numba, LLVM, the processor and the sources of this package."""
    digest = hashlib.sha256(f"{version('numba')} {version('llvmlite')} {processor()}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return cache_folder() / "kernels" / digest.hexdigest()[:16]


@cache
def processor() -> tuple[str, str]:
    """Name and features of the processor, as LLVM takes them; to use the whole width of its vectors."""
    name, features = binding.get_host_cpu_name(), binding.get_host_cpu_features()
    # By itself LLVM stops at 256 bits on the first processors with 512, which lower their clock for them; kernels are
    # faster there all the same, by a fifth to almost twice where they read tables.
    if features.get("avx512f"):
        return name, features.flatten() + ",-prefer-256-bit"
    return name, features.flatten()


class CodeFiles:
    """The files of a folder. What is damaged, cut short or was made for something else is not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        _remove_stale(folder)

    def get(self, name: str) -> bytes | None:
        """The machine code kept under a name."""
        try:
            content = self._path(name).read_bytes()
        except OSError:
            return None
        seal, code = content[: hashlib.sha256().digest_size], content[hashlib.sha256().digest_size :]
        return code if seal == self._seal(name, code) else None

    def put(self, name: str, code: bytes) -> None:
        """Keep machine code, whole or not at all; where nothing can be written, the next run compiles again."""
        path = self._path(name)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(self._seal(name, code) + code)
            temporary.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.code"

    def _seal(self, name: str, code: bytes) -> bytes:
        """What the file of that name in that folder begins with."""
        return hashlib.sha256(f"{self.folder.name}/{name}\0".encode() + code).digest()


def _remove_stale(current: Path) -> None:
    """Folders of older builds; another process may be at it too."""
    if current.is_dir():
        return
    with contextlib.suppress(OSError):
        for folder in current.parent.iterdir():
            if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
