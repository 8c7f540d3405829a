"""The gallery: grab stills, find them, compare them with the image, and take their grades over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QPoint, QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from app.model.still import Still
from app.panels.gallery.details import StillDetails
from app.panels.gallery.list_view import GalleryList
from app.panels.gallery.model import STILL, GalleryModel
from app.panels.tile_layout import lay_out_tiles
from app.services.files import Files
from app.services.settings import Settings
from app.services.still_files import DELETED
from app.services.still_grades import StillGrades
from app.services.still_thumbnails import StillThumbnails
from app.services.stills import Stills
from app.widgets.choice_box import ChoiceBox
from app.widgets.context_menu import show_menu
from app.widgets.showing import ask
from app.widgets.style import icon

SCOPE = "stills.all"
"""The setting that says whether all stills are shown, or those of the session."""
SCOPES = ("This session", "All stills")
SCOPE_WIDTH = 116
"""The width of the box with SCOPES, in pixels."""
NO_STILLS = "Press S to grab a still of the image: the graded frame as an EXR, with its grade."
NONE_OF_SESSION = "No still of this session. Press S to grab one; All stills shows the whole folder."
NOTHING_FOUND = "No still matches the search."


class GalleryPanel(QWidget):
    """Tiles of the stills, and the details of the selected one."""

    def __init__(
        self,
        stills: Stills,
        thumbnails: StillThumbnails,
        grades: StillGrades,
        files: Files,
        settings: Settings,
        actions: Mapping[str, QAction],
        ask_to_delete: Callable[[str, str, Callable[[], None]], None],
    ) -> None:
        """`ask_to_delete` asks a question, with more below it, and calls a function if the answer is yes."""
        super().__init__()
        self.setObjectName("listPanel")
        self._stills, self._thumbnails = stills, thumbnails
        self._files, self._settings, self._actions, self._ask_to_delete = files, settings, actions, ask_to_delete
        self.model = GalleryModel(thumbnails)
        self.list = GalleryList()
        self.list.setModel(self.model)
        self.setFocusProxy(self.list)
        compare, use = self._button("still_wipe", "Compare"), self._button("still_use_grade", "Use this grade")
        self.details = StillDetails(stills.rename, stills.set_note, grades.add, compare, use)
        self._lay_out()
        self._make_actions()
        self._connect()
        stills.watch()
        self._show()

    # -- inside

    def _lay_out(self) -> None:
        self.grab_button = self._button("grab_still", "Grab still")
        self.grab_button.setIcon(icon("still"))
        self.scope = ChoiceBox(SCOPES, "Stills to show", "Show the stills of this session, or all of the folder")
        self.scope.setFixedWidth(SCOPE_WIDTH)
        self.scope.setCurrentIndex(int(self._settings.get(SCOPE, False)))
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search")
        self.search.setToolTip("Show only stills whose name, image, date or note contains these words")
        self.search.setAccessibleName("Search the stills")
        self.search.setClearButtonEnabled(True)
        self.count = QLabel()
        self.count.setObjectName("note")
        self.folder = QPushButton(icon("folder"), "Folder…")
        self.folder.setAccessibleName("Choose the folder of stills")
        self.folder.clicked.connect(self.choose_folder)
        bar = (self.grab_button, self.scope, self.search, self.count, self.folder)
        lay_out_tiles(self, bar, self.search, self.list, self.details)

    def _button(self, command: str, text: str) -> QPushButton:
        """Return a button that gives a command, and follows whether it is enabled."""
        action, button = self._actions[command], QPushButton(text)
        button.setToolTip(action.toolTip())
        button.setAccessibleName(text)
        button.clicked.connect(action.trigger)
        action.enabledChanged.connect(button.setEnabled)
        button.setEnabled(action.isEnabled())
        return button

    def _make_actions(self) -> None:
        def action(text: str, tip: str, run: Callable[[], object]) -> QAction:
            made = QAction(text, self)
            made.setToolTip(tip)
            made.triggered.connect(lambda _checked=False: run())
            return made

        self.open = action("Open as image", "Open the selected stills as images of their own", self._open)
        self.reveal = action("Show in folder", "Open the folder of the stills in the file manager", self._reveal)
        self.rename = action("Rename", "Change the name of the file (F2)", self._rename)
        self.join = action("Add to this session", "Add the selected stills to this session", self._join)
        self.leave = action(
            "Remove from this session", "Remove the selected stills from this session; keeps the files", self._leave
        )
        self.delete = action("Delete…", f"Move the selected stills to the folder {DELETED} (Delete)", self._delete)

    def _connect(self) -> None:
        self._stills.changed.connect(self._show)
        self._thumbnails.made.connect(self._want)
        self.scope.activated.connect(self._choose_scope)
        self.search.textChanged.connect(lambda _: self._show())
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._select())
        self.list.selectionModel().currentChanged.connect(lambda *_: self._select())
        self.list.visible_changed.connect(self._want)
        self.list.activated.connect(lambda _: self._compare())
        self.list.taken.connect(self._compare)
        self.list.rename_wanted.connect(self._rename)
        self.list.delete_wanted.connect(self._delete)
        self.list.menu_wanted.connect(self._show_menu)

    def choose_folder(self) -> None:
        """Ask for the folder of stills."""
        dialog = QFileDialog(self, "Folder of stills", str(self._stills.folder))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self._stills.choose_folder(Path(name)))
        ask(dialog)

    @property
    def selected(self) -> list[Still]:
        """The selected stills, from left to right."""
        return [index.data(STILL) for index in sorted(self.list.selectionModel().selectedIndexes())]

    def _choose_scope(self, at: int) -> None:
        self._settings.set(SCOPE, bool(at))
        self._show()

    def _show(self) -> None:
        """Show the stills of the scope that match the search, and keep those selected that still are there."""
        every = self._stills.items if self.scope.currentIndex() else self._stills.of_session
        found = [still for still in every if still.matches(self.search.text())]
        chosen = self._stills.selected
        if self.model.show(found):
            self._select_again(chosen)
        self.list.hint = NOTHING_FOUND if every else NONE_OF_SESSION if self._stills.items else NO_STILLS
        self.list.viewport().update()
        self.count.setText(
            f"{len(found)} of {len(every)}"
            if len(found) < len(every)
            else f"{len(every)} still{'s' * (len(every) != 1)}"
        )
        self.folder.setToolTip(f"{self._stills.folder}\nChoose another folder of stills")
        self.details.show_still(self._stills.current)
        self._want()

    def _select_again(self, ids: tuple[str, ...]) -> None:
        model, flags = self.list.selectionModel(), QItemSelectionModel.SelectionFlag
        blocked = model.blockSignals(True)
        rows = [row for id in ids if (row := self.model.row_of(id)) >= 0]
        for row in rows:
            model.select(self.model.index(row), flags.Select)
        if rows:
            model.setCurrentIndex(self.model.index(rows[0]), flags.Select)
        model.blockSignals(blocked)
        self._select()

    def _select(self) -> None:
        """Tell which stills are selected: the current one first."""
        current = self.list.currentIndex()
        first = [current.data(STILL)] if current.isValid() and self.list.selectionModel().isSelected(current) else []
        self._stills.select(still.id for still in (*first, *self.selected))
        self.details.show_still(self._stills.current)

    def _want(self, _made: object = None) -> None:
        """Have the thumbnails of the visible tiles made."""
        rows = self.list.visible_rows()
        self._thumbnails.want(self.model.items[rows.start : rows.stop])

    def _compare(self) -> None:
        self._actions["still_wipe"].trigger()

    def _show_menu(self, where: QPoint) -> None:
        names = "still_wipe", "still_use_grade", "still_grid"
        entries = [self._actions[name] for name in names]
        session = self.join if any(s not in self._stills.of_session for s in self.selected) else self.leave
        show_menu(self.list, (*entries, None, self.open, self.reveal, None, session, self.rename, self.delete), where)

    def _open(self) -> None:
        self._files.open_images([still.path for still in self.selected])

    def _reveal(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._stills.folder)))

    def _rename(self) -> None:
        self.details.name.setFocus()
        self.details.name.selectAll()

    def _join(self) -> None:
        self._stills.join(self.selected)

    def _leave(self) -> None:
        self._stills.leave(self.selected)

    def _delete(self) -> None:
        stills = self.selected
        if stills:
            what = stills[0].name if len(stills) == 1 else f"{len(stills)} stills"
            more = f"The files move to the folder {DELETED} beside the stills."
            self._ask_to_delete(f"Delete {what}?", more, lambda: self._stills.delete(stills))
