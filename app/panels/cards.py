"""Cards of the Grade panel: a row with the switches of an entry, and below it the fields of its op."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.model.entries import name_of
from app.model.grade_rows import Path
from app.panels.bodies import Body, PickingBody
from app.panels.card_title import CardTitle
from app.panels.dragging_body import DraggingBody
from app.panels.entry_options import changes_of, options_of
from app.panels.key_marks import KeyMarks
from app.panels.mix_slider import KeyedPercent, MixSlider, mix_tip
from app.panels.op_bodies import WITH_WHEELS, body_for
from app.widgets.field_labels import label_of
from app.widgets.fields import FieldEditor
from app.widgets.small_buttons import icon_button, letter_button
from app.widgets.style import restyle
from engine import Layer
from engine.grade.curves import Curve
from engine.grade.entries import mixes
from engine.kernel.op import Choice, Op

MOST_DEPTH = 6
"""The most groups that a card is indented by."""


class Card(QFrame):
    """Base of all cards: title, mix, bypass, solo, menu and remove button in a row of 28 pixels."""

    edited = Signal(object, str)  # {field: value}, description
    switched = Signal(str, object)  # enabled, mix or solo, and its value
    removed = Signal()
    menu_wanted = Signal(QPoint)
    drag_started = Signal()
    drag_ended = Signal()
    build_wanted = Signal()  # the card was opened, and its body is not complete
    layer_shown = Signal()  # another state of the entry is shown
    keys_shown = Signal(object, int)  # its curves by their paths, and the frame
    key_toggled = Signal(object, str)  # paths of parameters, the name of their control
    key_menu_wanted = Signal(object, str, QPoint)  # the same, and a global position

    def __init__(self, layer: Layer, opened: bool) -> None:
        super().__init__()
        self.layer, self.name = layer, name_of(layer)
        self.runs: bool | None = None
        self.path: Path = ()
        self.is_spare = False  # kept for another entry, hidden
        self.keys: tuple[Mapping[str, Curve], int] = ({}, 0)
        """The curves by the paths of their parameters, and the frame."""
        self.title = CardTitle(self.name, opened)
        self.title.toggled.connect(self._fold)
        self._head = QHBoxLayout()
        self._head.setContentsMargins(2, 1, 3, 1)
        self._head.setSpacing(0)
        self._head.addWidget(self.title, 1)
        self._add_switches()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addLayout(self._head)

    def _add_switches(self) -> None:
        self.mix = MixSlider(self.name)
        self.mix.edited.connect(lambda percent: self.switched.emit("mix", percent / 100.0))
        self.mix.reset.connect(lambda: self.switched.emit("mix", 1.0))
        self.mix.drag_started.connect(self.drag_started)
        self.mix.drag_ended.connect(self.drag_ended)
        self._keyed_mix = KeyedPercent(self.mix)
        self.marks = KeyMarks(self)
        self.marks.add("mix", [self._keyed_mix.key_spot()])
        self.take_marks(self.marks)
        if not mixes(self.layer.entry):
            self._show_mix(False)
        self.bypass = icon_button("bypass", "", "")
        self.bypass.setCheckable(True)
        self.bypass.toggled.connect(lambda off: self.switched.emit("enabled", not off))
        self.solo = letter_button("S", "", "")
        self.solo.setCheckable(True)
        self.solo.toggled.connect(lambda on: self.switched.emit("solo", on))
        self.more = icon_button("more", "", "")
        self.more.clicked.connect(lambda: self.menu_wanted.emit(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        self.remove = icon_button("remove", "", "")
        self.remove.clicked.connect(self.removed)
        for widget in (self._keyed_mix, self.bypass, self.solo, self.more, self.remove):
            self._head.addWidget(widget)
        self._describe_switches()

    def _describe_switches(self) -> None:
        """Name the switches after the entry."""
        name = self.name
        self.mix.describe(f"{name} mix", mix_tip(name))
        listed = ", ".join(["reset", "duplicate", "copy", "move", *self.options])
        for button, tip, accessible in (
            (self.bypass, f"Bypass {name} (D)", f"Bypass {name}"),
            (self.solo, f"Solo {name}: apply it alone (Shift+S)", f"Solo {name}"),
            (self.more, f"More for {name}: {listed}", f"More for {name}"),
            (self.remove, f"Remove {name} from the grade (Ctrl+Del)", f"Remove {name}"),
        ):
            button.setToolTip(tip)
            button.setAccessibleName(accessible)

    def add_to_head(self, widget: QWidget) -> None:
        """Add a control behind the title."""
        self._head.insertWidget(2, widget)
        QWidget.setTabOrder(self.title, widget)

    def add_section(self, section: QWidget) -> None:
        """Add something below the fields."""
        self._column.addWidget(section)

    def take_marks(self, marks: KeyMarks) -> None:
        """Pass on what the diamonds of a part of the card want."""
        marks.toggled.connect(self.key_toggled)
        marks.menu_wanted.connect(self.key_menu_wanted)

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        """Show which controls have keys, by the paths of their parameters, and one at the frame."""
        self.keys = curves, frame
        self.marks.show_keys(curves, frame)
        self.keys_shown.emit(curves, frame)

    def _show_mix(self, shown: bool) -> None:
        self.mix.setVisible(shown)
        self._keyed_mix.setVisible(shown)

    def set_layer(self, layer: Layer, runs: bool) -> None:
        """Show another state of the entry, and whether it is applied."""
        self.layer, self.runs = layer, runs
        self.mix.set_number(100.0 * layer.mix)
        self._show_mix(mixes(layer.entry))
        for button, on in ((self.bypass, not layer.enabled), (self.solo, layer.solo)):
            blocked = button.blockSignals(True)
            button.setChecked(on)
            button.blockSignals(blocked)
        self.title.set_dim(not runs)
        self.layer_shown.emit()

    def set_spare(self, spare: bool) -> None:
        """Hide a card that shows no entry of the grade any more, or show it for another one."""
        self.is_spare = spare
        self.set_marked(False)
        self.setVisible(not spare)

    def set_current(self, current: bool) -> None:
        """Mark this card as the one that commands on an entry apply to."""
        self._set_style("current", current)

    def set_marked(self, marked: bool) -> None:
        """Mark this card as one of several that are grouped together."""
        self._set_style("marked", marked)

    def set_path(self, path: Path) -> None:
        """Indent the card by the number of groups around its entry, whose path this is."""
        self.path = path
        self._set_style("depth", min(len(path) - 1, MOST_DEPTH))

    def _set_style(self, name: str, value: object) -> None:
        """Set a property that the style sheet knows."""
        if restyle(self, name, value):
            QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))  # the margins may be others

    @property
    def is_open(self) -> bool:
        """Whether the fields are shown below the title."""
        return self.title.isChecked()

    def open(self, opened: bool = True) -> None:
        """Show or hide the fields."""
        self.title.setChecked(opened)

    @property
    @abstractmethod
    def options(self) -> dict[str, Choice]:
        """The choices in the menu of the entry, by field."""

    @abstractmethod
    def option(self, field: str) -> str:
        """Return the value of an option."""

    @abstractmethod
    def choose(self, field: str, value: str) -> None:
        """Emit the edit that sets an option."""

    def refresh(self) -> None:
        """Show the values of the entry again, after a rejected edit."""

    def first_control(self) -> QWidget | None:
        """Return the control that the keyboard goes to in a new entry: its first field, else its mix."""
        return self.mix if not self.mix.isHidden() else None

    def give_focus(self) -> None:
        """Take the focus, after the controls were made anew."""
        self.title.setFocus()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    @abstractmethod
    def _fold(self, shown: bool) -> None:
        """Show or hide everything but the title."""


class OpCard(Card):
    """The card of an op. Shows wheels if `wheels` is set and the op has them."""

    wheels_wanted = Signal(bool)
    pick_wanted = Signal(bool)
    samples_wanted = Signal(object)  # the body

    def __init__(self, layer: Layer, wheels: bool, opened: bool) -> None:
        assert isinstance(layer.entry, Op)
        super().__init__(layer, opened)
        self._wheels = wheels
        self.switch: QToolButton | None = None
        if isinstance(layer.entry, WITH_WHEELS):
            self.switch = icon_button(
                "sliders" if wheels else "wheels",
                f"Show {self.name} as {'sliders' if wheels else 'wheels'}",
                f"{self.name} as {'sliders' if wheels else 'wheels'}",
            )
            self.switch.clicked.connect(lambda: self.wheels_wanted.emit(not wheels))
            self._head.insertWidget(2, self.switch)
            self.switch.setVisible(opened)
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
        """Build the next part of the body of an open card; return False if there is none left."""
        if not self.is_open:
            return False
        if self._body is None:
            self._body = self._new_body()
            return True
        return self._body.advance()

    @property
    def editors(self) -> dict[str, FieldEditor]:
        """The editors of the fields, by name."""
        return self.body.editors

    @property
    def options(self) -> dict[str, Choice]:
        return options_of(self.op)

    def option(self, field: str) -> str:
        return str(getattr(self.op, field))

    def choose(self, field: str, value: str) -> None:
        self.edited.emit(changes_of(self.op, field, value), label_of(field).lower())

    def give_focus(self) -> None:
        (self.switch if self.switch is not None and self.is_open else self.title).setFocus()

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, runs)
        if self._body is not None and self._body.fits(self.op):
            self._body.set_op(self.op)
        elif self._body is not None:
            self._replace_body(self._body)

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        super().show_keys(curves, frame)
        if self._body is not None:
            self._body.marks.show_keys(curves, frame)

    def refresh(self) -> None:
        if self._body is not None:
            self._body.refresh()

    def first_control(self) -> QWidget | None:
        """Return the first field, or the mix; build no more of the body than that takes."""
        if self._body is None:
            self._body = self._new_body()
        while (found := self._body.first_control()) is None and self._body.advance():
            pass
        return found or super().first_control()

    def _fold(self, shown: bool) -> None:
        for part in (self.switch, self._body):
            if part is not None:
                part.setVisible(shown)
        if shown:
            self.build_wanted.emit()

    def _replace_body(self, old: Body) -> None:
        """Show a body that fits the op; the focus stays on the control of the same name, else on the title."""
        self._body = self._new_body()
        focused = self.window().focusWidget()
        if focused is not None and old.isAncestorOf(focused):
            held = (field for field, editor in old.editors.items() if editor.isAncestorOf(focused))
            self.body.show_options(next(held, ""))
            (named(self.body, focused.accessibleName()) or self.title).setFocus()
        old.hide()
        old.deleteLater()

    def _new_body(self) -> Body:
        body = body_for(self.op, self._wheels)
        body.setContentsMargins(8, 4, 8, 8)
        body.edited.connect(self.edited)
        body.drag_started.connect(self.drag_started)
        body.drag_ended.connect(self.drag_ended)
        body.marks.show_keys(*self.keys)
        self.take_marks(body.marks)
        if isinstance(body, PickingBody):
            body.pick_wanted.connect(self.pick_wanted)
        if isinstance(body, DraggingBody):
            body.samples_wanted.connect(self.samples_wanted)
        self._column.insertWidget(1, body)
        body.setVisible(self.is_open)
        return body


def named(widget: QWidget, name: str) -> QWidget | None:
    """Return the control in a widget that has an accessible name."""
    found = (each for each in widget.findChildren(QWidget) if each.accessibleName() == name)
    return next((each for each in found if each.focusPolicy() != Qt.FocusPolicy.NoFocus), None)
