"""The Versions panel: save, show, rename, update and compare (A/B) versions of the current grade."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.model.versions import THUMBNAIL_SIZE, Version
from app.services.current_document import CurrentDocument
from app.services.messages import Messages
from app.widgets.context_menu import show_menu
from app.widgets.name_edit import NameEdit
from app.widgets.scrolling import scroll_area
from app.widgets.small_buttons import icon_button
from app.widgets.style import icon

THUMBNAIL = (56, 32)
"""Size of a thumbnail in a row, in pixels."""


MakeThumbnail = Callable[[int, int], bytes]
"""Returns the displayed frame, scaled to fit within a width and height, as a PNG; b'' without a frame."""


class VersionRow(QFrame):
    """One version: its thumbnail, and beside it the name, as wide as the panel allows, above the buttons."""

    def __init__(
        self, version: Version, current: CurrentDocument, make_thumbnail: MakeThumbnail, messages: Messages
    ) -> None:
        super().__init__()
        self._current, self._make_thumbnail, self._messages = current, make_thumbnail, messages
        self.name = version.name
        name = version.name
        tip = f"{name}: type another name and press Return to rename this version"
        self.name_edit = NameEdit(name, f"Name of {name}", tip)
        self.name_edit.setMinimumWidth(72)
        self.name_edit.editingFinished.connect(self._rename)
        self.show_button = QToolButton()
        self.show_button.setText("Show")
        self.show_button.setFixedWidth(48)
        self.show_button.setToolTip(f"Replace the grade with {name}; Undo restores the current grade")
        self.show_button.setAccessibleName(f"Show {name}")
        self.show_button.clicked.connect(lambda: current.document.show_version(self.name))
        self.marks = [self._mark(place, letter) for place, letter in enumerate("AB")]
        self.update_button = icon_button("save", f"Replace {name} with the current grade", f"Update {name}")
        self.update_button.clicked.connect(self._update)
        self.remove = icon_button("remove", f"Remove {name}; Undo restores it", f"Remove {name}")
        self.remove.clicked.connect(self._remove)
        self.thumbnail = QLabel()
        self.thumbnail.setFixedSize(*THUMBNAIL)
        self.thumbnail.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.thumbnail.setToolTip(f"The frame on which {name} was saved")
        self.thumbnail.setAccessibleName(f"Thumbnail of {name}")
        row, beside, buttons = QHBoxLayout(self), QVBoxLayout(), QHBoxLayout()
        row.setContentsMargins(4, 4, 4, 4)
        row.setSpacing(6)
        row.addWidget(self.thumbnail)
        row.addLayout(beside, 1)
        beside.setSpacing(2)
        beside.addWidget(self.name_edit)
        beside.addLayout(buttons)
        buttons.setSpacing(2)
        for widget in (self.show_button, *self.marks):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        for widget in (self.update_button, self.remove):
            buttons.addWidget(widget)
        self._show_thumbnail(version.thumbnail)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        entries = self.show_button, *self.marks, None, self.update_button, self.remove
        show_menu(self, entries, event.globalPos())

    def show_state(self, shown: bool) -> None:
        """Show whether the grade is this version now."""
        self.show_button.setEnabled(not shown)
        self.update_button.setEnabled(not shown)
        self.show_button.setText("Shown" if shown else "Show")

    def _show_thumbnail(self, thumbnail: bytes) -> None:
        image = QPixmap()
        self.thumbnail.setVisible(image.loadFromData(thumbnail))
        if image.isNull():
            return
        scale = self.devicePixelRatioF()
        image = image.scaled(
            QSize(*THUMBNAIL) * scale,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        image.setDevicePixelRatio(scale)
        self.thumbnail.setPixmap(image)

    def _mark(self, place: int, letter: str) -> QToolButton:
        marks = self._current.document.versions.marks
        button = QToolButton()
        button.setText(letter)
        button.setCheckable(True)
        button.setChecked(marks[place] == self.name)
        button.setToolTip(f"Mark {self.name} as {letter}; X toggles between A and B")
        button.setAccessibleName(f"{self.name} as {letter}")
        button.clicked.connect(lambda: self._current.document.mark_version(place, self.name))
        return button

    def _rename(self) -> None:
        new, document = self.name_edit.text().strip(), self._current.document
        if new == self.name or self.name not in document.versions:
            return
        if not new or new in document.versions:
            self._messages.warn("A version needs a unique name; choose another.")
            self.name_edit.setText(self.name)
            return
        renamed = replace(document.versions[self.name], name=new)
        document.edit_version(self.name, renamed, f"renaming {self.name}")

    def _remove(self) -> None:
        self._current.document.edit_version(self.name, None, f"removal of {self.name}")

    def _update(self) -> None:
        document = self._current.document
        thumbnail = self._make_thumbnail(*THUMBNAIL_SIZE)
        updated = replace(document.versions[self.name], grade=document.grade, thumbnail=thumbnail)
        document.edit_version(self.name, updated, f"update of {self.name}")


class VersionsPanel(QWidget):
    """A row for each version, and below them buttons to save a version and to toggle A/B."""

    def __init__(
        self,
        current: CurrentDocument,
        make_thumbnail: MakeThumbnail,
        messages: Messages,
        actions: Mapping[str, QAction],
    ) -> None:
        super().__init__()
        self.setObjectName("listPanel")
        self._current, self._make_thumbnail, self._messages = current, make_thumbnail, messages
        self._shown: object = None
        self.rows: list[VersionRow] = []
        self._stack = QVBoxLayout()
        self._stack.setContentsMargins(8, 8, 8, 8)
        self._stack.setSpacing(4)
        self._stack.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty = QLabel("Keep the grade as a version to return to it,\nor to compare two versions (A/B).")
        self._empty.setObjectName("hint")
        self._stack.addWidget(self._empty)
        content = QWidget()
        content.setObjectName("cards")
        content.setLayout(self._stack)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(scroll_area(content), 1)
        column.addWidget(self._footer(actions))
        current.versions_changed.connect(self._show)
        current.grade_changed.connect(lambda _grade: self._show_state())
        self._show()

    def _footer(self, actions: Mapping[str, QAction]) -> QWidget:
        footer = QWidget()
        footer.setObjectName("panelFooter")
        row = QHBoxLayout(footer)
        row.setContentsMargins(8, 8, 8, 8)
        row.setSpacing(6)
        self.keep = QPushButton(icon("add"), "Keep as version")
        self.keep.setToolTip(actions["keep_version"].toolTip())
        self.keep.setAccessibleName("Keep as version")
        self.keep.clicked.connect(actions["keep_version"].trigger)
        self.toggle = QPushButton("A/B")
        self.toggle.setToolTip(actions["versions_ab"].toolTip())
        self.toggle.setAccessibleName("A/B")
        self.toggle.clicked.connect(actions["versions_ab"].trigger)
        self.keep.setIconSize(QSize(14, 14))
        row.addWidget(self.keep, 1)
        row.addWidget(self.toggle)
        return footer

    def _show(self) -> None:
        versions = self._current.document.versions
        if versions == self._shown:
            return
        self._shown = versions
        for row in self.rows:
            self._stack.removeWidget(row)
            row.hide()
            row.deleteLater()
        services = self._current, self._make_thumbnail, self._messages
        self.rows = [VersionRow(version, *services) for version in versions.items]
        for row in self.rows:
            self._stack.addWidget(row)
        self._empty.setVisible(not self.rows)
        self._show_state()

    def _show_state(self) -> None:
        document = self._current.document
        for row in self.rows:
            row.show_state(row.name in document.versions and document.versions[row.name].grade == document.grade)
        self.toggle.setEnabled(document.versions.has_ab)
