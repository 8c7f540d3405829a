"""The chips of a view: each way in which the screen differs from the export, and what ends it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.model.view_state import CHOICES, ViewState
from app.model.viewer_chips import LONGEST, shortened, viewer_chips

SIDES = ("Grade", "Version 2")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"compare": "source"}, "Grade bypassed"),
        ({"compare": "wipe"}, "Wipe: Grade | Version 2"),
        ({"compare": "split"}, "Split: Grade | Version 2"),
        ({"compare": "difference"}, "Difference: Grade − Version 2"),
        ({"channel": "red"}, "Red channel"),
        ({"channel": "alpha"}, "Alpha channel"),
        ({"channel": "luma"}, "Luma"),
        ({"exposure": 1.0}, "Viewer +1 EV"),
        ({"exposure": -0.25}, "Viewer −0.25 EV"),
        ({"gamma": 1.2}, "Viewer gamma 1.2"),
        ({"overlays": ("false colour",)}, "False colour"),
        ({"overlays": ("zebra",)}, "Zebra"),
        ({"overlays": ("focus peaking",)}, "Focus peaking"),
        ({"overlays": ("nan",)}, "NaN and Inf marked"),
        ({"overlays": ("negative",)}, "Negative marked"),
        ({"overlays": ("clipped",)}, "Clipped marked"),
        ({"overlays": ("gamut",)}, "Outside of Rec.709"),
        ({"matte": "alone"}, "Matte alone"),
        ({"matte": "overlay"}, "Matte overlay"),
        ({"matte": "cut-out"}, "Matte cut-out"),
    ],
)
def test_each_difference_has_a_chip_that_ends_it(changes: dict[str, Any], text: str):
    view = replace(ViewState(), **changes)
    (chip,) = viewer_chips(view, sides=SIDES)
    assert chip.text == text
    assert chip.tip.endswith("Exports are not affected.")
    assert replace(view, **dict(chip.changes)) == ViewState()


def test_a_view_as_exported_has_none():
    assert viewer_chips(ViewState(backdrop="checker", display="sRGB", zebra=0.5, pins=((1, 2),))) == []


def test_every_overlay_and_every_comparison_has_a_chip():
    assert [len(viewer_chips(replace(ViewState(), overlays=(name,)))) for name in CHOICES["overlays"]] == [1] * 7
    assert all(viewer_chips(replace(ViewState(), compare=mode), sides=SIDES) for mode in CHOICES["compare"] if mode)


def test_ending_one_overlay_leaves_the_others():
    view = replace(ViewState(), overlays=("zebra", "nan"))
    first, second = viewer_chips(view)
    assert dict(first.changes) == {"overlays": ("zebra",)} and dict(second.changes) == {"overlays": ("nan",)}


def test_a_lut_comes_first_and_a_proxy_last():
    chips = viewer_chips(replace(ViewState(), exposure=2.0), "dark.cube", proxy=True)
    assert [chip.text for chip in chips] == ["Trying LUT: dark.cube", "Viewer +2 EV", "Proxy"]
    assert "ask whether to include it" in chips[0].tip
    assert not chips[0].changes and not chips[2].changes


def test_long_names_keep_their_ends():
    name = "Print 2383 emulation, warm, for the projector of the small stage v03.cube"
    short = shortened(name)
    assert len(short) == LONGEST and short.startswith("Print 2383") and short.endswith("v03.cube")
    assert shortened("a" * LONGEST) == "a" * LONGEST
    (chip,) = viewer_chips(replace(ViewState(), compare="wipe"), sides=(name, name))
    assert name not in chip.text and name in chip.tip
