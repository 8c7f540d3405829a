"""The context menu of a control that can be animated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from app.services.keyframes import Keyframes
from engine.grade.curves import INTERPOLATIONS

TIPS = {
    "linear": "The value changes evenly from each key to the next",
    "smooth": "The value eases from each key to the next and never goes beyond them",
    "hold": "The value stays until the next key",
}


def key_menu(keyframes: Keyframes, index: int, paths: Sequence[str], name: str, parent: QWidget) -> QMenu:
    """Return a menu for the keys of a control."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    menu.aboutToHide.connect(menu.deleteLater)
    curves, frame = keyframes.curves_of(index, paths), keyframes.frame
    at_frame = any(curve.key_at(frame) for curve in curves.values())

    def add(text: str, tip: str, run: Callable[[], object], enabled: bool = True) -> None:
        action = menu.addAction(text)
        action.setToolTip(tip)
        action.setEnabled(enabled)
        action.triggered.connect(run)

    add(f"Set key at {frame}", f"Set a key of {name} with its value", lambda: keyframes.set(index, paths, name))
    add("Delete key", f"Delete the key of {name} at {frame}", lambda: keyframes.remove(index, paths, name), at_frame)
    add("Delete all keys", f"End the animation of {name}", lambda: keyframes.clear(index, paths, name), bool(curves))
    inner = menu.addMenu("Interpolation")
    inner.setToolTipsVisible(True)
    inner.setEnabled(bool(curves))
    current = keyframes.interpolation(index, paths)
    for each in INTERPOLATIONS:
        action = inner.addAction(each.capitalize())
        action.setToolTip(f"{TIPS[each]}; for all keys of {name}")
        action.setCheckable(True)
        action.setChecked(each == current)
        action.triggered.connect(partial(keyframes.interpolate, index, paths, each, name))
    menu.addSeparator()
    add("Copy keys", f"Copy all keys of {name}", lambda: keyframes.copy(index, paths), bool(curves))
    add("Paste keys", "Paste keys, the first of them at this frame", lambda: keyframes.paste(index, paths, name))
    menu.addSeparator()
    add("Previous key", "Go to the frame of the previous key", lambda: keyframes.step(-1, curves), bool(curves))
    add("Next key", "Go to the frame of the next key", lambda: keyframes.step(1, curves), bool(curves))
    return menu
