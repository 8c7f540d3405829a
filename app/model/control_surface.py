"""Controls of a MIDI surface: their messages, what each is mapped to, and when one takes over a value."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.core.records import dataclass

SLIDERS, WHEELS = 8, 5
"""Sliders of the selected entry and wheels that controls can be mapped to."""
ABSOLUTE, TWOS_COMPLEMENT, OFFSET = "absolute", "relative 1 / 127", "relative 65 / 63"
MODES = (ABSOLUTE, TWOS_COMPLEMENT, OFFSET)
"""How a control sends its movement: its position, or steps as two's complement or about 64."""
NEAR = 0.008
"""Distance between a control and a value at which they are the same: a step of 7 bits."""
SAMPLES = 3
"""Messages that tell how a control sends its movement."""


@dataclass(frozen=True)
class Control:
    """A control: `cc` (control change), `note` or `bend` (pitch bend), its channel from 1, and its number."""

    kind: str
    channel: int
    number: int = 0

    @property
    def key(self) -> str:
        """The name under which settings keep the control."""
        return f"{self.kind} {self.channel} {self.number}"

    @property
    def text(self) -> str:
        """The name shown to users."""
        named = {"cc": f"CC {self.number}", "note": f"Note {self.number}"}.get(self.kind, "Pitch bend")
        return f"{named}, channel {self.channel}"


def control_of(key: str) -> Control | None:
    """Return the control with a key; None if it is invalid."""
    kind, *numbers = key.split(" ")
    if kind not in ("cc", "note", "bend") or len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        return None
    return Control(kind, int(numbers[0]), int(numbers[1]))


def movement(message: Sequence[int]) -> tuple[Control, float] | None:
    """Return the control of a MIDI message and its position, 0 to 1; None for other messages.

    The position of a note is 1 when it is pressed and 0 when it is released.
    """
    if len(message) != 3:
        return None
    status, first, second = message
    channel = (status & 0x0F) + 1
    match status & 0xF0:
        case 0xB0:
            return Control("cc", channel, first), second / 127
        case 0xE0:
            return Control("bend", channel), (first | second << 7) / 16383
        case 0x90:
            return Control("note", channel, first), float(second > 0)
        case 0x80:
            return Control("note", channel, first), 0.0
    return None


def steps_of(position: float, mode: str) -> int:
    """Return the steps that a relative control was turned by."""
    raw = round(position * 127)
    if mode == OFFSET:
        return raw - 64
    return raw if raw < 64 else raw - 128


def mode_of(control: Control, positions: Sequence[float]) -> str:
    """Guess how a control sends its movement: one that repeats itself while it is turned is relative."""
    repeated = [a for a, b in pairwise(positions) if a == b]
    if control.kind != "cc" or not repeated:
        return ABSOLUTE
    return OFFSET if abs(steps_of(repeated[0], OFFSET)) < 32 else TWOS_COMPLEMENT


def number_targets() -> list[tuple[str, str]]:
    """Return the names and titles of all numbers that a control can be mapped to."""
    found = [(f"slider {n}", f"Slider {n} of the selected entry") for n in range(1, SLIDERS + 1)]
    for n in range(1, WHEELS + 1):
        parts = (("x", "left and right"), ("y", "up and down"), ("master", "master"))
        found += [(f"wheel {n} {part}", f"Wheel {n}, {title}") for part, title in parts]
    return found


class PickUp:
    """Lets a control change a value only once it has reached it, so that the value never jumps.

    Both are positions from 0 to 1. A control that changes a value keeps it until something else changes the value.
    """

    def __init__(self) -> None:
        self._at: dict[Control, float] = {}

    def takes(self, control: Control, positions: Sequence[float], value: float) -> bool:
        """Return whether the control, which moved through `positions`, may set a value that is at `value`."""
        way = (self._at.get(control, positions[0]), *positions)
        self._at[control] = positions[-1]
        return min(way) - NEAR <= value <= max(way) + NEAR
