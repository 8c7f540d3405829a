"""The key sheet: a searchable list of all commands, keys and gestures, built from the tables of commands."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.actions.table import GESTURES, MENUS, all_commands
from app.model.search import has_words
from app.shell.palette import plain
from app.widgets.showing import push_button


class KeysDialog(QDialog):
    """Lists gestures first, then every command under its menu. The search field filters the list."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys and gestures")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a key or a command")
        self.field.setAccessibleName("Find a key or a command")
        self.field.setToolTip("Type words of a command or a key to filter the list")
        self.field.textChanged.connect(self._filter)
        self.sheet = QTreeWidget()
        self.sheet.setAccessibleName("Keys and gestures")
        self.sheet.setColumnCount(3)
        self.sheet.setHeaderLabels(["Command", "Keys", "What it does"])
        self.sheet.setRootIsDecorated(False)
        self.sheet.setItemsExpandable(False)
        self.sheet.setIndentation(12)
        self.sheet.setUniformRowHeights(True)
        self.sheet.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self._groups: list[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]] = []
        self._fill(actions)
        self.sheet.resizeColumnToContents(0)
        self.sheet.resizeColumnToContents(1)
        close = push_button("Close", "Close this list (Esc)", self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addWidget(self.field)
        column.addWidget(self.sheet, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(1000, 620)

    @property
    def lines(self) -> dict[str, tuple[str, str]]:
        """The keys and description of each row, by the name of its action or the text of its gesture."""
        found = {}
        for item in self._items():
            found[item.data(0, Qt.ItemDataRole.UserRole)] = (item.text(1), item.text(2))
        return found

    def _fill(self, actions: Mapping[str, QAction]) -> None:
        self._head("Mouse and gestures")
        for gesture in GESTURES:
            self._line(gesture.how, gesture.how, "", gesture.what)
        menus = {command.name: command.menu for command in all_commands()}
        tops = {name: menus.get(name, "&Panels").partition("/")[0] for name in actions}
        for menu in MENUS:
            named = [name for name in actions if tops[name] == menu]
            if named:
                self._head(menu.replace("&", ""))
            for name in named:
                action = actions[name]
                native = QKeySequence.SequenceFormat.NativeText
                keys = ", ".join(key.toString(native) for key in action.shortcuts())
                self._line(name, plain(action), keys, action.statusTip())
        self.sheet.addTopLevelItems([head for head, _ in self._groups])
        for head, _ in self._groups:
            head.setFirstColumnSpanned(True)
        self.sheet.expandAll()

    def _head(self, text: str) -> None:
        head = QTreeWidgetItem([text])
        font = self.sheet.font()
        font.setBold(True)
        head.setFont(0, font)
        self._groups.append((head, []))

    def _line(self, name: str, text: str, keys: str, what: str) -> None:
        item = QTreeWidgetItem([text, keys, what])
        item.setData(0, Qt.ItemDataRole.UserRole, name)
        item.setToolTip(2, what)
        head, items = self._groups[-1]
        head.addChild(item)
        items.append(item)

    def _items(self) -> list[QTreeWidgetItem]:
        return [item for _, items in self._groups for item in items]

    def _filter(self, typed: str) -> None:
        for item in self._items():
            item.setHidden(not has_words(typed, " ".join(item.text(n) for n in range(3))))
        for head, items in self._groups:
            head.setHidden(all(item.isHidden() for item in items))
