"""Control surfaces, MIDI and Tangent: their controls change whatever is selected, or give commands."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction

from app.actions.table import all_commands
from app.model.control_surface import (
    ABSOLUTE,
    MODES,
    SAMPLES,
    Control,
    PickUp,
    control_of,
    mode_of,
    number_targets,
    steps_of,
)
from app.model.tangent import controls_xml
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.midi import Midi
from app.services.settings import Settings
from app.services.tangent import Tangent
from app.shell.surface_values import Reached, reached
from app.widgets.field_labels import label_of
from engine.errors import GradeError

CONTROLS = "midi_controls"
"""The setting that holds the target and the mode of each control, by the key of the control."""
PRESSED = 0.5
"""Position from which on a button is pressed."""
COMMAND = "command "
MOST_FRAMES = 8
"""Frames that one message of a jog dial steps by, at most."""


class ControlSurface(QObject):
    """Applies the movements of mapped controls to the current document. While it learns, it maps the next control."""

    changed = Signal()  # the mapping, or what is being learnt

    def __init__(
        self,
        midi: Midi,
        tangent: Tangent,
        current: CurrentDocument,
        settings: Settings,
        messages: Messages,
        actions: Mapping[str, QAction],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.midi, self.tangent, self.actions = midi, tangent, actions
        self._current, self._settings, self._messages = current, settings, messages
        self._pick_up = PickUp()
        self._positions: dict[Control, float] = {}
        self._samples: dict[Control, list[float]] = {}
        self.learning = ""
        """The target that is mapped to the control that moves next; '' for none."""
        midi.moved.connect(self._take)
        settings.changed.connect(self._follow)
        self._owed: tuple[Hashable, float] = (None, 0.0)  # too little for the number's decimals, by its target
        tangent.turned.connect(self._turn)
        tangent.reset.connect(self._reset)
        tangent.asked.connect(self._tell)
        tangent.pressed.connect(self._give)
        tangent.jogged.connect(self._jog)
        for signal in (current.grade_changed, current.selected_changed):
            signal.connect(tangent.values_changed)

    def targets(self) -> list[tuple[str, str]]:
        """Return the names and titles of everything that a control can be mapped to."""
        labels = {command.name: command.label for command in all_commands()}
        named = ((name, labels.get(name, action.text())) for name, action in self.actions.items())
        return [*number_targets(), *((f"{COMMAND}{name}", label) for name, label in named)]

    @property
    def mapping(self) -> dict[Control, tuple[str, str]]:
        """The target and the mode of each mapped control."""
        kept = self._settings.entries(CONTROLS, dict[str, list[str]](), list[str])
        found = ((control_of(key), entry) for key, entry in kept.items())
        return {c: (e[0], e[1]) for c, e in found if c is not None and len(e) == 2 and e[1] in MODES}

    def control_for(self, target: str) -> tuple[Control, str] | None:
        """Return the control that a target is mapped to, and its mode."""
        return next(((c, mode) for c, (each, mode) in self.mapping.items() if each == target), None)

    def close(self) -> None:
        """Close the connections to the surfaces."""
        self.midi.close()
        self.tangent.close()

    def learn(self, target: str) -> None:
        """Map a target to the control that moves next; '' stops learning."""
        self.learning = target
        self._samples.clear()
        self.changed.emit()

    def map(self, target: str, control: Control, mode: str) -> None:
        """Map a target to a control, and to no other."""
        self.clear(target)
        self._settings.put(CONTROLS, control.key, [target, mode])

    def clear(self, target: str) -> None:
        """Remove the mapping of a target."""
        for control, (each, _) in self.mapping.items():
            if each == target:
                self._settings.remove(CONTROLS, control.key)

    def _follow(self, setting: str) -> None:
        if setting == CONTROLS:
            self.changed.emit()

    def _take(self, control: Control, positions: tuple[float, ...]) -> None:
        before, self._positions[control] = self._positions.get(control, 0.0), positions[-1]
        if self.learning:
            self._learn(control, positions)
            return
        target, mode = self.mapping.get(control, ("", ABSOLUTE))
        if target.startswith(COMMAND):
            self._press(target.removeprefix(COMMAND), before, positions)
        elif target:
            number = self._reached(target)
            if number is not None:
                self._move(number, control, positions, mode)

    def _reached(self, target: str) -> Reached | None:
        """Return the number of the current document that a target stands for now."""
        document = self._current.document
        return reached(document.grade_at_frame, document.current_entry, target)

    def _learn(self, control: Control, positions: tuple[float, ...]) -> None:
        samples = self._samples.setdefault(control, [])
        samples += positions
        is_command = self.learning.startswith(COMMAND)
        if is_command or (control.kind != "note" and len(samples) >= SAMPLES):
            target, self.learning = self.learning, ""
            self.map(target, control, ABSOLUTE if is_command else mode_of(control, samples))
            self.changed.emit()

    def _press(self, name: str, before: float, positions: tuple[float, ...]) -> None:
        """Give a command each time that a button is pressed."""
        for position in positions:
            if before < PRESSED <= position:
                self._give(name)
            before = position

    def _give(self, name: str) -> None:
        """Give a command."""
        action = self.actions.get(name)
        if action is not None and action.isEnabled():
            action.trigger()

    def _move(self, number: Reached, control: Control, positions: tuple[float, ...], mode: str) -> None:
        if mode != ABSOLUTE:
            self._edit(number, number.moved(sum(steps_of(position, mode) for position in positions)))
            return
        if self._pick_up.takes(control, positions, number.position):
            self._edit(number, number.at(positions[-1]))

    def _turn(self, target: str, by: float) -> None:
        """Move a number by a part of its range."""
        number = self._reached(target)
        if number is None:
            return
        whose, owed = self._owed
        by += owed if whose == number.target else 0.0
        value = number.at(min(max(number.position + by, min(number.position, 0.0)), max(number.position, 1.0)))
        self._owed = (number.target, by if value == number.value else 0.0)
        self._edit(number, value)
        self._tell(target)

    def _reset(self, target: str) -> None:
        number = self._reached(target)
        if number is not None:
            self._edit(number, number.reset())
            self._tell(target)

    def _tell(self, target: str) -> None:
        """Send the position of a number to the Hub; 0 if nothing is there to move."""
        number = self._reached(target)
        if number is None:
            self.tangent.send_value(target, 0.0, True)
        else:
            self.tangent.send_value(target, number.position, number.reset() == number.value)

    def _jog(self, frames: int) -> None:
        for _ in range(min(abs(frames), MOST_FRAMES)):
            self._give("next_frame" if frames > 0 else "previous_frame")

    def _edit(self, number: Reached, value: object) -> None:
        try:
            op = number.op.replace(**{number.field: value})
        except GradeError as error:
            self._messages.warn(str(error))
            return
        text = f"{op.title()} {label_of(number.field).lower()}"
        self._current.document.edit_entry(number.index, op, text, f"{number.index}.{number.field}")


def control_surface(
    current: CurrentDocument,
    settings: Settings,
    jobs: Jobs,
    messages: Messages,
    actions: Mapping[str, QAction],
    parent: QObject,
) -> ControlSurface:
    """Return the control surfaces of a window."""

    controls = controls_xml({command.name: command.label for command in all_commands()})
    midi, tangent = Midi(settings, jobs, parent), Tangent(settings, jobs, controls, parent)
    return ControlSurface(midi, tangent, current, settings, messages, actions, parent)
