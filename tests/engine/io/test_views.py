"""Vectors and views of channels and parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.io import read_image
from engine.io.info import ChannelInfo, ImageInfo, PartInfo, find_vectors
from engine.io.views import counterpart, other_view, view_of, views_of, without_view

BOX = (0, 0, 3, 1)
MULTI_VIEW = ("R", "G", "B", "left.R", "left.G", "left.B", "Z", "left.Z", "N.X", "N.Y", "N.left.X", "N.left.Y", "a.u")


def part_of(*names: str, index: int = 0, name: str = "", view: str = "", views: tuple[str, ...] = ()) -> PartInfo:
    channels = tuple(ChannelInfo(each, "half") for each in names)
    metadata = {"multiView": list(views)} if views else {}
    return PartInfo(index, name, "scanline", channels, BOX, BOX, view=view, metadata=metadata)


def file_of(*parts: PartInfo) -> ImageInfo:
    return ImageInfo(Path("a.exr"), "openexr", parts)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("N.X", "N.Y", "N.Z"), {"N": ("N.X", "N.Y", "N.Z")}),
        (("N.z", "N.y", "N.x"), {"N": ("N.x", "N.y", "N.z")}),
        (("mv.u", "mv.v", "Z"), {"mv": ("mv.u", "mv.v")}),
        (("V.X", "V.Y", "V.Z", "V.W"), {"V": ("V.X", "V.Y", "V.Z")}),
        (("UV.U", "UV.V", "UV.A"), {"UV": ("UV.U", "UV.V")}),
        (("a.x", "b.y", "c.q"), {}),
    ],
)
def test_components_form_vectors(names: tuple[str, ...], expected: dict[str, tuple[str, ...]]):
    assert {layer.name: layer.channels for layer in find_vectors(names)} == expected


def test_a_vector_is_read_as_red_green_and_blue(tmp_path: Path):
    planes = {name: np.full((2, 4), value, np.float16) for name, value in (("N.X", -1), ("N.Y", 0.5), ("mv.u", 3))}
    planes |= {"N.Z": np.full((2, 4), 0.25, np.float16), "mv.v": np.full((2, 4), -4, np.float16)}
    path = tmp_path / "vectors.exr"
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(path))
    normals, motion, alone = (read_image(path, layer=name) for name in ("N", "mv", "N.Y"))
    assert normals.pixels[0, 0].tolist() == [-1.0, 0.5, 0.25] and normals.layer.is_vector
    assert motion.pixels[1, 3].tolist() == [3.0, -4.0, 0.0]
    assert alone.pixels[0, 0].tolist() == [0.5] * 3 and not alone.layer.is_vector
    assert "N" not in [layer.name for layer in normals.part.layers]  # exports still see single channels


def test_integers_form_no_vector():
    part = PartInfo(0, "", "scanline", (ChannelInfo("id.x", "uint"), ChannelInfo("id.y", "uint")), BOX, BOX)
    assert part.vectors == ()


def test_the_views_of_channels():
    part = part_of(*MULTI_VIEW, views=("right", "left"))
    info = file_of(part)
    assert views_of(info) == ("left", "right")
    layers = {layer.name: layer for layer in (*part.layers, *part.vectors)}
    expected = {"": "right", "left": "left", "Z": "right", "left.Z": "left", "N.left": "left", "N": "", "a.u": ""}
    assert {name: view_of(part, layers[name]) for name in expected} == expected
    for name, other in (("", "left"), ("left", ""), ("Z", "left.Z"), ("left.Z", "Z")):
        found = other_view(info, part, layers[name])
        assert found is not None and found[1].name == other
        assert without_view(part, layers[name]) == without_view(part, layers[other])
    assert other_view(info, part, layers["a.u"]) is None


def test_a_channel_alone_has_a_counterpart():
    part = part_of(*MULTI_VIEW, views=("right", "left"))
    info = file_of(part)
    alone = next(layer for layer in part.layers if layer.name == "left.Z")
    red = type(alone)("R", ("R",))
    assert other_view(info, part, red) == (part, type(alone)("left.R", ("left.R",)))


def test_the_views_of_parts():
    names = (("rgba_right", "right"), ("Z_left", "left"), ("rgba_left", "left"), ("Z_right", "right"), ("mask", ""))
    parts = tuple(part_of("R", "G", "B", index=n, name=name, view=view) for n, (name, view) in enumerate(names))
    info = file_of(*parts)
    assert views_of(info) == ("left", "right")
    layer = parts[0].layers[0]
    for start, other in ((0, 2), (2, 0), (1, 3), (3, 1)):
        found = other_view(info, parts[start], layer)
        assert found is not None and found[0] is parts[other]
    assert other_view(info, parts[4], layer) is None
    assert counterpart(info, parts[0], layer, "right") is None


@pytest.mark.parametrize("broken", [None, 5, "left", [1, 2], {"left": 1}])
def test_damaged_lists_of_views_are_ignored(broken: object):
    part = PartInfo(0, "", "scanline", (ChannelInfo("R", "half"),), BOX, BOX, metadata={"multiView": broken})
    assert other_view(file_of(part), part, part.layers[0]) is None
