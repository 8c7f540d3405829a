"""How an image is looked at, read back from a file that may be damaged or of a newer Tessera."""

from __future__ import annotations

import json
import math

import pytest

from app.model.view_state import ViewState

LOOKED = ViewState(
    exposure=1.5,
    gamma=1.2,
    channel="luma",
    compare="wipe",
    difference="signed",
    overlays=("zebra", "nan", "focus peaking"),
    peaking=0.2,
    peaking_colour="green",
    pins=((3, 4),),
)


def test_a_view_comes_back():
    assert ViewState.from_json(json.loads(json.dumps(LOOKED.to_json()))) == LOOKED


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("channel", "depth"),
        ("compare", "onion"),
        ("backdrop", "pink"),
        ("difference", "loud"),
        ("gamma", 0),
        ("gamma", -1.0),
        ("exposure", math.inf),
        ("exposure", math.nan),
        ("exposure", 1e9),
        ("wipe_x", 10**400),
        ("zebra", "\ud800"),
    ],
)
def test_what_can_not_be_shown_is_left_at_its_default(field: str, value: object):
    found = ViewState.from_json(LOOKED.to_json() | {field: value})
    assert getattr(found, field) == getattr(ViewState(), field)


def test_overlays_that_are_unknown_are_left_out():
    assert ViewState.from_json({"overlays": ["nan", "peaking", ["a", 1], 3]}).overlays == ("nan",)
