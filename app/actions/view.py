"""Commands for how the canvas shows the image. None of them affects an export."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.model.viewer_chips import viewer_chips
from app.workspace import Workspace

VIEW_STEP = 0.5
"""Change of the view exposure by [ and ], in stops."""
LIMIT = 10.0
"""Largest magnitude of the view exposure, in stops."""


def move_exposure(workspace: Workspace, by: float) -> None:
    """Change the view exposure by a number of stops."""
    workspace.set_view(exposure=min(max(workspace.view.exposure + by, -LIMIT), LIMIT))


def show_as_exported(workspace: Workspace) -> None:
    """End everything that makes the screen differ from the export."""
    workspace.stage.end_lut_preview()
    workspace.stage.end_trial()
    changes: dict[str, Any] = {}
    view = workspace.view
    while chip := next((each for each in viewer_chips(view) if each.changes), None):
        changes |= dict(chip.changes)
        view = replace(view, **changes)
    workspace.set_view(**changes)


def _channel(name: str, text: str, key: str, what: str) -> Command:
    tip = f"Show {what}; repeat to show colour"
    return Command(name, "&View/&Channel", text, tip, (key,), view=("channel", name))


def _backdrop(name: str, text: str, key: str, what: str) -> Command:
    tip = f"Show {what} behind transparent pixels; repeat to show black"
    return Command(f"backdrop_{name}", "&View/&Behind alpha", text, tip, (key,), view=("backdrop", name))


COMMANDS: Table = (
    Command("fit", "&View", "&Fit", "Show the whole image", ("F",), "fit", lambda ws: ws.viewer.fit()),
    Command(
        "actual",
        "&View",
        "&1:1",
        "Show each image pixel as one screen pixel",
        ("1",),
        "actual-size",
        lambda ws: ws.viewer.actual_size(),
    ),
    Command(
        "zoom_in",
        "&View",
        "Zoom &in",
        "Enlarge the view",
        ("+", "="),
        "zoom-in",
        lambda ws: ws.viewer.zoom_in(),
    ),
    Command(
        "zoom_out",
        "&View",
        "Zoom &out",
        "Reduce the view",
        ("-",),
        "zoom-out",
        lambda ws: ws.viewer.zoom_out(),
    ),
    SEPARATOR,
    Command(
        "compare",
        "&Compare",
        "Bypass &grade",
        "Show the image without the grade; repeat to apply it",
        ("\\", "C"),
        "compare",
        view=("compare", "source"),
    ),
    _channel("red", "&Red", "R", "the red channel"),
    _channel("green", "&Green", "G", "the green channel"),
    _channel("blue", "&Blue", "B", "the blue channel"),
    _channel("alpha", "&Alpha", "A", "the alpha channel"),
    _channel("luma", "&Luma", "L", "Rec.709 luma"),
    SEPARATOR,
    _backdrop("checker", "&Checker", "K", "a checkerboard"),
    _backdrop("grey", "Mid &grey", "Shift+K", "mid grey"),
    SEPARATOR,
    Command(
        "view_darker",
        "&View",
        "View &darker",
        "Lower the view exposure by half a stop; exports are not affected",
        ("[",),
        run=lambda ws: move_exposure(ws, -VIEW_STEP),
    ),
    Command(
        "view_brighter",
        "&View",
        "View &brighter",
        "Raise the view exposure by half a stop; exports are not affected",
        ("]",),
        run=lambda ws: move_exposure(ws, VIEW_STEP),
    ),
    Command(
        "view_reset",
        "&View",
        "Reset view e&xposure and gamma",
        "Reset the view exposure to 0 EV and the view gamma to 1",
        ("Ctrl+0",),
        run=lambda ws: ws.set_view(exposure=0.0, gamma=1.0),
    ),
    Command(
        "view_as_exported",
        "&View",
        "Show as &exported",
        "End everything that makes the screen differ from the export: all chips on the image",
        ("N",),
        run=show_as_exported,
    ),
)

GESTURES = (
    Gesture("Wheel on the image", "Zoom about the cursor"),
    Gesture("Drag, or Space and drag", "Move the image"),
    Gesture("Arrow keys on the image", "Move the image"),
)
