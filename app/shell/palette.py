"""The command palette: find any command by typing a few letters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QTreeView, QVBoxLayout, QWidget

from app.actions.table import all_commands
from app.model.search import rank
from app.widgets.style import MUTED

WIDTH, HEIGHT = 560, 380
BESIDE = 18
"""The space beside the text of a column."""
Index = QModelIndex | QPersistentModelIndex


def plain(action: QAction) -> str:
    """Return the text of an action without its mnemonic and ellipsis."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")


class Row(NamedTuple):
    """A listed action: its text without mnemonic, and where its menu is."""

    text: str
    where: str
    action: QAction

    @property
    def keys(self) -> str:
        """The keys of the action, for reading."""
        return ", ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in self.action.shortcuts())


class Rows(QAbstractTableModel):
    """The listed actions, best match first: the view asks for those that it shows, of which there are few."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        """List other actions."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 (as Qt has it)
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 3

    def flags(self, index: Index) -> Qt.ItemFlag:
        enabled = index.isValid() and self.rows[index.row()].action.isEnabled()
        return super().flags(index) if enabled else Qt.ItemFlag.NoItemFlags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (f"✓ {row.text}" if row.action.isChecked() else row.text, row.where, row.keys)[column]
        if role == Qt.ItemDataRole.ForegroundRole and column == 1:
            return QColor(MUTED)
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return row.action.statusTip()
        return None


class Palette(QDialog):
    """A list of commands, filtered as the user types."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.setObjectName("palette")
        self._actions = [each for each in actions.values() if each.objectName() != "palette"]
        self._where = {each.name: each.menu.replace("&", "").replace("/", " › ") for each in all_commands()}
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type the name of a command")
        self.field.setAccessibleName("Command to look for")
        self.field.setToolTip("Type words of a command; Up and Down select, Enter runs it")
        self.field.setClearButtonEnabled(False)
        self.field.textChanged.connect(self._filter)
        self.field.returnPressed.connect(self._run)
        self.field.installEventFilter(self)
        self.rows = Rows(self)
        self.list = QTreeView()
        self.list.setModel(self.rows)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAccessibleName("Commands")
        self.list.setToolTip("")
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)
        for column in (1, 2):
            self.list.header().setSectionResizeMode(column, self.list.header().ResizeMode.Interactive)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.activated.connect(self._run)
        self.list.clicked.connect(self._run)
        self.tip = QLabel()
        self.tip.setObjectName("note")
        self.list.selectionModel().currentRowChanged.connect(self._show_tip)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        for widget in (self.field, self.list, self.tip):
            layout.addWidget(widget)
        self.resize(WIDTH, HEIGHT)
        self._filter("")
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Make the columns of menus and keys as wide as their longest text."""
        wide = self.list.fontMetrics().horizontalAdvance
        for column, texts in ((1, {row.where for row in self.rows.rows}), (2, {row.keys for row in self.rows.rows})):
            self.list.setColumnWidth(column, max(map(wide, texts), default=0) + BESIDE)

    @property
    def shown(self) -> list[QAction]:
        """The listed actions, best match first."""
        return [row.action for row in self.rows.rows]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Send Up, Down and the page keys from the field to the list."""
        moves = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in moves:
            self.list.keyPressEvent(event)
            return True
        return False

    def _filter(self, typed: str) -> None:
        found = []
        for action in self._actions:
            text, where = plain(action), self._where.get(action.objectName(), "Panels")
            matched = rank(typed, text, f"{where} {action.statusTip()}")
            if matched is not None:
                found.append((not action.isEnabled(), matched, Row(text, where, action)))
        rows = [row for *_, row in sorted(found, key=lambda each: (*each[:2], each[2].text))]
        self.rows.show(rows)
        usable = next((n for n, row in enumerate(rows) if row.action.isEnabled()), None)
        if usable is not None:
            self.list.setCurrentIndex(self.rows.index(usable, 0))
        self._show_tip()

    def _current(self) -> QAction | None:
        index = self.list.currentIndex()
        return self.rows.rows[index.row()].action if index.isValid() else None

    def _show_tip(self) -> None:
        action = self._current()
        self.tip.setText(action.statusTip() if action else "No matching command.")

    def _run(self) -> None:
        action = self._current()
        if action is not None and action.isEnabled():
            self.accept()
            action.trigger()
