"""The cache of compiled functions on disk: one file of machine code per function. Does not import numba."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import logging
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from llvmlite import binding

from engine.core.user_folders import cache_folder

LOG = logging.getLogger("tessera")
OURS_ALONE, OTHERS_WRITE = 0o700, 0o022
BY_FOLDER = {os.open, os.rename, os.unlink} <= os.supports_dir_fd
"""Whether files can be opened relative to an open folder, which Windows does not support."""
STALE_SECONDS = 30 * 86400
"""Folders of older builds that were not used for this time are removed."""


def kernel_folder() -> Path:
    """Return the folder for this build's machine code, named by a hash of numba, LLVM, the CPU and our sources."""
    digest = hashlib.sha256(f"{_release('numba')} {_release('llvmlite')} {processor()}".encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return cache_folder() / "kernels" / digest.hexdigest()[:16]


def _release(package: str) -> str:
    """Return what identifies the release of a package: its `_version.py`, which is quicker to find than metadata."""
    spec = find_spec(package)
    with contextlib.suppress(OSError):
        if spec is not None and spec.origin is not None:
            return Path(spec.origin).with_name("_version.py").read_text(encoding="utf-8")
    from importlib.metadata import version

    return version(package)


@cache
def processor() -> tuple[str, str]:
    """Return name and features of the CPU for LLVM, set up to use the full width of its vectors."""
    name, features = binding.get_host_cpu_name(), binding.get_host_cpu_features()
    # By default LLVM uses only 256 bits on the first CPUs with 512, which lower their clock for these. Our kernels are
    # faster with 512 all the same, by 20 % to almost 100 % where they read tables.
    if features.get("avx512f"):
        return name, features.flatten() + ",-prefer-256-bit"
    return name, features.flatten()


class CodeFiles:
    """Files of machine code in a folder that only this user can write to, since its content is executed.

    Files that are damaged, truncated, links, owned by another user, or made for another function are ignored. On
    Windows the user's profile is protected by default.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._warned = False
        _remove_stale(folder)

    def get(self, name: str) -> bytes | None:
        """Return the machine code stored under a name, or None."""
        try:
            with self._opened() as folder:
                content = self._read(f"{name}.code", folder)
        except OSError:
            return None
        seal, code = content[: hashlib.sha256().digest_size], content[hashlib.sha256().digest_size :]
        return code if seal == self._seal(name, code) else None

    def put(self, name: str, code: bytes) -> None:
        """Store machine code atomically. If it can't be written, the next run compiles it again."""
        with contextlib.suppress(OSError):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=OURS_ALONE, exist_ok=True)
            with self._opened() as folder:
                self._write(f"{name}.code", self._seal(name, code) + code, folder)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int | None]:
        """Open the folder, so that nobody can replace it meanwhile. Raises OSError if it is not only this user's."""
        if not BY_FOLDER:
            yield None
            return
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            self._check_ours(os.fstat(folder))
            yield folder
        finally:
            os.close(folder)

    def _check_ours(self, about: os.stat_result) -> None:
        if about.st_uid == os.geteuid() and not about.st_mode & OTHERS_WRITE:
            return
        if not self._warned:
            self._warned = True
            LOG.warning("the kernel cache is not used: other users can write to %s", self.folder)
        raise PermissionError(errno.EPERM, "other users can write to it")

    def _read(self, name: str, folder: int | None) -> bytes:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(self._place(name, folder), flags, dir_fd=folder), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise OSError(errno.EINVAL, "not a file")
            if folder is not None:
                self._check_ours(about)
            return file.read()

    def _write(self, name: str, content: bytes, folder: int | None) -> None:
        temporary = f"{name}.{secrets.token_hex(8)}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            with os.fdopen(os.open(self._place(temporary, folder), flags, 0o600, dir_fd=folder), "wb") as file:
                file.write(content)
            places = self._place(temporary, folder), self._place(name, folder)
            os.replace(*places, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(self._place(temporary, folder), dir_fd=folder)
            raise

    def _place(self, name: str, folder: int | None) -> str:
        """Return the path of a file, relative to the folder if that is open."""
        return name if folder is not None else str(self.folder / name)

    def _seal(self, name: str, code: bytes) -> bytes:
        """Return the seal that begins a file: a hash of its name, its folder and its content."""
        return hashlib.sha256(f"{self.folder.name}/{name}\0".encode() + code).digest()


def _remove_stale(current: Path) -> None:
    """Remove unused folders of older builds; another process may do so at the same time."""
    if current.is_dir():
        return
    with contextlib.suppress(OSError):
        for folder in current.parent.iterdir():
            if time.time() - folder.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
