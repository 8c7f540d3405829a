"""The grid of hues and lightness: its spline against SciPy's, its nodes, its seams, and where it folds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.compute.executor import TiledExecutor
from engine.kernel.codegen import trace
from engine.ops import HueLumaGrid
from engine.ops.hue_luma_grid import FADE
from engine.ops.warp_grid import COLUMNS, ROWS, coefficients, folds, values_at
from engine.ops.warp_pins import numbers_at, place_of
from engine.ops.warp_space import colour_at, position_of
from tests.engine.conditioning import answer
from tests.engine.host_cuda import HostCuda
from tests.engine.images import plain, rgba64
from tests.engine.kernel.test_codegen import needs_compiler
from tests.tolerance import tolerance


def some() -> HueLumaGrid:
    """A grid with something at every node."""
    rng = np.random.default_rng(2)
    fields = {}
    for row in range(1, ROWS + 1):
        for part, most in (("hue", 8.0), ("saturation", 30.0), ("light", 0.4)):
            fields[f"{part}_{row}"] = tuple(rng.uniform(-most, most, COLUMNS))
    return HueLumaGrid(**fields)


def graded(op: HueLumaGrid, hue: float, saturation: float, lightness: float) -> np.ndarray:
    """Hue, saturation and lightness after the op."""
    rgb = colour_at(place_of(hue, saturation, lightness))
    return np.array(numbers_at(position_of(op.reference(np.array([*rgb, 1.0]))[:3])))


def assert_right(image: np.ndarray, result: np.ndarray, allowed: float) -> None:
    """Within the policy, but for greys, whose hue float32 can't know better."""
    assert answer([some()], rgba64(image), flushes=True).error(result, allowed).max() <= allowed


def test_nodes_do_what_they_say() -> None:
    op, saturation = some(), 60.0
    faded = 0.6**2 / (0.6**2 + FADE**2)
    for row in range(ROWS):
        for column in range(COLUMNS):
            before = np.array([30.0 * column, saturation, 3.0 * row - 6.0])
            shift, gain, light = op.nodes[row, column] * faded
            after = graded(op, *before)
            assert (after[0] - before[0] - shift + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=1e-4)
            assert after[1:] == pytest.approx([saturation * (1.0 + gain / 100.0), before[2] + light], abs=1e-4)


def test_spline_is_the_one_of_cubics_that_meet_the_nodes_smoothly() -> None:
    """Cubics between nodes, with equal second derivatives at them: there is only one such periodic curve."""
    fitted = coefficients(np.random.default_rng(1).normal(size=(ROWS, COLUMNS, 1)))
    for hue in np.arange(-180.0, 540.0, 30.0):
        inside = values_at(fitted, hue + np.linspace(0.0, 30.0, 7), 0.0)[:, 0]
        assert np.abs(np.diff(inside, 4)).max() < 1e-12
        before, after = (values_at(fitted, hue + step * np.arange(4), 0.0)[:, 0] for step in (-1e-2, 1e-2))
        bends = [2.0 * x[0] - 5.0 * x[1] + 4.0 * x[2] - x[3] for x in (before, after)]  # exact for cubics
        assert bends[0] == pytest.approx(bends[1], abs=1e-12)
    stops = np.arange(-20.0, 20.0, 1e-3)
    assert np.abs(np.diff(values_at(fitted, 45.0, stops)[:, 0], 3)).max() < 1e-8, "smooth across rows and ends"


def test_rest_is_smooth_and_neutral() -> None:
    op = some()
    assert HueLumaGrid().is_identity()
    assert not op.is_identity()
    grey = np.array([[0.18, 0.18, 0.18, 1.0], [4.0, 4.0, 4.0, 1.0]])
    assert op.reference(grey) == pytest.approx(grey, abs=1e-9)
    for stops in (-20.0, -12.5, 12.5):  # beyond the rows, as the last one
        shifts = values_at(coefficients(op.nodes), 75.0, stops)
        assert shifts == pytest.approx(values_at(coefficients(op.nodes), 75.0, np.sign(stops) * 30.0), abs=1e-12)
    below, above = graded(op, 359.999, 60.0, 1.0), graded(op, 0.001, 60.0, 1.0)
    assert (above - below + 180.0)[0] % 360.0 - 180.0 == pytest.approx(0.002, abs=1e-3)
    assert above[1:] == pytest.approx(below[1:], abs=1e-2)


def test_folds_are_where_neighbours_overtake() -> None:
    hues, stops = np.arange(0.0, 360.0, 3.0), np.linspace(-7.0, 7.0, 29)
    assert not folds(some().nodes, hues, stops).any()
    nodes = np.zeros((ROWS, COLUMNS, 3))
    nodes[2, 3, 0], nodes[2, 4, 0] = 40.0, -40.0
    found = folds(nodes, hues, stops)
    assert found.any()
    line = hues + values_at(coefficients(nodes), hues, 0.0)[:, 0]
    falls = hues[:-1][np.diff(line) < 0.0]
    at_zero = hues[found[14]]
    assert (falls.min(), falls.max()) == pytest.approx((at_zero.min(), at_zero.max()), abs=3.1)


def test_json_has_the_rows_that_change_something_and_moves_compile_nothing() -> None:
    op = HueLumaGrid(hue_3=(5.0, *(0.0,) * 11))
    data = json.loads(json.dumps(op.to_json()))
    assert data == {"op": "HueLumaGrid", "hue_3": [5.0, *[0.0] * 11]}
    assert HueLumaGrid.from_json(data) == op
    assert op.structure == some().structure
    assert trace([op]).instructions == trace([some()]).instructions


def test_it_is_within_the_policy(backend: str, executor: TiledExecutor) -> None:
    image = plain()
    assert_right(image, executor.execute_color(image, [some()]), tolerance(backend, chain=True))


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    image = plain()
    assert_right(image, HostCuda([[some()]], tmp_path)(0, [some()], image), tolerance("cuda", chain=True))
