"""Windows: their edges, distances, scaling, and paths as polylines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.kernel.pixel import Pixel
from engine.mattes import Ellipse, LinearGradient, MatteSource, Path, RadialGradient, Rectangle
from engine.mattes.bezier import FLATNESS, MOST_POINTS, MOST_SEGMENTS, flattened

Array = NDArray[np.float64]


def covered(source: MatteSource, x: Any, y: Any) -> Array:
    """The coverage at positions."""
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    with np.errstate(all="ignore"):
        return np.broadcast_to(source.exact().coverage(Pixel(x * 0.0, 0.0, 0.0, 0.0, x, y)), x.shape)


def corners(*at: tuple[float, float]) -> Path:
    """A path of straight lines."""
    return Path(points=tuple((x, y, 0.0, 0.0, 0.0, 0.0) for x, y in at))


SQUARE = corners((20.0, 20.0), (80.0, 20.0), (80.0, 80.0), (20.0, 80.0))


@pytest.mark.parametrize("source", [Ellipse((50.0, 50.0), (30.0, 30.0)), Rectangle((50.0, 50.0), (30.0, 30.0)), SQUARE])
def test_a_hard_edge_is_a_pixel_wide_about_the_outline(source: MatteSource) -> None:
    x = np.array((50.0, 79.0, 79.5, 80.0, 80.5, 81.0, 1e5))
    assert covered(source, x, 50.0).tolist() == pytest.approx([1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("source", [Ellipse((50.0, 50.0), (30.0, 30.0)), Rectangle((50.0, 50.0), (30.0, 30.0)), SQUARE])
def test_softness_inside_and_outside(source: MatteSource) -> None:
    inside, outside = source.replace(softness_in=10.0), source.replace(softness_out=10.0)
    assert covered(inside, (69.9, 75.0, 80.0), 50.0).tolist() == pytest.approx([1.0, 0.5, 0.0], abs=1e-9)
    assert covered(outside, (80.0, 85.0, 90.1), 50.0).tolist() == pytest.approx([1.0, 0.5, 0.0], abs=1e-9)
    both = source.replace(softness_in=10.0, softness_out=10.0)
    assert covered(both, (70.0, 80.0, 90.0), 50.0).tolist() == pytest.approx([1.0, 0.5, 0.0], abs=1e-9)


@pytest.mark.parametrize("cls", [Ellipse, Rectangle])
@pytest.mark.parametrize("size", [(40.0, 10.0), (10.0, 40.0), (1.0, 1.0), (3.0, 20.0)])
def test_the_center_is_covered_however_soft_the_edge_is(cls: Any, size: tuple[float, float]) -> None:
    around = np.linspace(0.0, 2.0 * math.pi, 50)
    source = cls(center=(7.0, 9.0), size=size, rotation=30.0, softness_in=500.0)
    assert covered(source, 7.0, 9.0) == pytest.approx(1.0)
    near = covered(source, 7.0 + 1e-4 * np.cos(around), 9.0 + 1e-4 * np.sin(around))
    assert near.min() > 0.999
    assert covered(source, 7.0 + 1e-30 * np.cos(around), 9.0).min() > 0.999


def test_an_ellipse_is_close_to_its_distance_near_the_outline() -> None:
    """The first-order distance, to the tenth of a pixel where the outline is not too bent."""
    a, b = 60.0, 35.0
    t = np.linspace(0.0, 2.0 * math.pi, 400)
    normal = np.stack([np.cos(t) / a, np.sin(t) / b])
    normal /= np.hypot(*normal)
    for away in (-4.0, -1.0, 1.0, 4.0):
        x, y = a * np.cos(t) + away * normal[0], b * np.sin(t) + away * normal[1]
        source = Ellipse((0.0, 0.0), (a, b), softness_in=5.0, softness_out=5.0)
        share = (5.0 - away) / 10.0
        assert covered(source, x, y) == pytest.approx(3.0 * share**2 - 2.0 * share**3, abs=0.03)


def test_corners_of_rectangles() -> None:
    sharp, round_ = Rectangle((0.0, 0.0), (30.0, 20.0)), Rectangle((0.0, 0.0), (30.0, 20.0), roundness=1.0)
    assert covered(sharp, 29.4, 19.4) == 1.0
    assert covered(round_, 29.4, 19.4) == 0.0
    edge = 10.0 + 20.0 * math.sqrt(0.5), 20.0 * math.sqrt(0.5)
    assert covered(round_, *edge) == pytest.approx(0.5)
    assert covered(sharp.replace(softness_out=10.0), 33.0, 24.0) == pytest.approx(0.5)


def test_the_disc_that_a_rectangle_can_be() -> None:
    x, y = np.meshgrid(np.arange(-40.0, 40.0), np.arange(-40.0, 40.0))
    disc = Ellipse((0.3, -0.6), (25.0, 25.0), softness_in=3.0, softness_out=8.0)
    square = Rectangle((0.3, -0.6), (25.0, 25.0), 77.0, 1.0, softness_in=3.0, softness_out=8.0)
    gradient = RadialGradient((0.3, -0.6), 22.0, 33.0)
    for other in (square, gradient):
        assert covered(other, x, y) == pytest.approx(covered(disc, x, y), abs=1e-9)


def test_gradients_run_between_their_ends() -> None:
    gradient = LinearGradient((10.0, 0.0), (20.0, 0.0), "linear")
    assert covered(gradient, (0.0, 10.0, 12.5, 20.0, 30.0), 5.0).tolist() == pytest.approx([1.0, 1.0, 0.75, 0.0, 0.0])
    ring = RadialGradient((0.0, 0.0), 10.0, 20.0, 0.5, 90.0, "linear")
    assert covered(ring, 0.0, (0.0, 10.0, 15.0, 20.0)).tolist() == pytest.approx([1.0, 1.0, 0.5, 0.0])
    assert covered(ring, (0.0, 5.0, 7.5, 10.0), 0.0).tolist() == pytest.approx([1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("source", "wide"),
    [
        (LinearGradient((10.0, 0.0), (10.0, 0.0)), 2.0),
        (LinearGradient((10.0, 0.0), (10.1, 0.0)), 2.0),
        (RadialGradient((0.0, 0.0), 30.0, 11.0), 1.0),
        (RadialGradient((0.0, 0.0), 10.9, 11.0), 1.0),
    ],
)
def test_a_gradient_without_length_is_a_pixel_or_two_wide(source: MatteSource, wide: float) -> None:
    x = (9.99, 10.0 + 0.5 * wide, 10.01 + wide)
    assert covered(source, x, 0.0).tolist() == pytest.approx([1.0, 0.5, 0.0], abs=1e-3)


@pytest.mark.parametrize(("x", "y"), [(2.0, 2.0), (3.0, 0.5), (0.25, 1.0)])
@pytest.mark.parametrize("rotation", [0.0, 20.0, 90.0, -133.0])
def test_the_outline_of_a_scaled_ellipse(x: float, y: float, rotation: float) -> None:
    source = Ellipse((100.0, 50.0), (40.0, 15.0), rotation)
    radial = RadialGradient((100.0, 50.0), 39.0, 40.0, 15.0 / 40.0, rotation)
    t = np.linspace(0.0, 2.0 * math.pi, 60)
    z = (40.0 * np.cos(t) + 15j * np.sin(t)) * np.exp(1j * math.radians(rotation))
    at = (z.real + 100.0) * x, (z.imag + 50.0) * y
    assert covered(source.scaled(x, y), *at) == pytest.approx(0.5, abs=1e-6)
    assert covered(radial.scaled(x, y), *at) == pytest.approx(0.0, abs=1e-6)
    ring = RadialGradient((100.0, 50.0), 20.0, 40.0, 15.0 / 40.0, rotation, "linear").scaled(x, y)
    for share, wanted in ((0.5, 1.0), (0.75, 0.5)):
        inside = (z.real * share + 100.0) * x, (z.imag * share + 50.0) * y
        assert covered(ring, *inside) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("size", [(40.0, 15.0), (15.0, 40.0)])
def test_axes_do_not_change_places_when_an_ellipse_is_scaled_a_little(size: tuple[float, float]) -> None:
    scaled = Ellipse((0.0, 0.0), size, 20.0).scaled(1.01, 0.99)
    assert (*scaled.size, scaled.rotation) == pytest.approx((*size, 20.0), rel=0.05)


def test_a_scaled_rectangle_and_path() -> None:
    box = Rectangle((100.0, 50.0), (40.0, 20.0), 0.0, softness_in=4.0, softness_out=9.0).scaled(2.0, 0.5)
    assert (box.center, box.size, box.softness_in, box.softness_out) == ((200.0, 25.0), (80.0, 10.0), 4.0, 9.0)
    turned = Rectangle((100.0, 50.0), (40.0, 20.0), 90.0).scaled(2.0, 0.5)
    assert (*turned.size, turned.rotation) == pytest.approx((20.0, 40.0, 90.0))
    path = Path(points=((1.0, 2.0, 3.0, 4.0, 5.0, 6.0),)).scaled(2.0, 0.5)
    assert path.points == ((2.0, 1.0, 6.0, 2.0, 10.0, 3.0),)


def test_a_path_of_crossing_lines_is_even_odd() -> None:
    star = corners(
        *(
            (50.0 + 40.0 * math.sin(4.0 * math.pi * n / 5.0), 50.0 - 40.0 * math.cos(4.0 * math.pi * n / 5.0))
            for n in range(5)
        )
    )
    assert covered(star, (50.0, 50.0), (20.0, 50.0)).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("points", [(), ((5.0, 5.0),), ((5.0, 5.0), (60.0, 60.0)), ((5.0, 5.0),) * 4])
def test_a_path_that_encloses_nothing_covers_nothing(points: Any) -> None:
    x, y = np.meshgrid(np.arange(0.0, 70.0), np.arange(0.0, 70.0))
    assert not covered(corners(*points).replace(softness_out=20.0), x, y).any()


def test_two_vertices_with_handles_enclose_a_lens() -> None:
    lens = Path(points=((20.0, 50.0, 0.0, 30.0, 0.0, -30.0), (80.0, 50.0, 0.0, -30.0, 0.0, 30.0)))
    assert covered(lens, (50.0, 50.0), (50.0, 20.0)).tolist() == [1.0, 0.0]


def circle(radius: float) -> Path:
    """Four cubic curves that make a circle, to 3e-4 of its radius."""
    arm = 0.5522847498 * radius
    quarters = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
    return Path(points=tuple((x * radius, y * radius, y * arm, -x * arm, -y * arm, x * arm) for x, y in quarters))


@pytest.mark.parametrize("radius", [3.0, 200.0, 2000.0])
def test_a_round_path_is_flat_enough(radius: float) -> None:
    line = flattened(circle(radius).points)
    assert len(line) <= MOST_SEGMENTS
    middles = (line + np.roll(line, -1, axis=0)) / 2.0
    for points in (line, middles):
        assert np.abs(np.hypot(points[:, 0], points[:, 1]) - radius).max() < FLATNESS + 3e-4 * radius


def test_lines_of_a_path_are_few_where_it_is_straight_and_never_too_many() -> None:
    assert len(flattened(SQUARE.points)) == 4
    rng = np.random.default_rng(1)
    for count in (1, 2, 7, 100, 500, MOST_POINTS):
        for size in (1.0, 1e4):
            line = flattened(rng.normal(0.0, size, (count, 6)).tolist())
            assert 2 <= len(line) <= MOST_SEGMENTS
            assert np.isfinite(line).all()


def test_too_many_points_and_far_positions_are_refused() -> None:
    with pytest.raises(GradeError, match=r"Path\.points has 513 entries; 512 is the most"):
        Path(points=((0.0,) * 6,) * 513)
    with pytest.raises(GradeError, match=r"Path\.points must be rows of 6 numbers"):
        Path(points=((0.0,) * 5,))
    with pytest.raises(GradeError, match=r"Ellipse\.center must lie within -1e\+06 and 1e\+06"):
        Ellipse(center=(2e6, 0.0))
    with pytest.raises(GradeError, match=r"Ellipse\.size must be at least 0\.5"):
        Ellipse(size=(0.0, 10.0))
    assert Path(points=[[1, 2, 0, 0, 0, 0]]).points == ((1.0, 2.0, 0.0, 0.0, 0.0, 0.0),)
