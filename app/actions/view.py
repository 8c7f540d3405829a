"""Commands on what is seen of the image, and how. None of them reaches an export."""

from __future__ import annotations

from app.actions.command import SEPARATOR, Command, Gesture, Table
from app.canvas.canvas import ZOOM_STEP
from app.shell.workspace import Workspace

VIEW_STEP = 0.5
"""Stops that [ and ] move the view exposure by."""
LIMIT = 10.0
"""The view exposure's ends, in stops."""


def move_exposure(workspace: Workspace, by: float) -> None:
    """Brighten the screen by some stops."""
    workspace.set_view(exposure=min(max(workspace.view.exposure + by, -LIMIT), LIMIT))


def _channel(name: str, text: str, key: str, what: str) -> Command:
    tip = f"Show {what}; again shows colour"
    return Command(name, "&View/&Channel", text, tip, (key,), view=("channel", name))


def _backdrop(name: str, text: str, key: str, what: str) -> Command:
    tip = f"Show {what} where the image is transparent; again shows black"
    return Command(f"backdrop_{name}", "&View/&Behind alpha", text, tip, (key,), view=("backdrop", name))


COMMANDS: Table = (
    Command("fit", "&View", "&Fit", "Show the whole image", ("F",), "fit", lambda ws: ws.canvas.fit()),
    Command(
        "actual",
        "&View",
        "&1:1",
        "One image pixel on one screen pixel",
        ("1",),
        "actual-size",
        lambda ws: ws.canvas.actual_size(),
    ),
    Command(
        "zoom_in",
        "&View",
        "Zoom &in",
        "Show the image larger",
        ("+", "="),
        "zoom-in",
        lambda ws: ws.canvas.zoom_by(ZOOM_STEP),
    ),
    Command(
        "zoom_out",
        "&View",
        "Zoom &out",
        "Show the image smaller",
        ("-",),
        "zoom-out",
        lambda ws: ws.canvas.zoom_by(1 / ZOOM_STEP),
    ),
    SEPARATOR,
    Command(
        "compare",
        "&View",
        "&Show the source",
        "Compare: show the image before the grade",
        ("\\", "C"),
        "compare",
        view=("compare", "source"),
    ),
    SEPARATOR,
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
        "View exposure down half a stop; exports keep theirs",
        ("[",),
        run=lambda ws: move_exposure(ws, -VIEW_STEP),
    ),
    Command(
        "view_brighter",
        "&View",
        "View &brighter",
        "View exposure up half a stop; exports keep theirs",
        ("]",),
        run=lambda ws: move_exposure(ws, VIEW_STEP),
    ),
    Command(
        "view_reset",
        "&View",
        "Reset view e&xposure",
        "View exposure back to 0 EV and view gamma to 1",
        ("Ctrl+0",),
        run=lambda ws: ws.set_view(exposure=0.0, gamma=1.0),
    ),
)

GESTURES = (
    Gesture("Wheel on the image", "Zoom about the cursor"),
    Gesture("Drag, or Space and drag", "Move the image"),
    Gesture("Arrow keys on the image", "Move the image"),
)
