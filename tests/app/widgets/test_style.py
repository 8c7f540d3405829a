"""The chrome lends the image no colour, and its words can be read."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from PySide6.QtGui import QColor

from app.shell.main_window import MainWindow
from app.widgets import curve_plot, style
from app.widgets.choice_box import ChoiceBox
from app.widgets.slider import number_text

GROUNDS = ("#2c2c2c", "#2e2e2e", "#333333", "#363636", "#3c3c3c", "#424242")
"""What words stand on: fields, menus, panels, bars and cards."""
LIGHTEST = "#4a4a4a"
"""The lightest ground of muted words: a selected page of a dialog."""


MEANINGS = {
    "#c86464": "red channel",
    "#6cab6c": "green channel",
    "#6f93d2": "blue channel",
    "#ff8a80": "clipped values",
    "#e0a43c": "dropped frames, failed exports, folds of a warp and what the file lacks",
}
"""Colours that mean something: thin marks and words, never areas."""


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, as WCAG 2.2 defines it."""
    shown = QColor(colour)
    values = (shown.redF(), shown.greenF(), shown.blueF())
    lights = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return sum(weight * light for weight, light in zip((0.2126, 0.7152, 0.0722), lights, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_colour_of_the_sheet_is_grey_the_accent_or_means_something():
    found = {QColor(word).name() for word in re.findall(r"#[0-9a-fA-F]{6}\b", style.sheet())}
    assert {c for c in found if len({c[1:3], c[3:5], c[5:7]}) > 1} == {style.ACCENT, *MEANINGS}
    assert all(contrast(colour, GROUNDS[0]) > 3.0 for colour in MEANINGS)


@pytest.mark.parametrize("ground", GROUNDS)
def test_words_can_be_read(ground: str):
    assert contrast(style.TEXT, ground) > 7.0
    assert contrast(style.MUTED, ground) > 4.5
    assert contrast(style.FAINT, ground) > 2.9  # what is off need not reach 4.5, but can be made out


def test_muted_words_can_be_read_on_the_lightest_ground():
    assert contrast(style.MUTED, LIGHTEST) > 4.5


def test_the_grid_of_a_curve_and_its_numbers_can_be_read():
    line, field, number = (colour.name() for colour in (curve_plot.LINE, curve_plot.FIELD, curve_plot.NUMBER))
    assert contrast(line, field) >= 3.0 and contrast(curve_plot.NEUTRAL.name(), line) > 1.5
    assert contrast(number, field) > 4.5 and contrast(number, GROUNDS[-1]) > 4.5


def test_what_is_chosen_can_be_read():
    assert contrast("#ffffff", style.CHOSEN) > 4.5
    assert all(contrast(style.ACCENT, ground) > 3.0 for ground in GROUNDS)


def test_bars_are_neutral_to_the_pixel(window: MainWindow):
    window.setStyleSheet(style.sheet())
    window.resize(1280, 720)
    image = window.grab().toImage()
    colours = [image.pixelColor(x, y) for x, y in product(range(0, 1280, 7), (3, 12, 30, 46, 62, 79, 712))]
    assert [colour.name() for colour in colours if not colour.red() == colour.green() == colour.blue()] == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0, "0.000"),
        (1.0, "1.000"),
        (0.123456, "0.1235"),
        (-0.000001, "-0.000001"),
        (-1e-9, "0.000"),
        (1234.5678, "1234.568"),
        (-21834.6255, "-21834.63"),
        (-65504.0, "-65504.00"),
        (1000000.0, "1000000"),
    ],
)
def test_numbers_fit_their_boxes(value: float, text: str):
    assert number_text(value, 3) == text
    assert len(text) <= 9


def test_a_long_choice_is_shortened_not_clipped(qtbot: Any):
    box = ChoiceBox(("transmission_of_the_practicals_in_the_back", "transmission_of_the_practicals_in_front"), "", "")
    qtbot.addWidget(box)
    box.resize(140, 24)
    drawn = []
    for at in (0, 1):
        box.setCurrentIndex(at)
        drawn.append(box.grab().toImage())
    assert drawn[0] != drawn[1]  # their ends, which differ, are seen
