"""The page of the preferences for the user's own ops: whether they are used, and which files are allowed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.services.own_ops import ListedFile, OwnOps
from app.widgets.elided import ElidedLabel
from app.widgets.showing import ask, push_button
from engine.grade.own_ops import OwnFile

ROW, FILE_WIDTH = 20, 200
"""Height of a row and width of the names of files, in pixels."""
SWITCH = "Allow your own ops (Python code that runs with your rights)"
ABOUT = (
    "A Python file in this folder can define ops. It is code: it can do what you can, so allow only what you have read "
    "or trust. Each file is allowed once; when its content changes, it asks again. Files that are not allowed are "
    "never executed, and grades never bring code with them."
)
TRUST = "Allowed files are executed now, at each start, and in exports. Read this one first:"


class OwnOpsPage(QWidget):
    """Lists the files in the folder with their states. Executes nothing by itself."""

    def __init__(self, own_ops: OwnOps) -> None:
        super().__init__()
        self._own_ops = own_ops
        self.switch = QCheckBox(SWITCH)
        self.switch.setToolTip("While this is off, no file is executed, and ops that grades have of them are missing")
        self.switch.clicked.connect(own_ops.switch)
        self.folder = ElidedLabel()
        self.folder.setAccessibleName("Folder of your own ops")
        self.list = QTreeWidget()
        self._set_up_list()
        self.allow = push_button("Allow…", "Show the selected file and allow what it contains", self._ask)
        self.forbid = push_button("Forbid", "Use the selected file no more", self._forbid)
        self.again = push_button("Look again", "Read the files in the folder again", own_ops.look)
        self.open = push_button("Open folder", "Open the folder of your own ops", self._open)
        about = QLabel(ABOUT)
        about.setObjectName("note")
        about.setWordWrap(True)
        place, buttons = QHBoxLayout(), QHBoxLayout()
        place.addWidget(QLabel("Folder"))
        place.addWidget(self.folder, 1)
        place.addWidget(self.open)
        for button in (self.allow, self.forbid, self.again):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.switch)
        column.addLayout(place)
        column.addWidget(self.list, 1)
        column.addLayout(buttons)
        column.addWidget(about)
        own_ops.changed.connect(self.refresh)
        self.refresh()
        own_ops.look()

    @property
    def current(self) -> ListedFile | None:
        """The selected file."""
        row = self.list.currentIndex().row()
        return self._own_ops.listed[row] if 0 <= row < len(self._own_ops.listed) else None

    def refresh(self) -> None:
        """Show the files and their states; the selected row stays."""
        row = max(self.list.currentIndex().row(), 0)
        self.switch.setChecked(self._own_ops.permissions.on)
        self.folder.show_text(str(self._own_ops.folder))
        self.folder.setToolTip(str(self._own_ops.folder))
        self.list.clear()
        for each in self._own_ops.listed:
            item = QTreeWidgetItem([each.file.name, each.state])
            item.setToolTip(0, f"{each.file.path}\nSHA-256 {each.file.sha256}")
            item.setToolTip(1, each.state)
            item.setSizeHint(0, QSize(0, ROW))
            self.list.addTopLevelItem(item)
        for line in self._own_ops.lines:
            item = QTreeWidgetItem([line, "Can't be read"])
            item.setToolTip(0, line)
            self.list.addTopLevelItem(item)
        self.list.setCurrentIndex(self.list.model().index(min(row, self.list.topLevelItemCount() - 1), 0))
        self._show_current()

    def _set_up_list(self) -> None:
        self.list.setAccessibleName("Files of your own ops")
        self.list.setToolTip("The Python files in the folder, and whether they are in use")
        self.list.setColumnCount(2)
        self.list.setHeaderLabels(["File", "State"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(True)
        self.list.header().resizeSection(0, FILE_WIDTH)
        self.list.currentItemChanged.connect(lambda *_: self._show_current())

    def _show_current(self) -> None:
        current, permissions = self.current, self._own_ops.permissions
        self.allow.setEnabled(current is not None and permissions.on and not current.allowed)
        self.forbid.setEnabled(current is not None and permissions.knows(current.file))

    def _ask(self) -> None:
        if (current := self.current) is not None:
            ask(AllowDialog(current.file, partial(self._own_ops.allow, current.file), self))

    def _forbid(self) -> None:
        if (current := self.current) is not None:
            self._own_ops.forbid(current.file)

    def _open(self) -> None:
        self._own_ops.folder.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._own_ops.folder)))


class AllowDialog(QDialog):
    """Shows a file as it was read: its path, its hash and its text. What is allowed is just that."""

    def __init__(self, file: OwnFile, allow: partial[None], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Allow {file.name}")
        self.path, self.sha256 = _line(file.path, "Path"), _line(file.sha256, "SHA-256")
        self.text = QPlainTextEdit(file.text)
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName("Content of the file")
        self.text.setToolTip("The content that is allowed")
        trust = QLabel(TRUST)
        trust.setWordWrap(True)
        self.yes = push_button("Allow and run", "Allow this content, and run it with your rights", self.accept)
        self.no = push_button("Cancel", "Leave the file as it is: not allowed (Esc)", self.reject)
        self.accepted.connect(allow)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.yes)
        buttons.addWidget(self.no)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        for widget in (self.path, self.sha256, trust):
            column.addWidget(widget)
        column.addWidget(self.text, 1)
        column.addLayout(buttons)
        self.resize(720, 560)
        self.no.setFocus()


def _line(text: str, name: str) -> QLabel:
    label = QLabel(f"{name}: {text}")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
