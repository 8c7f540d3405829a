"""Planar frames of movies, to R'G'B': each layout, range, matrix and siting against float64 on every backend."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import create_executor, ops
from engine.compute.backends.base import DISPLAY, GpuPrimitives
from engine.compute.baked_lut import BakedLut
from engine.compute.executor import TiledExecutor
from engine.compute.planar import MATRICES, PACKINGS, PHASES, SUBSAMPLING, PlanarFormat
from engine.core.geometry import Place, Rect
from engine.errors import HandleError, OutOfDeviceMemory
from engine.kernel.op import ColorOp, Table
from tests.engine.compute.test_point_inputs import Coordinates
from tests.engine.host_planar import HostPlanar
from tests.engine.kernel.test_codegen import needs_compiler
from tests.engine.planar_reference import planes_of, to_rgba
from tests.thorough import THOROUGH
from tests.tolerance import assert_close

SIZE = 17, 11
DEPTHS = (8, 10, 16)
PARTS = (Rect(0, 0, *SIZE), Rect(1, 1, 15, 9), Rect(4, 3, 5, 8), Rect(16, 10, 1, 1))


def formats(size: tuple[int, int] = SIZE) -> Iterator[PlanarFormat]:
    """Each layout with some range, matrix and siting; all of these with each layout if the tests are thorough."""
    layouts = itertools.product(DEPTHS, SUBSAMPLING, PACKINGS)
    values = list(itertools.product((False, True), MATRICES, PHASES, (False, True)))
    for number, (depth, chroma, packing) in enumerate(layouts):
        for full, matrix, siting, alpha in values if THOROUGH else values[number % 11 :: 11]:
            if chroma == "444" or matrix != "identity":
                yield PlanarFormat(*size, depth, chroma, packing, full, matrix, siting, alpha)


def converted(
    primitives: GpuPrimitives,
    planes: list[NDArray[Any]],
    format: PlanarFormat,
    chain: tuple[ColorOp, ...] = (),
    region: Rect | None = None,
    dtype: Any = np.float32,
    place: Place | None = None,
    channels: int = 4,
) -> NDArray[Any]:
    part = region or Rect(0, 0, format.width, format.height)
    target = primitives.allocate(part.width, part.height, channels, dtype)
    primitives.exec_planes(primitives.upload_planes(planes, format), target, chain, place, region)
    return np.array(primitives.download(target))


def test_every_format(executor: TiledExecutor, backend: str) -> None:
    """At odd sizes, also with codes beyond black and white."""
    for format in formats():
        planes = planes_of(format)
        assert_close(converted(executor.primitives, planes, format), to_rgba(planes, format), backend)


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 3), (701, 51)])
def test_other_sizes(size: tuple[int, int], executor: TiledExecutor, backend: str) -> None:
    for chroma, siting in itertools.product(("420", "422"), PHASES):
        format = PlanarFormat(*size, 10, chroma, siting=siting)
        planes = planes_of(format)
        assert_close(converted(executor.primitives, planes, format), to_rgba(planes, format), backend)


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    """Each format and region; the same lines as on the device, compiled by the host."""
    every = list(formats())
    host = HostPlanar(every, (ops.Exposure(1.0),), tmp_path)
    for format in every:
        planes = planes_of(format)
        exact = to_rgba(planes, format)
        exact[..., :3] *= 2.0
        for part in PARTS:
            assert_close(host(planes, format, part), exact[part.within(PARTS[0])], "cuda", True)


def test_a_region_has_the_bits_of_the_whole(executor: TiledExecutor) -> None:
    chain = (ops.Contrast(1.2), Coordinates())
    for chroma, siting in itertools.product(SUBSAMPLING, PHASES):
        format = PlanarFormat(*SIZE, 10, chroma, siting=siting)
        planes = planes_of(format)
        whole = converted(executor.primitives, planes, format, chain, place=Place())
        for part in PARTS:
            tile = converted(executor.primitives, planes, format, chain, part, place=Place().part(part.x, part.y))
            np.testing.assert_array_equal(tile, whole[part.within(PARTS[0])])


def test_the_grade_runs_in_the_same_pass(executor: TiledExecutor, backend: str) -> None:
    """A CDL and a LUT, into each storage."""
    format = PlanarFormat(*SIZE, 10, alpha=True)
    planes = planes_of(format, smooth=True)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5) ** 0.8] * 3, indexing="ij"), axis=-1)
    chain = (ops.Cdl((1.1, 1.0, 0.9), (0.02, 0.0, -0.01), (1.1, 1.0, 0.9), 0.9), ops.Lut3d(grid))
    exact = to_rgba(planes, format)
    for op in chain:
        exact = op.reference(exact)
    for dtype, channels in itertools.product((np.float32, np.float16), (3, 4)):
        result = converted(executor.primitives, planes, format, chain, dtype=dtype, channels=channels)
        assert_close(result, exact[..., :channels], backend, True, dtype)
    shown = converted(executor.primitives, planes, format, chain, dtype=DISPLAY)
    assert np.abs(shown[..., :3] - np.clip(exact[..., :3], 0.0, 1.0) * 255.0).max() < 0.51
    assert (shown[..., 3] == 255).all()


def test_display_with_a_baked_lut_is_repaired(executor: TiledExecutor) -> None:
    format = PlanarFormat(*SIZE)
    planes = planes_of(format)
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5)] * 3, indexing="ij"), axis=-1)
    baked = BakedLut(Table(grid), Table(np.ones((64, 1))), ops=(ops.Exposure(-1.0),))
    shown = converted(executor.primitives, planes, format, (baked,), dtype=DISPLAY)
    exact = to_rgba(planes, format)
    final = ops.Exposure(-1.0).reference(exact) if executor.primitives.repairs else baked.reference(exact)
    assert np.abs(shown[..., :3] - np.clip(final[..., :3], 0.0, 1.0) * 255.0).max() < 0.51


@pytest.mark.parametrize(("depth", "full"), [(8, False), (10, False), (10, True), (16, False)])
def test_a_ramp_has_as_many_steps_as_codes(depth: int, full: bool, executor: TiledExecutor) -> None:
    """Of equal height: no code is lost or doubled, and grey has no colour."""
    codes = 1 << min(depth, 12)
    format = PlanarFormat(codes, 2, depth, full_range=full, siting="topleft")
    luma = np.tile(np.arange(codes) << (depth - 12 if depth > 12 else 0), (2, 1)).astype(format.dtype)
    chroma = np.full((1, codes // 2), int(format.chroma_codes[0]), format.dtype)
    rgb = converted(executor.primitives, [luma, chroma, chroma], format)[0, :, :3].astype(np.float64)
    assert (np.ptp(rgb, axis=1) == 0.0).all()
    steps = np.diff(rgb[:, 0]) * format.luma_codes[1] / (luma[0, 1] - luma[0, 0])
    assert np.abs(steps - 1.0).max() < (2e-4 if depth < 12 else 4e-3), "of a code"


def test_flat_colours_are_those_of_the_standards(executor: TiledExecutor, backend: str) -> None:
    """The primaries of 100 % colour bars: Y', Cb, Cr of BT.709 in 10 bits (SMPTE RP 219: full-amplitude codes)."""
    bars = {
        (1, 1, 0): (877, 64, 553),
        (0, 1, 1): (754, 615, 64),
        (0, 1, 0): (690, 167, 105),
        (1, 0, 0): (250, 409, 960),
    }
    for rgb, codes in bars.items():
        format = PlanarFormat(8, 8, 10)
        planes = [np.full(shape[:2], code, np.uint16) for shape, code in zip(format.shapes, codes, strict=True)]
        result = converted(executor.primitives, planes, format)[..., :3]
        assert np.abs(result - np.array(rgb)).max() < 0.0015, "the codes are rounded"
        assert np.ptp(result, axis=(0, 1)).max() == 0.0


# -- memory


@pytest.fixture
def device(backend: str) -> Iterator[GpuPrimitives]:
    """Primitives of their own, so that the counts are this test's."""
    primitives = create_executor(backend).primitives
    yield primitives
    gc.collect()
    assert (primitives.memory_stats().count, primitives.memory_stats().live) == (0, 0), "an image was left behind"


def test_a_frame_is_counted_memory(device: GpuPrimitives) -> None:
    format = PlanarFormat(*SIZE, 10)
    frame = device.upload_planes(planes_of(format), format)
    assert device.memory_stats().count == 1
    assert device.memory_stats().live == frame.nbytes >= format.nbytes == (17 * 11 + 2 * 9 * 6) * 2
    again = frame
    del frame
    assert device.memory_stats().count == 1
    again.free()
    assert device.memory_stats().count == 0
    target = device.allocate(*SIZE)
    for use, says in (
        (again.free, "freed twice"),
        (lambda: device.free(again), "freed twice"),
        (lambda: device.exec_planes(again, target), "freed before this use"),
        (lambda: device.download_planes(again), "freed before this use"),
    ):
        with pytest.raises(HandleError, match=says):
            use()
    device.memory_limit = target.nbytes + 10
    with pytest.raises(OutOfDeviceMemory, match="limit"):
        device.upload_planes(planes_of(format), format)


def test_up_and_down_and_to_another_backend(backend: str, device: GpuPrimitives) -> None:
    other = create_executor("cpu").primitives
    for format in (PlanarFormat(*SIZE, alpha=True), PlanarFormat(*SIZE, 10, packing="semiplanar", chroma="422")):
        planes = planes_of(format)
        here = device.upload_planes(planes, format)
        there = here.to(other)
        assert (there.primitives, here.to(device)) == (other, here)
        for found in (device.download_planes(here), other.download_planes(there)):
            assert all(np.array_equal(a, b) and a.shape == b.shape for a, b in zip(found, planes, strict=True))
        target, another = device.allocate(*SIZE), create_executor(backend).primitives
        device.exec_planes(here.to(another), target)  # converted, as images are
        assert np.array_equal(device.download(target), converted(device, planes, format))
        with pytest.raises(HandleError, match=r"lies on .*; use handle\.to\(\)"):
            device.download_planes(there)


def test_rows_may_have_gaps(executor: TiledExecutor) -> None:
    """As decoders give them: the beginning of longer rows; Cb and Cr side by side, or one after the other."""
    for packing in PACKINGS:
        format = PlanarFormat(*SIZE, 10, packing=packing)
        planes = planes_of(format)
        wide = []
        for plane in planes:
            flat = plane.reshape(len(plane), -1)
            padded = np.full((len(plane), flat.shape[1] + 7), 0xFFFF, np.uint16)
            padded[:, : flat.shape[1]] = flat
            wide.append(padded[:, : flat.shape[1]])
        assert np.array_equal(
            converted(executor.primitives, wide, format), converted(executor.primitives, planes, format)
        )


def test_what_is_no_frame_is_refused(device: GpuPrimitives) -> None:
    format = PlanarFormat(8, 6)
    luma, cb, cr = planes_of(format)
    wide = np.zeros((6, 16), np.uint8)
    for planes, says in (
        ([luma, cb], "3 planes, not 2"),
        ([luma[:5], cb, cr], r"plane 0 has the shape \(5, 8\); this frame needs 6 rows of 8 samples"),
        ([luma, cb, cr[:, :3]], "plane 2 has the shape"),
        ([luma.astype(np.uint16), cb, cr], "plane 0 has samples of uint16; 8 bits are uint8"),
        ([luma[::-1], cb, cr], "not stored from left to right and from top to bottom; copy it"),
        ([luma, cb[:, ::-1], cr], "plane 1 is not stored"),
        ([wide[:, ::2], cb, cr], "plane 0 is not stored"),
        ([np.broadcast_to(luma[:1], (6, 8)), cb, cr], "plane 0 is not stored"),
    ):
        with pytest.raises(HandleError, match=says):
            device.upload_planes(planes, format)
    frame = device.upload_planes([luma, cb, cr], format)
    with pytest.raises(HandleError, match="8 x 6 pixels can't go into an image"):
        device.exec_planes(frame, device.allocate(7, 6))
    for part in (Rect(-1, 0, 4, 4), Rect(5, 0, 4, 4), Rect(0, 0, 0, 0)):
        with pytest.raises(HandleError, match="is not inside a frame of 8 x 6"):
            device.exec_planes(frame, device.allocate(4, 4), region=part)
    with pytest.raises(HandleError, match="place of pixels, and none is given"):
        device.exec_planes(frame, device.allocate(8, 6), [Coordinates()])


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"width": 0}, "at least one pixel, not 0 x 6"),
        ({"depth": 7}, "8 to 16 bits, not 7"),
        ({"chroma": "411"}, "'411' is not a valid chroma of planes; these are: 420, 422, 444, 400"),
        ({"matrix": "ycgco"}, "'ycgco' is not a valid matrix"),
        ({"matrix": "identity"}, "not subsampled: chroma must be 444, not 420"),
        ({"siting": "bottom"}, "not a valid siting"),
        ({"packing": "packed"}, "not a valid packing"),
    ],
)
def test_formats_that_do_not_exist(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(HandleError, match=says):
        PlanarFormat(**{"width": 8, "height": 6} | fields)
