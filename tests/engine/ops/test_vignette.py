"""Vignettes: by formulas of their own, on every backend, for any display window."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from engine import Grade, Layer, ops
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.core.geometry import Place
from engine.errors import GradeError
from engine.grade import Curve, Key
from engine.grade.curves import Keys
from engine.luts.baking import bake
from engine.mattes import Ellipse, Leaf, Matte
from engine.viewing import FrameMaker, WholeLevels
from tests.engine.compute.test_tiles import assert_same_bits
from tests.engine.host_cuda import HostCuda
from tests.engine.images import plain, rgba64
from tests.engine.kernel.test_codegen import needs_compiler
from tests.tolerance import assert_close

WINDOW = (400, 300)
"""Half of its diagonal is 250."""
PLACES = [Place(), Place(column=300, row=250), Place(-30.3, 11.7, 7.3, 5.1)]
RUNS = [
    ops.Vignette(2.0),
    ops.Vignette(-3.0, 0.7, 0.1, 0.2, (0.3, 0.6)),
    ops.Vignette(4.0, 0.9, 0.0, 0.0, (0.4, 0.5)),
    ops.Vignette(3.0, 0.9, 1.0, 0.2, (0.4, 0.5), "cosine"),
    ops.Vignette(-2.0, 0.6, 0.5, 1.0, (0.5, 0.5), "cosine"),
]


def gains(op: ops.Vignette, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The gain at places of WINDOW, for a roundness of 1."""
    d = np.hypot(x - op.center[0] * 400.0, y - op.center[1] * 300.0) / 250.0
    width = max(op.radius * op.softness, 0.01)
    s = np.maximum((d - (op.radius - width)) / width, 0.0)
    if op.falloff == "cosine":
        angle = math.acos(2.0 ** (-abs(op.amount) / 4.0))
        return np.cos(np.arctan(s * math.tan(angle))) ** (4.0 * math.copysign(1.0, op.amount))
    s = np.minimum(s, 1.0)
    return np.exp2(-op.amount * s**2 * (3.0 - 2.0 * s))


def test_reference_by_a_formula_of_its_own() -> None:
    x, y = Place().centres(*WINDOW)
    for op in RUNS:
        circle = op.fitted(*WINDOW).replace(roundness=1.0)
        graded = circle.reference(np.ones((300, 400, 4)), Place())
        assert np.allclose(graded[..., 0], gains(circle, x, y), rtol=1e-9)
        assert (graded[..., 3] == 1.0).all()


@pytest.mark.parametrize("falloff", ["smooth", "cosine"])
@pytest.mark.parametrize("roundness", [0.0, 0.5, 1.0])
def test_corners_have_the_amount(falloff: str, roundness: float) -> None:
    op = ops.Vignette(2.0, roundness=roundness, falloff=falloff).fitted(*WINDOW)
    corner = op.reference(np.ones((1, 1, 4)), Place(-0.5, 299.5))
    middle = op.reference(np.ones((1, 1, 4)), Place(199.5, 149.5))
    assert corner[0, 0, 0] == pytest.approx(0.25)
    assert middle[0, 0, 0] == pytest.approx(1.0)


def test_an_ellipse_has_the_shape_of_the_frame() -> None:
    op = ops.Vignette(2.0, 0.7, roundness=0.0).fitted(*WINDOW)
    side = op.reference(np.ones((1, 1, 4)), Place(399.5, 149.5))
    top = op.reference(np.ones((1, 1, 4)), Place(199.5, -0.5))
    assert side[0, 0, 0] == pytest.approx(top[0, 0, 0])


@pytest.mark.parametrize("place", PLACES)
def test_every_backend(place: Place, executor: TiledExecutor, backend: str) -> None:
    image = plain(41, 53)
    for op in RUNS:
        result = executor.execute_color(image, [op], MatteInputs(place, None, WINDOW))
        assert_close(result, op.fitted(*WINDOW).reference(rgba64(image), place), backend)


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    image, fitted = plain(31, 47), [op.fitted(*WINDOW) for op in RUNS]
    host = HostCuda([[fitted[0]], [fitted[-1]]], tmp_path)
    for op in fitted:
        number = int(op.falloff == "cosine")
        for place in PLACES:
            assert_close(host(number, [op], image, place), op.reference(rgba64(image), place), "cuda")


def test_it_follows_the_display_window(executor: TiledExecutor) -> None:
    """Within mixes, mattes and groups, too; an image without one is its own."""
    matte = Matte(Leaf(Ellipse((200.0, 150.0), (150.0, 90.0), softness_in=80.0)))
    image = np.ones((300, 400, 4), np.float32)
    for layer in (Layer(RUNS[0]), Layer(RUNS[0], mix=0.5), Layer(RUNS[0], matte=matte)):
        grade = Grade([layer])
        full = executor.execute_color(image, grade, MatteInputs(frame=WINDOW))
        place = Place(0.0, 0.0, 2.0, 2.0)
        half = executor.execute_color(np.ones((150, 200, 4), np.float32), grade, MatteInputs(place, None, WINDOW))
        assert np.abs(half - full[::2, ::2]).max() < 0.02
        assert full[0, 0, 0] == full[-1, -1, 0] or layer.matte is not None
    alone = executor.execute_color(image, [RUNS[0]])
    assert (alone == executor.execute_color(image, [RUNS[0]], MatteInputs(frame=WINDOW))).all()


def test_values_and_views_are_those_of_an_export(executor: TiledExecutor) -> None:
    """Of single pixels, and of a view at full size."""
    image = plain(90, 120)
    maker = FrameMaker(executor, WholeLevels(image))
    grade = tuple(Grade([ops.Grain(0.3), ops.Vignette(2.0)]))
    whole = executor.execute_color(image, grade)
    assert_same_bits(maker.values((70.0, 60.0, 9.0, 8.0), grade), whole[60:68, 70:79])
    shown, region = maker.graded((20.0, 10.0, 64.0, 32.0), 64, 32, grade)
    assert region == (20.0, 10.0, 64.0, 32.0)
    assert_same_bits(shown, whole[10:42, 20:84])


def test_keys_change_the_values_alone(executor: TiledExecutor) -> None:
    """Ops with keys follow the display window, too."""
    image, inputs = plain(40, 50), MatteInputs(Place(column=300, row=200), None, WINDOW)
    for op, field in ((ops.Grain(), "amount"), (ops.Vignette(), "amount"), (ops.ChromaticAberration(), "red")):
        keys = Keys({field: Curve([Key(0, 0.0, "linear"), Key(2, 1.0)])})
        at = executor.execute_color(image, Grade([Layer(op, keys=keys)]).at(1), inputs)
        plainly = Grade([op.replace(**{field: 0.5})]).at(1)
        assert_same_bits(at, executor.execute_color(image, plainly, inputs))
        assert (at != image).any()


def test_inverse_removes_it() -> None:
    image = rgba64(plain())
    for op in RUNS:
        there = op.fitted(*WINDOW).reference(image, PLACES[1])
        back = op.inverse().fitted(*WINDOW).reference(there, PLACES[1])
        assert np.allclose(back, image, rtol=1e-12)


def test_no_lut_holds_it() -> None:
    with pytest.raises(GradeError, match="Vignette depends on the place"):
        bake(Grade([RUNS[0]]), "look.cube")
