"""The ten tasks: each prepares a window, counts from `begin`, and checks that the goal is reached."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint

from app.dialogs.export_dialog import ExportDialog
from app.model.comparison_target import DocumentTarget, VersionTarget
from app.panels.look_wall import LutWall
from app.services.export_options import ExportOrder
from engine import FileLook, ops
from engine.grade.grade import bare, layer_of
from tools.screenshots.files import looks
from tools.tasks import images
from tools.tasks.hand import Hand

SLOPE, OFFSET, SATURATION = (1.08, 1.0, 0.92), (0.02, 0.02, 0.02), 1.15
"""The CDL of the still."""


def away(found: Any, wanted: Any) -> float:
    """Return the largest difference of two rows of numbers."""
    return max(float(abs(a - b)) for a, b in zip(found, wanted, strict=True))


def cdl(hand: Hand) -> ops.Cdl:
    """Return the CDL of the grade."""
    found = bare(hand.document.grade.entries[1])
    assert isinstance(found, ops.Cdl)
    return found


def stops_of(hand: Hand) -> float:
    """Return the exposure of the grade, in stops."""
    found = bare(hand.document.grade.entries[0])
    assert isinstance(found, ops.Exposure)
    return found.stops


def saturation_of(hand: Hand) -> float:
    """Return how far the saturation is from that of the still."""
    return abs(cdl(hand).saturation - SATURATION)


def match(hand: Hand) -> None:
    """Compare with a still in a wipe, and match it with the wheels"""
    hand.open(images.plate(hand.folder, "still.exr"), images.plate(hand.folder, "shot.exr"))
    hand.begin()
    hand.key("Shift+X")
    card = hand.window.panel.cards[1]
    slope, offset = card.editors["slope"].wheel, card.editors["offset"].wheel
    hand.drag_to(slope, slope.rect().center(), lambda: away(cdl(hand).slope, SLOPE), 0.01)
    top = QPoint(offset.width() // 2, round(offset.height() / 2 - offset._radius() + 3))
    hand.drag_to(offset, top, lambda: away(cdl(hand).offset, OFFSET), 0.003)
    track = card.editors["saturation"].row.track
    hand.drag_to(track, track.rect().center(), lambda: saturation_of(hand), 0.01)
    assert isinstance(hand.workspace.view.against, DocumentTarget) and hand.workspace.view.compare == "wipe"


def lut(hand: Hand) -> None:
    """Try two LUTs on the image, and add the second at half strength"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    entries = [ops.Exposure(0.2), ops.WhiteBalance(), ops.Cdl(), ops.Contrast(1.1), ops.Saturation(1.1)]
    hand.document.edit(hand.document.grade.with_entries(entries), "grade")
    hand.workspace.settings.set("wall.folder", str(looks(hand.folder)))
    hand.until(lambda: hand.window.panel.complete)
    hand.begin()
    hand.key("Ctrl+4")
    wall = hand.workspace.panel("looks")
    assert isinstance(wall, LutWall)
    hand.until(lambda: wall.model.rowCount() > 3 and all(i.look or i.problem for i in wall.model.items[:4]))
    hand.key("Right", "Right", "Return")
    hand.until(lambda: len(hand.window.panel.cards) == 6)
    hand.settle(0.3)
    mix = hand.window.panel.cards[-1].mix
    assert mix.visibleRegion().boundingRect().height() == mix.height(), "the new entry is not in sight"
    hand.drag_to(mix, mix.rect().center(), lambda: abs(layer_of(hand.document.grade.entries[-1]).mix - 0.5), 0.02)
    assert isinstance(bare(hand.document.grade.entries[-1]), FileLook)


def aov(hand: Hand) -> None:
    """Find the depth of a renderer's image and see its whole range"""
    hand.open(images.render(hand.folder))
    hand.begin()
    hand.key("Ctrl+Shift+L")
    hand.write("de")
    hand.key("Return")
    hand.until(lambda: hand.document.image.layer.name.startswith("depth"))
    hand.until(lambda: hand.workspace.data_views.shown is not None)
    shown = hand.workspace.data_views.shown
    assert shown is not None and shown.range[0] < 30.0 and 370.0 < shown.range[1] <= images.DEPTH[1], shown


def versions(hand: Hand) -> None:
    """Keep a version, brighten, keep another, and wipe between the two"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    hand.document.edit_entry(0, ops.Exposure(0.5), "exposure")
    hand.begin()
    hand.key("Ctrl+K")
    track = hand.window.panel.cards[0].editors["stops"].row.track
    hand.drag_to(track, track.rect().center(), lambda: abs(stops_of(hand) - 1.5), 0.1)
    hand.key("Ctrl+K", "Shift+X")
    view = hand.workspace.view
    assert view.compare == "wipe" and isinstance(view.against, VersionTarget) and len(hand.document.versions.items) == 2


def sequence(hand: Hand) -> None:
    """Export frames 1012 to 1029 of a sequence again; six of them exist"""
    first = images.sequence(hand.folder)
    for frame in range(1012, 1018):
        (first.parent / f"sc010_graded.{frame}.exr").write_bytes(b"an older export")
    hand.open(first)
    timeline = hand.workspace.panel("timeline").timeline
    hand.until(timeline.isVisible)
    hand.begin()
    for frame, mark in ((1012, "I"), (1029, "O")):
        hand.click(timeline, QPoint(round(timeline.x_of(frame + 0.5)), timeline.height() - 10), f"frame {frame}")
        hand.key(mark)
    hand.key("Ctrl+Alt+E")
    dialog: ExportDialog = hand.dialog(ExportDialog)
    hand.until(lambda: dialog.buttons.asking)
    hand.click(dialog.buttons.replace)
    hand.until(lambda: hand.workspace.exports.exports)
    order: ExportOrder = hand.workspace.exports.exports[0].order
    assert order.options.get("frames") == "1012-1029" and order.existing not in ("fail", "skip"), order


def space(hand: Hand) -> None:
    """Say that the plates of a folder, which do not tell, are ACEScg"""
    hand.open(images.unknown(hand.folder, "one.exr"), images.unknown(hand.folder, "two.exr"))
    question = hand.workspace.space_question
    hand.until(lambda: any(choice.space == "ACEScg" for choice in question.current.choices))
    hand.begin()
    at = next(n for n, choice in enumerate(question.current.choices, 1) if choice.space == "ACEScg")
    hand.key(f"Alt+{at}")
    hand.until(lambda: question.current.rules)
    hand.key("Alt+9")
    hand.until(lambda: all(each.managed.converts for each in hand.workspace.documents if each.image is not None))
    hand.workspace.open_documents.show(hand.workspace.documents[0])
    hand.until(lambda: hand.document.managed.converts)
    assert hand.document.managed.found.space == "ACEScg", hand.document.managed.found


def neutral(hand: Hand) -> None:
    """See the image as it is exported, after looking at it in other ways"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    hand.workspace.set_view(channel="red", exposure=1.0, overlays=("false colour",), compare="wipe")
    hand.begin()
    hand.key("N")
    view = hand.workspace.view
    assert (view.channel, view.exposure, view.overlays, view.compare) == ("", 0.0, (), "")


def operation(hand: Hand) -> None:
    """Add a saturation of 1.2 to the grade"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    hand.begin()
    hand.key("Shift+A")
    hand.write("sat")
    hand.key("Return")
    hand.until(lambda: len(hand.document.grade.entries) == 3 and hand.window.panel.complete)
    hand.write("1.2")
    hand.key("Return")
    assert any(bare(e) == ops.Saturation(1.2) for e in hand.document.grade.entries), hand.document.grade


def client(hand: Hand) -> None:
    """Type an exposure, then export a TIFF under the proposed name"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    box = hand.window.panel.cards[0].editors["stops"].row.box
    box.setFocus()
    box.selectAll()
    hand.begin()
    hand.write("0.5")
    hand.key("Ctrl+E")
    dialog: ExportDialog = hand.dialog(ExportDialog)
    hand.click(dialog.target)
    hand.key("End", "Backspace", "Backspace", "Backspace")
    hand.write("tif")
    hand.click(dialog.buttons.export)
    hand.until(lambda: hand.workspace.exports.exports)
    order: ExportOrder = hand.workspace.exports.exports[0].order
    assert order.target.name == "shot_graded.tif" and bare(order.grade.entries[0]) == ops.Exposure(0.5), order


def tomorrow(hand: Hand) -> None:
    """Go on the next day: the window as large as it was, with the images that were open"""
    hand.open(images.plate(hand.folder, "shot.exr"))
    hand.window.showMaximized()
    hand.settle()
    hand.workspace.files.save_session(hand.folder / "shot.tessera")
    hand.until(lambda: hand.workspace.session.path is not None)
    assert hand.window.close()
    hand.workspace.finish()
    hand.open_window()
    hand.begin()
    hand.key("Ctrl+Alt+L")
    hand.until(lambda: hand.document.image is not None)
    assert hand.window.isMaximized() and hand.document.name == "shot.exr", hand.document.name


TASKS = {
    match: 9,
    lut: 6,
    aov: 5,
    versions: 7,
    sequence: 7,
    space: 8,
    neutral: 4,
    operation: 12,
    client: 14,
    tomorrow: 2,
}
"""The tasks, and how many steps each took in the first edition of the window."""
