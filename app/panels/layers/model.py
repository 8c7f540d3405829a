"""The items of the Layers panel: parts, their layers, and the channels of layers with several; and their filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from app.model.layer_tree import LayerNode, PartNode, layer_tree, part_label

if TYPE_CHECKING:
    from engine.io.info import ChannelInfo, ImageInfo

Index = QModelIndex | QPersistentModelIndex
NODE = int(Qt.ItemDataRole.UserRole)
"""The role of the PartNode, LayerNode or ChannelInfo of an item."""
SHOWN = NODE + 1
"""The role that says whether an item is displayed."""
Key = tuple[int, str]
"""The index of a part and the name of a layer."""


class LayerModel(QStandardItemModel):
    """The tree of an image, or an empty one. A file with one part has no item for it."""

    def __init__(self, info: ImageInfo | None, parent: QObject) -> None:
        super().__init__(parent)
        self._layers: dict[Key, QStandardItem] = {}
        self._shown: QStandardItem | None = None
        parts = layer_tree(info) if info is not None else ()
        root = self.invisibleRootItem()
        for part in parts:
            above = root
            if len(parts) > 1:
                above = _item(part.label, _part_tip(part), part)
                root.appendRow(above)
            for node in part.layers:
                above.appendRow(self._layer_item(node))

    def show_layer(self, key: Key | None, channel: str = "") -> QStandardItem | None:
        """Mark the displayed layer, or one of its channels, and return its item."""
        item = self._layers.get(key) if key is not None else None
        if item is not None and channel:
            rows = (item.child(row) for row in range(item.rowCount()))
            item = next((child for child in rows if child.data(NODE).name == channel), item)
        if item is not self._shown:
            for each, shown in ((self._shown, False), (item, True)):
                if each is not None:
                    each.setData(shown, SHOWN)
            self._shown = item
        return item

    def refresh(self, key: Key, values: str, problem: str) -> None:
        """Paint a layer again, whose thumbnail is made, and say its sampled values in its tip."""
        item = self._layers.get(key)
        if item is not None:
            about = f"Sampled values: {values}" if values else problem
            item.setToolTip("\n".join(line for line in (_layer_tip(item.data(NODE)), about) if line))

    def _layer_item(self, node: LayerNode) -> QStandardItem:
        item = _item(node.label, _layer_tip(node), node)
        item.setData(f"{node.label}, {node.facts}", Qt.ItemDataRole.AccessibleTextRole)
        self._layers[node.part.index, node.layer.name] = item
        if len(node.channels) > 1:
            item.appendRows([_channel_item(channel) for channel in node.channels])
        return item


class LayerFilter(QSortFilterProxyModel):
    """Keeps the layers that contain all words, with their parts and channels."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setRecursiveFilteringEnabled(True)
        self.setAutoAcceptChildRows(True)

    def set_text(self, text: str) -> None:
        """Set the words, separated by spaces; without any, all layers are kept."""
        self._words = text.lower().split()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        node = self.sourceModel().index(row, 0, parent).data(NODE)
        if isinstance(node, LayerNode):
            return all(word in node.words for word in self._words)
        return not self._words


def _item(text: str, tip: str, node: object) -> QStandardItem:
    item = QStandardItem(text)
    item.setEditable(False)
    item.setToolTip(tip)
    item.setData(node, NODE)
    item.setData(False, SHOWN)
    return item


def _channel_item(channel: ChannelInfo) -> QStandardItem:
    short = channel.name.rpartition(".")[2]
    return _item(short, f"{channel.name}, {channel.type}; double-click or press Return to show it alone", channel)


def _part_tip(node: PartNode) -> str:
    part = node.part
    view = f", view {part.view}" if part.view else ""
    return f"{part_label(part)}, {part.type}, {part.width} × {part.height}{view}"


def _layer_tip(node: LayerNode) -> str:
    return f"{node.label}: {', '.join(channel.name for channel in node.channels)}\n{node.facts}"
