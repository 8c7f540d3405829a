"""Cards of the Grade panel: the switches of an entry, and below them the fields of its op or file."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.model.entries import name_of
from app.panels.bodies import Body, PickingBody
from app.panels.card_title import CardTitle
from app.panels.op_bodies import WITH_WHEELS, body_for
from app.widgets.fields import ChoiceBox, FieldEditor, label_width_for
from app.widgets.slider import TrackSlider
from app.widgets.style import icon
from engine import FileLook, Layer
from engine.grade.grade import mixes
from engine.kernel.op import Op, Slider

INTERPOLATIONS = ("file", "linear", "tetrahedral")
_INTERPOLATION_TIP = "How to interpolate between the entries of {}. file: as the file specifies."
_MIX = Slider(100.0, 0.0, 100.0, "%", 0.0, "Mix of the entry's result with its input")


def icon_button(name: str, tip: str, accessible: str) -> QToolButton:
    """Return a small button with only an icon."""
    button = QToolButton()
    button.setIcon(icon(name))
    button.setIconSize(QSize(14, 14))
    button.setFixedSize(22, 22)
    button.setToolTip(tip)
    button.setAccessibleName(accessible)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class MixSlider(TrackSlider):
    """A small bar that shows and edits the mix of an entry, in percent."""

    def __init__(self, name: str) -> None:
        super().__init__(_MIX, 100.0)
        self._step = 1.0
        self.setRange(0, 100)
        self.setFixedSize(46, 18)
        self.setAccessibleName(f"{name} mix")
        self.setToolTip(
            f"Mix of {name}, %. {_MIX.help}; 100 % is only the result.\n"
            "Drag, or use the arrow keys or the wheel; hold Shift for fine steps; double click to reset to 100."
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QColor("#7aa2c8") if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(46, 46, 46))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(88, 88, 88))
        share = min(max(self.number / 100.0, 0.0), 1.0)
        painter.drawRoundedRect(QRectF(1, 1, (self.width() - 2) * share, self.height() - 2), 2, 2)
        painter.setPen(QColor("#dedede"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, f"{self.number:.3g} %")


class Card(QFrame):
    """Base of all cards: title, mix, bypass, solo, menu and remove button."""

    edited = Signal(object, str)  # {field: value}, description
    switched = Signal(str, object)  # enabled, mix or solo, and its value
    removed = Signal()
    menu_wanted = Signal(QPoint)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.layer, self.name = layer, name_of(layer)
        name = self.name
        self.runs: bool | None = None
        self.title = CardTitle(name)
        self.title.toggled.connect(self._fold)
        self.mix = MixSlider(name)
        self.mix.edited.connect(lambda percent: self.switched.emit("mix", percent / 100.0))
        self.mix.reset.connect(lambda: self.switched.emit("mix", 1.0))
        self.mix.drag_started.connect(self.drag_started)
        self.mix.drag_ended.connect(self.drag_ended)
        self.mix.setVisible(mixes(layer.entry))
        self.bypass = icon_button("bypass", f"Bypass {name}", f"Bypass {name}")
        self.bypass.setCheckable(True)
        self.bypass.toggled.connect(lambda off: self.switched.emit("enabled", not off))
        self.solo = icon_button("solo", f"Solo {name}: apply it alone", f"Solo {name}")
        self.solo.setCheckable(True)
        self.solo.toggled.connect(lambda on: self.switched.emit("solo", on))
        self.more = icon_button("more", f"More commands for {name}: reset, duplicate, copy, move", f"More for {name}")
        self.more.clicked.connect(lambda: self.menu_wanted.emit(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        self.remove = icon_button("remove", f"Remove {name} from the grade", f"Remove {name}")
        self.remove.clicked.connect(self.removed)
        self._head = QHBoxLayout()
        self._head.setSpacing(0)
        self._head.addWidget(self.title, 1)
        self._head.addSpacing(4)
        for widget in (self.mix, self.bypass, self.solo, self.more, self.remove):
            self._head.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 4, 8, 8)
        self._column.setSpacing(4)
        self._column.addLayout(self._head)

    def set_layer(self, layer: Layer, runs: bool) -> None:
        """Show another state of the entry, and whether it is applied."""
        self.layer, self.runs = layer, runs
        self.mix.set_number(100.0 * layer.mix)
        for button, on in ((self.bypass, not layer.enabled), (self.solo, layer.solo)):
            blocked = button.blockSignals(True)
            button.setChecked(on)
            button.blockSignals(blocked)
        self.title.set_dim(not runs)

    def set_current(self, current: bool) -> None:
        """Mark this card as the one that commands on an entry apply to."""
        if self.property("current") != current:
            self.setProperty("current", current)
            self.style().unpolish(self)
            self.style().polish(self)

    def refresh(self) -> None:
        """Show the values of the entry again, after a rejected edit."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    @abstractmethod
    def _fold(self, shown: bool) -> None:
        """Show or hide everything but the title."""


class OpCard(Card):
    """The card of an op. Shows wheels if `wheels` is set and the op has them."""

    wheels_wanted = Signal(bool)
    pick_wanted = Signal(bool)

    def __init__(self, layer: Layer, wheels: bool) -> None:
        assert isinstance(layer.entry, Op)
        super().__init__(layer)
        self._wheels = wheels
        if isinstance(layer.entry, WITH_WHEELS):
            self.switch = icon_button(
                "sliders" if wheels else "wheels",
                f"Show {self.name} as {'sliders' if wheels else 'wheels'}",
                f"{self.name} as {'sliders' if wheels else 'wheels'}",
            )
            self.switch.clicked.connect(lambda: self.wheels_wanted.emit(not wheels))
            self._head.insertWidget(2, self.switch)
        self._body: Body | None = None

    @property
    def op(self) -> Op:
        assert isinstance(self.layer.entry, Op)
        return self.layer.entry

    @property
    def body(self) -> Body:
        """The complete body below the title."""
        if self._body is None:
            self._body = self._new_body()
        self._body.finish()
        return self._body

    def advance(self) -> bool:
        """Build the next part of the body, which is the slowest part of a card; return False if all are built."""
        if self._body is None:
            self._body = self._new_body()
            return True
        return self._body.advance()

    @property
    def editors(self) -> dict[str, FieldEditor]:
        """The editors of the fields, by name."""
        return self.body.editors

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, runs)
        if self._body is not None and self._body.fits(self.op):
            self._body.set_op(self.op)
        elif self._body is not None:
            self._body.hide()
            self._body.deleteLater()
            self._body = self._new_body()

    def refresh(self) -> None:
        self.body.refresh()

    def _fold(self, shown: bool) -> None:
        self.body.setVisible(shown)

    def _new_body(self) -> Body:
        body = body_for(self.op, self._wheels)
        body.edited.connect(self.edited)
        body.drag_started.connect(self.drag_started)
        body.drag_ended.connect(self.drag_ended)
        if isinstance(body, PickingBody):
            body.pick_wanted.connect(self.pick_wanted)
        self._column.addWidget(body)
        body.setVisible(self.title.isChecked())
        return body


class FileCard(Card):
    """The card of a LUT or CDL file: its name and interpolation."""

    def __init__(self, layer: Layer) -> None:
        assert isinstance(layer.entry, FileLook)
        super().__init__(layer)
        self.body = QWidget()
        look = layer.entry
        inside = ", ".join(op.title() for op in look.ops) or "no operations"
        self.title.setToolTip(f"{look.path}\n{inside}\n{self.title.toolTip()}")
        self.box = ChoiceBox(INTERPOLATIONS, f"Interpolation of {self.name}", _INTERPOLATION_TIP.format(self.name))
        self.box.setCurrentText(look.interpolation)
        self.box.textActivated.connect(lambda word: self.edited.emit({"interpolation": word}, "interpolation"))
        caption = QLabel("Interpolation")
        caption.setFixedWidth(label_width_for(["interpolation"]))
        caption.setBuddy(self.box)
        row = QHBoxLayout(self.body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self.box, 1)
        self._column.addWidget(self.body)

    @property
    def look(self) -> FileLook:
        assert isinstance(self.layer.entry, FileLook)
        return self.layer.entry

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, runs)
        self.box.setCurrentText(self.look.interpolation)

    def refresh(self) -> None:
        self.box.setCurrentText(self.look.interpolation)

    def _fold(self, shown: bool) -> None:
        self.body.setVisible(shown)


def card_for(layer: Layer, wheels: bool) -> OpCard | FileCard:
    """Return a card for an entry of a grade."""
    return FileCard(layer) if isinstance(layer.entry, FileLook) else OpCard(layer, wheels)


def shape_of(entry: Op | FileLook) -> Any:
    """Return a key that is equal for entries that the same card can show."""
    return entry.path if isinstance(entry, FileLook) else type(entry)
