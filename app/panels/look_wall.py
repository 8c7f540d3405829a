"""The LUT wall: browse the LUT and CDL files of a folder, preview them on the image, and add them to the grade."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QImage, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

import resources
from app.canvas.stage import Stage
from app.model.file_kinds import CDL_SUFFIXES, LOOK_SUFFIXES
from app.panels.file_card import INTERPOLATIONS
from app.panels.tile_layout import lay_out_tiles
from app.panels.wall.examination import Examination, examine
from app.panels.wall.list_view import WallList
from app.panels.wall.maker import Scene, WallMaker
from app.panels.wall.model import ITEM, WallFilter, WallItem, WallModel
from app.panels.wall.plots import CubePlot, CurvePlot
from app.services.current_document import CurrentDocument
from app.services.disk import Disk
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.messages import Messages, Warned
from app.services.settings import Settings
from app.widgets.choice_box import ChoiceBox
from app.widgets.context_menu import show_menu
from app.widgets.elided import ElidedLabel
from app.widgets.showing import ask, captioned
from app.widgets.small_buttons import icon_button
from app.widgets.style import icon, switch_icon
from engine import FileLook
from engine.grade.colour_settings import Viewing
from engine.viewing import levels_of

FOLDER, FAVOURITES = "wall.folder", "wall.favourites"
EXAMINATION = "examination"
"""The key of the job that examines the selected LUT."""
WALL = "wall"
"""The name of the folder watch."""
SUFFIXES = frozenset((*LOOK_SUFFIXES, *CDL_SUFFIXES))
LIVE_MS = 120
"""Delay from the last change of the grade until thumbnails are updated, in milliseconds."""
DETAILS_WIDTH = 330


class LutWall(QWidget):
    """Thumbnails of the current frame with every LUT or CDL file of a folder applied."""

    def __init__(
        self,
        current: CurrentDocument,
        viewing: Callable[[], Viewing],
        stage: Stage,
        services: Services,
        settings: Settings,
        disk: Disk,
        jobs: Jobs,
        messages: Messages,
    ) -> None:
        """`viewing` returns the display and view of the viewer; `update_soon` follows its changes."""
        super().__init__()
        self.setObjectName("listPanel")
        self._current, self._viewing, self._stage = current, viewing, stage
        self._settings, self._disk, self._jobs, self._messages = settings, disk, jobs, messages
        self._warnings: dict[str, Warned] = {}  # about files that could not be read again
        self.model, self.filter = WallModel(), WallFilter()
        self.filter.setSourceModel(self.model)
        create = partial(services.create_executor, "cpu", 1)
        self.maker = WallMaker(create, services.look_from_file, self)
        self._live = QTimer(self, singleShot=True, interval=LIVE_MS)
        self._live.timeout.connect(self._show_scene)
        self._folder = Path()
        self.list = WallList()
        self.list.taken.connect(self.take)
        stage.lut_preview_ended.connect(self.let_go)
        self.list.favourite_toggled.connect(self.toggle_favourite)
        self.list.menu_wanted.connect(lambda where: show_menu(self.list, (self.add, self.favourite), where))
        self.list.setModel(self.filter)
        self.setFocusProxy(self.list)
        self._lay_out()
        self._connect()
        folder = settings.get(FOLDER, "")
        if folder:
            self.open_folder(Path(folder))
        self._show_item()

    @property
    def current(self) -> WallItem | None:
        """The selected item, or None."""
        index = self.list.currentIndex()
        return index.data(ITEM) if index.isValid() else None

    def open_folder(self, folder: Path) -> None:
        """Show the files of another folder."""
        self._folder = folder
        self._disk.watch_folder(WALL, folder, SUFFIXES)

    def choose_folder(self) -> None:
        known = self._settings.get(FOLDER, "") or str(resources.path("looks"))  # at first, the looks of Tessera
        dialog = QFileDialog(self, "Folder of LUT and CDL files", known)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.open_folder(Path(name)))
        ask(dialog)

    def take(self) -> None:
        """Add the selected LUT to the end of the grade."""
        item = self.current
        if item is not None and item.look is not None:
            self._stage.add_previewed_lut()

    def let_go(self) -> None:
        """Clear the selection, so that the canvas shows the grade without a previewed LUT."""
        self.list.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)

    def toggle_favourite(self) -> None:
        item = self.current
        if item is None:
            return
        self.model.set(item.path, favourite=not item.favourite)
        if self.only.isChecked():
            self._search()
        (self._settings.add if item.favourite else self._settings.remove)(FAVOURITES, item.path)
        self._show_item()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._live.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop making thumbnails. A LUT that is being tried stays on the image, whose corner says so."""
        super().hideEvent(event)
        self.maker.show(None, [])

    # -- inside

    def _lay_out(self) -> None:
        self.folder = QPushButton(icon("folder"), "Folder…")
        self.folder.setToolTip("Choose a folder of LUT and CDL files")
        self.folder.setAccessibleName("Choose the folder")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setToolTip("Show only files whose names contain these words")
        self.search.setAccessibleName("Search the files")
        self.search.setClearButtonEnabled(True)
        self.only = icon_button("star", "Show only favourites", "Only favourites")
        self.only.setCheckable(True)
        self.only.setIcon(switch_icon("star-off", "star"))
        self.count = QLabel()
        self.count.setObjectName("note")
        bar = (self.folder, self.search, self.only, self.count)
        lay_out_tiles(self, bar, self.search, self.list, self._details())

    def _details(self) -> QWidget:
        self.name = ElidedLabel("")
        self.name.setObjectName("cardTitle")
        self.findings = QLabel()
        self.findings.setWordWrap(True)
        self.findings.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.findings.setObjectName("note")
        self.curves, self.cube = CurvePlot(), CubePlot()
        self.box = ChoiceBox(
            INTERPOLATIONS, "Interpolation of the LUT", "How to interpolate between the entries of the LUT"
        )
        self.favourite = icon_button("star", "Add to or remove from favourites (*)", "Favourite")
        self.favourite.setCheckable(True)
        self.favourite.setIcon(switch_icon("star-off", "star"))
        self.add = QPushButton("Add to grade")
        self.add.setToolTip("Add the LUT to the end of the grade (Return)")
        self.add.setAccessibleName("Add the LUT to the grade")
        plots, buttons, head = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.favourite)
        plots.setSpacing(6)
        plots.addWidget(self.curves)
        plots.addWidget(self.cube)
        buttons.setSpacing(6)
        buttons.addLayout(captioned("Interpolation", self.box), 1)
        buttons.addWidget(self.add)
        holder = QWidget()
        holder.setFixedWidth(DETAILS_WIDTH)
        column = QVBoxLayout(holder)
        column.setContentsMargins(8, 6, 8, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addLayout(plots, 1)
        column.addWidget(self.findings, 1)
        column.addLayout(buttons)
        return holder

    def _connect(self) -> None:
        for signal in (self._current.image_changed, self._current.grade_changed):
            signal.connect(self.update_soon)
        self.destroyed.connect(self.maker.stop)
        self._disk.listed.connect(self._list)
        self._disk.changed.connect(self._reload)
        self.maker.loaded.connect(self._loaded)
        self.maker.refused.connect(self._refused)
        self.maker.missed.connect(lambda path, line: self.model.set(path, missing=line))
        self.maker.made.connect(self._show_thumbnail)
        self._current.image_changed.connect(self._clear_thumbnails)
        self.folder.clicked.connect(self.choose_folder)
        self.search.textChanged.connect(self._search)
        self.only.toggled.connect(self._search)
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_item())
        self.list.activated.connect(lambda _index: self.take())
        self.list.visible_changed.connect(lambda: self.maker.want(self._visible_paths()))
        self.box.textActivated.connect(self._interpolate)
        self.favourite.clicked.connect(self.toggle_favourite)
        self.add.clicked.connect(self.take)

    def update_soon(self, *_: object) -> None:
        """Update the thumbnails after a change of what the canvas shows."""
        if self.isVisible():
            self._live.start()

    def _show_thumbnail(self, path: str, image: QImage) -> None:
        if self._current.document.image is not None:  # else it belongs to an image that was closed
            self.model.set(path, image=image, missing="")

    def _clear_thumbnails(self) -> None:
        """Remove all thumbnails if there is no image."""
        if self._current.document.image is None:
            self.model.clear_images()

    def _list(self, name: str, found: list[Path]) -> None:
        """Show the files that the folder contains now."""
        if name != WALL:
            return
        paths = [str(path) for path in found]
        new = [path for path in paths if self.model.item(path) is None]
        item = self.current
        if item is not None and item.path not in paths:
            self.let_go()
            self._messages.note(f"{item.name} is not in the folder; it is no longer tried")
        self._show_files(self._folder, paths)
        if len(new) < len(paths):
            self.maker.reload(new)
        else:
            self._live.start()

    def _reload(self, name: str, changed: list[Path]) -> None:
        if name == WALL:
            self.maker.reload([str(path) for path in changed if self.model.item(str(path)) is not None])

    def _show_files(self, folder: Path, paths: list[str]) -> None:
        if not paths:
            self._messages.warn(f"{folder}: has no LUT or CDL files; choose another folder")
        self._settings.set(FOLDER, str(folder))
        self.folder.setText(folder.name or str(folder))
        self.folder.setToolTip(f"{folder}\nChoose a folder of LUT and CDL files")
        self.model.show(paths, self._settings.entries(FAVOURITES, list[str](), str))
        self._search()

    def _search(self, *_: object) -> None:
        self.filter.search(self.search.text())
        self.filter.only_favourites(self.only.isChecked())
        shown, every = self.filter.rowCount(), self.model.rowCount()
        self.count.setText(f"{shown} of {every}" if shown != every else f"{every} files")

    def _show_scene(self) -> None:
        """Start making thumbnails of what the canvas shows now."""
        if not self.isVisible():
            return
        document, scene = self._current.document, None
        if document.image is not None:
            levels, ratio = levels_of(document.image), self.devicePixelRatioF()
            scene = Scene(levels, document.grade_at_frame, document.managed, self._viewing(), ratio)
        self.maker.show(scene, [item.path for item in self.model.items])
        self.maker.want(self._visible_paths())
        self._show_item()

    def _visible_paths(self) -> list[str]:
        return [self.filter.index(row, 0).data(ITEM).path for row in self.list.visible_rows()]

    def _loaded(self, path: str, look: FileLook) -> None:
        item = self.model.item(path)
        old = item.look if item is not None else None
        if item is not None and old is not None:
            self._messages.withdraw(self._warnings.pop(path, None))
            if old != look and old.interpolation == look.interpolation:
                self._messages.note(f"Reloaded {item.name}")
        self.model.set(path, look=look, problem="")
        item = self.current
        if item is not None and item.path == path:
            self._show_item()

    def _refused(self, path: str, line: str) -> None:
        self.model.set(path, problem=line)
        item = self.model.item(path)
        if item is not None and item.look is not None:
            line = f"{item.problem}. The previous version of {item.name} stays in use."
            self._messages.withdraw(self._warnings.pop(path, None))
            self._warnings[path] = self._messages.warn(line)

    def _interpolate(self, word: str) -> None:
        item = self.current
        if item is not None:
            self.maker.set_interpolation(item.path, word)

    def _show_item(self) -> None:
        """Preview the selected LUT on the canvas and examine it."""
        item = self.current
        look = item.look if item is not None else None
        self._stage.preview_lut(look)
        self.name.setText(item.name if item is not None else "No file selected")
        self.name.setToolTip(item.path if item is not None else "")
        self.favourite.setChecked(item is not None and item.favourite)
        self.box.setCurrentText(look.interpolation if look is not None else "file")
        for widget in (self.favourite, self.box, self.add):
            widget.setEnabled(look is not None)
        self._jobs.drop(self, EXAMINATION)
        if look is None:
            self._tell(None, item.problem if item is not None else "Select a file to preview it on the image.")
            return
        document = self._current.document
        levels = None if document.image is None else levels_of(document.image)
        work = partial(examine, look, levels, document.managed, document.grade_at_frame)
        self._jobs.latest(self, EXAMINATION, work, self._show_examination, self._messages.warn)

    def _show_examination(self, found: Examination) -> None:
        self._tell(found, found.text)

    def _tell(self, found: Examination | None, text: str) -> None:
        self.findings.setText(text)
        self.curves.show_response(found.curves if found else None)
        self.cube.show_lattice(found.lattice if found else None)

    def minimumSizeHint(self) -> QSize:
        return QSize(520, 220)
