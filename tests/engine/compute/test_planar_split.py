"""Planar frames on wgpu devices that bind less memory than a plane takes: bands of rows, with chroma around them."""

from __future__ import annotations

import itertools

import numpy as np

from engine.compute.backends.wgpu import WgpuPrimitives
from engine.compute.planar import PlanarFormat
from engine.core.geometry import Rect
from tests.engine.compute.test_planar import converted
from tests.engine.compute.test_planar_making import colours, made
from tests.engine.planar_reference import planes_of

SIZE = 301, 155


def test_bands_give_the_bits_of_the_whole(whole: WgpuPrimitives, split: WgpuPrimitives) -> None:
    for chroma, siting in itertools.product(("420", "422", "444"), ("left", "topleft")):
        format = PlanarFormat(*SIZE, 10, chroma, "semiplanar", siting=siting, alpha=True)
        planes = planes_of(format)
        frame = split.upload_planes(planes, format)
        assert len(frame.buffer.bands) > 2
        assert all(np.array_equal(a, b) for a, b in zip(split.download_planes(frame), planes, strict=True))
        for region in (None, Rect(3, 41, 255, 90), Rect(300, 60, 1, 7)):
            one, other = (converted(each, planes, format, region=region) for each in (whole, split))
            np.testing.assert_array_equal(one, other)


def test_bands_are_made_as_the_whole_is(whole: WgpuPrimitives, split: WgpuPrimitives) -> None:
    pixels = colours(SIZE)
    for chroma, depth, packing in (("420", 8, "planar"), ("420", 10, "semiplanar"), ("422", 12, "planar")):
        format = PlanarFormat(*SIZE, depth, chroma, packing, alpha=True)
        one, other = (made(each, pixels, format) for each in (whole, split))
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
