"""The model of the LUT wall: the files of a folder with their names, thumbnails, favourites and problems."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QImage

from engine import FileLook
from engine.core.records import dataclass

Index = QModelIndex | QPersistentModelIndex
ITEM = int(Qt.ItemDataRole.UserRole)


@dataclass
class WallItem:
    """One file. `problem` says why it can't be used, `missing` why it has no thumbnail in the current view; both are ''
    if there is no problem or it is not known yet."""

    path: str
    favourite: bool = False
    look: FileLook | None = None
    image: QImage | None = None
    problem: str = ""
    missing: str = ""

    @cached_property
    def name(self) -> str:
        return Path(self.path).name


class WallModel(QAbstractListModel):
    """The files, sorted by name."""

    def __init__(self) -> None:
        super().__init__()
        self.items: list[WallItem] = []
        self._rows: dict[str, int] = {}

    def show(self, paths: Iterable[str], favourites: Iterable[str]) -> None:
        """Show these files, which must be sorted; files that stay keep their state and their selection."""
        wanted, loved = list(paths), set(favourites)
        there = set(wanted)
        if not {item.path for item in self.items} & there:
            self.beginResetModel()
            self.items = [WallItem(path, path in loved) for path in wanted]
            self.endResetModel()
        for row in reversed([row for row, item in enumerate(self.items) if item.path not in there]):
            self.beginRemoveRows(QModelIndex(), row, row)
            del self.items[row]
            self.endRemoveRows()
        for row, path in enumerate(wanted):
            if row == len(self.items) or self.items[row].path != path:
                self.beginInsertRows(QModelIndex(), row, row)
                self.items.insert(row, WallItem(path, path in loved))
                self.endInsertRows()
        self._rows = {item.path: row for row, item in enumerate(self.items)}

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        item = self.items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole or role == Qt.ItemDataRole.AccessibleTextRole:
            return item.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return item.problem or item.missing or item.path
        return item if role == ITEM else None

    def item(self, path: str) -> WallItem | None:
        row = self._rows.get(path)
        return None if row is None else self.items[row]

    def set(self, path: str, **changes: Any) -> None:
        """Change attributes of an item; do nothing if the file is no longer listed."""
        row = self._rows.get(path)
        if row is None:
            return
        for name, value in changes.items():
            setattr(self.items[row], name, value)
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def clear_images(self) -> None:
        """Remove all thumbnails."""
        for item in self.items:
            item.image, item.missing = None, ""
        if self.items:
            self.dataChanged.emit(self.index(0), self.index(len(self.items) - 1))


class WallFilter(QSortFilterProxyModel):
    """Filters the files by words in their names and, optionally, to favourites: `invalidate` it when those change."""

    def __init__(self) -> None:
        super().__init__()
        self.setDynamicSortFilter(False)  # it would ask for each thumbnail that is made
        self._words: list[str] = []
        self._favourites = False

    def search(self, text: str) -> None:
        self._words = text.lower().split()
        self.invalidate()

    def only_favourites(self, wanted: bool) -> None:
        self._favourites = wanted
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        model = self.sourceModel()
        assert isinstance(model, WallModel)
        item = model.items[row]
        name = item.name.lower()
        return all(word in name for word in self._words) and (item.favourite or not self._favourites)
