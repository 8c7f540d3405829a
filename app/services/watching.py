"""Reads open images, LUT and CDL files of the grades, and configs again when they change on disk and are complete."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from app.model.document_state import looks_of
from app.model.grade_rows import rows_of, with_entry
from app.services.colour_manager import Colour
from app.services.disk import Disk
from app.services.engine_calls import Services
from app.services.files import IMAGE, Files
from app.services.jobs import Jobs
from app.services.matte_watching import MatteWatching
from app.services.messages import Messages, Warned
from app.services.open_documents import OpenDocuments
from engine import FileLook, Grade
from engine.core.file_watch import State
from engine.errors import TesseraError
from engine.grade.entries import bare, layer_of

IMAGES, LOOKS, CONFIGS = "images", "looks", "configs"
"""The names of the groups of watched files."""
CORRECTION = re.compile(r"(.+?\.(?:cc|ccc|cdl))#", re.IGNORECASE)


class Watching(QObject):
    """Watches the files that the documents use and reads changed ones again. The LUT wall watches its own files."""

    def __init__(
        self,
        documents: OpenDocuments,
        files: Files,
        colour: Colour,
        disk: Disk,
        services: Services,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._documents, self._files, self._colour, self._disk = documents, files, colour, disk
        self._services, self._jobs, self._messages = services, jobs, messages
        self._mattes = MatteWatching(documents, files, disk, services.plane_files, jobs, messages, self)
        self._warnings: dict[Path, Warned] = {}  # the messages about files that could not be read again
        self._reloaded: dict[Path, State] = {}  # the states of files in use when they were last read again
        for signal in (files.opened, documents.documents_changed, documents.current.image_changed):
            signal.connect(self._watch)
        files.looks_read.connect(self._check)
        colour.changed.connect(self._watch_configs)
        disk.changed.connect(self._act)
        disk.failed.connect(messages.warn)

    def _watch(self, _of: object = None) -> None:
        documents, disk = self._documents.items, self._disk
        shown = [document for document in documents if document.image is not None]
        disk.watch(IMAGES, _states((document.image_path, document.image.info.stamp) for document in shown))
        used = _states((file_of(look), look.stamp) for each in documents for look in looks_of(each.grade))
        self._reloaded = {path: state for path, state in self._reloaded.items() if path in used}
        disk.watch(LOOKS, used)

    def _watch_configs(self) -> None:
        colour = self._colour
        if colour.managed.converts:
            colour.request_names()
        self._disk.watch(CONFIGS, _states(each for files in colour.files.values() for each in files.items()))

    def _act(self, name: str, paths: list[Path]) -> None:
        for path in paths:
            if name == IMAGES:
                self._read_image(path)
            elif name == LOOKS:
                self._read_looks(path)
        if name == CONFIGS:
            self._read_configs(paths)

    def _read_image(self, path: Path) -> None:
        for document in self._documents.items:
            is_read = document.image is not None or self._jobs.waits(document, IMAGE)
            if document.image_path == path and is_read:
                self._files.read_into(document, path, document.part, document.layer)
        self._messages.note(f"{path.name} changed on disk and was read again")

    def _read_looks(self, path: Path) -> None:
        """Read all uses of a file in the grades again, each with its own interpolation and correction of the file."""
        grades = [grade for document in self._documents.items for grade in document.ahead]
        found = {
            (look.path, look.interpolation) for grade in grades for look in looks_of(grade) if file_of(look) == path
        }
        work = partial(_read_all, self._services.look_from_file, sorted(found))
        self._jobs.latest(self, path, work, partial(self._replace_looks, path), partial(self._keep_looks, path))

    def _check(self, looks: list[FileLook]) -> None:
        """Read a file again if `looks` has another state of it than the last reload for other grades."""
        for look in looks:
            path = file_of(look)
            if path in self._reloaded and self._reloaded[path] != look.stamp:
                self._read_looks(path)

    def _replace_looks(self, path: Path, found: list[FileLook | str]) -> None:
        """Replace what the grades read from the same file, as one step in each grade."""
        looks = [each for each in found if isinstance(each, FileLook)]
        lines = [each for each in found if isinstance(each, str)]
        for document in self._documents.items:
            document.reload(partial(with_looks, looks), f"reload of {path.name}")
        for look in looks:
            self._reloaded[path] = look.stamp
        self._messages.withdraw(self._warnings.pop(path, None))
        if looks:
            self._messages.note(f"Reloaded {path.name}")
        for line in lines[:1]:
            self._keep_looks(path, line)

    def _read_configs(self, changed: list[Path]) -> None:
        """Read the configs again whose own file or LUTs have changed."""
        for config, files in self._colour.files.items():
            if files and not set(files).isdisjoint(changed):
                stays = self._colour.has_read(config)
                own = next(iter(files))
                failed, done = partial(self._keep_config, own, stays), partial(self._config_read, own)
                self._colour.reload(config, failed, done)

    def _config_read(self, path: Path) -> None:
        self._messages.withdraw(self._warnings.pop(path, None))
        self._messages.note(f"Reloaded {path.name}")

    def _keep_config(self, path: Path, stays: bool, line: str) -> None:
        line = f"{line}. The previous version of {path.name} stays in use." if stays else line
        self._warn(path, line)

    def _keep_looks(self, path: Path, line: str) -> None:
        self._warn(path, f"{line}. The previous version of {path.name} stays in use.")

    def _warn(self, path: Path, line: str) -> None:
        """Show a warning about a file in place of the earlier one."""
        self._messages.withdraw(self._warnings.pop(path, None))
        self._warnings[path] = self._messages.warn(line)


def _states(read: Iterable[tuple[Path | None, State]]) -> dict[Path, State]:
    """Return files with their states from before they were read; for a file that was read twice, the older state."""
    found: dict[Path, State] = {}
    for path, state in read:
        if path is not None:
            states = [each for each in (found.get(path), state) if each is not None]
            found[path] = min(states, key=lambda each: each[1], default=None)
    return found


def with_looks(new: Iterable[FileLook], grade: Grade) -> Grade:
    """Return the grade with its LUT and CDL files replaced by `new` where path and interpolation match."""
    read = {(look.path, look.interpolation): look for look in new}
    for row in rows_of(grade):
        old = bare(row.entry)
        if isinstance(old, FileLook) and (look := read.get((old.path, old.interpolation))) is not None:
            grade = with_entry(grade, row.path, replace(layer_of(row.entry), entry=look))
    return grade


def _read_all(read: Callable[[str, str], FileLook], wanted: Iterable[tuple[str, str]]) -> list[FileLook | str]:
    """Return a FileLook for each path and interpolation, or the error line if it can't be read."""
    found: list[FileLook | str] = []
    for path, interpolation in wanted:
        try:
            found.append(read(path, interpolation))
        except TesseraError as error:
            found.append(str(error))
    return found


def file_of(look: FileLook) -> Path | None:
    """Return the file that `look` was read from, without the ID of a correction; None if its path is relative."""
    found = CORRECTION.match(look.path)
    path = Path(found[1] if found else look.path)
    return path if path.is_absolute() else None
