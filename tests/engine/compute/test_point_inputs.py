"""The place and the planes of pixels: the same on every backend, in any storage, band and buffer."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import shaders
from engine import ops
from engine.compute.backends.base import DISPLAY, GpuPrimitives
from engine.compute.baked_lut import BakedLut
from engine.compute.executor import TiledExecutor
from engine.core.geometry import Place
from engine.errors import HandleError
from engine.grade.blending import Mix
from engine.kernel.codegen import trace
from engine.kernel.op import ColorOp, Table, choice, slider, table
from engine.kernel.pixel import Pixel, Vec, path_distance, select
from tests.engine.host_cuda import HostCuda, text
from tests.engine.images import plain, rgba64
from tests.engine.kernel.test_codegen import needs_compiler
from tests.tolerance import assert_close

LEVEL = Place(-3.0, 7.0, 4.0, 4.0)
ODD = Place(-127.3, 511.7, 1.37, 0.731, 40, 9)


@dataclass(frozen=True)
class Ramp(ColorOp, abstract=True):
    """Differences of the place from a centre, on a scale."""

    centre: Any = slider((100.25, 40.1), 0.0, 8192.0)  # noqa: RUF009
    scale: float = slider(0.02, 0.0, 1.0)

    def pixel(self, px: Pixel) -> Vec:
        across, down = px.x - self.centre[0], px.y - self.centre[1]
        return Vec((px.r + across * self.scale, px.g + down * self.scale, px.b * 0.5, px.a))


@dataclass(frozen=True)
class FromPlanes(ColorOp, abstract=True):
    """All eight planes, or the first alone."""

    how: str = choice("all", "first")

    def pixel(self, px: Pixel) -> Vec:
        p = px.planes
        if self.how == "first":
            return Vec((px.r * (1.0 - p[0]) + p[0], px.g, px.b))
        return Vec((px.r + p[0] * p[4], px.g * p[1] - p[5], select(p[2] < p[6], px.b, p[3]), px.a * p[7]))


@dataclass(frozen=True)
class Coordinates(ColorOp, abstract=True):
    def pixel(self, px: Pixel) -> Vec:
        return Vec((px.x, px.y, px.b))


@dataclass(frozen=True)
class Fence(ColorOp, abstract=True):
    """The distance to a polygon, and distances to another one, one of which depends on another."""

    points: Table = table("curve")  # noqa: RUF009
    others: Table = table("curve")  # noqa: RUF009
    shift: float = slider(0.3, -10.0, 10.0)

    def pixel(self, px: Pixel) -> Vec:
        there = path_distance(self.others, px.y, px.x)
        further = path_distance(self.others, px.x, select(there < self.shift, 10.25, 20.5))
        return Vec((path_distance(self.points, px.x, px.y), there, further))


def planes_of(image: NDArray[Any], count: int = 2, seed: int = 11) -> NDArray[np.float32]:
    """Numbers for planes, of the image's size: (height, width, 4 * count)."""
    return np.random.default_rng(seed).uniform(0.0, 1.0, (*image.shape[:2], 4 * count)).astype(np.float32)


def run(
    primitives: GpuPrimitives,
    image: NDArray[Any],
    chain: Sequence[ColorOp],
    place: Place | None = None,
    planes: NDArray[np.float32] | None = None,
    dtype: Any = None,
    in_place: bool = False,
) -> NDArray[Any]:
    source = primitives.upload(image.copy())
    count = 0 if planes is None else planes.shape[2] // 4
    handles = [primitives.upload(np.ascontiguousarray(planes[..., 4 * n : 4 * n + 4])) for n in range(count)]  # type: ignore[index]
    target = (
        source if in_place else primitives.allocate(source.width, source.height, source.channels, dtype or image.dtype)
    )
    primitives.exec_point(source, target, chain, place, handles)
    return np.array(primitives.download(target))


def wanted(image: NDArray[Any], chain: Sequence[ColorOp], place: Place | None, planes: Any) -> NDArray[np.float64]:
    rgba = rgba64(image)
    for op in chain:
        rgba = op.reference(rgba, place, planes)
    return rgba[..., : image.shape[2]]


CHAIN: list[ColorOp] = [ops.Exposure(0.5), FromPlanes(), Ramp(), ops.Saturation(0.8)]


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_place_and_planes(executor: TiledExecutor, backend: str, dtype: Any, channels: int, in_place: bool) -> None:
    image = plain(53, 71, channels, dtype)
    planes = planes_of(image)
    result = run(executor.primitives, image, CHAIN, ODD, planes, in_place=in_place)
    assert_close(result, wanted(image, CHAIN, ODD, planes), backend, True, dtype)


def star(points: int, seed: int = 1, size: float = 60.0) -> Table:
    """A polygon that crosses itself."""
    rng = np.random.default_rng(seed)
    around = rng.uniform(0.0, 2.0 * np.pi, points)
    reach = rng.uniform(0.2, 1.0, points) * size
    return Table(np.column_stack([40.0 + reach * np.cos(around), 30.0 + reach * np.sin(around), np.zeros(points)]))


SQUARE = Table([[10.0, 5.0, 0.0], [60.0, 5.0, 0.0], [60.0, 45.0, 0.0], [10.0, 45.0, 0.0]])
DEGENERATE = Table([[20.0, 20.0, 0.0], [20.0, 20.0, 0.0], [50.0, 20.0, 0.0], [20.0, 20.0, 0.0]])


@pytest.mark.parametrize("place", [Place(), Place(column=13, row=5), LEVEL, ODD])
@pytest.mark.parametrize("points", [SQUARE, DEGENERATE, star(3), star(37), star(400, 2, 4000.0)])
def test_path_distance(executor: TiledExecutor, backend: str, points: Table, place: Place) -> None:
    image, chain = plain(53, 71), [Fence(points, star(11))]
    assert_close(run(executor.primitives, image, chain, place), wanted(image, chain, place, None), backend)


def test_path_distance_of_any_polygon(executor: TiledExecutor, backend: str) -> None:
    """Small and large ones, near and far, also with vertices and edges on the centres of pixels."""
    rng, image = np.random.default_rng(4), np.ones((9, 83, 4), np.float32)
    for size in (1.0, 30.0, 900.0, 8000.0):
        for snapped in (False, True):
            centre = rng.uniform(-2000.0, 6000.0, 2)
            vertices = centre + rng.normal(size=(int(rng.integers(2, 40)), 2)) * size
            corner = centre + rng.normal(size=2) * size * 0.2
            if snapped:
                vertices, corner = np.round(vertices) + 0.5, np.round(corner)
            points = Table(np.column_stack([vertices, np.zeros(len(vertices))]))
            step = float(rng.choice((1.0, 2.0, 0.37, 1.92)))
            place, chain = Place(corner[0], corner[1], step, step, -7, 5), [Fence(points, points)]
            result = run(executor.primitives, image, chain, place)
            assert_close(result[..., :2], wanted(image, chain, place, None)[..., :2], backend)


@needs_compiler
def test_cuda_text_on_the_host(tmp_path: Path) -> None:
    image = plain(31, 47)
    planes = planes_of(image)
    runs: list[list[ColorOp]] = [CHAIN, [FromPlanes("first")], [Fence(star(37), SQUARE)], [Coordinates()]]
    fence: list[ColorOp] = [Fence(Table(star(37).array * 0.05 + np.array([4000.0, 6000.0, 0.0])), SQUARE)]
    host = HostCuda([*runs, NEAR_THERE, fence], tmp_path)
    for number, chain in enumerate(runs):
        for place in (Place(), LEVEL, ODD):
            result = host(number, chain, image, place, (planes[..., :4], planes[..., 4:]))
            assert_close(result, wanted(image, chain, place, planes), "cuda", True)
    far = host(len(runs), NEAR_THERE, BLACK, FAR)
    assert np.abs(far - wanted(BLACK, NEAR_THERE, FAR, None)).max() < 2e-6
    near_fence = host(len(runs) + 1, fence, BLACK, FAR)[..., :1]
    assert_close(near_fence, wanted(BLACK, fence, FAR, None)[..., :1], "cuda")


def test_the_first_plane_alone(executor: TiledExecutor, backend: str) -> None:
    """One image of planes, which is the same memory as the source."""
    image = plain(21, 17)
    source = executor.primitives.upload(image)
    target = executor.primitives.allocate(17, 21)
    executor.primitives.exec_point(source, target, [FromPlanes("first")], planes=[source])
    result = executor.primitives.download(target)
    assert_close(result, wanted(image, [FromPlanes("first")], None, image), backend)


@pytest.mark.parametrize("place", [LEVEL, ODD])
def test_a_tile_has_the_bits_of_the_whole(executor: TiledExecutor, place: Place) -> None:
    """x and y, and what is computed from them, in tiles of odd sizes."""
    image, chain = plain(61, 83), [Fence(star(37), SQUARE), Ramp((37.3, 41.7), 0.9), Coordinates()]
    planes = planes_of(image)
    for op in chain:
        whole = run(executor.primitives, image, [op], place, planes)
        for top, left, height, width in ((0, 0, 61, 83), (7, 13, 29, 31), (60, 82, 1, 1), (33, 0, 5, 83)):
            part = slice(top, top + height), slice(left, left + width)
            tile = run(executor.primitives, image[part], [op], place.part(left, top), planes[part])
            np.testing.assert_array_equal(tile, whole[part])


def test_x_and_y_are_those_of_the_place(executor: TiledExecutor) -> None:
    """Exact where float32 can hold them: at level 0 and at mip levels, also left of the display window."""
    image = plain(19, 23)
    for place in (Place(), Place(-9.0, -700.0), Place(-64.0, 32.0, 8.0, 8.0, -5, 4000), Place(0.25, 0.0, 0.5, 0.5)):
        x, y = place.centres(23, 19)
        result = run(executor.primitives, image, [Coordinates()], place)
        np.testing.assert_array_equal(result[..., 0], np.broadcast_to(x, (19, 23)))
        np.testing.assert_array_equal(result[..., 1], np.broadcast_to(y, (19, 23)))


BLACK, FAR = np.zeros((5, 9, 4), np.float32), Place(-4000.1, 0.3, 1.0 / 3.0, 0.7, 24000, 8571)
NEAR_THERE: list[ColorOp] = [Ramp((4001.2345678, 6001.87654321), 1.0)]


def test_a_difference_from_a_place_keeps_its_digits(executor: TiledExecutor) -> None:
    """Far from the origin, where float32 alone has steps of 1/2048 pixel, and a centre that it can't hold."""
    result = run(executor.primitives, BLACK, NEAR_THERE, FAR)
    assert np.abs(result - wanted(BLACK, NEAR_THERE, FAR, None)).max() < 2e-6
    assert 0.5 < np.abs(result[..., 0]).max() < 9.0


def test_numbers_for_the_screen(executor: TiledExecutor) -> None:
    """Bytes from ops that read place and planes."""
    image, chain = plain(41, 53), [FromPlanes(), Ramp((20.0, 20.0), 0.02)]
    planes = planes_of(image)
    result = run(executor.primitives, image, chain, Place(), planes, DISPLAY)
    exact = np.clip(wanted(image, chain, Place(), planes)[..., :3], 0.0, 1.0) * 255.0
    assert np.abs(result[..., :3] - exact).max() < 0.51
    assert (result[..., 3] == 255).all()


def test_repaired_frames_read_place_and_planes_before_the_bake(executor: TiledExecutor, backend: str) -> None:
    """A baked LUT at the end, pixels of which are repaired."""
    grid = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 5)] * 3, indexing="ij"), axis=-1)
    doubts = Table(np.random.default_rng(1).integers(0, 2, 64).astype(np.float64))
    baked = BakedLut(Table(grid), doubts, ops=(ops.Exposure(-1.0),))
    image, before = plain(41, 53), [FromPlanes(), Ramp((20.0, 20.0), 0.002)]
    planes = planes_of(image)
    result = run(executor.primitives, image, [*before, baked], Place(), planes, DISPLAY)
    exact = wanted(image, [*before], Place(), planes)
    marked = baked.reference(exact)
    repaired = (marked[..., 3:] < 0.0) & executor.primitives.repairs
    final = np.where(repaired, ops.Exposure(-1.0).reference(exact), marked)
    far = np.abs(result[..., :3] - np.clip(final[..., :3], 0.0, 1.0) * 255.0).max(axis=-1)
    assert (far < 0.6).mean() > 0.99, "but for cells at whose border float32 decides otherwise"
    if executor.primitives.repairs:
        with pytest.raises(HandleError, match="place"):
            run(executor.primitives, image, [baked.replace(ops=(Ramp(),))], Place(), None, DISPLAY)


def test_within_a_mix(executor: TiledExecutor, backend: str) -> None:
    """The inner ops see the same place and planes."""
    image, chain = plain(21, 17), [Mix((ops.Exposure(1.0), Ramp(), FromPlanes()), 0.3)]
    planes = planes_of(image)
    result = run(executor.primitives, image, chain, LEVEL, planes)
    assert_close(result, wanted(image, chain, LEVEL, planes), backend, True)


def test_what_is_missing_is_said(executor: TiledExecutor) -> None:
    device, image = executor.primitives, plain(6, 5)
    planes = planes_of(image)
    with pytest.raises(HandleError, match="place of pixels, and none is given"):
        run(device, image, [Ramp()])
    with pytest.raises(HandleError, match="8 planes, and 1 images"):
        run(device, image, [FromPlanes()], None, planes[..., :4])
    with pytest.raises(HandleError, match="at most 8 planes"):
        run(device, image, [FromPlanes()], None, planes_of(image, 3))
    source, target = device.upload(image), device.allocate(5, 6)
    for wrong in (plain(5, 6), plain(6, 5, 3), plain(6, 5, 4, np.float16)):
        with pytest.raises(HandleError, match="can't be planes; they are RGBA float32 of 5 x 6"):
            device.exec_point(source, target, [FromPlanes("first")], planes=[device.upload(wrong)])
    with pytest.raises(HandleError, match="over the planes"):
        device.exec_point(source, target, [FromPlanes("first")], planes=[target])


def test_programs_say_what_they_read() -> None:
    """Also after the ops that don't; nothing of it where the result does not need it."""
    assert (trace([ops.Exposure(1.0)]).placed, trace([ops.Exposure(1.0)]).planes) == (False, 0)
    assert (trace([Ramp()]).placed, trace([Ramp()]).planes) == (True, 0)
    assert (trace([ops.Exposure(1.0), FromPlanes()]).placed, trace([FromPlanes()]).planes) == (False, 8)
    assert trace([FromPlanes("first")]).planes == 1
    assert len(trace([Fence(SQUARE, SQUARE)]).paths) == 3


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_cuda_text_is_cuda(tmp_path: Path) -> None:
    """Through nvcc as far as PTX, with the hand-written kernel of extremes."""
    program, source = trace([FromPlanes(), Fence(SQUARE, SQUARE), Ramp()]), tmp_path / "inputs.cu"
    texts = [
        shaders.text("language.cu"),
        shaders.text("maths.cu"),
        text(program, "__half", "float"),
        shaders.text("extremes.cu"),
    ]
    source.write_text("\n".join(["#include <cuda_fp16.h>", *texts]))
    command = ["nvcc", "-std=c++17", "-ptx", "-O0", "-o", str(tmp_path / "inputs.ptx"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    found = (tmp_path / "inputs.ptx").read_text()
    assert all(f".entry {name}" in found for name in ("point", "largest", "smallest"))
