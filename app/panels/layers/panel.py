"""The Layers panel: the parts, layers and channels of the image with thumbnails, data views and stereo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QKeyEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QTreeView, QVBoxLayout, QWidget

from app.model.layer_tree import LayerNode, PartNode, layer_holding
from app.panels.following import Following
from app.panels.layer_menus import show_layer
from app.panels.layers.data_controls import DataControls
from app.panels.layers.eyes import Eyes
from app.panels.layers.model import NODE, LayerFilter, LayerModel
from app.panels.layers.rows import RowDelegate
from app.panels.layers.thumbnails import Key, LayerThumbnails, same_layers
from app.services.current_document import CurrentDocument
from app.services.data_views import DataViews
from app.services.engine_calls import Services
from app.services.files import Files
from app.services.jobs import Jobs
from app.services.view_options import ViewOptions
from app.widgets.hint import paint_hint

if TYPE_CHECKING:
    from engine.io.info import ImageInfo

WIDTH = 320
"""Least width in pixels, at which no text of the controls is elided."""
NO_IMAGE = "Open an image to see its parts, layers and channels."
NO_MATCH = "No layer matches all these words."
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class FilterField(QLineEdit):
    """A field of words. Escape clears it; Return and Down go to the matches."""

    left = Signal(bool)  # to the matches; whether the first one is to be shown

    def event(self, event: QEvent) -> bool:
        """Keep Escape from commands while there is text to clear."""
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (*ENTER, Qt.Key.Key_Down):
            self.left.emit(event.key() in ENTER)
        else:
            super().keyPressEvent(event)


class LayerTree(QTreeView):
    """The tree. Return and a double click show a channel alone; Escape clears the filter."""

    channel_wanted = Signal(QModelIndex)
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Parts, layers and channels")
        self.setHeaderHidden(True)
        self.setIndentation(12)
        self.setUniformRowHeights(False)
        self.setExpandsOnDoubleClick(True)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.doubleClicked.connect(self.channel_wanted)
        self.hint = NO_IMAGE
        self.is_filtered = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            self.channel_wanted.emit(self.currentIndex())
        elif event.key() == Qt.Key.Key_Escape and self.is_filtered:
            self.escaped.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            paint_hint(self, self.hint)

    def visible_nodes(self) -> Iterator[object]:
        """Yield the nodes of the rows in sight, from the top."""
        index = self.indexAt(self.viewport().rect().topLeft())
        while index.isValid() and self.visualRect(index).top() < self.viewport().height():
            yield index.data(NODE)
            index = self.indexBelow(index)


class LayersPanel(QWidget):
    """A filter, the tree, and below it the controls of stereo and data."""

    def __init__(
        self,
        current: CurrentDocument,
        view: ViewOptions,
        files: Files,
        data: DataViews,
        services: Services,
        jobs: Jobs,
        actions: Mapping[str, QAction],
    ) -> None:
        super().__init__()
        self.setObjectName("listPanel")
        self.setMinimumWidth(WIDTH)
        self._current, self._files = current, files
        self.thumbnails = LayerThumbnails(services, jobs, self)
        self.model = LayerModel(None, self)
        self.matches = LayerFilter(self)
        self.matches.setSourceModel(self.model)
        self.tree = LayerTree()
        self.tree.setModel(self.matches)
        self.tree.setItemDelegate(RowDelegate(self.thumbnails.get, self))
        self.filter = FilterField()
        self.setFocusProxy(self.filter)
        self.eyes = Eyes(view, lambda: current.document.image, actions)
        self.data = DataControls(current.switch, data, actions)
        self._following = False  # the current row follows what is displayed
        self._look = QTimer(self, singleShot=True, interval=0)
        self._look.timeout.connect(self._want)
        self._info: ImageInfo | None = None
        self._lay_out()
        self._connect(view)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def _lay_out(self) -> None:
        self.filter.setPlaceholderText("Filter: words of names, types, views or kinds")
        self.filter.setAccessibleName("Filter layers")
        self.filter.setToolTip(
            "Show the layers that match all these words; Esc clears the filter, Return shows the first layer"
        )
        self.filter.setClearButtonEnabled(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        top = QVBoxLayout()
        top.setContentsMargins(8, 8, 8, 8)
        top.addWidget(self.filter)
        column.addLayout(top)
        column.addWidget(self.tree, 1)
        footer = QWidget()
        footer.setObjectName("panelFooter")
        below = QVBoxLayout(footer)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(self.eyes)
        below.addWidget(self.data)
        column.addWidget(footer)

    def _connect(self, view: ViewOptions) -> None:
        Following(self, self.eyes.refresh, self._current.switch, self._current.image_changed, view.changed)
        Following(self, self._fill, self._current.switch, self._current.image_changed)
        self.filter.textChanged.connect(self._narrow)
        self.filter.left.connect(self._leave_filter)
        self.tree.escaped.connect(self.filter.clear)
        self.tree.channel_wanted.connect(self._show_channel)
        self.tree.selectionModel().currentChanged.connect(lambda index, _before: self._show(index))
        self.thumbnails.made.connect(self._refresh)
        for signal in (self.tree.verticalScrollBar().valueChanged, self.tree.expanded, self.tree.collapsed):
            signal.connect(lambda _: self._look.start())

    def _fill(self) -> None:
        """List the layers of the displayed image, if they differ, and mark the displayed one."""
        image = self._current.document.image
        info = image.info if image is not None else None
        if info is None or self._info is None or not same_layers(info, self._info) or info.path != self._info.path:
            self._following = True
            self._list(info)
            self._expand_parts()
            self._following = False
        self._info = info
        self.tree.hint = NO_IMAGE if info is None else NO_MATCH
        self.thumbnails.show(info)
        self._follow()
        self._look.start()

    def _list(self, info: ImageInfo | None) -> None:
        """List the layers of another image, all at once: a tree that grows row by row lays out its rows each time."""
        before, self.model = self.model, LayerModel(info, self)
        self.matches.setSourceModel(self.model)
        before.deleteLater()

    def _follow(self) -> None:
        """Mark the displayed layer and make it the current row."""
        image = self._current.document.image
        if image is None:
            return
        layer = layer_holding(image.part, image.layer.name)
        channel = image.layer.name if image.layer.name != layer.name else ""
        item = self.model.show_layer((image.part.index, layer.name), channel)
        index = self.matches.mapFromSource(item.index()) if item is not None else QModelIndex()
        if index.isValid() and index != self.tree.currentIndex():
            self._following = True
            chosen = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.tree.selectionModel().setCurrentIndex(index, chosen)
            self.tree.scrollTo(index)
            self._following = False

    def _show(self, index: QModelIndex) -> None:
        """Show the layer of a row; a channel's row shows its layer."""
        node = self._layer_at(index)
        if not self._following and node is not None and not self._is_shown(node, index.data(NODE)):
            show_layer(self._files, node.part, node.layer.name)

    def _show_channel(self, index: QModelIndex) -> None:
        """Show the channel of a row alone."""
        node, layer = index.data(NODE), self._layer_at(index)
        if layer is not None and not isinstance(node, LayerNode):
            show_layer(self._files, layer.part, node.name)

    def _is_shown(self, node: LayerNode, row: object) -> bool:
        """Return whether a layer is displayed: all of it for its own row, any of its channels for theirs."""
        image = self._current.document.image
        if image is None or image.part.index != node.part.index:
            return False
        alone = image.layer.name in node.layer.channels and row is not node
        return self._current.document.layer in (None, image.layer.name) and (
            image.layer.name == node.layer.name or alone
        )

    @staticmethod
    def _layer_at(index: QModelIndex) -> LayerNode | None:
        """Return the layer of a row or of the row above a channel; None for a part."""
        node = index.data(NODE)
        if node is None or isinstance(node, PartNode):
            return None
        return node if isinstance(node, LayerNode) else index.parent().data(NODE)

    def _narrow(self, text: str) -> None:
        self._following = True
        self.matches.set_text(text)
        self._expand_parts()
        self._following = False
        self.tree.is_filtered = bool(text)
        self._follow()
        self._look.start()

    def _leave_filter(self, shows: bool) -> None:
        """Move the focus to the tree; show the first match if the displayed layer is not among them."""
        self.tree.setFocus(Qt.FocusReason.TabFocusReason)
        first = self.matches.index(0, 0)
        while first.isValid() and isinstance(first.data(NODE), PartNode):
            first = self.matches.index(0, 0, first)
        if shows and first.isValid():
            self.tree.setCurrentIndex(first)
            self._show(first)

    def _expand_parts(self) -> None:
        for row in range(self.matches.rowCount()):
            index = self.matches.index(row, 0)
            if isinstance(index.data(NODE), PartNode):
                self.tree.expand(index)

    # -- thumbnails

    def _want(self) -> None:
        """Make the thumbnails of the rows in sight."""
        if self.isVisible():
            nodes = (node for node in self.tree.visible_nodes() if isinstance(node, LayerNode))
            self.thumbnails.want([(node.part.index, node.layer.name) for node in nodes])

    def _refresh(self, key: Key) -> None:
        thumbnail = self.thumbnails.get(key)
        if thumbnail is not None:
            self.model.refresh(key, thumbnail.values, thumbnail.problem)
            self.tree.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.thumbnails.stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._look.start()
