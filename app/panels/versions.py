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

from app.model.versions import THUMBNAIL_SIZE, Version, Versions
from app.panels.following import Following
from app.services.current_document import CurrentDocument
from app.services.messages import Messages
from app.widgets.context_menu import show_menu
from app.widgets.discarding import Discarding
from app.widgets.gradual import Gradual
from app.widgets.name_edit import NameEdit
from app.widgets.scrolling import scroll_area
from app.widgets.small_buttons import icon_button
from app.widgets.style import icon

THUMBNAIL = (56, 32)
"""Size of a thumbnail in a row, in pixels."""
SPARE_ROWS = 12
"""The most rows that stay where there are fewer versions."""


MakeThumbnail = Callable[[int, int], bytes]
"""Returns the displayed frame, scaled to fit within a width and height, as a PNG; b'' without a frame."""


class VersionRow(QFrame):
    """One version: its thumbnail, and beside it the name, as wide as the panel allows, above the buttons."""

    def __init__(self, current: CurrentDocument, make_thumbnail: MakeThumbnail, messages: Messages) -> None:
        super().__init__()
        self._current, self._make_thumbnail, self._messages = current, make_thumbnail, messages
        self._shown: bytes | None = None  # the thumbnail
        self.name = ""
        self.name_edit = NameEdit("", "", "")
        self.name_edit.setMinimumWidth(72)
        self.name_edit.editingFinished.connect(self._rename)
        self.show_button = QToolButton()
        self.show_button.setText("Show")
        self.show_button.setFixedWidth(48)
        self.show_button.clicked.connect(lambda: current.document.show_version(self.name))
        self.marks = [self._mark(place, letter) for place, letter in enumerate("AB")]
        self.update_button = icon_button("save", "", "")
        self.update_button.clicked.connect(self._update)
        self.remove = icon_button("remove", "", "")
        self.remove.clicked.connect(self._remove)
        self.thumbnail = QLabel()
        self.thumbnail.setFixedSize(*THUMBNAIL)
        self.thumbnail.setAlignment(Qt.AlignmentFlag.AlignCenter)
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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        entries = self.show_button, *self.marks, None, self.update_button, self.remove
        show_menu(self, entries, event.globalPos())

    def show_version(self, version: Version, marks: tuple[str, str]) -> None:
        """Show a version, and whether it is marked as A or B."""
        name = version.name
        for mark, letter, marked in zip(self.marks, "AB", marks, strict=True):
            mark.setChecked(marked == name)
            mark.setToolTip(f"Mark {name} as {letter}; X toggles between A and B")
            mark.setAccessibleName(f"{name} as {letter}")
        if version.thumbnail != self._shown:
            self._shown = version.thumbnail
            self._show_thumbnail(version.thumbnail)
        if name == self.name:
            return
        self.name = name
        self.name_edit.show_name(name)
        for widget, accessible, tip in (
            (self.name_edit, f"Name of {name}", f"{name}: type another name and press Return to rename this version"),
            (self.show_button, f"Show {name}", f"Replace the grade with {name}; Undo restores the current grade"),
            (self.update_button, f"Update {name}", f"Replace {name} with the current grade"),
            (self.remove, f"Remove {name}", f"Remove {name}; Undo restores it"),
            (self.thumbnail, f"Thumbnail of {name}", f"The frame on which {name} was saved"),
        ):
            widget.setAccessibleName(accessible)
            widget.setToolTip(tip)

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
        button = QToolButton()
        button.setText(letter)
        button.setCheckable(True)
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
    """A row for each version, and below them buttons to save a version and to toggle A/B.

    Rows are built bit by bit. Some are kept for the versions of other documents.
    """

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
        self._shown: Versions | None = None
        self._rows: list[VersionRow] = []  # more than versions: the last ones are hidden
        self._making = Gradual(self._build_next, self)
        self._discarding = Discarding(self)
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
        self._following = Following(self, self._show, current.switch, current.versions_changed, current.grade_changed)

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
            self._show_state()
            return
        self._shown = versions
        for row in self._rows[len(versions.items) :]:
            row.hide()
        most = max(len(versions.items), SPARE_ROWS)
        for row in self._rows[most:]:
            self._stack.removeWidget(row)
        self._discarding.add(self._rows[most:])
        del self._rows[most:]
        for row, version in zip(self._rows, versions.items, strict=False):
            row.show_version(version, versions.marks)
            row.show()
        self._empty.setVisible(not versions.items)
        self._making.start()
        self._show_state()

    def _build_next(self) -> bool:
        """Build the next row; return False if all are built."""
        versions = self._current.document.versions
        if len(self._rows) >= len(versions.items):
            return False
        row = VersionRow(self._current, self._make_thumbnail, self._messages)
        row.show_version(versions.items[len(self._rows)], versions.marks)
        self._stack.addWidget(row)
        self._rows.append(row)
        self._show_state_of(row)
        return True

    @property
    def rows(self) -> list[VersionRow]:
        """The rows of all versions."""
        self._following.finish()
        self._making.finish()
        return self._rows[: len(self._current.document.versions.items)]

    def _show_state(self) -> None:
        versions = self._current.document.versions
        for row in self._rows[: len(versions.items)]:
            self._show_state_of(row)
        self.toggle.setEnabled(versions.has_ab)

    def _show_state_of(self, row: VersionRow) -> None:
        document = self._current.document
        row.show_state(row.name in document.versions and document.versions[row.name].grade == document.grade)
