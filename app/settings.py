"""What the window remembers between runs: one JSON file in the user's configuration folder."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.jobs import Jobs
from engine.errors import TesseraError
from engine.grade import write_text

T = TypeVar("T")
FILE = "settings.json"
SAVE_AFTER_MS = 500


def config_folder() -> Path:
    """The folder of this user's settings, presets and sessions; TESSERA_CONFIG names another."""
    named = os.environ.get("TESSERA_CONFIG")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "Tessera"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Tessera"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "tessera"


class Settings(QObject):
    """Named values that JSON can hold. Without a folder nothing is kept beyond this run."""

    changed = Signal(str)

    def __init__(self, folder: Path | None, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self._jobs = jobs
        self._values: dict[str, Any] = _read(folder / FILE) if folder else {}
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)

    def get(self, name: str, default: T) -> T:
        """The value of `name`; `default` where there is none, or one of another type."""
        value = self._values.get(name, default)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            return float(value)  # type: ignore[return-value]
        if isinstance(value, type(default)) and isinstance(value, bool) == isinstance(default, bool):
            return value
        return default

    def set(self, name: str, value: Any) -> None:
        """Keep a value; it reaches the file within a second, by a thread."""
        if self._values.get(name) != value or name not in self._values:
            self._values[name] = value
            self.changed.emit(name)
            if self.folder is not None:
                self._timer.start()

    def close(self) -> None:
        """Write what is not written yet, before the program ends."""
        if self._timer.isActive():
            self._timer.stop()
            _write(self.folder, json.dumps(self._values, indent=1))

    def _save(self) -> None:
        text, folder = json.dumps(self._values, indent=1), self.folder
        self._jobs.write(FILE, lambda: _write(folder, text), lambda _: None, lambda _line: None)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(folder: Path | None, text: str) -> None:
    """Settings that can't be written are not worth a word."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / FILE, text + "\n")
    except (OSError, TesseraError):
        pass
