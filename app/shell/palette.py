"""The command palette: find any command by typing a few letters."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.actions.table import all_commands
from app.model.search import rank
from app.widgets.style import MUTED

WIDTH, HEIGHT = 560, 380
_ACTION = Qt.ItemDataRole.UserRole


def plain(action: QAction) -> str:
    """Return the text of an action without its mnemonic and ellipsis."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&").rstrip("…")


class Palette(QDialog):
    """A list of commands, filtered as the user types."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Commands")
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
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
        self.list = QTreeWidget()
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAccessibleName("Commands")
        self.list.setToolTip("")
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, self.list.header().ResizeMode.Stretch)
        for column in (1, 2):
            self.list.header().setSectionResizeMode(column, self.list.header().ResizeMode.ResizeToContents)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemActivated.connect(self._run)
        self.list.itemClicked.connect(self._run)
        self.tip = QLabel()
        self.tip.setObjectName("note")
        self.list.currentItemChanged.connect(self._show_tip)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        for widget in (self.field, self.list, self.tip):
            layout.addWidget(widget)
        self.resize(WIDTH, HEIGHT)
        self._filter("")

    @property
    def shown(self) -> list[QAction]:
        """The listed actions, best match first."""
        return [item.data(0, _ACTION) for item in self._items]

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
            where = self._where.get(action.objectName(), "Panels")
            matched = rank(typed, plain(action), f"{where} {action.statusTip()}")
            if matched is not None:
                found.append((not action.isEnabled(), matched, plain(action), where, action))
        self.list.clear()
        self._items: list[QTreeWidgetItem] = []
        for *_, text, where, action in sorted(found, key=lambda each: each[:3]):
            keys = ", ".join(k.toString(QKeySequence.SequenceFormat.NativeText) for k in action.shortcuts())
            item = QTreeWidgetItem([("✓ " if action.isChecked() else "") + text, where, keys])
            item.setForeground(1, QColor(MUTED))
            item.setData(0, _ACTION, action)
            item.setToolTip(0, action.statusTip())
            if not action.isEnabled():
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addTopLevelItem(item)
            self._items.append(item)
        usable = [item for item in self._items if item.data(0, _ACTION).isEnabled()]
        if usable:
            self.list.setCurrentItem(usable[0])

    def _show_tip(self) -> None:
        item = self.list.currentItem()
        self.tip.setText(item.data(0, _ACTION).statusTip() if item else "No matching command.")

    def _run(self) -> None:
        item = self.list.currentItem()
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            action = item.data(0, _ACTION)
            self.accept()
            action.trigger()
