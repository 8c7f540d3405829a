"""Settings that persist between runs, in one JSON file in the user's configuration folder.

Several processes share the file. Each applies its own changes to the current content of the file, under a lock.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast, get_args, get_origin

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal

from engine.core.atomic import write_text
from engine.errors import TesseraError

T = TypeVar("T")
FILE = "settings.json"
BACKEND, BUDGET = "backend", "memory_budget"
"""Settings: the compute device, and the memory budget of a large image in bytes."""
SAVE_AFTER_MS = 500
LOCK_MS = 5000
"""How long to wait for another process to finish writing."""
Values = dict[str, Any]
Change = Callable[[Any], Any]
"""Makes the new value from the old one, or from None if there is none."""


class Writer(Protocol):
    """Writes files on threads, as `app.services.jobs.Jobs` does."""

    def write(
        self,
        target: Path,
        work: Callable[[], Values | None],
        done: Callable[[Values | None], None],
        failed: Callable[[str], object],
        owner: QObject,
    ) -> None:
        """Call `work` on a thread, after earlier work for `target`, then `done` with its result."""

    def waits(self, owner: QObject) -> bool:
        """Return whether work of this owner is pending."""


class Settings(QObject):
    """Named values that JSON can hold. Without a folder they last only for this run.

    `set` replaces a value. `put`, `remove` and `add` change one entry of a dict or list and leave the entries of other
    processes alone: presets, favourites, recent files, keys.
    """

    changed = Signal(str)

    def __init__(self, folder: Path | None, writer: Writer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self._writer = writer
        self._values = (_read(folder / FILE) or {}) if folder else {}
        self._shared: set[str] = set()  # names of values with entries
        self._changes: list[tuple[str, Change]] = []  # not written yet
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self.sync)

    def keeps(self, path: Path) -> bool:
        """Return whether a file is in the folder of the settings, where Tessera writes sessions by itself."""
        return self.folder is not None and path.absolute().is_relative_to(self.folder.absolute())

    def get(self, name: str, default: T, entry: Any = None) -> T:
        """Return the value of `name`, or `default` if there is none or its type differs.

        `entry` is the type of the entries of a list or dict, such as `list[str]`; those of another type are left out.
        """
        value = self._values.get(name, default)
        if entry is not None and isinstance(value, type(default)):
            return cast(T, _of_type(value, entry))
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            return float(value)  # type: ignore[return-value]
        if isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool):
            return value
        return default

    def entries(self, name: str, default: T, entry: Any = None) -> T:
        """Like `get`, for a dict or list whose entries `sync` updates from the file."""
        self._shared.add(name)
        return self.get(name, default, entry)

    def set(self, name: str, value: Any) -> None:
        """Set a value; a thread writes it to the file within a second."""
        self._change(name, lambda _: value)

    def put(self, name: str, entry: str, value: Any) -> None:
        """Set an entry of a dict."""
        self._change(name, lambda kept: {**_dict(kept), entry: value}, shared=True)

    def remove(self, name: str, entry: str) -> None:
        """Remove an entry from a dict or list."""
        self._change(name, partial(_without, entry), shared=True)

    def add(self, name: str, entry: str, most: int | None = None) -> None:
        """Add an entry to the front of a list, or move it there, and keep the first `most` entries."""
        self._change(name, lambda kept: [entry, *(each for each in _list(kept) if each != entry)][:most], shared=True)

    def sync(self) -> None:
        """Write the changes and read the entries that other processes have written."""
        if self.folder is None or (not self._changes and self._writer.waits(self)):
            return
        self._timer.stop()
        changes, self._changes = self._changes, []
        path = self.folder / FILE
        merge, merged = partial(_merge, path, changes), partial(self._merged, changes)
        self._writer.write(path, merge, merged, lambda _line: None, self)

    def close(self) -> None:
        """Write the remaining changes."""
        if self._changes:
            self.sync()

    def _change(self, name: str, change: Change, shared: bool = False) -> None:
        before = self._values.get(name)
        value = change(before)
        if shared:
            self._shared.add(name)
        if value != before or name not in self._values:
            self._values[name] = value
            self._changes.append((name, change))
            self.changed.emit(name)
            if self.folder is not None:
                self._timer.start()

    def _merged(self, changes: list[tuple[str, Change]], found: Values | None) -> None:
        """Take entries from the new content of the file. None means not written: retry with the next change."""
        if found is None:
            self._changes = changes + self._changes
            return
        for name in self._shared & set(found):
            value = found[name]
            for changed, change in self._changes:
                value = change(value) if changed == name else value
            if value != self._values.get(name):
                self._values[name] = value
                self.changed.emit(name)


def _read(path: Path) -> Values | None:
    """Return the values in a file; {} if it is missing or damaged, None if it can't be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return {}
    except OSError:
        return None
    return _encodable(found) if isinstance(found, dict) else {}


def _encodable(values: Values) -> Values:
    """Return the values with question marks for NUL and lone surrogates, which no file or config name can have."""
    text = json.dumps(values, ensure_ascii=False).replace("\\u0000", "?")
    found: Values = json.loads(text.encode("utf-8", "replace"))
    return found


def _merge(path: Path, changes: list[tuple[str, Change]]) -> Values | None:
    """Apply changes to the file, on a thread; return its new content, or None if it can't be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = QLockFile(str(path.with_name(f"{FILE}.lock")))
        lock.tryLock(LOCK_MS)  # write even without a lock: some file systems don't support it
        try:
            values = _read(path)
            if values is None:
                return None
            for name, change in changes:
                values[name] = change(values.get(name))
            if changes:
                write_text(path, json.dumps(values, indent=1) + "\n")
            return values
        finally:
            lock.unlock()
    except (OSError, TesseraError):
        return None


def _of_type(value: Any, entry: Any) -> Any:
    """Return the entries of a list or dict that have the type `entry`."""
    if isinstance(value, dict):
        return {name: each for name, each in value.items() if _is(each, entry)}
    return [each for each in value if _is(each, entry)]


def _is(value: Any, kind: Any) -> bool:
    if not isinstance(value, get_origin(kind) or kind):
        return False
    if not (inner := get_args(kind)):
        return True
    return all(_is(each, inner[-1]) for each in (value.values() if isinstance(value, dict) else value))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _without(entry: str, kept: Any) -> Any:
    if isinstance(kept, dict):
        return {name: value for name, value in kept.items() if name != entry}
    return [each for each in _list(kept) if each != entry]
