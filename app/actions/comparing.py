"""Commands for comparing images and for overlays."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Gesture, Table, has_image
from app.panels.overlays import OVERLAYS, toggle_overlay
from app.workspace import Workspace

TURN = 15.0
"""Rotation of the wipe per key press, in degrees."""


def turn_wipe(workspace: Workspace, by: float) -> None:
    workspace.set_view(wipe_angle=(workspace.view.wipe_angle + by) % 360.0)


def _wipes(workspace: Workspace) -> bool:
    return workspace.view.compare == "wipe"


def _toggle_overlay(workspace: Workspace, name: str) -> None:
    toggle_overlay(workspace.open_documents, name)


COMMANDS: Table = (
    Command("wipe", "&Compare", "&Wipe", "Compare both images across a movable line", ("W",), view=("compare", "wipe")),
    Command(
        "split",
        "&Compare",
        "&Split",
        "Show the same half of both images side by side",
        ("Shift+W",),
        view=("compare", "split"),
    ),
    Command(
        "difference",
        "&Compare",
        "&Difference",
        "Show the difference of the two images, times the gain",
        ("Shift+D",),
        view=("compare", "difference"),
    ),
    SEPARATOR,
    Command(
        "wipe_left",
        "&Compare",
        "Turn the wipe &left",
        "Turn the wipe line 15 degrees anticlockwise",
        ("Shift+[",),
        run=lambda ws: turn_wipe(ws, TURN),
        when=_wipes,
    ),
    Command(
        "wipe_right",
        "&Compare",
        "Turn the wipe &right",
        "Turn the wipe line 15 degrees clockwise",
        ("Shift+]",),
        run=lambda ws: turn_wipe(ws, -TURN),
        when=_wipes,
    ),
    Command(
        "wipe_middle",
        "&Compare",
        "Rese&t the wipe",
        "Move the wipe line back to the centre, upright",
        ("Alt+W",),
        run=lambda ws: ws.set_view(wipe_x=0.5, wipe_y=0.5, wipe_angle=90.0),
        when=_wipes,
    ),
    *(
        Command(
            f"overlay_{name.replace(' ', '_')}",
            "&View/&Overlays",
            text,
            f"{tip}; repeat to hide",
            (key,),
            run=partial(_toggle_overlay, name=name),
            when=has_image,
        )
        for name, (text, key, tip) in OVERLAYS.items()
    ),
)

GESTURES = (
    Gesture("Drag the line of a wipe", "Move it"),
    Gesture("Shift and drag the line of a wipe", "Turn it"),
)
