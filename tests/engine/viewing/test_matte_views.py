"""Views of grades with mattes: what the float64 reference gives for the pixels that a view shows, at every zoom."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import Grade, Layer, ops
from engine.color.matte_ops import ShowMatte
from engine.core.geometry import Place
from engine.io.cryptomatte import hash_name
from engine.mattes.channels import DepthRange
from engine.mattes.coverage import Cover
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.planes import ChannelPlane, CoveragePlane, Plane
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse, LinearGradient, Rectangle
from engine.viewing import FrameMaker, cost_model, levels_of, opening
from engine.viewing.large import LargeLevels
from engine.viewing.levels import planes_of
from engine.viewing.opening import open_image
from engine.viewing.requests import shown_ops
from engine.viewing.scopes import ScopeOptions, read_scopes
from tests.engine.backends import USABLE, executor_on
from tests.engine.io.cryptomatte_files import box_means, layer, write_layers
from tests.engine.io.exr import window
from tests.engine.matte_reference import graded as reference
from tests.engine.viewing.planes import ArrayReader, with_planes
from tests.tolerance import policy_error, tolerance

SRGB = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse")
WIDTH, HEIGHT = 333, 214
OFFSET, FRAME = (37, -12), (400, 240)
DEPTH, OBJECT = ChannelPlane("Z"), CoveragePlane("CryptoObject", ("hero",))
WINDOW = Ellipse(center=(210.3, 90.7), size=(120.0, 70.0), rotation=20.0, softness_in=15.0, softness_out=30.0)
BOX = Rectangle(center=(190.0, 100.0), size=(60.0, 50.0), softness_out=8.0)
RANGE = DepthRange(near=2.0, far=6.0, falloff_near=1.0, falloff_far=3.0)
HERO = Cryptomatte("CryptoObject", ("hero",))
SOFT = Matte(Branch("intersection", (Leaf(WINDOW), Leaf(RANGE))), feather=9.0, grow=3.5)
MATTES = {
    "window": Matte(Leaf(WINDOW)),
    "planes": Matte(Branch("union", (Leaf(HERO), Leaf(RANGE), Leaf(BOX, opacity=0.5))), gain=1.5),
    "soft": SOFT,
}
Zoom = tuple[tuple[float, float, float, float], int, int]
ZOOMS: dict[str, Zoom] = {
    "actual": ((11.0, 7.0, 300.0, 200.0), 300, 200),
    "half": ((0.0, 0.0, 332.0, 214.0), 166, 107),
    "fitted": ((0.0, 0.0, 333.0, 214.0), 71, 46),
    "between": ((20.5, 30.25, 150.0, 120.0), 225, 180),
    "squares": ((120.25, 60.5, 40.0, 25.0), 400, 250),
}


def never() -> bool:
    return False


@pytest.fixture
def image() -> tuple[Any, ArrayReader]:
    rng = np.random.default_rng(5)
    pixels = rng.random((HEIGHT, WIDTH, 4)).astype(np.float32)
    coverage = np.clip(rng.random((HEIGHT, WIDTH)) * 1.6 - 0.3, 0.0, 1.0)
    planes: dict[Plane, Any] = {DEPTH: rng.random((HEIGHT, WIDTH)) * 9.0, OBJECT: coverage}
    return with_planes(pixels, planes, OFFSET, FRAME)


def grade_with(matte: Matte) -> tuple[Any, ...]:
    cdl = ops.Cdl(slope=(1.4, 1.0, 0.7), saturation=1.3)
    return tuple(Grade([ops.Exposure(0.3), Layer(cdl, matte=matte), ops.Exposure(-0.1)]))


def expected(maker: FrameMaker, reader: ArrayReader, zoom: Zoom, grade: Any) -> Any:
    """The reference on the pixels of a view: image and planes as the CPU resamples them, all else in float64."""
    plan = maker.plan(*zoom, grade)
    request, left, top = maker.sources.around(plan)
    cpu = FrameMaker(executor_on("cpu"), maker.levels)
    pixels = cpu.executor.download(cpu.sources.whole(request).strips[0])
    level, region = cpu.sources.planes.level(request), request.region
    planes: dict[Plane, Any] = {}
    for plane in (DEPTH, OBJECT):
        whole = np.repeat(reader.level(plane, level)[..., None], 4, axis=-1)
        x, y, across, down = (v / (1 << level) for v in region)
        handle = cpu.executor.upload(np.ascontiguousarray(whole))
        shown = cpu.executor.resample(handle, (x, y, across, down), request.width, request.height, request.filter)
        planes[plane] = cpu.executor.download(shown)[..., 0]
    steps = region[2] / request.width, region[3] / request.height
    place = Place(OFFSET[0] + region[0], OFFSET[1] + region[1], *steps)
    found = reference(pixels, shown_ops(grade, 1.0 / request.shrink), place, planes, FRAME)
    return found[top : top + plan.request.height, left : left + plan.request.width]


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("matte", MATTES)
@pytest.mark.parametrize("backend", USABLE)
def test_a_view_has_the_values_of_the_reference(image: Any, backend: str, matte: str, zoom: str):
    levels, reader = image
    maker, grade = FrameMaker(executor_on(backend), levels), grade_with(MATTES[matte])
    values, region = maker.graded(*ZOOMS[zoom], grade)
    assert region == maker.plan(*ZOOMS[zoom], grade).request.region
    assert policy_error(values, expected(maker, reader, ZOOMS[zoom], grade)).max() <= tolerance(backend, chain=True)


@pytest.mark.parametrize("matte", MATTES)
def test_a_part_of_the_image_is_that_part_of_the_whole(image: Any, matte: str):
    """Feather and growth reach beyond the view, and end at the edges of the image."""
    levels, reader = image
    grade = grade_with(MATTES[matte])
    whole = reference(levels.whole(0), grade, Place(*OFFSET), reader.planes, FRAME)
    maker = FrameMaker(executor_on("cpu"), levels)
    for x, y, width, height in ((0, 0, 300, 200), (150, 60, 100, 50), (300, 190, 33, 24)):
        values = maker.graded((float(x), float(y), float(width), float(height)), width, height, grade)[0]
        assert policy_error(values, whole[y : y + height, x : x + width]).max() <= 2e-6


@pytest.mark.parametrize("matte", ["window", "planes"])
def test_planes_and_place_are_those_of_the_pixels(image: Any, matte: str):
    """Without the code that resamples: blocks of four by four pixels, whose means are the pixels of the view."""
    levels, reader = image
    region, grade = (0.0, 0.0, 320.0, 208.0), grade_with(MATTES[matte])
    values = FrameMaker(executor_on("cpu"), levels).graded(region, 80, 52, grade)[0]

    def means(values: Any) -> Any:
        return values[:208, :320].astype(np.float64).reshape(52, 4, 80, 4, -1).mean(axis=(1, 3))

    planes = {plane: means(array[..., None])[..., 0] for plane, array in reader.planes.items()}
    place = Place(*OFFSET, 4.0, 4.0)
    right = reference(means(levels.whole(0)), shown_ops(grade, 0.25), place, planes, FRAME)
    assert policy_error(values, right).max() <= 1e-5  # the means are of float32 at each level


@pytest.mark.parametrize("backend", USABLE)
def test_strips_have_the_place_of_the_whole(image: Any, backend: str, monkeypatch: pytest.MonkeyPatch):
    levels, _ = image
    grade = grade_with(MATTES["planes"])
    zoom = ZOOMS["between"]
    whole = FrameMaker(executor_on(backend), levels).exact(*zoom, grade, (SRGB,), never)
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (3000, 7000))
    maker = FrameMaker(executor_on(backend), levels)
    cut = maker.exact(*zoom, grade, (SRGB,), never)
    assert whole is not None and cut is not None
    np.testing.assert_array_equal(cut.pixels, whole.pixels)


@pytest.mark.parametrize("matte", MATTES)
def test_values_of_single_pixels_are_those_of_the_whole_image(image: Any, matte: str):
    levels, reader = image
    grade = grade_with(MATTES[matte])
    maker = FrameMaker(executor_on("cpu"), levels)
    whole = reference(levels.whole(0), grade, Place(*OFFSET), reader.planes, FRAME)
    for x, y in ((0, 0), (150, 90), (332, 213), (201, 60)):
        assert policy_error(maker.value(x, y, grade)[1], whole[y, x]).max() <= 2e-6
    values = maker.values((140.0, 80.0, 30.0, 20.0), grade)
    assert policy_error(values, whole[80:100, 140:170]).max() <= 2e-6


@pytest.mark.parametrize("backend", USABLE)
def test_a_slider_of_a_matte_compiles_nothing_and_reads_nothing(image: Any, backend: str):
    levels, reader = image
    maker = FrameMaker(executor_on(backend), levels)
    grade = grade_with(MATTES["planes"])
    maker.prepare(grade, (SRGB,))
    maker.exact(*ZOOMS["half"], grade, (SRGB,), never)
    before = len(reader.reads)
    matte = MATTES["planes"]
    tree = matte.root
    assert isinstance(tree, Branch)
    moved = BOX.replace(center=(100.0, 90.0), softness_in=2.0)
    nodes = (replace(tree.nodes[0], opacity=0.2), tree.nodes[1], Leaf(moved))
    changes: list[dict[str, Any]] = [{"feather": value} for value in (0.5, 7.0, 90.0)]
    changes += [{"grow": value} for value in (-4.0, 0.5, 3.0)]
    changes += [{"gain": 0.5}, {"gamma": 3.0}, {"root": replace(tree, nodes=nodes)}]
    for change in changes:
        changed = grade_with(replace(matte, **change))
        assert maker.prepared(changed, (SRGB,)), change
        maker.exact(*ZOOMS["half"], changed, (SRGB,), never)
    assert len(reader.reads) == before


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("backend", USABLE)
def test_scopes_inside_a_matte_count_what_it_covers_by_half(image: Any, backend: str, whole: bool):
    levels, reader = image
    maker = FrameMaker(executor_on(backend), levels)
    inside = (ShowMatte((), Cover(Matte(Leaf(HERO)))),)
    options = ScopeOptions(("histogram", "vectorscope", "luma"), "graded", whole, "0-4")
    view = ((20.0, 10.0, 120.0, 80.0), 120, 80)
    reading = read_scopes(maker, options, view, ((ops.Exposure(0.3),), ()), False, never, inside)
    assert reading is not None and reading.in_matte
    rows, columns = (slice(None), slice(None)) if whole else (slice(10, 90), slice(20, 140))
    count = int((reader.planes[OBJECT].astype(np.float32)[rows, columns] >= 0.5).sum())
    histogram, waveform, vectorscope = reading.histogram, reading.waveform, reading.vectorscope
    assert histogram is not None and waveform is not None and vectorscope is not None
    assert [histogram[0].sum(), waveform[3].sum(), vectorscope.sum()] == [count] * 3


def test_a_grade_without_mattes_reads_no_plane_and_gives_the_executor_what_it_always_did(image: Any):
    levels, reader = image
    maker = FrameMaker(executor_on("cpu"), levels)
    maker.exact(*ZOOMS["half"], (ops.Exposure(0.5),), (SRGB,), never)
    source = maker.sources.whole(maker.plan(*ZOOMS["half"], (ops.Exposure(0.5),)).request)
    assert source.read_by(maker.plan(*ZOOMS["half"], (ops.Exposure(0.5),)), 0) == ()
    assert not reader.reads


def test_positions_follow_a_display_window_of_another_size(image: Any):
    """A matte that was made for another display window is fitted to that of the image."""
    levels, _ = image
    small = Matte(Leaf(WINDOW.replace(center=(105.15, 45.35), size=(60.0, 35.0))), frame=(200, 120))
    sharp = WINDOW.replace(softness_in=0.0, softness_out=0.0)
    half = replace(small, root=Leaf(sharp.replace(center=(105.15, 45.35), size=(60.0, 35.0))))
    maker = FrameMaker(executor_on("cpu"), levels)
    zoom = ZOOMS["half"]
    one = maker.graded(*zoom, grade_with(half))[0]
    other = maker.graded(*zoom, grade_with(Matte(Leaf(sharp), frame=FRAME)))[0]
    np.testing.assert_allclose(one, other, atol=1e-4)


def test_gradients_go_on_beyond_the_data_window(image: Any):
    levels, reader = image
    matte = Matte(Leaf(LinearGradient(start=(0.0, 0.0), end=(FRAME[0], FRAME[1]))), feather=20.0)
    maker, zoom = FrameMaker(executor_on("cpu"), levels), ZOOMS["fitted"]
    values = maker.graded(*zoom, grade_with(matte))[0]
    assert policy_error(values, expected(maker, reader, zoom, grade_with(matte))).max() <= 2e-6


@pytest.mark.parametrize("large", [False, True], ids=["whole", "large"])
def test_planes_of_a_file_lie_where_its_pixels_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool):
    if large:
        monkeypatch.setattr(opening, "DIRECT_SAMPLES", 0)
    made = layer(size=(120, 90), objects=5)
    depth = np.random.default_rng(1).random((90, 120)).astype(np.float32) * 9.0
    windows = {"dataWindow": window(7, -3, 120, 90), "displayWindow": window(0, 0, 160, 100)}
    image = open_image(write_layers(tmp_path / "shot.0007.exr", [made], windows, Z=depth))
    levels = levels_of(image)
    assert isinstance(levels, LargeLevels) == large
    assert levels.planes is not None and levels.planes is planes_of(image) and levels.planes.frame == (160, 100)
    name = made.objects[2]
    box = Rectangle(center=(60.0, 40.0), size=(30.0, 25.0), softness_out=6.0)
    tree = Branch("union", (Leaf(Cryptomatte("CryptoObject", (name,))), Leaf(RANGE), Leaf(box, opacity=0.4)))
    grade = tuple(Grade([Layer(ops.Matrix(offset=(0.5, 0.2, 0.1, 0.0)), matte=Matte(tree))]))
    planes: dict[Plane, Any] = {CoveragePlane("CryptoObject", (name,)): made.coverage([hash_name(name)]), DEPTH: depth}
    maker = FrameMaker(executor_on("cpu"), levels)
    levels.watch(lambda: None, lambda line: None)
    try:
        values = maker.graded((20.0, 10.0, 80.0, 60.0), 80, 60, grade)[0]
        right = reference(np.zeros((90, 120, 4)), grade, Place(7.0, -3.0), planes)
        assert policy_error(values, right[10:70, 20:100]).max() <= 2e-6
        halves = maker.graded((0.0, 0.0, 120.0, 90.0), 60, 45, grade)[0]
        half = {plane: box_means(values, 1) for plane, values in planes.items()}
        right = reference(np.zeros((45, 60, 4)), shown_ops(grade, 0.5), Place(7.0, -3.0, 2.0, 2.0), half)
        assert policy_error(halves, right).max() <= 2e-6
    finally:
        levels.rest(10.0)
        levels.planes.rest()
