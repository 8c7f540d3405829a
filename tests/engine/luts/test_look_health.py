"""Health of LUTs: each finding is made by the fault it names, and by nothing else."""

from __future__ import annotations

import numpy as np

from engine import ops
from engine.luts.diagnostics import check_look, lattice, response

RAMP = np.linspace(0.0, 1.0, 33)
GREYS = np.repeat(np.linspace(0.05, 0.95, 91)[:, None], 3, axis=1)[None]


def cube(curve=RAMP):
    return ops.Lut3d(np.stack(np.meshgrid(curve, curve, curve, indexing="ij"), axis=-1))


def test_a_sound_lut_has_no_findings():
    health = check_look([cube(RAMP**0.8)], GREYS)
    assert health.findings == ()
    assert (health.size, health.domain, health.outside, health.clipped) == ("3D LUT of 33", "0 to 1", 0.0, 0.0)


def test_light_beyond_the_domain():
    bright = GREYS * 2.0
    health = check_look([cube()], bright)
    share = float((bright[0, :, 0] > 1.0).mean())
    assert health.outside == share
    assert any("no shaper" in line for line in health.findings)
    assert any("outside the LUT's domain" in line for line in health.findings)


def test_a_shaper_takes_the_light_in():
    shaper = ops.Lut1d(np.linspace(0.0, 1.0, 65), domain=(0.0, 4.0))
    health = check_look([shaper, cube()], GREYS * 2.0)
    assert health.findings == ()
    assert health.domain == "0 to 4"


def test_clipping_within_the_domain():
    health = check_look([cube(np.minimum(RAMP * 2.0, 1.0))], GREYS)
    assert 0.4 < health.clipped < 0.6
    assert any("largest or smallest" in line for line in health.findings)


def test_curves_that_turn_back():
    curve = RAMP.copy()
    curve[20] = 0.4
    assert "every channel" in check_look([ops.Lut1d(curve)], GREYS).findings[0]
    channels = np.stack([RAMP, curve, RAMP], axis=1)
    assert "reverses in G:" in check_look([ops.Lut1d(channels)], GREYS).findings[0]
    assert "grey axis" in check_look([cube(curve)], GREYS).findings[0]
    falling = ops.Lut1d(1.0 - RAMP)
    assert check_look([falling], GREYS).findings == ()


def test_what_is_not_finite():
    broken = RAMP.copy()
    broken[3] = np.nan
    assert "not finite" in check_look([ops.Lut1d(broken)], GREYS).findings[0]
    assert check_look([cube()], np.full((2, 2, 3), np.nan)).findings == ("The image has no pixel with finite values.",)


def test_response_and_lattice():
    seen = response([cube(RAMP**2)], points=5)
    assert np.allclose(seen[:, 0], [0.0, 0.25, 0.5, 0.75, 1.0])
    assert np.allclose(seen[:, 1], seen[:, 0] ** 2, atol=1e-6)
    grid, out = lattice([ops.Exposure(1.0)], 3)
    assert grid.shape == out.shape == (27, 3)
    assert np.allclose(out, 2.0 * grid)
