"""States of a sequence: its timeline, and the export sheet with groups, questions and failures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import OpenEXR
from PySide6.QtWidgets import QDialog

from app.dialogs.burn_in_dialog import BurnInDialog
from app.dialogs.export_dialog import ExportDialog
from app.dialogs.look_dialog import LookDialog
from app.model.option_table import PAGES
from app.panels.timeline_panel import TimelinePanel
from app.shell.empty_state import SAMPLE
from engine import FileLook, Grade, ops
from engine.grade.keys import with_key
from engine.io import read_image
from tools.screenshots.window import Shown

FRAMES = range(1001, 1041)
MISSING, FAILED = (1020, 1021), 1030


def timeline(shown: Shown) -> None:
    """A sequence with cached, missing and failed frames, in and out, and dropped frames."""
    _open_sequence(shown)
    player = shown.workspace.player
    for frame in (1013, 1014, 1015, 1016, FAILED, 1015):
        player.go(frame)
        shown.wait()
    player.set_in(1010)
    player.set_out(1035)
    player._clock.dropped = 3
    player.rate_changed.emit(23.2)
    panel = shown.workspace.panel("timeline")
    assert isinstance(panel, TimelinePanel)
    shown.window.bar.hide()


def timeline_empty_tab(shown: Shown) -> None:
    """A sequence in another tab."""
    _open_sequence(shown)
    shown.open(SAMPLE)


def export_header(shown: Shown) -> None:
    shown.open(SAMPLE)
    sheet = _sheet(shown, "export")
    sheet.target.setText(str(shown.folder / "out.exr"))
    sheet.form.set_values({"type": "float", "compression": "piz"})
    sheet.show_header.click()
    shown.until(lambda: "+++" in sheet.header.text.toPlainText())
    _centre(shown, sheet)


def export_asks(shown: Shown) -> None:
    """The export sheet asks about frames that already exist and about a LUT that is only tried."""
    _open_sequence(shown)
    _touch(shown.folder / f"sc010_comp_v003_graded.{frame}.exr" for frame in (*range(1012, 1018), 1024))
    shown.workspace.player.set_in(1012)
    shown.workspace.player.set_out(1029)
    shown.workspace.stage.preview_lut(FileLook("/luts/Print 2383 warm.cube", (ops.Cdl(saturation=0.7),)))
    sheet = _sheet(shown, "export_sequence")
    shown.until(lambda: sheet.buttons.asking)
    _centre(shown, sheet)


def export_failed(shown: Shown) -> None:
    """The form of an export that failed is back."""
    shown.open(SAMPLE)
    sheet = _sheet(shown, "export")
    sheet.target.setText(str(shown.folder / "no such folder" / "{name}_graded.exr"))
    sheet.form.set_values({"type": "half", "compression": "dwaa:45"})
    sheet.buttons.export.click()
    exports = shown.workspace.exports.exports
    shown.until(lambda: bool(exports) and exports[0].over)
    shown.spin(0.5)
    _centre(shown, shown.dialog(ExportDialog))


def export_look_keys(shown: Shown) -> None:
    """The dialog of a look asks for the frame of a grade with keys."""
    _open_sequence(shown)
    document = shown.workspace.document
    entry = with_key(with_key(ops.Exposure(), "stops", 1001, 0.0), "stops", 1040, 1.5)
    document.edit(Grade([entry]), "keys")
    shown.do("export_look")
    shown.wait()
    _centre(shown, shown.dialog(LookDialog))


def export_movie(shown: Shown) -> None:
    """The export sheet for a movie."""
    _open_sequence(shown)
    sheet = _sheet(shown, "export_sequence")
    sheet.target.setText(str(shown.folder / "review.mov"))
    sheet.form.set_values({"codec": "prores_4444", "timecode": "01:00:00:00", "burn-in": "standard"})
    _unfold(sheet, ("Movie",))
    _centre(shown, sheet)


def burn_in(shown: Shown) -> None:
    """The editor of burn-ins over the export sheet."""
    export_movie(shown)
    sheet = shown.dialog(ExportDialog)
    sheet.hide()
    dialog = BurnInDialog("slate", shown.workspace.jobs, shown.window)
    dialog.fields.set_value(replace(dialog.fields.value, mask=2.39, mask_opacity=0.6, safe=(0.93, 0.9)))
    dialog.name.setText("client review")
    dialog.show()
    shown.until(lambda: all(not view.pixmap().isNull() for view in dialog.views.values()))
    shown.spin(0.4)
    window = shown.window
    dialog.move(window.mapToGlobal(window.rect().center()) - dialog.rect().center())


def _group(*names: str) -> Callable[[Shown], None]:
    """The export sheet with these groups unfolded."""

    def state(shown: Shown) -> None:
        _open_sequence(shown)
        sheet = _sheet(shown, "export_sequence")
        _unfold(sheet, names)
        _centre(shown, sheet)

    return state


def _unfold(sheet: ExportDialog, names: Collection[str]) -> None:
    for name, group in sheet.form.groups.items():
        group.set_open(name in names)


def _sheet(shown: Shown, command: str) -> ExportDialog:
    shown.do(command)
    sheet = shown.dialog(ExportDialog)
    shown.wait()
    return sheet


def _open_sequence(shown: Shown) -> None:
    pixels = read_image(SAMPLE).pixels[::2, ::2]
    planes = {name: np.ascontiguousarray(pixels[..., n]) for n, name in enumerate("RGBA")}
    first = shown.folder / "sc010_comp_v003.1012.exr"
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(first))
    whole = first.read_bytes()
    for frame in FRAMES:
        if frame not in MISSING:
            shown.folder.joinpath(f"sc010_comp_v003.{frame}.exr").write_bytes(b"" if frame == FAILED else whole)
    shown.open(first)
    shown.until(lambda: shown.workspace.player.clip is not None)


def _touch(paths: Iterable[Path]) -> None:
    for path in paths:
        path.touch()


def _centre(shown: Shown, sheet: QDialog) -> None:
    """Where a window manager would put the sheet."""
    shown.spin(0.4)
    window = shown.window
    sheet.move(window.mapToGlobal(window.rect().center()) - sheet.rect().center())


STATES: dict[str, Callable[[Shown], None]] = {
    "timeline": timeline,
    "timeline_empty_tab": timeline_empty_tab,
    **{f"export_{name.lower()}": _group(name) for name in PAGES if name != "Movie"},
    "export_movie": export_movie,
    "burn_in": burn_in,
    "export_asks": export_asks,
    "export_failed": export_failed,
    "export_header": export_header,
    "export_look_keys": export_look_keys,
}
