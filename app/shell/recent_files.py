"""The recently opened images and sessions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QMenu

from app.services.files import Files
from app.services.settings import Settings

MOST = 12
SETTING = "recent"


def recent_paths(settings: Settings) -> list[str]:
    """Return the recently opened paths that the settings hold, newest first."""
    return settings.entries(SETTING, list[str](), str)


class Recent:
    """A menu of the recently opened paths, newest first."""

    def __init__(self, files: Files, settings: Settings, menu: QMenu) -> None:
        self._files, self._settings, self._menu = files, settings, menu
        files.opened.connect(self._note)
        menu.aboutToShow.connect(self._fill)
        self._fill()

    @property
    def paths(self) -> list[str]:
        return recent_paths(self._settings)

    def _note(self, path: Path) -> None:
        self._settings.add(SETTING, str(path.absolute()), MOST)
        self._menu.menuAction().setEnabled(True)

    def _fill(self) -> None:
        self._menu.clear()
        for number, name in enumerate(self.paths, 1):
            path = Path(name)
            action = self._menu.addAction(f"&{number}  {path.name.replace('&', '&&')}" if number < 10 else path.name)
            action.setToolTip(name)
            action.triggered.connect(partial(self._open, path))
        if self.paths:
            self._menu.addSeparator()
            clear = self._menu.addAction("&Clear recent files")
            clear.setToolTip("Clear this list; no file is deleted")
            clear.triggered.connect(lambda: self._settings.set(SETTING, []))
        self._menu.menuAction().setEnabled(bool(self.paths))

    def _open(self, path: Path, _checked: bool = False) -> None:
        self._files.open_any(path)
