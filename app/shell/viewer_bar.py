"""The viewer group of the toolbar: channel, backdrop, exposure, gamma and view transform of the screen."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton

from app.panels.picker import Picker
from app.panels.view_menu import fill_view_menu
from app.services.colour_manager import Colour
from app.services.document_switch import DocumentSwitch
from app.services.view_options import ViewOptions
from app.widgets.fields import NumberField
from app.widgets.style import icon
from engine.kernel.op import Slider

VIEW_EXPOSURE = Slider(
    0.0, -10.0, 10.0, "EV", None, "Exposure of the display only; it does not affect exports", (-4.0, 4.0)
)
VIEW_GAMMA = Slider(1.0, 0.2, 4.0, "", 0.05, "Gamma of the display only; it does not affect exports")
CHANNELS = {"red": "R", "green": "G", "blue": "B", "alpha": "A", "luma": "L"}
BACKDROPS = ("backdrop_checker", "backdrop_grey")
TRACK_WIDTH, BOX_WIDTH = 56, 62
WIDEST_VIEW = 290
"""Width of the view picker that the longest names of the built-in configs need, in pixels."""
GAP = 8
"""Distance between label, track and box of a field, in pixels."""


class ViewerBar(QFrame):
    """Everything that changes the screen and never the grade or an export, in a frame of its own."""

    def __init__(
        self, switch: DocumentSwitch, view: ViewOptions, colour: Colour, actions: Mapping[str, QAction]
    ) -> None:
        super().__init__()
        self.setObjectName("viewer")
        self._view, self._colour, self._actions = view, colour, actions
        caption = QLabel("Viewer")
        caption.setProperty("quiet", True)
        caption.setToolTip("These options change what the screen shows, never the grade or an export")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 1, 4, 1)
        row.setSpacing(0)
        row.addWidget(caption)
        row.addSpacing(6)
        for name, letter in CHANNELS.items():
            row.addWidget(self._channel(actions[name], letter))
        row.addWidget(self._backdrop())
        row.addSpacing(8)
        self.exposure = _field("Exposure", VIEW_EXPOSURE, TRACK_WIDTH)
        self.exposure.edited.connect(lambda stops: view.set(exposure=stops))
        row.addWidget(self.exposure)
        row.addSpacing(8)
        self.gamma = _field("Gamma", VIEW_GAMMA, 0)
        self.gamma.edited.connect(lambda value: view.set(gamma=value))
        row.addWidget(self.gamma)
        row.addSpacing(8)
        self.picker = Picker("View", "The view transform that displays the image", self._fill_view)
        self.picker.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.picker.wanted_width, self.picker.widest = 220, WIDEST_VIEW
        row.addWidget(self.picker)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        switch.at_last(self._show, view.changed, colour.changed)
        self._show()

    def _show(self) -> None:
        self.exposure.set_value(self._view.state.exposure)
        self.gamma.set_value(self._view.state.gamma)
        colour = self._colour
        if colour.managed.converts:
            colour.request_names()
            self.picker.show_choice(colour.shown[1] or "Default view", f"on {colour.shown[0] or 'the default display'}")
        else:
            self.picker.show_choice("sRGB", "The image's colour space is unknown; set it in the Colour panel.")

    def _fill_view(self, menu: QMenu) -> None:
        fill_view_menu(self._colour, self._actions, menu)

    @staticmethod
    def _channel(action: QAction, letter: str) -> QToolButton:
        """Return a button of a channel. Its text is that of the action for buttons, which no change replaces."""
        action.setIconText(letter)
        button = QToolButton()
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(f"{action.text().replace('&', '')} channel")
        return button

    def _backdrop(self) -> QToolButton:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.addActions([self._actions[name] for name in BACKDROPS])
        button = QToolButton()
        button.setObjectName("backdrop")
        button.setIcon(icon("checker"))
        button.setIconSize(QSize(16, 16))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip("What lies behind transparent pixels: black, a checkerboard (K) or mid grey (Shift+K)")
        button.setAccessibleName("Behind alpha")
        return button


def _field(label: str, kind: Slider, track_width: int) -> NumberField:
    """Return a field no wider than it needs to be; without a track if its width is 0."""
    label_width = QFontMetrics(QApplication.font()).horizontalAdvance(label) + 2
    field = NumberField(label, kind, f"View {label.lower()}", label_width=label_width)
    field.row.box.setFixedWidth(BOX_WIDTH)
    field.row.track.setVisible(track_width > 0)
    gaps = 2 * GAP if track_width else GAP
    field.setFixedWidth(label_width + track_width + BOX_WIDTH + gaps)
    return field
