"""Matrices that become one."""

from __future__ import annotations

import numpy as np

from engine.color.management import manage
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import Grade
from engine.grade.matrix_folding import folded
from engine.kernel.op import Op
from engine.ocio import load_config
from engine.ops import Cdl, Exposure, LogCamera, Matrix

RNG = np.random.default_rng(7)


def matrix(alpha: bool = False, diagonal: bool = False) -> Matrix:
    rows = np.diag(RNG.uniform(0.5, 2.0, 4)) if diagonal else np.eye(4) + RNG.uniform(-0.3, 0.3, (4, 4))
    offset = RNG.uniform(-0.1, 0.1, 4)
    if not alpha:
        rows[3], rows[:3, 3], offset[3] = (0, 0, 0, 1), 0, 0
    return Matrix(tuple(rows.ravel()), tuple(offset), "diagonal" if diagonal else "full")


def reference(ops: tuple[Op, ...], rgba: np.ndarray) -> np.ndarray:
    for op in ops:
        rgba = op.reference(rgba)  # type: ignore[attr-defined]
    return rgba


def test_runs_of_matrices_are_one():
    rgba = RNG.uniform(-1.0, 2.0, (50, 4))
    colours, alphas, gains = (
        [matrix() for _ in range(3)],
        [matrix(alpha=True)],
        [matrix(diagonal=True) for _ in range(2)],
    )
    for ops, form in ((colours, "rgb"), (colours + alphas, "full"), (gains, "diagonal"), (gains + colours, "rgb")):
        (one,) = folded(ops)
        assert isinstance(one, Matrix)
        assert one.form == form
        np.testing.assert_allclose(reference((one,), rgba), reference(tuple(ops), rgba), rtol=1e-12, atol=1e-12)
    apart = (colours[0], Exposure(1.0), colours[1])
    assert folded(apart) == apart


def test_what_cancels_out_is_none():
    one, two = matrix(), matrix()
    assert folded([one, one.inverse()]) == ()
    assert folded([two.inverse(), one, one.inverse(), two, Exposure(1.0)]) == (Exposure(1.0),)


def test_ways_meet_in_no_reference_space():
    ops = load_config().ops_between("ACEScg", "ACEScct")
    assert [type(op) for op in ops] == [LogCamera]
    way = manage(ColourSetup(input="ACEScg"), "a.exr", {})
    cdl = Cdl(slope=(2, 1, 1))
    assert [type(op) for op in way.expanded(Grade([Exposure(1.0), cdl]))] == [Exposure, LogCamera, Cdl, LogCamera]
