"""OpenColorIO's grading transforms, forward and inverse, with random controls and curves."""

from __future__ import annotations

import pytest

from tests.engine.ocio_cases import FORWARD, GRADINGS, INVERSE, STYLES, grading
from tests.engine.ocio_random import assert_case

SETS = 30


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", GRADINGS)
def test_a_grading_transform(name: str, style: str, direction) -> None:
    assert_case(grading(name, style), direction, SETS)
