"""The toolbar above the image: common commands, the viewer group, part and layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from app.model.layer_tree import MAIN, layer_holding, layers_of, part_label
from app.services.files import Files
from app.shell.viewer_bar import ViewerBar
from app.widgets.choice_box import ChoiceBox


class ToolBar(QToolBar):
    """Shows the choices of part and layer only if the file has several."""

    def __init__(
        self, displayed: Callable[[], Any], viewer: ViewerBar, files: Files, actions: Mapping[str, QAction]
    ) -> None:
        """`displayed` returns the displayed image, or None."""
        super().__init__("Tools")
        self.setObjectName("tools")
        self._displayed, self._files = displayed, files
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(16, 16))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for names in (("open", "save_grade", "export"), ("undo", "redo"), ("fit", "actual"), ("compare",)):
            for name in names:
                self._button(actions[name])
            self.addSeparator()
        self.viewer = viewer
        self.exposure, self.view_picker = self.viewer.exposure, self.viewer.picker
        self.addWidget(self.viewer)
        self._gap()
        self.part_box = ChoiceBox((), "Part", "The part of the file to display and grade")
        self.layer_box = ChoiceBox((), "Layer", "The layer of the part to display and grade")
        self._box_actions = []
        for box in (self.part_box, self.layer_box):
            box.setMinimumWidth(96)
            box.setMaximumWidth(240)
            box.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
            self._box_actions.append(self.addWidget(box))
        self.part_box.activated.connect(self._take_part)
        self.layer_box.activated.connect(self._take_layer)
        self.show_image()

    def show_image(self) -> None:
        """List the parts and layers of the image; hide a list with fewer than two."""
        image = self._displayed()
        parts = [part_label(part) for part in image.info.parts] if image else []
        layers = [layer.name or MAIN for layer in layers_of(image.part)] if image else []
        for box, action, names in zip((self.part_box, self.layer_box), self._box_actions, (parts, layers), strict=True):
            box.clear()
            box.addItems(names)
            action.setVisible(len(names) > 1)
        if image:
            self.part_box.setCurrentIndex(list(image.info.parts).index(image.part))
            shown = layer_holding(image.part, image.layer.name)
            self.layer_box.setCurrentIndex(layers_of(image.part).index(shown))

    def _take_part(self, at: int) -> None:
        image = self._displayed()
        if image is not None:
            self._files.open_layer(image.info.parts[at].index)

    def _take_layer(self, at: int) -> None:
        image = self._displayed()
        if image is not None:
            self._files.open_layer(image.part.index, layers_of(image.part)[at].name)

    def _gap(self) -> None:
        """Add a gap that takes all the remaining space."""
        gap = QWidget()
        gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(gap)

    def _button(self, action: QAction) -> QToolButton:
        self.addAction(action)
        button = self.widgetForAction(action)
        assert isinstance(button, QToolButton)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        return button
