"""The window: it ties actions, document, canvas, panel, preview and files together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QInputDialog, QMainWindow, QMessageBox, QWidget

from app import style
from app.actions import connect_actions, make_actions
from app.canvas import ZOOM_STEP, Canvas, local_paths
from app.document import Document, default_grade
from app.export_dialog import ExportDialog
from app.export_job import ExportOrder
from app.files import CDL_FILTER, GRADE_FILTER, LOOK_FILTER, PICTURE_FILTER, Files, grade_among
from app.jobs import Jobs
from app.keys_dialog import KeysDialog
from app.overlays import SAMPLE, EmptyState, MessageBar
from app.panels.grade_panel import GradePanel
from app.preview import Preview, Request, View
from app.repairs import keep_constants
from app.services import Services
from app.status import StatusBar
from app.toolbar import ToolBar
from app.view_ops import view_ops

VIEW_STEP = 0.5
"""Stops that [ and ] move the view exposure by."""


class MainWindow(QMainWindow):
    """One picture, one grade."""

    def __init__(self, backend: str = "auto", threads: int = 0, services: Services | None = None) -> None:
        super().__init__()
        self._services = services or Services()
        self._backend, self._threads = backend, threads
        self.document = Document(self)
        self.jobs = Jobs(self)
        self.files = Files(self.document, self.jobs, self._services, self)
        self.preview = Preview(partial(self._services.create_executor, backend, threads), self)
        self.actions_by_name = make_actions(self)
        self.canvas = Canvas()
        self.panel = GradePanel(self.document)
        self.bar = MessageBar(self.canvas)
        self.empty = EmptyState(self.canvas)
        self.toolbar = ToolBar(self.actions_by_name)
        self.status = StatusBar()
        self.export_dialog: ExportDialog | None = None
        self._pointer: tuple[int, int] | None = None
        self._after_saving: Callable[[], None] | None = None
        self._lay_out()
        self._connect()
        self._connect_actions()
        self._show_history()
        self._show_title()
        self._show_picture()
        self.preview.start()

    def _lay_out(self) -> None:
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.canvas, 1)
        row.addWidget(self.panel)
        self.setCentralWidget(centre)
        self.addToolBar(self.toolbar)
        self.setStatusBar(self.status)
        self.setAcceptDrops(True)
        self.resize(1280, 720)
        self.setMinimumSize(1024, 560)
        self.canvas.setFocus()

    def _connect(self) -> None:
        self.document.grade_changed.connect(self._refresh)
        self.document.history_changed.connect(self._show_history)
        self.document.title_changed.connect(self._show_title)
        self.document.picture_changed.connect(self._show_picture)
        self.canvas.view_changed.connect(self._refresh)
        self.canvas.hovered.connect(self._hover)
        self.canvas.dropped.connect(self.drop)
        self.panel.failed.connect(self.bar.tell)
        self.panel.files_wanted.connect(self.choose_looks)
        self.panel.interpolation_wanted.connect(self.files.set_interpolation)
        self.files.failed.connect(self.bar.tell)
        self.files.refused.connect(self._show_again)
        self.files.busy.connect(self._show_busy)
        self.files.done.connect(self._flash)
        self.files.saved.connect(self._grade_saved)
        self.files.correction_wanted.connect(self._choose_correction)
        self.preview.frame.connect(self._show_frame)
        self.preview.probed.connect(self._show_probe)
        self.preview.status.connect(self.status.set_working)
        self.preview.failed.connect(self.bar.tell)
        self.empty.open_wanted.connect(self.choose_picture)
        self.empty.sample_wanted.connect(lambda: self.files.open_picture(SAMPLE))
        self.toolbar.view_stops_changed.connect(lambda _: self._refresh())
        self.toolbar.part_chosen.connect(self._open_part)

    def _connect_actions(self) -> None:
        zoom = self.canvas.zoom_by
        calls: dict[str, Callable[[], object]] = {
            "open": self.choose_picture,
            "export": self.export,
            "new_grade": lambda: self._if_saved(lambda: self.document.open_grade(default_grade(), None)),
            "open_grade": self.choose_grade,
            "save_grade": self.save_grade,
            "save_grade_as": self.save_grade_as,
            "import_cdl": self.choose_cdl,
            "export_cdl": self.export_cdl,
            "quit": self.close,
            "undo": self.document.undo,
            "redo": self.document.redo,
            "add_look": self.choose_looks,
            "fit": self.canvas.fit,
            "actual": self.canvas.actual_size,
            "zoom_in": lambda: zoom(ZOOM_STEP),
            "zoom_out": lambda: zoom(1 / ZOOM_STEP),
            "compare": self._refresh,
            "view_darker": lambda: self.toolbar.move_view_stops(-VIEW_STEP),
            "view_brighter": lambda: self.toolbar.move_view_stops(VIEW_STEP),
            "view_reset": lambda: self.toolbar.set_view_stops(0.0),
            "keys": lambda: KeysDialog(self.actions_by_name, self).open(),
        }
        calls |= dict.fromkeys(("red", "green", "blue", "alpha", "luma"), self._refresh)
        connect_actions(self.actions_by_name, calls)

    @property
    def channel(self) -> str:
        """The channel that is shown alone, or ''."""
        names = ("red", "green", "blue", "alpha", "luma")
        return next((name for name in names if self.actions_by_name[name].isChecked()), "")

    def drop(self, paths: list[Path]) -> None:
        """Files were dropped on the window."""
        grade = grade_among(paths)
        if grade is not None:
            self._if_saved(partial(self.files.open_grade, grade))
        self.files.drop(paths)

    def choose_picture(self) -> None:
        self._ask_file("Open picture", PICTURE_FILTER, lambda names: self.files.open_picture(Path(names[0])))

    def choose_looks(self) -> None:
        self._ask_file("Add LUT or CDL files", LOOK_FILTER, lambda n: self.files.add_looks([*map(Path, n)]), many=True)

    def choose_grade(self) -> None:
        def ask() -> None:
            self._ask_file("Open grade", GRADE_FILTER, lambda names: self.files.open_grade(Path(names[0])))

        self._if_saved(ask)

    def choose_cdl(self) -> None:
        self._ask_file("Import CDL", CDL_FILTER, lambda names: self.files.import_cdl(Path(names[0])))

    def export_cdl(self) -> None:
        self._ask_name("Export CDL", CDL_FILTER, "cc", self._beside("cc"), self.files.export_cdl)

    def save_grade(self) -> None:
        """Save the grade where it came from, or ask where to."""
        if self.document.grade_path is None:
            self.save_grade_as()
        else:
            self.files.save_grade(self.document.grade_path)

    def save_grade_as(self) -> None:
        self._ask_name("Save grade", GRADE_FILTER, "json", self._beside("json"), self.files.save_grade)

    def export(self) -> None:
        """Ask how to export the picture; one export at a time."""
        if self.export_dialog is not None and self.export_dialog.isVisible():
            self.export_dialog.raise_()
            return
        picture, path = self.document.picture, self.document.picture_path
        if picture is None or path is None:
            self.bar.tell("There is no picture to export; open one first.")
            return
        several = len(picture.info.parts) > 1 or len(picture.part.layers) > 1
        order = ExportOrder(
            source=path,
            target=path.with_name(f"{path.stem}_graded.exr"),
            grade=self.document.grade,
            part=picture.part.index if several else None,
            layer=picture.layer.name if several else None,
            backend=self._backend,
            threads=self._threads,
        )
        self.export_dialog = ExportDialog(order, self.jobs, self)
        self.export_dialog.show()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.drop(local_paths(event.mimeData()))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.export_dialog is not None and self.export_dialog.running:
            self.bar.tell("An export is running; cancel it or let it finish before closing.")
            event.ignore()
        elif self.document.modified:
            event.ignore()
            self._if_saved(self._close_for_good)
        else:
            self.preview.stop()
            self.jobs.close()
            event.accept()

    def _close_for_good(self) -> None:
        self.document.mark_saved(self.document.grade, self.document.grade_path or Path())
        self.close()

    def _if_saved(self, then: Callable[[], None]) -> None:
        """Do something that loses the grade: at once if it is saved, else after asking."""
        if not self.document.modified:
            then()
            return
        buttons = QMessageBox.StandardButton
        box = QMessageBox(QMessageBox.Icon.NoIcon, "Tessera", "Save the grade first?", parent=self)
        box.setInformativeText("Its changes are lost otherwise.")
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setDefaultButton(buttons.Save)
        tips = {buttons.Save: "Save the grade, then go on", buttons.Discard: "Go on and lose the changes"}
        for button in (buttons.Save, buttons.Discard, buttons.Cancel):
            box.button(button).setToolTip(tips.get(button, "Leave everything as it is (Esc)"))
            box.button(button).setAccessibleName(box.button(button).text().replace("&", ""))
        box.buttonClicked.connect(lambda pressed: self._answered(box.standardButton(pressed), then))
        box.open()

    def _answered(self, answer: QMessageBox.StandardButton, then: Callable[[], None]) -> None:
        if answer == QMessageBox.StandardButton.Discard:
            then()
        elif answer == QMessageBox.StandardButton.Save:
            self._after_saving = then
            self.save_grade()

    def _grade_saved(self, ok: bool) -> None:
        then, self._after_saving = self._after_saving, None
        if ok and then is not None:
            then()

    def _refresh(self) -> None:
        """Ask for a frame of what the window should show now."""
        viewport = self.canvas.viewport
        self.status.show_zoom(viewport.scale if viewport else None)
        placement = self.canvas.placement()
        if placement is not None:
            ops = view_ops(self.toolbar.view_stops, self.channel)
            graded = not self.actions_by_name["compare"].isChecked()
            view = View(placement.region, placement.width, placement.height, ops, graded)
            self.preview.submit(self.document.grade, view)
        self._ask_probe()

    def _show_frame(self, image: QImage, request: Request) -> None:
        if self.preview.is_current(request):
            self.empty.hide()
            self.canvas.show_frame(image, request.view.region)

    def _hover(self, pixel: tuple[int, int] | None) -> None:
        self._pointer = pixel
        self._ask_probe()
        if pixel is None:
            self.status.show_probe(None)

    def _ask_probe(self) -> None:
        if self._pointer is not None and self.document.picture is not None:
            self.preview.probe(*self._pointer, self.document.grade)

    def _show_probe(self, result: Any) -> None:
        if self._pointer == (result.x, result.y):
            self.status.show_probe(result, self.document.picture.part.data_window[:2])

    def _show_picture(self) -> None:
        picture = self.document.picture
        self.toolbar.show_picture(picture)
        self.status.show_picture(picture)
        self.actions_by_name["export"].setEnabled(picture is not None)
        if picture is None:
            self.canvas.clear()
            return
        self.preview.set_picture(picture.pixels)
        height, width = picture.pixels.shape[:2]
        self.canvas.set_picture(width, height, picture.part.pixel_aspect, display_window(picture.part))

    def _show_again(self) -> None:
        """Controls go back to what is, after a file was refused."""
        self.panel.refresh()
        self.toolbar.show_picture(self.document.picture)

    def _open_part(self, part: int, layer: str | None) -> None:
        if self.document.picture_path is not None:
            self.files.open_picture(self.document.picture_path, part, layer)

    def _show_busy(self, text: str) -> None:
        self.status.set_busy(text)
        self.empty.say(text if text and self.document.picture is None else "")

    def _flash(self, line: str) -> None:
        self.status.set_busy(line)
        QTimer.singleShot(4000, self, lambda: self.status.set_busy(""))

    def _show_history(self) -> None:
        for name, text in (("undo", self.document.undo_text), ("redo", self.document.redo_text)):
            action = self.actions_by_name[name]
            action.setEnabled(bool(text))
            action.setText(f"&{name.capitalize()} {text}".rstrip())

    def _show_title(self) -> None:
        picture, grade = self.document.picture_path, self.document.grade_path
        names = [path.name for path in (picture, grade) if path is not None]
        self.setWindowTitle(f"{' — '.join(names) or 'No picture'}[*] — Tessera")
        self.setWindowModified(self.document.modified)

    def _choose_correction(self, path: Path, names: list[str]) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle(f"Import {path.name}")
        dialog.setLabelText("The file holds several corrections. Which one?")
        dialog.setComboBoxItems(names)
        dialog.textValueSelected.connect(lambda name: self.files.import_correction(path, names.index(name)))
        dialog.open()

    def _beside(self, suffix: str) -> Path:
        near = self.document.grade_path or self.document.picture_path
        return near.with_suffix(f".{suffix}") if near else Path(f"grade.{suffix}")

    def _ask_file(self, title: str, kinds: str, then: Callable[[list[str]], None], many: bool = False) -> None:
        near = self.document.picture_path
        dialog = QFileDialog(self, title, str(near.parent) if near else "", kinds)
        dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles if many else QFileDialog.FileMode.ExistingFile)
        dialog.filesSelected.connect(then)
        dialog.open()

    def _ask_name(self, title: str, kinds: str, suffix: str, name: Path, then: Callable[[Path], None]) -> None:
        dialog = QFileDialog(self, title, str(name), kinds)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix)
        dialog.fileSelected.connect(lambda chosen: then(Path(chosen)))
        dialog.open()


def display_window(part: Any) -> tuple[int, int, int, int] | None:
    """The display window as x, y, width and height counted from the data window's first pixel; None if they agree."""
    if part.display_window == part.data_window:
        return None
    x0, y0, x1, y1 = part.display_window
    return x0 - part.data_window[0], y0 - part.data_window[1], x1 - x0 + 1, y1 - y0 + 1


def run(picture: Path | None, backend: str = "auto", threads: int = 0) -> int:
    """Show the window, with a picture if one is given; returns the exit status when it is closed."""
    keep_constants()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Tessera")
    style.apply(app)
    window = MainWindow(backend, threads)
    window.show()
    if picture is not None:
        window.files.open_picture(picture)
    return app.exec()
