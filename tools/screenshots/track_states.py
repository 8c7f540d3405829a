"""States of tracking: the controls of a window, while it is tracked, its keys, and where it is lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import OpenEXR

from app.panels.mattes.card_matte import CardMatte
from engine import Layer, ops
from engine.io import read_image
from engine.mattes import Ellipse, Leaf, Matte
from tools.screenshots.files import sequence
from tools.screenshots.window import Shown

FRAMES = range(1001, 1013)
WINDOW = Ellipse(center=(640.0, 360.0), size=(200.0, 120.0))


def track_window(shown: Shown) -> None:
    """The controls of a window that can be tracked."""
    _open(shown, WINDOW)


def track_working(shown: Shown) -> None:
    """The sign of a track in progress, and the button that stops it."""
    _open(shown, WINDOW)
    activity = shown.workspace.activity
    activity.add(lambda: ("Tracking Ellipse: 4 of 11 frames", 0.0), shown.workspace.tracking.stop)
    activity.begin()
    shown.until(lambda: activity.current is not None)


def track_keys(shown: Shown) -> None:
    """The keys of a tracked window."""
    _track(shown, WINDOW)


def track_lost(shown: Shown) -> None:
    """A window that is lost at a cut: the keys so far, and the message."""
    _track(shown, WINDOW, cut=1007)


def _track(shown: Shown, window: Ellipse, cut: int = 0) -> None:
    _open(shown, window, cut)
    shown.workspace.tracking.start("forward")
    shown.until(lambda: not shown.workspace.tracking.tracks)
    shown.wait()


def _open(shown: Shown, window: Ellipse, cut: int = 0) -> None:
    """A sequence at its first frame, with a window; the frames from `cut` on are upside down."""
    paths = sequence(shown.folder, FRAMES)
    pixels = read_image(paths[0]).pixels[::-1, ::-1]
    planes = {name: np.ascontiguousarray(pixels[..., n]) for n, name in enumerate("RGBA"[: pixels.shape[2]])}
    for path in paths[cut - FRAMES[0] :] if cut else ():
        OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}, planes).write(str(path))
    shown.open(paths[0])
    document = shown.workspace.document
    shown.until(lambda: shown.workspace.player.clip is not None)
    layer = Layer(ops.Exposure(0.8), matte=Matte(Leaf(window), feather=20.0, frame=(1280, 720)))
    document.edit(document.grade.with_entries((layer,)), "grade")
    panel = shown.window.panel
    panel.select(0)
    shown.until(lambda: panel.complete)
    matte = panel.cards[0].findChild(CardMatte)
    assert matte is not None
    matte.open(True)
    shown.workspace.matte_editor.select(())
    shown.wait()
    assert matte.section is not None
    body = matte.section.body
    assert body is not None
    shown.wait()
    panel.stack.area.ensureWidgetVisible(matte.section.track)
    shown.wait()


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each for each in (track_window, track_working, track_keys, track_lost)
}
