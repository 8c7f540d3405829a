"""Commands for comparing images, for stills, and for overlays."""

from __future__ import annotations

from functools import partial

from app.actions.command import SEPARATOR, Command, Gesture, Table, has_image
from app.model.comparison_target import SOURCE, DocumentTarget, StillTarget, Target, VersionTarget
from app.model.view_state import DIFFERENCES
from app.panels.overlays import DIFFERENCE_MODES, OVERLAYS, toggled
from app.services.comparing import SIDES
from app.widgets.large_dialogs import ask_later
from app.workspace import Workspace
from engine import Grade

TURN = 15.0
"""Rotation of the wipe per key press, in degrees."""


def turn_wipe(workspace: Workspace, by: float) -> None:
    workspace.set_view(wipe_angle=(workspace.view.wipe_angle + by) % 360.0)


def next_target(workspace: Workspace) -> None:
    """Compare with the next of the source, the versions, the other images and the selected still; by a wipe if nothing
    is compared yet."""
    document, view = workspace.document, workspace.view
    versions = [VersionTarget(version.number) for version in document.versions.items]
    others = [DocumentTarget(each.id) for each in workspace.documents if each is not document and each.image_path]
    still = workspace.selected_still
    targets: list[Target] = [SOURCE, *versions, *others, *([StillTarget(still.id)] if still is not None else [])]
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


def grab(workspace: Workspace) -> None:
    """Keep the displayed frame with its grade, also with a LUT that is only tried; data has no grade."""
    stage, document = workspace.stage, workspace.document
    path = document.image_path
    if path is not None and document.image is not None:
        entries = stage.grade.settled.entries if stage.data.shown is None else ()
        grade = Grade(entries, workspace.colour.export_setup(document, stage.grade))
        workspace.still_grabs.grab(path, document.image, grade)


def toggle_wipe(workspace: Workspace) -> None:
    """Compare the image with the selected still by a wipe; repeat to show the image alone."""
    still, view = workspace.selected_still, workspace.view
    if still is None:
        return
    target = StillTarget(still.id)
    if (view.compare, view.against) == ("wipe", target):
        workspace.set_view(compare="", against=SOURCE)
    else:
        workspace.set_view(compare="wipe", against=target)


def use_grade(workspace: Workspace) -> None:
    """Replace the entries of the grade by those of the selected still."""
    still = workspace.selected_still
    if still is not None:
        workspace.still_grades.use(still, workspace.document.id)


def _has_still(workspace: Workspace) -> bool:
    return workspace.selected_still is not None


def _has_both(workspace: Workspace) -> bool:
    return _has_still(workspace) and has_image(workspace)


def _has_grade(workspace: Workspace) -> bool:
    still = workspace.selected_still
    return still is not None and still.grade is not None


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
        "Compare with the next of the source, the versions, other images, the selected still; starts a wipe if needed",
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
    Gesture("Arrow keys, Return, Page Down in a grid", "Make another cell current; open it; show other cells"),
    Gesture("Drag the line of a wipe", "Move it"),
    Gesture("Shift and drag the line of a wipe", "Turn it"),
    Gesture(
        "Esc", "End typing, picking, a message, a LUT that is tried, a still that is compared, Image only, full screen"
    ),
)


def toggle_grid(workspace: Workspace) -> None:
    """Show several images at once, or the current one alone."""
    if not workspace.leave_grid():
        workspace.show_grid()


GRID: Table = (
    Command(
        "compare_grid",
        "&Compare",
        "Compare &grid",
        "Show 2, 4 or 9 images, stills, layers, versions or LUTs with one zoom and pan; repeat to leave",
        ("Q",),
        "grid",
        toggle_grid,
        has_image,
    ),
)


def show_sheet(workspace: Workspace) -> None:
    """Lay out a contact sheet."""
    from app.dialogs.contact_sheet import ContactSheetDialog
    from app.services.contact_sheets import ContactSheets

    ws = workspace
    ws.stills.watch()
    sheets = ContactSheets(ws.sheet_images, ws.jobs, ws)
    dialog = ContactSheetDialog(
        ws.grid_kinds.items, sheets, ws.settings, ws.messages, ws.document.image_path, ws.prompts.window
    )
    ws.grid_kinds.changed.connect(dialog.refresh)
    dialog.finished.connect(lambda _: sheets.deleteLater())
    ask_later(dialog)


STILLS: Table = (
    Command(
        "grab_still",
        "&Stills",
        "&Grab still",
        "Keep the graded frame as an EXR with its grade, in the folder of stills",
        ("S",),
        "still",
        grab,
        has_image,
    ),
    SEPARATOR,
    Command(
        "still_wipe",
        "&Stills",
        "&Compare with the still",
        "Compare the image with the selected still across a movable line; repeat to end",
        ("J",),
        "compare",
        toggle_wipe,
        _has_both,
    ),
    Command(
        "still_use_grade",
        "&Stills",
        "&Use this grade",
        "Replace the entries of the grade by those of the selected still, as one undo step",
        ("Shift+J",),
        run=use_grade,
        when=_has_grade,
    ),
    Command(
        "still_grid",
        "&Stills",
        "Compare in a gr&id",
        "Show the current image and the selected stills, or those of the session, side by side",
        ("Shift+Q",),
        "grid",
        lambda ws: ws.show_grid("stills"),
        _has_both,
    ),
    SEPARATOR,
    Command(
        "contact_sheet",
        "&Stills",
        "Contact &sheet…",
        "Lay out stills, images, layers or versions on pages, and write them as a PDF or a PNG",
        run=show_sheet,
        when=has_image,
    ),
)

STILL_GESTURES = (
    Gesture("Drag a still onto the image or a tab", "Use its grade there"),
    Gesture("Return, F2, Delete on a still", "Compare it with the image; rename it; delete it"),
)
