"""Data views: what sessions keep of them, and the ops and texts that follow; and the tree of layers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.model.comparison_target import OTHER_EYE
from app.model.data_view import DataView, ShownData, valid_range, view_for, with_view
from app.model.layer_tree import has_layer, layer_holding, layer_tree, layers_of
from app.model.view_ops import data_ops
from app.model.view_state import ViewState
from engine import ops
from engine.io.info import ChannelInfo, ImageInfo, PartInfo
from engine.viewing.viewer_ops import CryptomatteColours, DataRange, IdColours

BOX = (0, 0, 3, 1)


def test_sessions_keep_them():
    views = (DataView("a/Z", "depth", (0.1, 250.0), True), DataView("a/N", "image"))
    view = ViewState(data_views=views, compare="anaglyph", against=OTHER_EYE)
    assert ViewState.from_json(json.loads(json.dumps(view.to_json()))) == view
    assert ViewState.from_json({"exposure": 1.0}).data_views == ()  # a session from before there were any


@pytest.mark.parametrize(
    ("saved", "expected"),
    [
        ("depth", ()),
        ([1, None, {"layer": 3}], ()),
        ([{"layer": "Z", "kind": "nonsense", "range": [2.0, 1.0], "coloured": 1}], (DataView("Z"),)),
        ([{"layer": "Z", "range": [0.0, float("inf")]}], (DataView("Z"),)),
        ([{"layer": "Z", "range": [0, 2, 3]}], (DataView("Z"),)),
        ([{"layer": "Z", "range": ["0", "1"]}], (DataView("Z"),)),
    ],
)
def test_what_is_invalid_is_left_out(saved: Any, expected: tuple[DataView, ...]):
    assert ViewState.from_json({"data_views": saved}).data_views == expected


def test_each_layer_has_its_own():
    views = with_view(with_view((), DataView("Z", range=(0.0, 1.0))), DataView("N", coloured=True))
    assert view_for(views, "Z").range == (0.0, 1.0) and view_for(views, "N").coloured
    assert view_for(views, "P") == DataView("P")
    assert with_view(views, DataView("Z")) == (DataView("N", coloured=True),)  # nothing is kept of a default
    assert valid_range((1, 2)) == (1.0, 2.0) and valid_range((2, 1)) == () == valid_range((0.0, 1e38))


@pytest.mark.parametrize(
    ("shown", "op"),
    [
        (ShownData("depth", (0.1, 250.0)), DataRange(0.1, 250.0)),
        (ShownData("depth", (0.1, 250.0), True), DataRange(0.1, 250.0, "low", "false")),
        (ShownData("motion", (-5.0, 5.0)), DataRange(-5.0, 5.0, "middle")),
        (ShownData("ids", plain=False), IdColours("scaled")),
        (ShownData("ids"), IdColours("plain")),
        (ShownData("cryptomatte"), CryptomatteColours()),
    ],
)
def test_the_ops_of_kinds(shown: ShownData, op: Any):
    assert data_ops(shown) == (op,)
    first, channel = data_ops(shown, "red")
    assert first == op and isinstance(channel, ops.Matrix)
    assert shown.picks == (shown.kind in ("ids", "cryptomatte"))


def test_the_texts():
    assert ShownData("depth", (0.1, 250.0)).describe("Z") == "Data view: Z 0.1..250"
    assert ShownData("depth", (0.1, 250.0), True).describe("Z") == "Data view: Z 0.1..250, false colours"
    assert ShownData("ids").describe("id") == "Data view: id, IDs as colours, not graded"


def test_the_tree_of_a_file():
    names = ("R", "G", "B", "N.X", "N.Y", "N.Z", "left.R", "left.G", "left.B", "Z", "V.X", "V.W")
    channels = tuple(ChannelInfo(name, "float" if name == "Z" else "half") for name in names)
    part = PartInfo(0, "", "scanline", channels, BOX, BOX, metadata={"multiView": ["right", "left"]})
    (node,) = layer_tree(ImageInfo(Path("a.exr"), "openexr", (part,)))
    assert node.label == "Part 1"
    assert [(each.label, each.facts) for each in node.layers] == [
        ("Main layer", "half  ·  right"),
        ("left", "half  ·  left"),
        ("N", "half  ·  Normals"),
        ("Z", "float  ·  Depth  ·  right"),
        ("V.X", "half  ·  Data"),
        ("V.W", "half  ·  Data"),
    ]
    assert "normals" in node.layers[2].words and "n.x" in node.layers[2].words
    assert [layer.name for layer in layers_of(part)] == ["", "left", "N", "Z", "V.X", "V.W"]
    assert layer_holding(part, "N.Y").name == "N" and layer_holding(part, "nothing").name == ""
    assert has_layer(part, "N") and has_layer(part, "left.G") and not has_layer(part, "P")
