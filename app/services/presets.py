"""The presets of the user's folder, and the favourites among ops and presets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.model.preset import FAVOURITE, SUFFIX, Preset, preset_json
from app.services.disk import Disk
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.preset_files import (
    Found,
    delete_preset,
    read_presets,
    rename_preset,
    restore_preset,
    write_preset,
)
from app.services.settings import Settings
from engine.core.file_watch import State
from engine.grade.entries import Entry

T = TypeVar("T")
FAVOURITES = "favourites"
"""The setting of the favourites: names of op classes, and keys of presets, the newest first."""
PRESETS = "presets"
"""The subfolder of the settings, and the name of its watch and of the job that reads it."""


class Presets(QObject):
    """Lists the presets and follows what other windows and programs do in their folder, from the first `watch` on.

    All work on files runs on threads. Without a folder of settings there are no presets.
    """

    changed = Signal()  # other presets, or other favourites

    def __init__(self, settings: Settings, disk: Disk, jobs: Jobs, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self._settings, self._disk, self._jobs, self._messages = settings, disk, jobs, messages
        self.items: tuple[Preset, ...] = ()
        self.known = False
        """Whether the folder has been read."""
        self._said = set[tuple[Path, State]]()  # damaged files that were reported
        self._is_watching = False
        disk.listed.connect(self._follow)
        disk.changed.connect(self._follow)
        settings.changed.connect(self._prefer)

    @property
    def folder(self) -> Path | None:
        """The folder of presets."""
        return None if self._settings.folder is None else self._settings.folder / PRESETS

    @property
    def tags(self) -> list[str]:
        """The tags of the presets, sorted."""
        return sorted({preset.tag for preset in self.items if preset.tag})

    @property
    def favourites(self) -> list[str]:
        """The keys of the favourites, the newest first."""
        return self._settings.entries(FAVOURITES, list[str](), str)

    def find(self, name: str) -> Preset | None:
        """Return the preset with a name, upper and lower case being equal; None without one."""
        return next((each for each in self.items if each.name.casefold() == name.casefold()), None)

    def watch(self) -> None:
        """Read the folder, and follow it from now on."""
        if self.folder is not None and not self._is_watching:
            self._is_watching = True
            self._disk.watch_folder(PRESETS, self.folder, {SUFFIX})
            self._read_again()

    def star(self, key: str, wanted: bool) -> None:
        """Make an op or a preset a favourite, or no longer one."""
        if wanted:
            self._settings.add(FAVOURITES, key)
        else:
            self._settings.remove(FAVOURITES, key)

    def save(self, name: str, entry: Entry, tag: str = "", mattes: bool = True, replaces: bool = False) -> None:
        """Keep an entry as a preset, with or without its mattes; `replaces` is whether one of that name may go."""
        if self.folder is not None:
            data = preset_json(entry, tag, mattes)
            work = partial(write_preset, self.folder, name, data, replaces)
            self._write(work, lambda path: self._messages.note(f"Kept as the preset {path.stem}"))

    def rename(self, preset: Preset, name: str) -> None:
        """Give a preset another name; it stays a favourite."""
        if name != preset.name:
            self._write(partial(rename_preset, preset.path, name), partial(self._renamed, preset))

    def delete(self, preset: Preset) -> None:
        """Move a preset to the deleted ones, and offer to undo that."""
        self._write(partial(delete_preset, preset.path), partial(self._deleted, preset))

    # -- inside

    def _write(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Change files on a thread, then read the folder again."""

        def finished(result: T) -> None:
            done(result)
            self._read_again()

        self.watch()
        self._jobs.write(self.folder, work, finished, self._messages.warn, self, "Writing a preset…")

    def _read_again(self) -> None:
        if self.folder is not None:
            work = partial(read_presets, self.folder, {preset.path: preset for preset in self.items})
            self._jobs.latest(self, PRESETS, work, self._take, self._messages.warn)

    def _take(self, found: Found) -> None:
        for path, stamp, line in found.problems:
            if (path, stamp) not in self._said:
                self._said.add((path, stamp))
                self._messages.warn(line)
        if found.presets != self.items or not self.known:
            self.items, self.known = found.presets, True
            self.changed.emit()

    def _renamed(self, preset: Preset, path: Path) -> None:
        if preset.key in self.favourites:
            self.star(preset.key, False)
            self.star(FAVOURITE + path.stem, True)

    def _deleted(self, preset: Preset, now: Path) -> None:
        undo = partial(self._write, partial(restore_preset, now, preset.path), lambda _: None)
        self._messages.offer(f"Deleted the preset {preset.name}.", "Undo", undo)

    def _follow(self, name: str, _paths: list[Path]) -> None:
        if name == PRESETS:
            self._read_again()

    def _prefer(self, setting: str) -> None:
        if setting == FAVOURITES:
            self.changed.emit()
