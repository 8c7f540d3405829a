"""Kinds of data by names, and ranges by percentiles."""

from __future__ import annotations

import numpy as np
import pytest

from engine.io.info import ChannelInfo, PartInfo
from engine.viewing.data_kinds import IMAGE, kind_of, sampled_range

BOX = (0, 0, 3, 1)
NAMES = {
    "depth": ("Z", "depth.Z", "left.Z", "ViewLayer.Depth.Z", "ViewLayer.Mist.Z", "zDepth", "depth.V", "Pz"),
    "motion": ("forward.u", "motionvector.X", "ViewLayer.Vector.X", "MV.x", "velocity.x", "disparityL.x"),
    "normals": ("N.X", "normals.Z", "shadingNormal.Y", "ViewLayer.Normal.X", "Denoising Normal.X"),
    "position": ("P.X", "worldPosition.Y", "Pref.x", "Position.Z"),
    "uv": ("st.s", "UV.U", "uvmap.v"),
    "ids": ("objectId", "ViewLayer.IndexOB.X", "materialID", "id"),
    "matte": ("mask", "whitebarmask.mask", "A", "diffuse.A", "holdout"),
    "data": ("foo", "temperature.value", "density"),
    IMAGE: ("Y", "diffuse.R", "G"),
}
CASES = [(kind, name) for kind, names in NAMES.items() for name in names]


def part_of(*names: str, name: str = "", kind: str = "half", **metadata: str) -> PartInfo:
    channels = tuple(ChannelInfo(each, kind) for each in names)
    return PartInfo(0, name, "scanline", channels, BOX, BOX, metadata=dict(metadata))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_single_channels(kind: str, name: str):
    part = part_of(name, "beauty.other")
    layer = next(layer for layer in part.layers if layer.channels[0] == name)
    assert kind_of(part, layer) == kind


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        *(("normals", "N"), ("normals", "normals_filtered"), ("position", "P"), ("motion", "motionVectors")),
        *(("depth", "depth"), ("matte", "mask"), ("matte", "objectId"), ("uv", "uv")),
        *((IMAGE, "motion_blur_beauty"), (IMAGE, "diffuse"), (IMAGE, "shadow"), (IMAGE, "index_of_refraction")),
        *((IMAGE, "reflection"), (IMAGE, "normalised_albedo"), (IMAGE, "left")),
    ],
)
def test_layers_in_red_green_and_blue(kind: str, prefix: str):
    part = part_of("R", "G", "B", *(f"{prefix}.{c}" for c in "RGB"))
    assert kind_of(part, part.layers[-1]) == kind
    assert kind_of(part, part.layers[0]) == IMAGE


def test_the_part_names_the_kind():
    part = part_of("R", "G", "B", name="N")
    assert kind_of(part, part.layers[0]) == "normals"
    part = part_of("value", "other", name="depth_left")
    assert kind_of(part, part.layers[0]) == "depth"


def test_types_and_headers():
    ids = part_of("foo", kind="uint")
    assert kind_of(ids, ids.layers[0]) == "ids"
    named = part_of(*(f"hash00.{c}" for c in "RGBA"), **{"cryptomatte/abc/name": "hash"})
    assert kind_of(named, named.layers[0]) == "cryptomatte"
    by_name = part_of(*(f"CryptoObject01.{c}" for c in "rgba"))
    assert kind_of(by_name, by_name.layers[0]) == "cryptomatte"
    alone = part_of("foo")
    assert kind_of(alone, alone.layers[0]) == IMAGE  # graded as grey, as exports do


def grown(values: np.ndarray, other: float, count: int) -> np.ndarray:
    return np.concatenate([values, np.full(count, other)])[:, None]


RAMP = np.linspace(10.0, 110.0, 1001)


@pytest.mark.parametrize(
    ("kind", "samples", "expected"),
    [
        ("depth", RAMP[:, None], (11.0, 109.0)),
        ("depth", grown(RAMP, 0.0, 500), (11.0, 109.0)),  # nothing hit
        ("depth", grown(RAMP, 1e10, 500), (11.0, 109.0)),
        ("depth", grown(RAMP, np.inf, 500), (11.0, 109.0)),
        ("depth", grown(RAMP, 65504.0, 500), (11.0, 109.0)),
        ("motion", -RAMP[:, None], (-109.0, 109.0)),
        ("motion", np.zeros((5, 3)), (-1.0, 1.0)),
        ("normals", np.array([[-0.9, 0.1, 0.4]]), (-1.0, 1.0)),
        ("normals", np.array([[0.9, 0.1, 0.4]]), (0.0, 1.0)),
        ("uv", np.array([[0.2, 0.7]]), (0.0, 1.0)),
        ("matte", np.array([[0.5], [1.0]]), (0.0, 1.0)),
        ("data", np.array([[-3.0], [1.0]]), (-2.96, 2.96)),
        ("data", np.full((9, 1), 7.0), (0.0, 7.0)),
        ("data", np.full((9, 1), np.nan), (0.0, 1.0)),
        ("position", np.array([[-1.0, 0.0, 3.0]] * 9), (-1.0, 3.0)),
    ],
)
def test_ranges(kind: str, samples: np.ndarray, expected: tuple[float, float]):
    assert np.allclose(sampled_range(kind, samples), expected, rtol=2e-3)
