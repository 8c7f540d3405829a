"""Resize and blur against matrices of weights written down here, in float64, with no code shared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine import ops
from engine.compute.backends.cpu import CpuPrimitives, resize_array
from engine.compute.executor import TiledExecutor
from engine.compute.plan import plan
from engine.core.geometry import Rect
from engine.errors import GradeError, HandleError
from engine.kernel.op import ImageOp, Op
from engine.kernel.taps import Taps, blur_taps, resize_taps, weighted_taps
from tests.engine.images import image_ops, plain
from tests.thorough import examples
from tests.tolerance import assert_close, tolerance

FILTERS = ("nearest", "area", "bilinear", "catmull-rom", "lanczos3")
Matrix = NDArray[np.float64]


def sinc(x: float) -> float:
    return 1.0 if x == 0.0 else math.sin(math.pi * x) / (math.pi * x)


def bell(name: str, x: float) -> float:
    """The kernels, as their definitions have them."""
    x = abs(x)
    if name == "bilinear":
        return max(0.0, 1.0 - x)
    if name == "lanczos3":
        return sinc(x) * sinc(x / 3.0) if x < 3.0 else 0.0
    if x < 1.0:
        return 1.5 * x**3 - 2.5 * x**2 + 1.0
    return -0.5 * x**3 + 2.5 * x**2 - 4.0 * x + 2.0 if x < 2.0 else 0.0


def resize_matrix(name: str, source: int, result: int, start: float = 0.0, extent: float | None = None) -> Matrix:
    """Row i holds the weights of the source pixels in result pixel i; pixels beyond the edge are the edge's."""
    scale = (source if extent is None else extent) / result
    matrix = np.zeros((result, source))
    for i in range(result):
        centre = start + (i + 0.5) * scale
        if name == "nearest" or (name == "area" and scale <= 1.0):
            matrix[i, min(max(math.floor(centre), 0), source - 1)] = 1.0
            continue
        for pixel in range(math.floor(centre - 4 * max(scale, 1.0)), math.ceil(centre + 4 * max(scale, 1.0))):
            if name == "area":
                weight = min(pixel + 1.0, centre + scale / 2) - max(float(pixel), centre - scale / 2)
                weight = max(weight, 0.0)
            else:
                weight = bell(name, (pixel + 0.5 - centre) / max(scale, 1.0))
            matrix[i, min(max(pixel, 0), source - 1)] += weight
    return matrix / matrix.sum(axis=1, keepdims=True)


def blur_matrix(radius: float, size: int) -> Matrix:
    matrix = np.zeros((size, size))
    for i in range(size):
        for offset in range(-math.floor(radius), math.floor(radius) + 1):
            at = min(max(i + offset, 0), size - 1)
            matrix[i, at] += math.exp(-(offset**2) / (2.0 * (radius / 3.0) ** 2))
    return matrix / matrix.sum(axis=1, keepdims=True)


def applied(columns: Matrix, rows: Matrix, image: NDArray[Any]) -> Matrix:
    return np.einsum("ys,xt,stc->yxc", rows, columns, image.astype(np.float64), optimize=True)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(("width", "height"), [(71, 53), (200, 171), (33, 20), (7, 5), (1, 1), (149, 9), (142, 106)])
def test_resize(name: str, width: int, height: int, backend: str, executor: TiledExecutor) -> None:
    for dtype, channels in ((np.float32, 4), (np.float16, 3)):
        image = plain(dtype=dtype, channels=channels)
        result = executor.execute_image(image, ops.Resize(float(width), float(height), name))
        wanted = applied(resize_matrix(name, 71, width), resize_matrix(name, 53, height), image)
        assert result.shape == (height, width, channels)
        assert result.dtype == dtype
        assert_close(result, wanted, backend, storage=dtype)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("region", [(0.0, 0.0, 71.0, 53.0), (10.25, 3.5, 20.5, 31.0), (60.0, 40.0, 40.0, 30.0)])
def test_resize_of_a_region(
    name: str, region: tuple[float, float, float, float], backend: str, executor: TiledExecutor
) -> None:
    """Also where it reaches beyond the edge, as a view that is panned there does."""
    image = plain()
    with_region = executor.resample(executor.upload(image), region, 40, 31, name)
    x, y, width, height = region
    columns, rows = resize_matrix(name, 71, 40, x, width), resize_matrix(name, 53, 31, y, height)
    assert_close(executor.primitives.download(with_region), applied(columns, rows, image), backend)


@pytest.mark.parametrize("radius", [0.5, 1.0, 2.75, 9.0, 60.0])
def test_blur(radius: float, backend: str, executor: TiledExecutor) -> None:
    for dtype, channels in ((np.float32, 4), (np.float16, 3)):
        image = plain(dtype=dtype, channels=channels)
        result = executor.execute_image(image, ops.Blur(radius))
        assert_close(result, applied(blur_matrix(radius, 71), blur_matrix(radius, 53), image), backend, storage=dtype)


def test_blur_of_radius_0_is_none(executor: TiledExecutor) -> None:
    image = plain()
    assert np.array_equal(executor.execute_image(image, ops.Blur(0.0)), image)
    handle = executor.upload(image)
    with pytest.raises(GradeError, match="above 0"):
        executor.primitives.exec_blur(handle, handle, 0.0)


@pytest.mark.parametrize("value", [0.0, 0.18, -3.5, 60000.0])
def test_a_constant_image_stays_constant(value: float, backend: str, executor: TiledExecutor) -> None:
    image = np.full((23, 37, 4), value, np.float32)
    for op in [ops.Blur(7.3), *(ops.Resize(w, h, f) for f in FILTERS for w, h in ((91.0, 60.0), (13.0, 5.0)))]:
        result = executor.execute_image(image, op)
        assert_close(result, np.full(result.shape, float(image[0, 0, 0])), backend)


def test_edges_are_held(backend: str, executor: TiledExecutor) -> None:
    """Filtering an image with its edge repeated gives the same where the image was."""
    image, margin = plain(), 30
    wider = np.pad(image, ((margin, margin), (margin, margin), (0, 0)), mode="edge")
    inside = np.s_[margin:-margin, margin:-margin]
    beside = executor.execute_image(wider, ops.Blur(9.0))[inside]
    assert_close(executor.execute_image(image, ops.Blur(9.0)), beside.astype(np.float64), backend)
    twice = executor.execute_image(wider, ops.Resize(2.0 * (71 + 60), 2.0 * (53 + 60), "lanczos3"))
    alone = executor.execute_image(image, ops.Resize(142.0, 106.0, "lanczos3"))
    assert_close(alone, twice[2 * margin : -2 * margin, 2 * margin : -2 * margin].astype(np.float64), backend)


def test_the_same_size_changes_nothing(backend: str, executor: TiledExecutor) -> None:
    for name in FILTERS:
        assert_close(executor.execute_image(plain(), ops.Resize(71.0, 53.0, name)), plain(), backend)


def test_nan_and_inf_reach_no_further_than_the_filter(executor: TiledExecutor) -> None:
    image = plain()
    image[20, 30, 0], image[40, 50, 1] = np.nan, np.inf
    result = executor.execute_image(image, ops.Blur(4.0))
    rows, columns = np.nonzero(~np.isfinite(result[..., 0]))
    assert set(rows.tolist()) == set(range(16, 25)) and set(columns.tolist()) == set(range(26, 35))
    assert np.isnan(result[20, 30, 0])
    assert np.isposinf(result[36:45, 46:55, 1]).all()
    assert np.isfinite(result[..., 2:]).all()
    clean = executor.execute_image(plain(), ops.Blur(4.0))
    assert np.array_equal(result[:15], clean[:15])


@settings(max_examples=examples(20))
@given(st.sampled_from(FILTERS), st.integers(1, 60), st.integers(1, 60), st.floats(-20.0, 20.0), st.floats(0.5, 80.0))
def test_weights_are_those_of_the_definition(name: str, source: int, result: int, start: float, extent: float) -> None:
    taps = resize_taps(name, source, result, start, extent)
    dense = np.zeros((result, source))
    for i in range(result):
        first, count = int(taps.first[i]), int(taps.count[i])
        assert first >= 0
        assert count >= 1
        assert first + count <= source
        dense[i, first : first + count] = taps.weights[i, :count]
        assert not taps.weights[i, count:].any()
    assert np.abs(dense.sum(axis=1) - 1.0).max() <= 1e-6
    assert np.abs(dense - resize_matrix(name, source, result, start, extent)).max() <= 1e-6


@settings(max_examples=examples(15))
@given(st.floats(0.1, 50.0), st.integers(1, 60))
def test_weights_of_a_blur(radius: float, size: int) -> None:
    taps = blur_taps(radius, size)
    dense = np.zeros((size, size))
    for i in range(size):
        dense[i, taps.first[i] : taps.first[i] + taps.count[i]] = taps.weights[i, : taps.count[i]]
    assert np.abs(dense.sum(axis=1) - 1.0).max() <= 1e-6
    assert np.abs(dense - blur_matrix(radius, size)).max() <= 1e-6


@settings(max_examples=examples(10))
@given(st.sampled_from(FILTERS), st.integers(2, 80), st.integers(2, 80), st.data())
def test_a_part_of_the_taps_is_that_part(name: str, source: int, result: int, data: st.DataObject) -> None:
    taps = resize_taps(name, source, result)
    start = data.draw(st.integers(0, result - 1))
    stop = data.draw(st.integers(start + 1, result))
    low, high = taps.span(start, stop)
    part = taps.part(start, stop, low)
    assert (low >= 0) & (high <= source)
    line = np.random.default_rng(0).random(source)
    for i in range(start, stop):
        a = line[low:high][part.first[i - start] : part.first[i - start] + part.count[i - start]]
        b = line[taps.first[i] : taps.first[i] + taps.count[i]]
        assert np.array_equal(a, b)
        assert np.array_equal(part.weights[i - start], taps.weights[i])


@settings(max_examples=examples(20))
@given(image_ops(71, 53), st.integers(0, 90), st.integers(0, 90))
def test_a_filter_says_what_it_reads(op: ImageOp, x: int, y: int) -> None:
    size, step = (71, 53), plan([op]).steps[0]
    columns, rows = op.taps(size)
    width, height = step.result_size(size)
    assert (len(columns.first), len(rows.first)) == (width, height) == op.result_size(size)
    result = Rect(min(x, width - 1), min(y, height - 1), 1, 1)
    needed = step.needs(result, size)
    assert needed == needed.clipped(*size)
    assert (needed.width, needed.height) == (columns.count[result.x], rows.count[result.y])
    if isinstance(op, ops.Blur):
        assert needed.x >= result.x - op.halo()
        assert needed.y >= result.y - op.halo()
        assert max(needed.right - result.right, needed.bottom - result.bottom) <= op.halo()


def test_a_filter_at_the_scale_of_a_view() -> None:
    assert ops.Blur(8.0).at_scale(0.25) == ops.Blur(2.0)
    assert ops.Blur(2000.0).at_scale(0.5) == ops.Blur(512.0)
    others: list[Op] = [ops.Resize(30.0, 20.0), ops.Exposure(1.0)]
    assert [op.at_scale(0.25) for op in others] == [None, ops.Exposure(1.0)]


def test_an_array_is_resized_into_a_part_of_another() -> None:
    cpu, source, whole = CpuPrimitives(1), plain(), np.zeros((40, 60, 4), np.float32)
    resize_array(cpu, source, whole[5:26, 10:40], "lanczos3", (3.0, 2.0, 60.5, 40.0))
    wanted = cpu.allocate(30, 21)
    cpu.exec_resize(cpu.upload(source), wanted, "lanczos3", (3.0, 2.0, 60.5, 40.0))
    assert np.array_equal(whole[5:26, 10:40], cpu.download(wanted))
    assert not np.delete(whole, np.s_[5:26], axis=0).any()
    with pytest.raises(HandleError, match="not contiguous"):
        resize_array(cpu, source, whole[:, ::2])


def test_taps_must_fill_the_target(executor: TiledExecutor) -> None:
    primitives = executor.primitives
    source, target = primitives.upload(plain()), primitives.allocate(10, 10)
    with pytest.raises(HandleError, match="taps for 10 x 9 pixels do not fill"):
        primitives.exec_taps(source, target, resize_taps("area", 71, 10), resize_taps("area", 53, 9))
    with pytest.raises(HandleError, match="do not fill"):
        primitives.exec_resize(source, primitives.allocate(10, 10, 3))


@pytest.mark.parametrize("size", [1, 2, 9, 17, 18, 60])
@pytest.mark.parametrize("radius", [0.5, 1.0, 7.5, 8.0, 30.0])
def test_the_even_part_of_a_blur_is_what_its_weights_have(radius: float, size: int) -> None:
    taps = blur_taps(radius, size)
    assert taps.even == Taps(taps.first, taps.count, taps.weights).even


@pytest.mark.parametrize("step", [2, 7])
def test_weights_that_are_0_change_nothing(step: int) -> None:
    """Taps with places give the bits of the same taps without, at the edges, too."""
    cpu = CpuPrimitives(1)
    source = cpu.upload(plain())
    columns, rows = (weighted_taps((1.0, 4.0, 6.0, 4.0, 1.0), step, size) for size in (71, 53))
    results = []
    for taps in ((columns, rows), tuple(Taps(each.first, each.count, each.weights) for each in (columns, rows))):
        results.append(cpu.allocate(71, 53))
        cpu.exec_taps(source, results[-1], *taps)
    assert columns.places.shape == (71, 5)
    assert np.array_equal(cpu.download(results[0]), cpu.download(results[1]))


@pytest.mark.parametrize(
    ("columns", "even"),
    [
        (blur_taps(4.5, 71), (4, 67)),
        (weighted_taps((1.0, 2.0, 3.0), 7, 71), (7, 64)),
        (resize_taps("area", 71, 71), (0, 71)),
        (blur_taps(4.5, 71).part(0, 9, 0), (4, 9)),
        (blur_taps(4.5, 3), (1, 2)),
        (resize_taps("bilinear", 71, 142), (71, 72)),
    ],
)
def test_even_taps_are_added_up_together_with_the_same_bits(
    columns: Taps, even: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In half and in float, with 3 and with 4 channels, NaN and Inf among them."""
    assert columns.even == even
    cpu, rows = CpuPrimitives(1), blur_taps(3.0, 53)
    for dtype, channels in ((np.float32, 4), (np.float16, 3)):
        image = plain()[:, : columns.span(0, len(columns.first))[1], :channels].astype(dtype)
        image[20, 1, 0], image[30, 2, 1] = np.nan, np.inf
        source, results = cpu.upload(np.ascontiguousarray(image)), []
        for found in (columns.even, (0, 0)):
            monkeypatch.setattr(Taps, "even", found)
            target = cpu.allocate(len(columns.first), 53, channels, dtype)
            cpu.exec_taps(source, target, columns, rows)
            results.append(cpu.download(target).tobytes())
            monkeypatch.undo()
        assert results[0] == results[1]


def test_resize_and_a_grade_commute_with_a_gain(backend: str, executor: TiledExecutor) -> None:
    image = plain()
    shrunk = executor.execute_color(image, [ops.Exposure(1.0), ops.Resize(30.0, 21.0, "area")])
    graded = executor.execute_color(image, [ops.Resize(30.0, 21.0, "area"), ops.Exposure(1.0)])
    assert np.abs(shrunk - graded).max() <= 8 * tolerance(backend)
