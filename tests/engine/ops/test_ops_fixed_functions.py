"""Every fixed function of OpenColorIO, forward and inverse, with random parameters where it has any."""

from __future__ import annotations

import PyOpenColorIO as ocio
import pytest

from tests.engine.ocio_cases import ACES2, FORWARD, INVERSE, PLAIN, WITH_PARAMETERS, fixed_function
from tests.engine.ocio_random import assert_case

FEW, SOME, MANY = 4, 6, 16
"""Sets of those without parameters, of the slow ones of ACES 2, and of the others."""


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("style", [*PLAIN, *WITH_PARAMETERS, *ACES2])
def test_a_fixed_function(style: str, direction) -> None:
    sets = FEW if style in PLAIN else SOME if style in ACES2 else MANY
    assert_case(fixed_function(style), direction, sets)


def test_no_fixed_function_is_left_out() -> None:
    withdrawn = {"ACES_GAMUTMAP_02", "ACES_GAMUTMAP_07"}
    named = {name.removeprefix("FIXED_FUNCTION_") for name in dir(ocio) if name.startswith("FIXED_FUNCTION_")}
    assert named - withdrawn == {*PLAIN, *WITH_PARAMETERS, *ACES2}
    for style in withdrawn:
        with pytest.raises(ocio.Exception):
            ocio.FixedFunctionTransform(getattr(ocio, f"FIXED_FUNCTION_{style}"))
