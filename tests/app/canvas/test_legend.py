"""The legend of false colour and differences: what it says, where it lies, and that it can be read."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from app.canvas.legend import GROUND, TEXT, Legend, Scale, places_of, scales_of
from app.model.view_ops import UNMANAGED
from app.model.viewport import Viewport
from app.render.comparison import Comparison
from app.render.requests import FALSE_COLOUR, View
from app.shell.main_window import MainWindow
from engine import Grade
from engine.viewing.gamut_ops import BANDS
from engine.viewing.viewer_ops import LADDER
from tests.app.hands import ALT, Key
from tests.typed import expect

CLEAR = View((0.0, 0.0, 10.0, 10.0), 10, 10)


def view(difference: str = "", gain: float = 8.0, overlays: tuple[str, ...] = ()) -> View:
    against = Comparison("difference", Grade(()), UNMANAGED, gain=gain, difference=difference) if difference else None
    return View((0.0, 0.0, 10.0, 10.0), 10, 10, comparison=against, overlays=overlays)


def texts(scale: Scale) -> list[str]:
    return [scale.title, *(text for _, text in (*scale.limits, *scale.notes))]


def test_a_frame_without_either_needs_no_legend():
    assert scales_of(CLEAR) == () and scales_of(view(overlays=("zebra",))) == ()


def test_false_colour_is_explained_by_its_stops():
    (scale,) = scales_of(view(overlays=(FALSE_COLOUR,)))
    assert [text for _, text in scale.limits] == [
        "−8",
        "−6",
        "−4",
        "−2.5",
        "−0.5",
        "+0.5",
        "+1.5",
        "+2",
        "+3",
        "+4",
        "+5.5",
    ]
    assert np.allclose(
        [expect(tuple, colour.getRgbF())[:3] for _, colour in scale.colours], [rgb for _, rgb, _ in LADDER], atol=1e-4
    )
    notes = {text: at for at, text in scale.notes}
    assert notes["mid grey"] == pytest.approx(5.5 / 12) and "light skin" in notes


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("absolute", ["Difference × 8", "black = equal", "lighter = more"]),
        ("signed", ["Difference × 8", "−0.125", "grey = equal", "+0.125"]),
        ("heat", ["Difference × 8", "black = equal", "0.125 or more"]),
    ],
)
def test_a_difference_tells_its_gain_and_what_is_equal(mode: str, expected: list[str]):
    (scale,) = scales_of(view(mode))
    assert texts(scale) == expected
    (none,) = scales_of(view(mode, 0.0))
    assert none.title == "Difference × 0"


def test_the_gamut_overlay_is_explained_by_how_far_colours_are_outside():
    (scale,) = scales_of(replace(view(overlays=("gamut",)), gamut="rec2020"))
    assert texts(scale) == ["Outside of Rec.2020", "0.1 %", "2 %", "10 %", "30 %"]
    assert [colour.getRgb()[:3] for _, colour in scale.colours] == [rgb for _, rgb in BANDS]  # type: ignore[index]
    assert [each.title for each in scales_of(view("heat", overlays=("gamut",)))] == ["Difference × 8"]


def test_false_colour_is_explained_only_where_it_is_shown():
    assert len(scales_of(view("absolute", overlays=(FALSE_COLOUR,)))) == 2  # the difference goes through the view
    assert len(scales_of(view("signed", overlays=(FALSE_COLOUR,)))) == 1


SIZES = [(320, 240, 1.0), (640, 400, 1.0), (1280, 720, 1.0), (1920, 1080, 1.0), (2560, 1440, 2.0), (640, 480, 2.0)]


@pytest.mark.parametrize(("width", "height", "ratio"), SIZES)
@pytest.mark.parametrize("image", [(1000, 500), (100, 900), (4000, 4000), (30, 20)])
def test_it_lies_on_the_canvas_and_off_its_upper_left_corner(
    qapp: Any, width: int, height: int, ratio: float, image: tuple[int, int]
):
    font = QFont()
    font.setPixelSize(round(11 * ratio))
    scales = (
        scales_of(view("absolute", overlays=(FALSE_COLOUR,)))
        if height > 600
        else scales_of(view(overlays=(FALSE_COLOUR,)))
    )
    for viewport in (Viewport(width, height, *image).fit(16), Viewport(width, height, *image).zoomed(8.0, 10.0, 10.0)):
        places = places_of(scales, viewport, ratio, QFontMetricsF(font))
        for place in places:
            assert place.left() >= 0 and place.right() <= width and place.bottom() <= height - 8 * ratio
            assert place.top() >= 40 * ratio
        assert not any(a.intersects(b) for a, b in itertools.pairwise(places))


def test_it_lies_beside_an_image_that_leaves_room(qapp: Any):
    viewport = Viewport(1000, 600, 100, 500).fit(16)
    (place,) = places_of(scales_of(view(overlays=(FALSE_COLOUR,))), viewport, 1.0, QFontMetricsF(QFont()))
    assert place.left() >= viewport.left + viewport.image_width * viewport.across


def luminance(colour: QColor) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in expect(tuple, colour.getRgbF())[:3]]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def test_it_can_be_read_over_any_image(opened: MainWindow):
    """Over white, its ground is still dark enough for the text."""
    canvas, legend = opened.canvas, opened.workspace.stage.legend
    assert isinstance(legend, Legend) and canvas.viewport is not None
    legend.show(view(overlays=(FALSE_COLOUR,)))
    image = QImage(canvas.width(), canvas.height(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    legend.paint(painter, canvas.viewport, 1.0)
    painter.end()
    (place,) = legend.places
    ground = image.pixelColor(round(place.right()) - 3, round(place.center().y()))
    assert (luminance(TEXT) + 0.05) / (luminance(ground) + 0.05) >= 4.5
    assert GROUND.alpha() < 255 and ground.lightness() < 60
    bands = {
        image.pixelColor(round(place.left()) + 12, y).name() for y in range(round(place.top()), round(place.bottom()))
    }
    assert {QColor.fromRgbF(*rgb).name() for _, rgb, _ in LADDER} <= bands


def test_it_follows_the_frame_on_the_canvas(opened: MainWindow, qtbot: Any):
    workspace, legend = opened.workspace, opened.workspace.stage.legend
    assert not legend.drawn()
    workspace.set_view(overlays=(FALSE_COLOUR,))
    qtbot.waitUntil(legend.drawn)
    workspace.set_view(overlays=(), compare="difference")
    qtbot.waitUntil(lambda: legend.scales == scales_of(view("absolute")))
    opened.canvas.setFocus()
    for mode in ("signed", "heat", "absolute"):
        qtbot.keyClick(opened.canvas, Key.Key_D, ALT)
        assert workspace.view.difference == mode
        qtbot.waitUntil(lambda m=mode: legend.scales == scales_of(view(m)))
    workspace.set_view(compare="")
    qtbot.waitUntil(lambda: not legend.drawn())
