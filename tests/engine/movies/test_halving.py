"""Planes of half the size against the means of converted pixels, in float64."""

import numpy as np
import pytest

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.planar import PlanarFormat
from engine.movies.halving import half_format, halved
from tests.engine.planar_reference import planes_of, to_rgba
from tests.tolerance import policy_error

FORMATS = [
    PlanarFormat(38, 22),
    PlanarFormat(38, 22, 8, "420", siting="center", full_range=True),
    PlanarFormat(38, 22, 10, "420", siting="topleft", matrix="bt2020ncl"),
    PlanarFormat(38, 22, 12, "422", alpha=True),
    PlanarFormat(38, 22, 10, "444", full_range=True, alpha=True),
    PlanarFormat(38, 22, 10, "444", matrix="identity"),
    PlanarFormat(38, 22, 8, "400"),
    PlanarFormat(2, 2),
]


def means(pixels: np.ndarray) -> np.ndarray:
    height, width, channels = pixels.shape
    return pixels.reshape(height // 2, 2, width // 2, 2, channels).mean((1, 3))


@pytest.mark.parametrize("format", FORMATS, ids=lambda f: f"{f.chroma}-{f.depth}-{f.siting}-{f.matrix}")
def test_halved_planes_are_the_means_of_pixels(format: PlanarFormat):
    planes, half = planes_of(format), half_format(format)
    assert half is not None
    small, wanted = halved(planes, format), means(to_rgba(planes, format))
    assert [plane.dtype for plane in small] == [half.dtype] * len(small)
    assert np.abs(to_rgba(small, half) - wanted).max() < 1e-12
    cpu = CpuPrimitives()
    target = cpu.allocate(half.width, half.height, 4, np.float32)
    cpu.exec_planes(cpu.upload_planes(small, half), target)
    assert policy_error(cpu.download(target), wanted).max() < 1e-6


@pytest.mark.parametrize(
    "format",
    [PlanarFormat(37, 22), PlanarFormat(38, 21), PlanarFormat(38, 22, 12), PlanarFormat(38, 22, packing="semiplanar")],
)
def test_formats_without_half(format: PlanarFormat):
    assert half_format(format) is None
