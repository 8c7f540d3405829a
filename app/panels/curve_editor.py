"""The curve editor above the timeline: the animated controls, and the curves of those that are selected."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from app.model import curve_lines
from app.model.curve_lines import Curves
from app.panels.animated import AnimatedControl, AnimatedControls, lines_of, taken
from app.panels.key_header import KeyHeader
from app.services import clipboard
from app.services.keyframes import Keyframes
from app.widgets.key_plot import KeyPlot
from engine.grade.curves import Curve

LIST_WIDTH = 190
_ENTRY = Qt.ItemDataRole.UserRole


class CurveEditor(QWidget):
    """Edits the keys of the controls that are selected in its list: those of the current entry, unless others are."""

    def __init__(self, keyframes: Keyframes) -> None:
        super().__init__()
        self.setObjectName("curveEditor")
        self._keyframes, self._current = keyframes, keyframes.current
        self._controls: list[AnimatedControl] = []
        self._listed: object = None
        self._animated = AnimatedControls()
        self._dragging = False
        self.list = self._new_list()
        self.plot = KeyPlot()
        self.header = KeyHeader(self.plot)
        self._lay_out()
        self._connect()

    def _new_list(self) -> QTreeWidget:
        made = QTreeWidget()
        made.setHeaderHidden(True)
        made.setRootIsDecorated(False)
        made.setIndentation(14)
        made.setUniformRowHeights(True)
        made.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setFixedWidth(LIST_WIDTH)
        made.setAccessibleName("Animated controls")
        made.setToolTip("Animated controls by entry. Select those whose curves are shown, several with Ctrl or Shift")
        return made

    def _lay_out(self) -> None:
        right = QVBoxLayout()
        right.setSpacing(2)
        right.addWidget(self.header)
        right.addWidget(self.plot, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.list)
        row.addLayout(right, 1)

    def _connect(self) -> None:
        plot, header, keyframes = self.plot, self.header, self._keyframes
        self.list.itemSelectionChanged.connect(self._show_lines)
        plot.edited.connect(self._edit)
        plot.drag_started.connect(self._begin_drag)
        plot.drag_ended.connect(self._end_drag)
        plot.sought.connect(keyframes.player.go)
        plot.key_wanted.connect(self.set_keys)
        plot.copy_wanted.connect(self.copy)
        plot.paste_wanted.connect(self.paste)
        header.previous.clicked.connect(lambda: keyframes.step(-1, self.plot.curves))
        header.next.clicked.connect(lambda: keyframes.step(1, self.plot.curves))
        header.key.clicked.connect(self.set_keys)
        self._current.grade_changed.connect(self._follow)
        self._current.selected_changed.connect(self._follow_entry)
        self._current.image_changed.connect(self._follow_frame)
        keyframes.player.changed.connect(self._follow_frame)

    def sizeHint(self) -> QSize:
        return QSize(600, 200)

    # -- showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()
        self._follow_frame()

    @property
    def controls(self) -> list[AnimatedControl]:
        """The controls whose curves are shown."""
        chosen = {item.data(0, _ENTRY) for item in self.list.selectedItems()}
        return [each for each in self._controls if each.entry in chosen or (each.entry, each.path) in chosen]

    def _follow(self, _grade: object = None) -> None:
        """Show the grade; the list is made again only for other controls."""
        if not self.isVisible():
            return
        found = self._animated.of(self._current.document.entries)
        self._controls = [each for _, _, controls in found for each in controls]
        listed = [(index, name, [each.path for each in controls]) for index, name, controls in found]
        if listed != self._listed:
            self._listed = listed
            self._fill(found)
        self._show_lines()

    def _fill(self, found: Sequence[tuple[int, str, list[AnimatedControl]]]) -> None:
        """List the controls; the selected ones stay so, and those of the current entry are if none is."""
        chosen = {item.data(0, _ENTRY) for item in self.list.selectedItems()}
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for index, name, controls in found:
            entry = self._item(name, index, f"All animated controls of {name}")
            self.list.addTopLevelItem(entry)
            for each in controls:
                entry.addChild(self._item(each.name, (each.entry, each.path), f"{name} {each.name.lower()}"))
        self.list.expandAll()
        for item in self._items():
            item.setSelected(item.data(0, _ENTRY) in chosen)
        self.list.blockSignals(blocked)
        if not self.list.selectedItems():
            self._follow_entry()

    @staticmethod
    def _item(name: str, data: object, tip: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([name])
        item.setData(0, _ENTRY, data)
        item.setToolTip(0, tip)
        return item

    def _items(self) -> list[QTreeWidgetItem]:
        """Return all items of the list."""
        found = []
        items = QTreeWidgetItemIterator(self.list)
        while (item := items.value()) is not None:
            found.append(item)
            items += 1
        return found

    def _follow_entry(self) -> None:
        """Select the current entry in the list."""
        if self.isVisible():
            wanted = self._current.document.current_entry
            for item in self._items():
                item.setSelected(item.data(0, _ENTRY) == wanted)

    def _show_lines(self) -> None:
        clip, frame = self._keyframes.player.clip, self._keyframes.frame
        frames = (clip.frames[0], clip.frames[-1]) if clip is not None else (frame, frame)
        self.plot.show_lines(lines_of(self.controls, self._current.document.entries), frames)
        self.header.show_keys()

    def _follow_frame(self) -> None:
        """Show the current frame."""
        if self.isVisible():
            self.plot.show_frame(self._keyframes.frame)

    # -- edits

    def set_keys(self) -> None:
        """Set a key at the current frame on each curve."""
        frame = self._keyframes.frame
        self._edit({line.id: curve_lines.inserted(line, frame) for line in self.plot.lines}, f"key of {{}} at {frame}")
        self.plot.select(frozenset((line.id, frame) for line in self.plot.lines))

    def copy(self) -> None:
        """Put the selected keys on the clipboard."""
        found = curve_lines.copied(self.plot.lines, self.plot.selection)
        curves = taken({line: Curve(keys) for line, keys in found.items()}, self._controls)
        kept = [curve.keys for each in curves.values() for curve in each.values() if curve is not None]
        if kept:
            clipboard.copy_keys(kept)

    def paste(self) -> None:
        """Paste keys at the current frame, into the curves that have selected keys, else into all that are shown."""
        chosen = {line for line, _ in self.plot.selection}
        into = {line.id: line.curve for line in self.plot.lines if line.id in chosen or not chosen}
        wanted = [(index, path) for index, curves in taken(into, self._controls).items() for path in curves]
        self._keyframes.paste_into(wanted, "these curves")

    def _edit(self, curves: Curves, what: str) -> None:
        """Take other curves of the plot; `what` was done, with {} for their name."""
        changes = taken(curves, self._controls)
        names = {f"{each.title} {each.name.lower()}" for each in self._controls if each.is_in(changes)}
        text = what.format(names.pop() if len(names) == 1 else f"{len(names)} controls")
        key = "keys drag" if self._dragging else what if what.startswith("move") else ""
        self._keyframes.apply_all(changes, text, key, not self._dragging)
        if not self._dragging:
            self.plot.select(self.plot.selection)

    def _begin_drag(self) -> None:
        self._dragging = True
        self._current.document.begin_drag()

    def _end_drag(self) -> None:
        self._dragging = False
        self._current.document.end_drag()
