"""The conversions of a view's values to XYZ, and the gamuts of spaces."""

from __future__ import annotations

import numpy as np
import pytest

from engine.color.management import Managed, manage
from engine.color.xyz import display_gamut, gamut_of, working_gamut, xyz_ops
from engine.core.colorimetry import PRIMARIES
from engine.core.gamuts import adapted
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.ops import Cdl

D65 = PRIMARIES["rec709"][6:]
UNKNOWN = Managed(ColourSetup(), InputSpace())
P3 = Viewing("Display P3 - Display", "ACES 2.0 - SDR 100 nits (P3 D65)")


@pytest.fixture(scope="module")
def managed() -> Managed:
    return manage(ColourSetup(input="lin_rec709_scene", output="ACEScg"), "x.exr")


def test_each_kind_of_values_has_its_own_gamut(managed: Managed) -> None:
    expected = {"source": "rec709", "graded": "ap1", "display": "p3d65"}
    for values, gamut in expected.items():
        found = gamut_of(xyz_ops(managed, values, P3))
        assert found == pytest.approx(adapted(PRIMARIES[gamut], D65), abs=2e-5), values


def test_a_logarithmic_working_space_and_displays_have_gamuts(managed: Managed) -> None:
    assert managed.working == "ACEScct"
    assert working_gamut(managed) == pytest.approx(adapted(PRIMARIES["ap1"], D65), abs=2e-5)
    assert display_gamut(managed, P3) == pytest.approx(PRIMARIES["p3d65"], abs=2e-5)
    hlg = Viewing("Rec.2100-HLG - Display", "ACES 2.0 - HDR 1000 nits (P3 D65)")
    assert display_gamut(managed, hlg) == pytest.approx(PRIMARIES["rec2020"], abs=2e-5)


def test_unknown_values_are_taken_as_rec709() -> None:
    for values in ("source", "graded", "display"):
        assert gamut_of(xyz_ops(UNKNOWN, values, Viewing())) == pytest.approx(PRIMARIES["rec709"], abs=1e-6)
    coded = xyz_ops(UNKNOWN, "display", Viewing())
    colours = np.array([[[0.5, 0.5, 0.5, 1.0]]])
    for op in coded:
        colours = op.reference(colours)
    assert colours[0, 0, 1] == pytest.approx(((0.5 + 0.055) / 1.055) ** 2.4)
    assert working_gamut(UNKNOWN) == () and display_gamut(UNKNOWN, Viewing()) == PRIMARIES["rec709"]


def test_what_has_no_chromaticities_has_no_gamut() -> None:
    assert gamut_of([Cdl(slope=(0.0, 0.0, 0.0))]) == ()
