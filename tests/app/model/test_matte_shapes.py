"""Handles of the windows of mattes: what they show, and what dragging and nudging them does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from app.model.matte_drawing import WINDOWS, around, drawn, in_middle, shape_of
from app.model.matte_geometry import Handle, Held, Shape
from app.model.matte_path_shape import PathShape, offset
from app.model.matte_paths import Point, corner
from engine.kernel.pixel import Pixel
from engine.mattes.windows import Ellipse, LinearGradient, Path, RadialGradient, Rectangle

METRIC = (0.5, 0.5)
ELLIPSE = Ellipse(center=(400.0, 300.0), size=(120.0, 60.0), rotation=30.0, softness_in=20.0, softness_out=40.0)
RECTANGLE = Rectangle(
    center=(400.0, 300.0), size=(120.0, 60.0), rotation=-20.0, roundness=0.5, softness_in=20.0, softness_out=40.0
)
CURVES = (
    (200.0, 200.0, -40.0, 60.0, 40.0, -60.0),
    (500.0, 180.0, -30.0, -40.0, 30.0, 40.0),
    (520.0, 420.0, 40.0, -20.0, -40.0, 20.0),
    (380.0, 330.0, 0.0, 0.0, 0.0, 0.0),
    (220.0, 430.0, 30.0, 30.0, -30.0, -30.0),
)
PATH = Path(points=CURVES, softness_in=10.0, softness_out=15.0)
LINEAR = LinearGradient(start=(100.0, 100.0), end=(300.0, 200.0))
RADIAL = RadialGradient(center=(400.0, 300.0), inner=40.0, outer=160.0, aspect=0.5, rotation=45.0)
SOURCES = (ELLIPSE, RECTANGLE, PATH, LINEAR, RADIAL)


def shape(source: Any, chosen: int = -1) -> Any:
    found = shape_of(source, chosen)
    assert found is not None
    return found


def handle(of: Shape, name: str, index: int = 0) -> Handle:
    return next(each for each in of.handles(METRIC) if each.key == (name, index))


def drag(of: Shape, which: Handle, dx: float, dy: float, **held: bool) -> Any:
    start = which.at
    return of.dragged(which, start, (start[0] + dx, start[1] + dy), Held(**held), METRIC)


def coverage(source: Any, line: list[Point]) -> Any:
    """The coverage of positions of the display window."""
    x, y = np.array(line, np.float64).T
    return np.broadcast_to(source.exact().coverage(Pixel(x, x, x, x, x, y)), x.shape)


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, PATH], ids=lambda s: type(s).__name__)
def test_the_soft_lines_are_where_the_coverage_ends(source: Any):
    lines = shape(source).outlines()
    inner, outer = lines.soft
    middle = source.center if not isinstance(source, Path) else (350.0, 300.0)
    for line, covered in ((inner, 1.0), (outer, 0.0)):
        assert np.abs(coverage(source, line) - covered).max() < 2e-3
        inwards = [_towards(at, middle, 6.0 if covered == 0.0 else -6.0) for at in line]
        softer = np.abs(coverage(source, inwards) - covered) > 1e-3
        assert softer.mean() > (0.7 if isinstance(source, Path) else 0.99), "the softness begins right there"
    even = source.replace(softness_in=20.0, softness_out=20.0)
    assert coverage(even, shape(even).outlines().core[0]) == pytest.approx(0.5, abs=1e-2)


def _towards(at: Point, middle: Point, by: float) -> Point:
    length = math.dist(at, middle)
    return at[0] + (middle[0] - at[0]) * by / length, at[1] + (middle[1] - at[1]) * by / length


def test_the_lines_of_a_radial_gradient_are_its_ends():
    lines = shape(RADIAL).outlines()
    assert coverage(RADIAL, lines.core[0]).max() < 1e-6
    assert coverage(RADIAL, lines.soft[0]).min() > 1.0 - 1e-6


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: type(s).__name__)
def test_every_window_moves_as_a_whole(source: Any):
    of = shape(source)
    moved = shape(drag(of, of.whole, 12.0, -5.0))
    assert moved.bounds() == pytest.approx([v + by for v, by in zip(of.bounds(), (12.0, -5.0) * 2, strict=True)])
    along = shape(drag(of, of.whole, 12.0, -5.0, shift=True))
    assert along.bounds()[1] == pytest.approx(of.bounds()[1]) and along.bounds()[0] == pytest.approx(
        of.bounds()[0] + 12.0
    )
    nudged = shape(of.nudged(of.whole, 0.0, 10.0))
    assert nudged.bounds()[3] == pytest.approx(of.bounds()[3] + 10.0)
    assert "x " in of.readout(of.whole, source) and "px" in of.readout(of.whole, source)


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: type(s).__name__)
def test_every_handle_follows_the_mouse_and_the_keys(source: Any):
    of = shape(source, 1)
    for each in of.handles(METRIC):
        dx, dy = (7.0, 6.0) if each.name not in ("rotation",) else (30.0, 0.0)
        changed = drag(of, each, dx, dy)
        assert changed != source, each.name
        assert of.nudged(each, 1.0, 0.0) != source or of.nudged(each, 0.0, 1.0) != source, each.name
        assert of.readout(each, source), each.name
        assert drag(of, each, 0.0, 0.0) == source or isinstance(source, Path), each.name


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(("name", "axis", "sign"), [("right", 0, 1), ("left", 0, -1), ("top", 1, -1), ("bottom", 1, 1)])
def test_a_side_is_resized_along_the_axes(source: Any, name: str, axis: int, sign: int):
    of = shape(source)
    angle = math.radians(source.rotation + 90.0 * axis)
    by = 10.0 * sign * math.cos(angle), 10.0 * sign * math.sin(angle)
    other = 1 - axis
    grown = drag(of, handle(of, name), *by)
    assert grown.size[axis] == pytest.approx(source.size[axis] + 10.0) and grown.size[other] == source.size[other]
    assert grown.center == source.center
    even = drag(of, handle(of, name), *by, shift=True)
    assert even.size[0] / even.size[1] == pytest.approx(source.size[0] / source.size[1])
    one = drag(of, handle(of, name), *by, alt=True)
    assert one.size[axis] == pytest.approx(source.size[axis] + 5.0)
    opposite = {"left": "right", "right": "left", "top": "bottom", "bottom": "top"}[name]
    assert handle(shape(one), opposite).at == pytest.approx(handle(of, opposite).at), "the other side stays"
    assert drag(of, handle(of, name), *(-30.0 * n for n in by)).size[axis] == 0.5, "it is never turned inside out"


def test_a_corner_of_a_rectangle_is_resized_on_both_axes():
    of = shape(RECTANGLE.replace(rotation=0.0))
    assert drag(of, handle(of, "top left"), -10.0, -5.0).size == (130.0, 65.0)
    one = shape(drag(of, handle(of, "top left"), -10.0, -6.0, alt=True))
    assert handle(one, "bottom right").at == pytest.approx(handle(of, "bottom right").at)
    assert handle(one, "top left").at == pytest.approx((270.0, 234.0))


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, RADIAL], ids=lambda s: type(s).__name__)
def test_rotation_follows_the_mouse_around_the_centre(source: Any):
    of = shape(source)
    start = (source.center[0] + 100.0, source.center[1])
    now = (source.center[0], source.center[1] + 50.0)
    turn = handle(of, "rotation")
    assert of.dragged(turn, start, now, Held(), METRIC).rotation == pytest.approx(source.rotation + 90.0)
    now = (source.center[0] + 100.0, source.center[1] + 12.0)
    steps = of.dragged(turn, start, now, Held(shift=True), METRIC).rotation
    assert steps % 15.0 == pytest.approx(0.0)
    assert of.nudged(turn, 10.0, 0.0).rotation == pytest.approx(source.rotation + 10.0)
    assert "°" in of.readout(turn, source)


@pytest.mark.parametrize("source", [ELLIPSE, RECTANGLE, PATH], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(("name", "sign"), [("softness_out", 1.0), ("softness_in", -1.0)])
def test_the_handle_of_softness_stays_under_the_mouse(source: Any, name: str, sign: float):
    of = shape(source)
    outer, inner = handle(of, "softness_out").at, handle(of, "softness_in").at
    length = math.dist(outer, inner)
    out = (outer[0] - inner[0]) / length, (outer[1] - inner[1]) / length
    grab = handle(of, name)
    softer = drag(of, grab, 4.0 * sign * out[0], 4.0 * sign * out[1])
    assert getattr(softer, name) > getattr(source, name)
    assert math.dist(handle(shape(softer), name).at, grab.at) == pytest.approx(4.0, rel=0.05)
    assert getattr(drag(of, grab, -400.0 * sign * out[0], -400.0 * sign * out[1]), name) == 0.0


def test_edges_of_upright_windows_snap_and_others_do_not():
    upright, lying, turned = (shape(RECTANGLE.replace(rotation=angle)) for angle in (180.0, -90.0, 10.0))
    xs, ys = upright.moving(handle(upright, "left"))
    assert xs == (pytest.approx(520.0),) and ys == ()
    xs, ys = lying.moving(handle(lying, "left"))
    assert xs == () and ys == (pytest.approx(420.0),)
    assert turned.moving(handle(turned, "left")) == ((), ())
    assert len(turned.moving(turned.whole)[0]) == 3


def test_a_gradient_is_constrained_and_never_without_length():
    of = shape(LINEAR)
    end = handle(of, "end")
    level = drag(of, end, 50.0, -90.0, shift=True)
    assert level.start == LINEAR.start and level.end[1] == pytest.approx(100.0)
    assert drag(of, end, -200.0, -100.0) == LINEAR
    assert "length 223.6 px" in of.readout(end, LINEAR) and "angle 26.6°" in of.readout(end, LINEAR)


def test_radii_of_a_gradient():
    of = shape(RADIAL.replace(rotation=0.0))
    assert drag(of, handle(of, "outer"), 40.0, 0.0).outer == 200.0
    both = drag(of, handle(of, "outer"), 160.0, 0.0, shift=True)
    assert (both.outer, both.inner) == (320.0, 80.0)
    assert drag(of, handle(of, "outer"), -150.0, 0.0).inner == 10.0, "inner is at most outer"
    assert drag(of, handle(of, "inner"), -20.0, 0.0).inner == 60.0
    assert drag(of, handle(of, "aspect"), 0.0, 16.0).aspect == pytest.approx(0.6)


def test_vertices_and_bezier_handles_of_a_path():
    of = shape(PATH, 1)
    assert drag(of, handle(of, "vertex", 1), 5.0, 6.0).points[1] == (505.0, 186.0, *CURVES[1][2:])
    pulled = drag(of, handle(of, "vertex", 3), 9.0, 3.0, alt=True).points[3]
    assert pulled[2:] == (-9.0, -3.0, 9.0, 3.0)
    turned = drag(of, handle(of, "out", 1), 0.0, 10.0).points[1]
    assert turned[4:] == (30.0, 50.0) and turned[2] * 50.0 == pytest.approx(turned[3] * 30.0)
    broken = drag(of, handle(of, "out", 1), 0.0, 10.0, alt=True).points[1]
    assert broken[2:4] == CURVES[1][2:4]
    assert not [each for each in shape(PATH).handles(METRIC) if each.name in ("in", "out")], "only of the chosen vertex"


def test_a_path_turns_and_scales_about_its_middle():
    of = shape(PATH)
    start = (of.middle[0], of.middle[1] - 100.0)
    turned = of.dragged(handle(of, "rotation"), start, (of.middle[0] + 100.0, of.middle[1]), Held(), METRIC)
    assert of.readout(handle(of, "rotation"), PATH) == "rotation 0.0°"
    assert shape(turned).readout(handle(of, "rotation"), PATH) == "rotation 90.0°"
    grown = shape(drag(of, handle(of, "size"), 30.0, 0.0))
    assert grown.bounds()[2] == pytest.approx(of.bounds()[2] + 30.0) and grown.bounds()[1] == pytest.approx(
        of.bounds()[1]
    )
    even = shape(drag(of, handle(of, "size"), 30.0, 0.0, shift=True))
    ratio = [(b[2] - b[0]) / (b[3] - b[1]) for b in (of.bounds(), even.bounds())]
    assert ratio[0] == pytest.approx(ratio[1])


def test_an_offset_line_has_round_corners_and_no_loops():
    square = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)]
    for line in (square, square[::-1]):
        outer = offset(line, 10.0)
        assert min(math.hypot(x - min(max(x, 0), 100), y - min(max(y, 0), 100)) for x, y in outer) == pytest.approx(
            10.0
        )
        inner = offset(line, -10.0)
        assert {(round(x, 6), round(y, 6)) for x, y in inner} == {(10, 10), (90, 10), (90, 90), (10, 90)}
    assert offset(square, -60.0) == [] and offset([(0.0, 0.0), (1.0, 1.0)], 5.0) == []


@pytest.mark.parametrize("cls", [each for each in WINDOWS if each is not Path], ids=lambda c: c.__name__)
def test_windows_drawn_by_a_drag(cls: Any):
    source: Any = drawn(cls.__name__, (100.0, 50.0), (60.0, 130.0), Held(), (1.0, 1.0))
    if cls is LinearGradient:
        assert (source.start, source.end) == ((100.0, 50.0), (60.0, 130.0))
    elif cls is RadialGradient:
        assert source.center == (100.0, 50.0) and source.outer == pytest.approx(math.hypot(40.0, 80.0))
    else:
        assert source.center == (80.0, 90.0) and source.size == (20.0, 40.0)
        round_: Any = drawn(cls.__name__, (100.0, 50.0), (60.0, 130.0), Held(shift=True), (2.0, 1.0))
        assert round_.size == (20.0, 40.0), "as wide as high on the screen"
        assert round_.center == (80.0, 90.0)
        about: Any = drawn(cls.__name__, (100.0, 50.0), (60.0, 130.0), Held(alt=True), (1.0, 1.0))
        assert about.center == (100.0, 50.0) and about.size == (40.0, 80.0)
    assert drawn(cls.__name__, (5.0, 5.0), (5.0, 5.0), Held(), (1.0, 1.0))  # a click is valid, too


@pytest.mark.parametrize("cls", WINDOWS, ids=lambda c: c.__name__)
def test_windows_made_by_a_key_are_in_the_middle_of_what_is_visible(cls: Any):
    source = in_middle(cls.__name__, (100.0, 0.0, 200.0, 100.0), (2.0, 1.0))
    left, top, right, bottom = shape(source).bounds()
    assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((200.0, 50.0))
    assert bottom - top == pytest.approx(50.0)
    assert right - left == pytest.approx(0.0 if cls is LinearGradient else 25.0), "round on the screen"
    assert shape(around(cls.__name__, (7.0, 8.0), 4.0, (1.0, 1.0))).bounds()[3] == pytest.approx(12.0)


def test_other_sources_have_no_shape():
    assert shape_of(None) is None and shape_of(Path()) is None
    assert isinstance(shape_of(Path(points=tuple(corner(x, x * x) for x in (0.0, 1.0, 2.0)))), PathShape)
