"""States of stills: the gallery and comparisons with a still."""

from __future__ import annotations

from collections.abc import Callable

from app.dialogs.contact_sheet import ContactSheetDialog
from app.panels.gallery.panel import GalleryPanel
from app.services.stills import FOLDER
from app.shell.empty_state import SAMPLE
from engine import Grade, ops
from tools.screenshots.files import looks
from tools.screenshots.window import Shown

WARM = ops.Cdl(slope=(1.12, 1.0, 0.86), saturation=1.15)
LOOKS = {
    "first pass": (ops.Exposure(0.3),),
    "warm, for the client": (ops.Exposure(0.2), WARM, ops.Saturation(1.1)),
    "night": (ops.Exposure(-1.6), ops.Cdl(slope=(0.8, 0.92, 1.2)), ops.Contrast(1.2)),
    "a very long name that a pipeline made up sc010_0040_comp_v012": (ops.Saturation(0.4),),
}


def gallery_empty(shown: Shown) -> None:
    _folder(shown)
    shown.open(SAMPLE)
    shown.workspace.show_panel("stills")


def gallery(shown: Shown) -> None:
    """Four stills, the second one selected."""
    panel = _grabbed(shown)
    panel.list.setCurrentIndex(panel.model.index(2))
    panel.list.setFocus()
    panel.details.entries.setCurrentRow(1)


def gallery_wipe(shown: Shown) -> None:
    """The image against a still."""
    gallery(shown)
    shown.do("still_wipe")
    labels = shown.workspace.stage.labels
    shown.until(lambda: labels.drawn())


def grid_4(shown: Shown) -> None:
    """The current image and three stills, the second cell current."""
    _grabbed(shown)
    shown.window.docks.docks["stills"].hide()
    _grid(shown, "stills", 4)
    shown.workspace.grid.select(1)
    shown.until(lambda: not shown.workspace.grid._is_due)


def grid_9(shown: Shown) -> None:
    """LUTs of a folder, on the second page."""
    shown.open(SAMPLE)
    shown.workspace.settings.set("wall.folder", str(looks(shown.folder)))
    _grid(shown, "looks", 9)
    shown.workspace.grid.turn(1)
    shown.until(lambda: _is_shown(shown))


def grid_empty(shown: Shown) -> None:
    """No version to compare."""
    shown.open(SAMPLE)
    shown.workspace.grid.show("versions", 2)
    shown.spin(0.2)


def contact_sheet(shown: Shown) -> None:
    """Four stills, in three columns, with a title."""
    _grabbed(shown)
    shown.window.docks.docks["stills"].hide()
    shown.do("contact_sheet")
    dialog = shown.dialog(ContactSheetDialog)
    dialog.title.setText("Lantern, evening looks")
    dialog.columns.setValue(3)
    dialog.labels["note"].setChecked(True)
    shown.until(lambda: bool(dialog._sheets.items) and not dialog._sheets.missing)
    dialog.move(shown.window.mapToGlobal(shown.window.rect().center()) - dialog.rect().center())


def _grid(shown: Shown, kind: str, count: int) -> None:
    shown.workspace.grid.show(kind, count)
    shown.until(lambda: _is_shown(shown))


def _is_shown(shown: Shown) -> bool:
    grid = shown.workspace.grid
    return not grid._is_due and len(grid.cells) > 1 and all(cell.exact for cell in grid.cells)


def _folder(shown: Shown) -> None:
    folder = shown.folder / "stills"
    folder.mkdir()
    shown.workspace.settings.set(FOLDER, str(folder))


def _grabbed(shown: Shown) -> GalleryPanel:
    """The gallery with a still of each of LOOKS, whose thumbnails are there."""
    _folder(shown)
    shown.open(SAMPLE)
    ws, document = shown.workspace, shown.workspace.document
    ws.stills.watch()
    for entries in LOOKS.values():
        grade = Grade(entries, ws.colour.export_setup(document, document.grade))
        ws.still_grabs.grab(SAMPLE, document.image, grade, "Too blue in the shadows")
    shown.until(lambda: len(ws.stills.of_session) == len(LOOKS))
    for still, name in zip(reversed(ws.stills.items), LOOKS, strict=True):
        ws.stills.rename(still, name)
    shown.until(lambda: {still.name for still in ws.stills.items} == set(LOOKS))
    panel = shown.panel("stills", GalleryPanel)
    shown.until(lambda: all(ws.still_thumbnails.get(still) is not None for still in panel.model.items))
    shown.wait()
    return panel


STILL_STATES: tuple[Callable[[Shown], None], ...] = (
    gallery_empty,
    gallery,
    gallery_wipe,
    grid_4,
    grid_9,
    grid_empty,
    contact_sheet,
)
