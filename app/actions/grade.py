"""Commands for the entries and versions of the grade, and for the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app.actions.command import SEPARATOR, Command, Gesture, Table, has_image
from app.model.versions import THUMBNAIL_SIZE
from app.services.clipboard import copy_entry, copy_grade
from app.services.grade_copies import GradeCopies
from app.widgets.showing import ask
from app.workspace import Workspace
from engine.grade.entries import Entry, Group, layer_of

if TYPE_CHECKING:
    from app.panels.grade_panel import GradePanel
    from app.panels.match.panel import MatchPanel


MATCH_MENU = "&Grade/Matc&h"


def _panel(workspace: Workspace) -> GradePanel:
    return cast("GradePanel", workspace.panel("grade"))


def _has_entry(workspace: Workspace) -> bool:
    return bool(workspace.document.grade.entries)


def _is_group(workspace: Workspace) -> bool:
    return _has_entry(workspace) and isinstance(layer_of(_current_entry(workspace)).entry, Group)


def _has_ab(workspace: Workspace) -> bool:
    return workspace.document.versions.has_ab


def _current_entry(workspace: Workspace) -> Entry:
    return workspace.document.entries[workspace.document.current_entry]


def _toggle(workspace: Workspace, switch: str) -> None:
    """Toggle `enabled` or `solo` of the current entry."""
    document, layer = workspace.document, layer_of(_current_entry(workspace))
    value: Any = not getattr(layer, switch)
    document.switch(document.current_entry, switch, value)


def _keep(workspace: Workspace) -> None:
    """Save the grade as a version. A LUT that is only previewed appears in its thumbnail, but not in its grade."""
    version = workspace.document.keep_version(thumbnail=workspace.canvas.thumbnail(*THUMBNAIL_SIZE))
    previewed_lut = workspace.stage.previewed_lut
    without = f", without {Path(previewed_lut.path).name}, which is only a preview" if previewed_lut is not None else ""
    workspace.messages.note(f"Kept as {version.name}{without}")


def _copies(workspace: Workspace) -> GradeCopies:
    lacks = workspace.services.lacks_planes
    return GradeCopies(workspace.open_documents, lacks, workspace.jobs, workspace.messages)


def _apply_to_all(workspace: Workspace) -> None:
    copies = _copies(workspace)
    copies.apply(copies.targets)


def _apply_to_some(workspace: Workspace) -> None:
    from app.dialogs.apply_grade import ApplyGradeDialog

    ask(ApplyGradeDialog(_copies(workspace), workspace.prompts.window))


def _save_preset(workspace: Workspace) -> None:
    from app.dialogs.preset_dialog import PresetDialog  # few sessions need it

    ask(PresetDialog(_current_entry(workspace), workspace.presets, workspace.prompts.window))


def _match(workspace: Workspace, page: int) -> None:
    """Show a page of the Match panel; that of charts with a chart on the image."""
    panel = cast("MatchPanel", workspace.show_panel("match"))
    panel.show_page(page)
    if page:
        panel.chart.begin()


COMMANDS: Table = (
    Command(
        "add_operation",
        "&Grade",
        "Add &operation…",
        "Find an operation or a preset and add it after the current entry",
        ("Shift+A",),
        "add",
        lambda ws: _panel(ws).footer.show_op_menu(),
    ),
    SEPARATOR,
    Command(
        "entry_bypass",
        "&Grade",
        "&Bypass entry",
        "Bypass or enable the current entry",
        ("D",),
        "bypass",
        lambda ws: _toggle(ws, "enabled"),
        _has_entry,
    ),
    Command(
        "entry_solo",
        "&Grade",
        "&Solo entry",
        "Apply only the current entry, on screen and in exports; repeat to end solo",
        ("Shift+S",),
        "solo",
        lambda ws: _toggle(ws, "solo"),
        _has_entry,
    ),
    Command(
        "entry_reset",
        "&Grade",
        "&Reset entry",
        "Reset every field of the current entry to its default",
        ("Ctrl+Backspace",),
        "reset",
        lambda ws: _panel(ws).reset_current(),
        _has_entry,
    ),
    Command(
        "entry_duplicate",
        "&Grade",
        "D&uplicate entry",
        "Insert a copy of the current entry after it",
        ("Ctrl+D",),
        "duplicate",
        lambda ws: _panel(ws).duplicate_current(),
        _has_entry,
    ),
    Command(
        "entry_up",
        "&Grade",
        "Move entry &up",
        "Apply the current entry earlier",
        ("Alt+Up",),
        "up",
        lambda ws: _panel(ws).move_current(-1),
        _has_entry,
    ),
    Command(
        "entry_down",
        "&Grade",
        "Move entry &down",
        "Apply the current entry later",
        ("Alt+Down",),
        "down",
        lambda ws: _panel(ws).move_current(1),
        _has_entry,
    ),
    Command(
        "save_preset",
        "&Grade",
        "Sa&ve as preset…",
        "Keep the current entry or group under a name, to be added to any grade",
        run=_save_preset,
        when=lambda ws: _has_entry(ws) and ws.settings.folder is not None,
    ),
    Command(
        "group",
        "&Grade",
        "&Group entries",
        "Put the current entry, or all entries marked with Shift, into a group with one bypass, mix and matte",
        ("Ctrl+G",),
        "group",
        lambda ws: _panel(ws).group(),
        _has_entry,
    ),
    Command(
        "ungroup",
        "&Grade",
        "Un&group",
        "Replace the current group by its entries",
        ("Ctrl+Shift+G",),
        run=lambda ws: _panel(ws).moves.ungroup(),
        when=_is_group,
    ),
    Command(
        "fold_others",
        "&Grade",
        "Collapse ot&hers",
        "Open the current entry and fold all others",
        ("Shift+O",),
        run=lambda ws: _panel(ws).fold_others(),
        when=_has_entry,
    ),
    Command(
        "open_all",
        "&Grade",
        "Ope&n all entries",
        "Show the fields of all entries",
        ("Shift+U",),
        run=lambda ws: _panel(ws).open_all(),
        when=_has_entry,
    ),
    Command(
        "open_alone",
        "&Grade",
        "Only the se&lected entry open",
        "Fold the other entries whenever an entry is opened",
        run=lambda ws: _panel(ws).toggle_alone(),
        checkable=True,
    ),
    Command(
        "entry_remove",
        "&Grade",
        "Re&move entry",
        "Remove the current entry from the grade",
        ("Ctrl+Del",),
        "remove",
        lambda ws: _panel(ws).remove_current(),
        _has_entry,
    ),
    SEPARATOR,
    Command(
        "copy_grade",
        "&Edit",
        "&Copy grade",
        "Copy the whole grade to the clipboard as text",
        ("Ctrl+C",),
        "copy",
        lambda ws: copy_grade(ws.document.grade),
        _has_entry,
    ),
    Command(
        "copy_entry",
        "&Edit",
        "Copy &entry",
        "Copy the current entry to the clipboard as text",
        ("Ctrl+Alt+C",),
        run=lambda ws: copy_entry(_current_entry(ws)),
        when=_has_entry,
    ),
    Command(
        "paste",
        "&Edit",
        "&Paste",
        "Insert a copied entry with its matte, give the current one a copied matte, or replace the whole grade",
        ("Ctrl+V",),
        "paste",
        lambda ws: _panel(ws).paste(),
    ),
    SEPARATOR,
    Command(
        "apply_to_all",
        "&Grade",
        "Apply to all open &images",
        "Replace the grades of all other open images by this one, as one undo step in each",
        ("Ctrl+Shift+V",),
        run=_apply_to_all,
        when=lambda ws: bool(_copies(ws).targets),
    ),
    Command(
        "apply_to_some",
        "&Grade",
        "Appl&y to images…",
        "Choose the open images whose grades are replaced by this one",
        ("Ctrl+Alt+V",),
        run=_apply_to_some,
        when=lambda ws: bool(_copies(ws).targets),
    ),
    SEPARATOR,
    Command(
        "keep_version",
        "&Grade",
        "&Keep as version",
        "Save the current state of the grade as a named version",
        ("Ctrl+K",),
        "version",
        _keep,
    ),
    Command(
        "versions_ab",
        "&Grade",
        "&A/B",
        "Toggle between the versions marked A and B",
        ("X",),
        run=lambda ws: ws.document.toggle_ab(),
        when=_has_ab,
    ),
    Command(
        "match",
        MATCH_MENU,
        "&Match colours…",
        "Match the colours of the image to another image, a still, a frame or a file",
        run=lambda ws: _match(ws, 0),
        when=has_image,
    ),
    Command(
        "match_chart",
        MATCH_MENU,
        "Match Color&Checker…",
        "Fit the image to the ColorChecker in it: place the corners of the chart on the image",
        run=lambda ws: _match(ws, 1),
        when=has_image,
    ),
)

GESTURES = (
    Gesture("Drag the title of an entry, click it", "Move it in the grade; open or fold it"),
    Gesture("Drag an operation or preset from its menu, click its star", "Add it there; make it a favourite"),
    Gesture("Right click, menu key in the menu of operations", "Favourites; rename or delete the preset"),
    Gesture("Up, Down, Delete on the title of an entry", "Open the next entry; remove it"),
    Gesture("Shift and a click or Up, Down on a title", "Mark several entries, to group them"),
    Gesture("Drag a slider, its label or its number", "Change it by the distance; Shift is fine, Alt coarse"),
    Gesture("Click a number, double click its label", "Type a value; reset it"),
    Gesture("Drag in a wheel, arrow keys", "Balance red, green and blue; hold Shift for fine steps"),
    Gesture("Drag a wheel's ring or dial, Page Up, Page Down", "Move all three together; hold Shift for fine steps"),
    Gesture("Click beside a curve, Insert", "Add a point; double click, right click or Delete removes it"),
    Gesture("Page Up, Page Down, arrow keys on a curve", "Select a point and move it; hold Shift for fine steps"),
    Gesture("Double click on a warp's disc, Insert", "Add a pin; drag its dot or ring, Tab selects, Delete removes it"),
    Gesture("Drag on an image of the Match panel, Return, arrows", "Draw the area that counts; Delete removes it"),
    Gesture("Drag the corners of a chart, arrow keys", "Place the ColorChecker; Ctrl+Right chooses the next corner"),
    Gesture("Return while picking a colour", "Pick the colour at the centre; arrow keys move the image, Esc cancels"),
)
