"""The folder that workers work in: small valid companions of the inputs, always the same ones."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from tools.fuzz.mutations import archive
from tools.fuzz.samples import configs, grades, images, looks

SEQUENCE = "shot.%04d.exr"
FRAMES = (1001, 1002, 1004)


@cache
def companions() -> dict[str, bytes]:
    """The content of each file by its name."""
    with tempfile.TemporaryDirectory() as folder:
        exrs = {each.name: each.data for each in images.exrs(Path(folder))}
        others = {each.name: each.data for each in images.others(Path(folder))}
    found = {
        "multi.exr": exrs["multipart"],
        "mip.exr": exrs["mip zip"],
        "meta.exr": exrs["recorded"],
        "deep.exr": exrs["deep scanline"],
        "b.tif": others["tiff"],
        "a.png": others["png"],
        "d.dpx": others["dpx 10"],
        "look.cube": looks.CUBE,
        "look.cc": looks.CC,
        "look.ccc": looks.CCC,
        "look.clf": looks.CLF,
        "grade.json": json.dumps(grades.PLAIN).encode(),
        "show.ocio": configs.SHOW,
        "show.ocioz": archive.joined([("config.ocio", configs.SHOW), ("look.cube", looks.CUBE)]),
    }
    return found | {SEQUENCE % frame: exrs["zip"] for frame in FRAMES}


class Stage:
    """The folder, and what is in it."""

    def __init__(self, folder: Path, files: dict[str, bytes]) -> None:
        self.folder, self._files = folder, files
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        _add_traps(folder)
        self._states = self._now()

    def _now(self) -> dict[str, tuple[int, int]]:
        """What tells one state of each file from another."""
        with os.scandir(self.folder) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        return {name: (state.st_ino, state.st_mtime_ns) for name, state in found}

    def restore(self, may_change: Callable[[str], bool]) -> list[str]:
        """Put everything back; the names of files that should not have been made, replaced or removed."""
        now = self._now()
        if now == self._states:
            return []
        wrong = list[str]()
        for name in now.keys() | self._states.keys():
            path, data = self.folder / name, self._files.get(name)
            if now.get(name) == self._states.get(name) or (path.is_file() and path.read_bytes() == data):
                continue
            wrong += [] if may_change(name) else [name]
            remove(path)
            if data is not None:
                path.write_bytes(data)
        self._states = self._now()
        return wrong


def _add_traps(folder: Path) -> None:
    """What is no file: a folder and, where the system has them, a pipe that nobody writes to and links to nowhere."""
    (folder / "folder").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
    with suppress(OSError):  # not everyone may make links
        (folder / "loop").symlink_to("loop")
        (folder / "dangling").symlink_to("nothing")


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
