"""Commands for comparing images and for overlays."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Gesture, Table, has_image
from app.model.comparison_target import SOURCE, DocumentTarget, Target, VersionTarget
from app.model.view_state import DIFFERENCES
from app.panels.overlays import DIFFERENCE_MODES, OVERLAYS, toggled
from app.services.comparing import SIDES
from app.workspace import Workspace

TURN = 15.0
"""Rotation of the wipe per key press, in degrees."""


def turn_wipe(workspace: Workspace, by: float) -> None:
    workspace.set_view(wipe_angle=(workspace.view.wipe_angle + by) % 360.0)


def next_target(workspace: Workspace) -> None:
    """Compare with the next of the source, the versions and the other images; by a wipe if nothing is compared yet."""
    document, view = workspace.document, workspace.view
    versions = [VersionTarget(version.number) for version in document.versions.items]
    others = [DocumentTarget(each.id) for each in workspace.documents if each is not document and each.image_path]
    targets: list[Target] = [SOURCE, *versions, *others]
    at = targets.index(view.against) if view.against in targets else -1
    compare = view.compare if view.compare in SIDES else "wipe"
    workspace.set_view(compare=compare, against=targets[(at + 1) % len(targets)])


def show_difference(workspace: Workspace, mode: str) -> None:
    """Compare by a difference of one of DIFFERENCES."""
    workspace.set_view(compare="difference", difference=mode)


def next_difference(workspace: Workspace) -> None:
    """Show the difference in the next of its modes; the absolute one follows the last."""
    at = DIFFERENCES.index(workspace.view.difference)
    show_difference(workspace, DIFFERENCES[(at + 1) % len(DIFFERENCES)])


def _differs(workspace: Workspace) -> bool:
    return workspace.view.compare == "difference"


def _wipes(workspace: Workspace) -> bool:
    return workspace.view.compare == "wipe"


def _toggle_overlay(workspace: Workspace, name: str) -> None:
    workspace.set_view(overlays=toggled(workspace.view.overlays, name))


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
    Command(
        "difference_next",
        "&Compare/Difference &mode",
        "&Next mode",
        "Show the difference in its next mode: absolute, signed, heat map",
        ("Alt+D",),
        run=next_difference,
        when=_differs,
    ),
    *(
        Command(
            f"difference_{mode}",
            "&Compare/Difference &mode",
            text,
            f"Compare by difference: {tip[:1].lower()}{tip[1:]}",
            run=partial(show_difference, mode=mode),
        )
        for mode, (text, tip) in DIFFERENCE_MODES.items()
    ),
    Command(
        "against_next",
        "&Compare",
        "Against the &next",
        "Compare with the next of the source, the versions and the other open images; starts a wipe if need be",
        ("Shift+X",),
        run=next_target,
        when=has_image,
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
    Gesture("Esc", "End typing, picking, a message, a LUT that is tried, the view without panels or full screen"),
)
