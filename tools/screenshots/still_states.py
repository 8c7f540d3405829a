"""States of stills: the gallery and comparisons with a still."""

from __future__ import annotations

from collections.abc import Callable

from app.panels.gallery.panel import GalleryPanel
from app.services.stills import FOLDER
from app.shell.empty_state import SAMPLE
from engine import Grade, ops
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


STILL_STATES: tuple[Callable[[Shown], None], ...] = (gallery_empty, gallery, gallery_wipe)
