"""What is open follows its files: images, looks of the grades and configs are read again once they are complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.services.files import IMAGE
from engine import FileLook, Grade
from engine.core.file_watch import State
from engine.errors import TesseraError
from engine.grade.grade import bare, layer_of

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

IMAGES, LOOKS, CONFIGS = "images", "looks", "configs"
"""Names under which the disk is watched."""
CORRECTION = re.compile(r"(.+?\.(?:cc|ccc|cdl))#", re.IGNORECASE)


class Watching(QObject):
    """Has the disk watched for what the documents use, and acts on what changed. The wall of looks does so itself."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._said: dict[Path, str] = {}  # why a look could not be read again
        self._reloaded: dict[Path, State] = {}  # of files in use, the states when they were last read again
        signals = (workspace.files.opened, workspace.documents_changed, workspace.grade_changed)
        for signal in (*signals, workspace.image_changed):
            signal.connect(self._watch)
        workspace.files.looks_read.connect(self._check)
        workspace.colour.changed.connect(self._watch_configs)
        workspace.disk.changed.connect(self._act)
        workspace.disk.failed.connect(workspace.tell)

    def _watch(self, _of: object = None) -> None:
        documents, disk = self._workspace.documents, self._workspace.disk
        shown = [document for document in documents if document.image is not None]
        disk.watch(IMAGES, _states((document.image_path, document.image.info.stamp) for document in shown))
        used = _states((file_of(look), look.stamp) for each in documents for look in looks_of(each.grade))
        self._reloaded = {path: state for path, state in self._reloaded.items() if path in used}
        disk.watch(LOOKS, used)

    def _watch_configs(self) -> None:
        colour = self._workspace.colour
        if colour.managed.converts:
            colour.want_names()
        self._workspace.disk.watch(CONFIGS, _states(each for files in colour.files.values() for each in files.items()))

    def _act(self, name: str, paths: list[Path]) -> None:
        for path in paths:
            if name == IMAGES:
                self._read_image(path)
            elif name == LOOKS:
                self._read_looks(path)
        if name == CONFIGS:
            self._read_configs(paths)

    def _read_image(self, path: Path) -> None:
        for document in self._workspace.documents:
            is_read = document.image is not None or self._workspace.jobs.waits(document, IMAGE)
            if document.image_path == path and is_read:
                self._workspace.files.read_into(document, path, document.part, document.layer)
        self._workspace.note(f"{path.name} changed on disk and was read again")

    def _read_looks(self, path: Path) -> None:
        """Read the looks of a file again, each as it was read: a correction of a collection, an interpolation."""
        grades = [grade for document in self._workspace.documents for grade in document.ahead]
        found = {
            (look.path, look.interpolation) for grade in grades for look in looks_of(grade) if file_of(look) == path
        }
        work = partial(_read_all, self._workspace.services.look_from_file, sorted(found))
        self._workspace.jobs.latest(
            self, path, work, partial(self._replace_looks, path), partial(self._keep_looks, path)
        )

    def _check(self, looks: list[FileLook]) -> None:
        """Read the file of a look again that was read before its file was read again for others."""
        for look in looks:
            path = file_of(look)
            if path in self._reloaded and self._reloaded[path] != look.stamp:
                self._read_looks(path)

    def _replace_looks(self, path: Path, found: list[FileLook | str]) -> None:
        """Put looks in the place of those that were read from the same file, as one step in each grade."""
        looks = [each for each in found if isinstance(each, FileLook)]
        lines = [each for each in found if isinstance(each, str)]
        for document in self._workspace.documents:
            document.reload(partial(with_looks, looks), f"reload of {path.name}")
        for look in looks:
            self._reloaded[path] = look.stamp
        self._workspace.take_back(self._said.pop(path, ""))
        if looks:
            self._workspace.note(f"Reloaded {path.name}")
        for line in lines[:1]:
            self._keep_looks(path, line)

    def _read_configs(self, changed: list[Path]) -> None:
        """Read those configs again whose own files or whose LUTs changed."""
        for config, files in self._workspace.colour.files.items():
            if files and not set(files).isdisjoint(changed):
                stays = self._workspace.colour.has_read(config)
                own = next(iter(files))
                failed, done = partial(self._keep_config, own, stays), partial(self._config_read, own)
                self._workspace.colour.reload(config, failed, done)

    def _config_read(self, path: Path) -> None:
        self._workspace.take_back(self._said.pop(path, ""))
        self._workspace.note(f"Reloaded {path.name}")

    def _keep_config(self, path: Path, stays: bool, line: str) -> None:
        self._said[path] = f"{line}. Until then {path.name} stays in use as it was." if stays else line
        self._workspace.tell(self._said[path])

    def _keep_looks(self, path: Path, line: str) -> None:
        self._said[path] = f"{line}. The grade keeps what {path.name} was before."
        self._workspace.tell(self._said[path])


def _states(read: Iterable[tuple[Path | None, State]]) -> dict[Path, State]:
    """Files with the states that they had before they were read; of one that was read twice, the older state."""
    found: dict[Path, State] = {}
    for path, state in read:
        if path is not None:
            states = [each for each in (found.get(path), state) if each is not None]
            found[path] = min(states, key=lambda each: each[1], default=None)
    return found


def looks_of(grade: Grade) -> Iterator[FileLook]:
    """The LUT and CDL files of a grade."""
    return (look for entry in grade.entries if isinstance(look := bare(entry), FileLook))


def with_looks(new: Iterable[FileLook], grade: Grade) -> Grade:
    """Replace the looks of a grade that were read from the same files in the same way."""
    read = {(look.path, look.interpolation): look for look in new}
    for at, entry in enumerate(grade.entries):
        old = bare(entry)
        if isinstance(old, FileLook) and (look := read.get((old.path, old.interpolation))) is not None:
            grade = grade.with_entry(at, replace(layer_of(entry), entry=look))
    return grade


def _read_all(read: Callable[[str, str], FileLook], wanted: Iterable[tuple[str, str]]) -> list[FileLook | str]:
    """Looks by their files and interpolations; in the place of one that can't be read, the line that says why."""
    found: list[FileLook | str] = []
    for path, interpolation in wanted:
        try:
            found.append(read(path, interpolation))
        except TesseraError as error:
            found.append(str(error))
    return found


def file_of(look: FileLook) -> Path | None:
    """The file that a look was read from, as one correction of several perhaps; None where nobody knows the folder."""
    found = CORRECTION.match(look.path)
    path = Path(found[1] if found else look.path)
    return path if path.is_absolute() else None
