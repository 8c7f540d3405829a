"""Commands that hold the image against another, and that draw over it what an eye may miss."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Gesture, Table, has_image
from app.shell.workspace import Workspace

TURN = 15.0
"""Degrees that a key turns a wipe by."""
OVERLAYS = {
    "nan": ("&NaN and Inf", "Shift+N", "Mark pixels that are no finite numbers, in magenta"),
    "negative": ("N&egative", "Shift+M", "Mark pixels with negative values, in blue"),
    "clipped": ("&Clipped", "Shift+C", "Mark pixels that the screen shows at its largest value, in red"),
    "zebra": ("&Zebra", "Z", "Stripe what is brighter than the zebra's level"),
    "false colour": ("&False colour", "Shift+F", "Show how many stops each pixel lies from mid grey"),
}
"""Words, key and tip of each."""


def toggle_overlay(workspace: Workspace, name: str) -> None:
    """Draw an overlay, or no longer; false colour takes the place of the image, the others lie on it."""
    shown = workspace.view.overlays
    kept = tuple(each for each in shown if each != name) if name in shown else (*shown, name)
    workspace.set_view(overlays=kept)


def turn_wipe(workspace: Workspace, by: float) -> None:
    workspace.set_view(wipe_angle=(workspace.view.wipe_angle + by) % 360.0)


def _wipes(workspace: Workspace) -> bool:
    return workspace.view.compare == "wipe"


COMMANDS: Table = (
    Command("wipe", "&Compare", "&Wipe", "Both on the canvas, a line between them", ("W",), view=("compare", "wipe")),
    Command(
        "split", "&Compare", "&Split", "The same half of both, side by side", ("Shift+W",), view=("compare", "split")
    ),
    Command(
        "difference",
        "&Compare",
        "&Difference",
        "What the two differ by, times the gain",
        ("Shift+D",),
        view=("compare", "difference"),
    ),
    SEPARATOR,
    Command(
        "wipe_left",
        "&Compare",
        "Turn the wipe &left",
        "The line between the two, 15 degrees anticlockwise",
        ("Shift+[",),
        run=lambda ws: turn_wipe(ws, TURN),
        when=_wipes,
    ),
    Command(
        "wipe_right",
        "&Compare",
        "Turn the wipe &right",
        "The line between the two, 15 degrees clockwise",
        ("Shift+]",),
        run=lambda ws: turn_wipe(ws, -TURN),
        when=_wipes,
    ),
    Command(
        "wipe_middle",
        "&Compare",
        "Wipe to the &middle",
        "The line between the two upright in the middle again",
        ("Alt+W",),
        run=lambda ws: ws.set_view(wipe_x=0.5, wipe_y=0.5, wipe_angle=90.0),
        when=_wipes,
    ),
    *(
        Command(
            f"overlay_{name.replace(' ', '_')}",
            "&View/&Overlays",
            text,
            f"{tip}; again takes it away",
            (key,),
            run=partial(toggle_overlay, name=name),
            when=has_image,
        )
        for name, (text, key, tip) in OVERLAYS.items()
    ),
)

GESTURES = (
    Gesture("Drag the line of a wipe", "Move it"),
    Gesture("Shift and drag the line of a wipe", "Turn it"),
)
