"""The toolbar above the image: common commands, channels, view exposure, part and layer."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolBar, QToolButton, QWidget

from app.panels.picker import Picker
from app.panels.view_menu import fill_view_menu
from app.services.colour_manager import Colour
from app.services.files import Files
from app.services.open_documents import OpenDocuments
from app.widgets.fields import ChoiceBox, NumberField
from engine.kernel.op import Slider

VIEW_EXPOSURE = Slider(0.0, -10.0, 10.0, "EV", None, "Exposure of the display only; it does not affect exports")
_LETTERS = {"red": "R", "green": "G", "blue": "B", "alpha": "A", "luma": "L"}


class ToolBar(QToolBar):
    """Shows the choices of part and layer only if the file has several."""

    def __init__(self, documents: OpenDocuments, colour: Colour, files: Files, actions: Mapping[str, QAction]) -> None:
        super().__init__("Tools")
        self.setObjectName("tools")
        self._documents, self._colour, self._files, self._actions = documents, colour, files, actions
        self.setMovable(False)
        self.setFloatable(False)
        self.setIconSize(QSize(16, 16))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for names in (("open", "save_grade", "export"), ("undo", "redo"), ("fit", "actual"), ("compare",)):
            for name in names:
                self._button(actions[name])
            self.addSeparator()
        for name, letter in _LETTERS.items():
            button = self._button(actions[name])
            button.setText(letter)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.addSeparator()
        self.exposure = NumberField("View", VIEW_EXPOSURE, "View exposure", label_width=34)
        self.exposure.setFixedWidth(210)
        self.exposure.edited.connect(lambda stops: documents.set_view(exposure=stops))
        self.addWidget(self.exposure)
        self.view_picker = Picker("View", "The view transform that displays the image", self._fill_view)
        self.view_picker.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.view_picker.wanted_width = 264
        self._gap(6)
        self.addWidget(self.view_picker)
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
        documents.image_changed.connect(self.show_image)
        documents.view_changed.connect(self._show_view)
        colour.changed.connect(self._show_view)
        self.show_image()
        self._show_view()

    def show_image(self) -> None:
        """List the parts and layers of the image; hide a list with fewer than two."""
        image = self._documents.current.image
        parts = [part.name or f"Part {part.index + 1}" for part in image.info.parts] if image else []
        layers = [layer.name or "Main layer" for layer in image.part.layers] if image else []
        for box, action, names in zip((self.part_box, self.layer_box), self._box_actions, (parts, layers), strict=True):
            box.clear()
            box.addItems(names)
            action.setVisible(len(names) > 1)
        if image:
            self.part_box.setCurrentIndex(list(image.info.parts).index(image.part))
            self.layer_box.setCurrentIndex(list(image.part.layers).index(image.layer))

    def _show_view(self) -> None:
        self.exposure.set_value(self._documents.view.exposure)
        colour = self._colour
        if colour.managed.converts:
            colour.request_names()
            self.view_picker.show_choice(
                colour.shown[1] or "Default view", f"on {colour.shown[0] or 'the default display'}"
            )
        else:
            self.view_picker.show_choice("sRGB", "The image's colour space is unknown; set it in the Colour panel.")

    def _fill_view(self, menu: QMenu) -> None:
        fill_view_menu(self._documents, self._colour, self._actions, menu)

    def _take_part(self, at: int) -> None:
        document = self._documents.current
        if document.image_path is not None:
            self._files.open_image(document.image_path, document.image.info.parts[at].index)

    def _take_layer(self, at: int) -> None:
        document = self._documents.current
        if document.image_path is not None:
            part = document.image.part
            self._files.open_image(document.image_path, part.index, part.layers[at].name)

    def _gap(self, width: int = 0) -> None:
        """Add a gap of `width` pixels before the next control; 0 takes all the remaining space."""
        gap = QWidget()
        if width:
            gap.setFixedWidth(width)
        else:
            gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(gap)

    def _button(self, action: QAction) -> QToolButton:
        self.addAction(action)
        button = self.widgetForAction(action)
        assert isinstance(button, QToolButton)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        return button
