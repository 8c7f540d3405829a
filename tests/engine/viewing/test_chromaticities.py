"""Chromaticity diagrams, shares outside of gamuts and scatters of a view, against NumPy and published numbers."""

from __future__ import annotations

import numpy as np
import pytest

from engine import ops
from engine.core.colorimetry import PRIMARIES, to_xyz
from engine.core.spectral_locus import FIRST_NM, LOCUS, STEP_NM
from engine.viewing import FrameMaker, WholeLevels, cost_model
from engine.viewing import scopes as scoping
from engine.viewing.diagram import DIAGRAM_SIZE, Diagram
from engine.viewing.scatter import SPACES, hsv_cone, lab, oklab, scatter_of, shown
from engine.viewing.scopes import ScopeOptions, ScopeReading, read_scopes
from tests.engine.backends import USABLE, executor_on

WHOLE = np.eye(4)
WHOLE[:3, :3] = to_xyz(PRIMARIES["rec2020"])
TO_XYZ = (ops.Matrix(tuple(WHOLE.ravel().tolist()), form="rgb"),)


@pytest.fixture(params=USABLE)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def reading(
    backend: str, pixels: np.ndarray, options: ScopeOptions, inside: tuple[ops.Exposure, ...] = ()
) -> ScopeReading:
    height, width = pixels.shape[:2]
    maker, view = (
        FrameMaker(executor_on(backend), WholeLevels(pixels)),
        ((0.0, 0.0, float(width), float(height)), width, height),
    )
    found = read_scopes(maker, options, view, ((), ()), False, lambda: False, inside, TO_XYZ)
    assert found is not None
    return found


def noise() -> np.ndarray:
    random = np.random.default_rng(3)
    return np.abs(random.normal(0.3, 0.5, (60, 90, 3))).astype(np.float32)


@pytest.mark.parametrize("diagram", [Diagram(), Diagram("uv", "ACES", "ap1")])
def test_counts_of_a_diagram_are_numpys(backend: str, diagram: Diagram, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (900, 2000))
    pixels = noise()
    pixels[0, :4] = [[np.nan] * 3, [0.0] * 3, [-1.0] * 3, [np.inf, 0.0, 0.0]]
    options = ScopeOptions(("chromaticity",), "source", diagrams=(Diagram("uv"), diagram))
    found = reading(backend, pixels, options).chromaticity_in(diagram)
    assert found is not None and found.sum() == pixels.shape[0] * pixels.shape[1] - 4
    xyz = pixels.reshape(-1, 3)[4:].astype(np.float64) @ (diagram._from_d65 @ WHOLE[:3, :3]).T
    across, up = diagram.places((xyz[:, :2] / xyz.sum(axis=1, keepdims=True)).ravel().tolist()).T
    (x, y), extent = diagram.frame
    edges = [middle + extent * np.linspace(-1.0, 1.0, DIAGRAM_SIZE + 1) for middle in (x, y)]
    limits = [(each[0] + 1e-9, each[-1] - 1e-9) for each in edges]
    expected = np.histogram2d(np.clip(up, *limits[1]), np.clip(across, *limits[0]), (edges[1], edges[0]))[0][::-1]
    assert np.abs(found - expected).sum() / 2 <= 0.004 * found.sum()  # of what lies on the edge of a bin


def test_primaries_and_white_lie_at_their_published_places(backend: str) -> None:
    pixels = np.array([[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]], np.float32)
    for coordinates in ("xy", "uv"):
        diagram = Diagram(coordinates, zoom="rec2020")
        options = ScopeOptions(("chromaticity",), "source", diagrams=(diagram,))
        found = reading(backend, pixels, options).chromaticity_in(diagram)
        (across, up), extent = diagram.frame
        assert found is not None and found.sum() == 4
        for x, y in np.reshape(PRIMARIES["rec2020"], (4, 2)):
            u, v = (x, y) if coordinates == "xy" else (4 * x / (-2 * x + 12 * y + 3), 9 * y / (-2 * x + 12 * y + 3))
            column, row = ((at / extent + 1.0) / 2.0 * DIAGRAM_SIZE for at in (u - across, up - v))
            assert found[int(row) - 1 : int(row) + 2, int(column) - 1 : int(column) + 2].sum() == 1


def test_the_share_outside_is_of_all_finite_pixels(backend: str) -> None:
    pixels = np.full((10, 20, 3), 0.4, np.float32)
    pixels[0, :5], pixels[1, :2], pixels[2, :10] = (0.0, 1.0, 0.0), (1e-5, 1.0, 1.0), np.nan
    found = reading(backend, pixels, ScopeOptions((), "source", gamut="rec709"))
    assert found.outside is not None and found.outside.tolist() == [183, 7]
    assert found.share_outside == pytest.approx(7 / 190)
    assert reading(backend, pixels, ScopeOptions((), "source", gamut="ap0")).share_outside == 0.0
    assert reading(backend, pixels, ScopeOptions(("luma",), "source")).share_outside is None


@pytest.mark.parametrize("space", SPACES)
def test_a_scatter_has_the_colours_of_the_pixels(backend: str, space: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoping, "MOST_POINTS", 1000)
    pixels = noise()
    options = ScopeOptions(("scatter",), "source", spaces=tuple(dict.fromkeys(("hsv", space))), scale="0-1")
    found = reading(backend, pixels, options).scatter_in(space)
    assert found is not None and 800 < len(found.points) <= 1000 and len(found.colours) == len(found.points)
    flat = pixels.reshape(-1, 3)
    every = scatter_of(space, flat, (flat @ WHOLE[:3, :3].T).astype(np.float32), options.axis).points
    assert all(np.abs(every - point).max(axis=1).min() < 1e-4 for point in found.points[::50])


def test_solids_have_their_corners_in_place() -> None:
    rgb = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0], [0.5, 0.25, 0.25]], np.float64)
    root = float(np.sqrt(0.75))
    expected = np.array([[1, 0, 1], [-0.5, root, 1], [-0.5, -root, 1], [0, 0, 1], [0, 0, -1], [0.25, 0, 0]])
    assert np.allclose(hsv_cone(rgb), expected)
    white = np.array([PRIMARIES["rec709"][6:]]) / PRIMARIES["rec709"][7]
    xyz = np.array([[white[0, 0], 1.0, (1.0 - sum(PRIMARIES["rec709"][6:])) / PRIMARIES["rec709"][7]]], np.float32)
    assert np.allclose(lab(xyz), [[100, 0, 0]], atol=1e-4) and np.allclose(oklab(xyz), [[1, 0, 0]], atol=2e-4)
    assert shown(xyz).tolist() == [[255] * 3] and shown(0.18 * xyz).tolist() == [[118] * 3]  # 0.4613 of 255
    broken = np.array([[np.nan, 0, 0], [np.inf, 1, 1], [0.2, 0.2, 0.2], [9.0, -1.0, 0.5]], np.float32)
    points = scatter_of("rgb", broken, broken, ScopeOptions(values="source", scale="0-1").axis).points
    assert np.allclose(points, np.array([[-0.6, -0.6, -0.6], [1.0, -1.0, 0.0]]))


def test_the_locus_and_the_solids_are_those_of_colour_science() -> None:
    colour = pytest.importorskip("colour")
    observer = colour.MSDS_CMFS["CIE 1931 2 Degree Standard Observer"]
    values = np.array([observer[FIRST_NM + STEP_NM * n] for n in range(len(LOCUS))])
    assert np.allclose(values[:, :2] / values.sum(axis=1, keepdims=True), LOCUS, atol=6e-6)
    assert FIRST_NM + STEP_NM * (len(LOCUS) - 1) == 700
    xyz = np.random.default_rng(6).uniform(0.001, 1.0, (50, 3)).astype(np.float32)
    assert np.allclose(lab(xyz), colour.XYZ_to_Lab(xyz, PRIMARIES["rec709"][6:]), atol=1e-3)
    assert np.allclose(oklab(xyz), colour.XYZ_to_Oklab(xyz), atol=1e-4)
    diagram = Diagram("uv")
    assert np.allclose(diagram.places(np.ravel(LOCUS).tolist()), colour.xy_to_Luv_uv(LOCUS))


def test_published_chromaticities_of_the_locus() -> None:
    known = {
        380: (0.1741, 0.0050),
        460: (0.1440, 0.0297),
        520: (0.0743, 0.8338),
        600: (0.6270, 0.3725),
        700: (0.7347, 0.2653),
    }
    for wavelength, xy in known.items():  # Wyszecki and Stiles, Color Science
        assert LOCUS[(wavelength - FIRST_NM) // STEP_NM] == pytest.approx(xy, abs=6e-5)
