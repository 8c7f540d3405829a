"""Messages of MIDI controls, and when a control takes over a value."""

from __future__ import annotations

from typing import Any

import pytest

from app.model.control_surface import (
    ABSOLUTE,
    OFFSET,
    TWOS_COMPLEMENT,
    Control,
    PickUp,
    control_of,
    mode_of,
    movement,
    steps_of,
)

KNOB = Control("cc", 1, 7)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ([0xB0, 7, 127], (KNOB, 1.0)),
        ([0xB3, 16, 0], (Control("cc", 4, 16), 0.0)),
        ([0xE1, 0x7F, 0x7F], (Control("bend", 2), 1.0)),
        ([0xE0, 0x00, 0x40], (Control("bend", 1), 8192 / 16383)),
        ([0x90, 60, 90], (Control("note", 1, 60), 1.0)),
        ([0x90, 60, 0], (Control("note", 1, 60), 0.0)),
        ([0x80, 60, 64], (Control("note", 1, 60), 0.0)),
        ([0xF8], None),
        ([0xC0, 3], None),
        ([0xA0, 60, 3], None),
    ],
)
def test_messages_of_controls(message: list[int], found: Any):
    assert movement(message) == found


@pytest.mark.parametrize("control", [KNOB, Control("bend", 16), Control("note", 2, 99)])
def test_a_control_is_kept_by_its_key(control: Control):
    assert control_of(control.key) == control


@pytest.mark.parametrize("key", ["", "cc", "cc 1", "cc one 2", "knob 1 2", "cc 1 2 3", "cc 1 -2"])
def test_a_damaged_key_is_no_control(key: str):
    assert control_of(key) is None


@pytest.mark.parametrize(
    ("raw", "mode", "steps"),
    [
        (1, TWOS_COMPLEMENT, 1),
        (127, TWOS_COMPLEMENT, -1),
        (125, TWOS_COMPLEMENT, -3),
        (65, OFFSET, 1),
        (62, OFFSET, -2),
    ],
)
def test_steps_of_relative_controls(raw: int, mode: str, steps: int):
    assert steps_of(raw / 127, mode) == steps


@pytest.mark.parametrize(
    ("raw", "mode"),
    [((60, 61, 63), ABSOLUTE), ((1, 1, 1), TWOS_COMPLEMENT), ((127, 126, 126), TWOS_COMPLEMENT), ((65, 65), OFFSET)],
)
def test_how_a_control_moves_is_guessed(raw: tuple[int, ...], mode: str):
    assert mode_of(KNOB, [value / 127 for value in raw]) == mode
    assert mode_of(Control("bend", 1), [value / 127 for value in raw]) == ABSOLUTE


def test_a_control_takes_over_a_value_only_once_it_has_reached_it():
    pick_up = PickUp()
    assert not pick_up.takes(KNOB, [0.1], 0.5)
    assert not pick_up.takes(KNOB, [0.3, 0.4], 0.5)
    assert pick_up.takes(KNOB, [0.6], 0.5), "it passed the value"
    assert pick_up.takes(KNOB, [0.7, 0.9], 0.6), "and keeps it"
    assert not pick_up.takes(KNOB, [0.91], 0.5), "until something else changed it"
    assert not pick_up.takes(Control("cc", 1, 8), [0.2], 0.5)
    assert pick_up.takes(KNOB, [0.2], 0.2)
