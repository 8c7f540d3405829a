"""The place and size of the window, remembered for each set-up of screens."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QMainWindow

from app.services.settings import Settings

SETTING = "window"
"""The setting: for each set-up of screens, the screen, the geometry and whether the window is maximised."""


class WindowGeometry:
    """Saves and restores the place of a window. Full screen is not restored."""

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        self._window, self._settings = window, settings

    def save(self) -> None:
        """Save the place of the window for the screens that are there now."""
        window, place = self._window, self._window.normalGeometry()
        if not place.isValid():
            place = window.geometry()
        saved = {
            "screen": window.screen().name(),
            "geometry": [place.x(), place.y(), place.width(), place.height()],
            "maximised": bool(window.windowState() & Qt.WindowState.WindowMaximized),
        }
        self._settings.put(SETTING, set_up(), saved)

    def restore(self) -> None:
        """Restore the place that was saved with the screens that are there now, if there is one."""
        saved = self._settings.entries(SETTING, dict[str, dict[str, Any]](), dict[str, object]).get(set_up(), {})
        place = _rect(saved.get("geometry"))
        if place is None:
            return
        self._window.setGeometry(on_screen(place, _screen(str(saved.get("screen", "")), place)))
        if saved.get("maximised") is True:
            self._window.setWindowState(self._window.windowState() | Qt.WindowState.WindowMaximized)


def set_up() -> str:
    """Return the screens that are there, with their places and scales, as one string."""
    screens = QGuiApplication.screens()
    places = ((each.name(), each.geometry(), each.devicePixelRatio()) for each in screens)
    return ", ".join(sorted(f"{n} {g.width()}x{g.height()}+{g.x()}+{g.y()}@{ratio:g}" for n, g, ratio in places))


def on_screen(place: QRect, screen: QScreen) -> QRect:
    """Return the place moved, and made smaller if need be, so that all of it lies on a screen."""
    available = screen.availableGeometry()
    if available.contains(place):
        return place
    size = place.size().boundedTo(available.size())
    left = min(max(place.left(), available.left()), available.right() + 1 - size.width())
    top = min(max(place.top(), available.top()), available.bottom() + 1 - size.height())
    return QRect(left, top, size.width(), size.height())


def _screen(name: str, place: QRect) -> QScreen:
    """Return the screen of a name, else the one that shows most of the place, else the primary one."""
    screens = QGuiApplication.screens()
    named = next((each for each in screens if each.name() == name), None)
    if named is not None and named.geometry().intersects(place):
        return named
    shown = [(each.geometry().intersected(place), each) for each in screens]
    area, best = max(((s.width() * s.height(), each) for s, each in shown), key=lambda found: found[0])
    return best if area else QGuiApplication.primaryScreen()


def _rect(numbers: Any) -> QRect | None:
    """Return a rectangle from x, y, width and height; None if they are no such numbers."""
    if not isinstance(numbers, list) or len(numbers) != 4 or not all(type(each) is int for each in numbers):
        return None
    x, y, width, height = numbers
    fits = max(abs(x), abs(y), width, height) < 1 << 20
    return QRect(x, y, width, height) if fits and width > 0 and height > 0 else None
