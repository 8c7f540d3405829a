"""Filters with side images: their plans, and the same bits whole, in tiles and streaming, alone and in entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import Grade, Layer, create_executor, ops
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.compute.plan import PointStep, display_plan, plan
from engine.compute.steps import RGBA, FilterStep
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.export.job import changes_alpha
from engine.grade import Curve, Key
from engine.grade.curves import Keys
from engine.kernel.filter_op import SOURCE, Computed, FilterOp, FilterPixel, Gaussian, SideImage, Weighted
from engine.kernel.op import REGISTRY, Op, slider
from engine.kernel.pixel import Pixel, Value, Vec, finite
from engine.mattes import Matte
from engine.viewing import FrameMaker, WholeLevels
from tests.engine.compute.test_prepare import compiled
from tests.engine.compute.test_tiles import assert_same_bits, in_tiles, noise_image, stream
from tests.engine.host_cuda import COMPILER, HostCuda
from tests.engine.images import plain
from tests.engine.matte_grades import PLACE, SOFT
from tests.tolerance import CHAIN, assert_close, policy_error

FILTERS: dict[str, FilterOp] = {
    "Bloom": ops.Bloom(0.8, 1.0, 0.5, 24.0),
    "ChromaticAberration": ops.ChromaticAberration(1.5, -2.0, (0.4, 0.6)),
    "Clarity": ops.Clarity(0.7, 11.0, 0.4),
    "Denoise": ops.Denoise(1.2, 1.5, 0.3, (0.05, 0.06, 0.07), (0.1, 0.1, 0.2)),
    "Halation": ops.Halation(0.9, 1.0, 0.3, 12.0),
    "Sharpen": ops.Sharpen(1.5, 12.0, 0.2, "luma", "limited"),
}
"""Each filter of the registry with side images, at work and with a radius that runs on cells."""
each_filter = pytest.mark.parametrize("op", FILTERS.values(), ids=FILTERS)
UP, DOWN = ops.Exposure(0.5), ops.Contrast(0.8)
HOLES = (1.0, 4.0, 6.0, 4.0, 1.0)
"""The weights of a cubic B-spline, as a wavelet transform "a trous" has them."""


@dataclass(frozen=True)
class Wavelet(FilterOp, abstract=True):
    """Two scales of a wavelet transform: every kind of expression, chained. Only for tests."""

    gain: float = slider(0.0, 0.0, 4.0)

    def side_images(self) -> tuple[SideImage, ...]:
        first = Weighted(Computed("kept"), HOLES)
        second = Weighted(first, HOLES, step=2)
        fine = Computed("difference", Computed("kept"), (first,), number=1)
        return Computed("difference", first, (second, fine), number=2), second

    def kept(self, px: Pixel) -> Value:
        return px.rgba * 1.0

    def difference(self, px: Pixel, scale: int) -> Value:
        detail = (px.rgba - Vec(px.planes[:4])) * (self.gain * scale)
        return detail if scale == 1 else detail + Vec(px.planes[4:])

    def pixel(self, px: Pixel) -> Value:
        return px.rgba + Vec(px.planes[:4]) - Vec(px.planes[4:]) * 0.25


def test_all_filters_are_listed() -> None:
    assert [name for name, op in REGISTRY.items() if issubclass(op, FilterOp)] == list(FILTERS)
    assert all(not op.is_identity() and type(op)().is_identity() for op in FILTERS.values())


def test_chained_side_images(backend: str, executor: TiledExecutor) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    image = plain()
    exact = image.astype(np.float64)

    def smooth(values: Any, step: int) -> Any:
        weights = np.zeros(4 * step + 1)
        weights[::step] = np.array(HOLES) / 16.0
        for axis in (0, 1):
            values = ndimage.convolve1d(values, weights, axis=axis, mode="nearest")
        return values

    first = smooth(exact, 1)
    second = smooth(first, 2)
    wanted = exact + 0.7 * (exact - first) + 1.4 * (first - second) - 0.25 * second
    assert_close(executor.execute_color(image, [Wavelet(0.7)]), wanted, backend, chain=True)
    whole = executor.execute_color(image, [UP, Wavelet(0.7)])
    assert_same_bits(in_tiles(executor, 23).execute_color(image, [UP, Wavelet(0.7)]), whole)


def test_the_plan_of_a_filter() -> None:
    """Colour ops after it are a part of its last kernel; equal expressions are one image; it reads what it says."""
    found = plan([UP, Wavelet(0.7), DOWN, UP])
    last = found.steps[-1]
    assert isinstance(last, PointStep) and last.ops == (FilterPixel(Wavelet(0.7)), DOWN, UP)
    assert sum(isinstance(step, FilterStep) for step in found.steps) == 2
    assert sum(isinstance(step, PointStep) for step in found.steps) == 5
    assert Wavelet().halo() == found.halo == 2 + 4
    assert found.needed(Rect(40, 30, 1, 1), (90, 80)) == Rect(34, 24, 13, 13)
    assert Gaussian(SOURCE, 8.0).reach == 8 and ops.Sharpen(1.0, 7.5).halo() == 8
    assert plan([ops.Sharpen()]).steps == () and len(display_plan([ops.Sharpen()]).steps) == 3


DEPTH = 20


@dataclass(frozen=True)
class Squared(Computed):
    """An expression that says when it is visited."""

    @property
    def sources(self) -> tuple[SideImage, ...]:
        VISITS.append(1)
        return super().sources


VISITS: list[int] = []


@dataclass(frozen=True)
class Power(FilterOp, abstract=True):
    """A power of 2 ** DEPTH: each image is the one before times itself. Only for tests."""

    def side_images(self) -> tuple[SideImage, ...]:
        image: SideImage = SOURCE
        for _ in range(DEPTH):
            image = Squared("times", image, (image,))
        return (image,)

    def times(self, px: Pixel) -> Value:
        return px.rgb * Vec(px.planes[:3])

    def pixel(self, px: Pixel) -> Value:
        return Vec(px.planes[:3])


def test_expressions_are_visited_a_few_times_however_often_they_occur() -> None:
    VISITS.clear()
    steps = plan([Power()]).steps
    assert Power().halo() == 0
    assert len(steps) == DEPTH + 2, "the source as RGBA float32, each power, and the result"
    assert len(VISITS) < 5 * DEPTH


def test_finite_takes_nan_and_inf_out() -> None:
    given = np.array([np.nan, np.inf, -np.inf, 2.0**41, -3.5, 1e9])
    assert np.array_equal(finite(given), [0.0, 65504.0, -65504.0, 65504.0, -3.5, 1e9])


def test_lengths_follow_the_scale_of_a_view() -> None:
    assert ops.Sharpen(1.0, 8.0, 0.2).at_scale(0.25) == ops.Sharpen(1.0, 2.0, 0.2)
    assert ops.Sharpen(1.0, 2000.0).at_scale(2.0).radius == 2048.0
    with pytest.raises(GradeError, match="32768 is the most"):
        ops.Sharpen(1.0, 40000.0)


def test_a_filter_that_keeps_alpha_is_known_to() -> None:
    assert not changes_alpha((ops.Sharpen(1.0),)) and changes_alpha((Wavelet(1.0),))


@each_filter
def test_whole_tiles_and_bands_have_the_same_bits(op: FilterOp, executor: TiledExecutor) -> None:
    grade = [UP, op, DOWN]
    for dtype, channels in ((np.float32, 4), (np.float16, 3)):
        image = np.clip(noise_image(dtype, channels), -100, 100)  # clip keeps NaN
        whole = executor.execute_color(image, grade)
        assert_same_bits(in_tiles(executor, 50).execute_color(image, grade), whole)
        assert_same_bits(stream(in_tiles(executor, 37), image, grade), whole)


@each_filter
def test_nan_and_inf_do_not_spread(op: FilterOp, executor: TiledExecutor) -> None:
    image = plain()
    image[20, 30, 0], image[30, 50, 1] = np.nan, np.inf
    result = executor.execute_color(image, [op])
    result[20, 30] = result[30, 50] = 0.0
    assert np.isfinite(result).all()


@each_filter
def test_the_cuda_text_gives_the_same(op: FilterOp, tmp_path: Any) -> None:
    if COMPILER is None:
        pytest.skip("no C++ compiler")
    steps = plan([op]).steps
    runs = [step.ops for step in steps if isinstance(step, PointStep)]
    host, images = HostCuda(runs, tmp_path), [plain(20, 30, seed=seed) for seed in (1, 2, 3)]
    for number, run in enumerate(runs):
        planes = np.concatenate(images[1:], axis=-1)
        wanted = run[0].reference(images[0], planes=planes)
        assert policy_error(host(number, run, images[0], planes=images[1:]), wanted).max() <= CHAIN


@each_filter
def test_mix_and_matte(op: FilterOp, executor: TiledExecutor) -> None:
    image, inputs = plain(), MatteInputs(PLACE)
    before = executor.execute_color(image, [UP])
    after = executor.execute_color(image, [UP, op])
    mixed = executor.execute_color(image, Grade([UP, Layer(op, mix=0.25)]))
    assert_close(mixed, before * 0.75 + after.astype(np.float64) * 0.25, executor.name, chain=True)
    grade = Grade([UP, Layer(op, matte=Matte(SOFT, feather=4.0)), Layer(DOWN, matte=Matte(SOFT))])
    matted = executor.execute_color(image, grade, inputs)
    assert_same_bits(in_tiles(executor, 31).execute_color(image, grade, inputs), matted)
    outer = executor.execute_color(image, Grade([Layer(DOWN, matte=Matte(SOFT))]), inputs) == image
    assert not outer.all()


def test_a_filter_with_keys_needs_no_other_kernel(backend: str) -> None:
    executor, image = create_executor(backend), plain()
    keys = Keys({"amount": Curve([Key(0, 0.0), Key(2, 1.0)])})
    grade = Grade([UP, Layer(ops.Sharpen(0.0, 4.0), keys=keys), DOWN])
    executor.prepare(grade.at(0), RGBA)
    ready = compiled(executor.primitives)
    results = [executor.execute_color(image, grade.at(frame)) for frame in range(3)]
    assert compiled(executor.primitives) == ready
    assert_same_bits(results[2], executor.execute_color(image, [UP, ops.Sharpen(1.0, 4.0), DOWN]))


def test_what_is_prepared_for_display_is_what_runs(backend: str) -> None:
    executor, grade = create_executor(backend), [UP, ops.Sharpen(), DOWN]
    executor.prepare(grade, RGBA, display=True)
    ready = compiled(executor.primitives)
    for amount in (0.0, 1.0):
        shown = executor.display(executor.upload(plain()), [UP, ops.Sharpen(amount), DOWN])
        assert shown.shape == (53, 71, 4)
    assert compiled(executor.primitives) == ready


@each_filter
def test_a_view_of_a_part_shows_what_the_whole_image_has_there(op: FilterOp) -> None:
    """Within a code value: cells begin elsewhere."""
    image, executor, view = plain(200, 240), create_executor("cpu"), (ops.Exposure(-1.0),)
    whole = executor.display(executor.upload(image), [op, *view])[60:140, 80:180].astype(int)
    frame = FrameMaker(executor, WholeLevels(image)).exact(
        (80.0, 60.0, 100.0, 80.0), 100, 80, [op], view, lambda: False
    )
    assert frame is not None and np.abs(np.asarray(frame.pixels) - whole).max() <= 1


def test_a_newer_request_stops_an_exact_frame_between_two_steps() -> None:
    maker, answers = FrameMaker(create_executor("cpu"), WholeLevels(plain())), iter((False, True))
    where = ((0.0, 0.0, 71.0, 53.0), 71, 53, [FILTERS["Bloom"]], ())
    assert maker.exact(*where, lambda: next(answers)) is None
    assert maker.exact(*where, lambda: False) is not None


def test_json() -> None:
    for op in FILTERS.values():
        assert Op.from_json(op.to_json()) == op
