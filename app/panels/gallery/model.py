"""The model of the gallery: stills with their thumbnails, filtered by a search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt

from app.model.still import Still
from app.model.still_drag import MIME, ids_to_bytes
from app.services.still_thumbnails import StillThumbnails

Index = QModelIndex | QPersistentModelIndex
STILL = int(Qt.ItemDataRole.UserRole)


class GalleryModel(QAbstractListModel):
    """The stills that the gallery shows. They can be dragged onto images."""

    def __init__(self, thumbnails: StillThumbnails) -> None:
        super().__init__()
        self.items: list[Still] = []
        self.thumbnails = thumbnails
        thumbnails.made.connect(self._refresh)

    def show(self, stills: Iterable[Still]) -> bool:
        """Show these stills, in this order; return whether others than before are shown, so that none is selected."""
        new = list(stills)
        if [still.id for still in new] == [still.id for still in self.items]:
            self.items = new
            if new:
                self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return False
        self.beginResetModel()
        self.items = new
        self.endResetModel()
        return True

    def row_of(self, id: str) -> int:
        """Return the row of the still with an ID, -1 if it is not shown."""
        return next((row for row, still in enumerate(self.items) if still.id == id), -1)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.items)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        still = self.items[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return still.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{still.name}, {still.about}"
        if role == Qt.ItemDataRole.ToolTipRole:
            problem = self.thumbnails.problems.get(still.id, "")
            return "\n".join(filter(None, (str(still.path), still.source, still.note, problem)))
        return still if role == STILL else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(MIME, ids_to_bytes(self.items[index.row()].id for index in indexes))
        return data

    def _refresh(self, id: str) -> None:
        row = self.row_of(id)
        if row >= 0:
            self.dataChanged.emit(self.index(row), self.index(row))
