"""Grades with mattes on every backend: right by the float64 reference, the same bits in any pieces, and nothing that is
compiled again or read in vain."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from engine import Grade, Group, Layer, MemoryOutput, MemorySource, create_executor, ops
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.compute.matte_images import Merge
from engine.compute.mattes import MatteInputs
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import Pipeline
from engine.compute.plan import PointStep, SoftStep, display_plan, plan
from engine.compute.steps import RGBA, CropStep
from engine.core.geometry import Place, Rect
from engine.errors import DeviceLost, OutOfDeviceMemory
from engine.mattes import Branch, ChannelRange, Cryptomatte, Ellipse, Leaf, Matte
from engine.mattes.coverage import Coverage
from engine.mattes.planes import ChannelPlane, CoveragePlane
from tests.engine.compute.test_faults import Faults
from tests.engine.compute.test_tiles import assert_same_bits, in_tiles
from tests.engine.matte_grades import (
    BOX,
    FAR,
    GRADES,
    HEIGHT,
    HERO,
    LUT,
    PLACE,
    RAMP,
    RED,
    SKIN,
    SKIN_AFTER,
    SOFT,
    TREE,
    UP,
    WIDTH,
    branch,
    matte_image,
    plane_source,
    planes_for,
)
from tests.engine.matte_reference import ArrayPlanes, graded
from tests.thorough import cases
from tests.tolerance import assert_close

each_grade = pytest.mark.parametrize("name", GRADES)


def inputs_for(grade: Iterable[Any], place: Place = PLACE, frame: tuple[int, int] = (0, 0)) -> MatteInputs:
    return MatteInputs(place, plane_source(list(grade)), frame)


def streamed(executor: TiledExecutor, image: Any, grade: Any, inputs: MatteInputs, **how: Any) -> Any:
    output = MemoryOutput(image.dtype)
    executor.execute_color_streaming(MemorySource(image), output, grade, inputs=inputs, **how)
    return output.pixels


def assert_right(executor: TiledExecutor, grade: Any, image: Any = None, **how: Any) -> Any:
    """Compare with the reference, then tiles and bands with the whole; return the result."""
    image = matte_image() if image is None else image
    ops_ = list(grade)
    inputs = inputs_for(ops_, **how)
    result = executor.execute_color(image, ops_, inputs)
    expected = graded(image, ops_, inputs.place, planes_for(ops_), inputs.frame)
    assert_close(result, expected, executor.name, chain=True)
    for tile in (17, 64):
        tiled = in_tiles(executor, tile)
        assert_same_bits(tiled.execute_color(image, ops_, inputs), result)
        assert_same_bits(streamed(tiled, image, ops_, inputs), result)
    return result


# --- results ------------------------------------------------------------------------------------------------------


@each_grade
def test_grades_by_the_reference_and_in_pieces(name: str, executor: TiledExecutor) -> None:
    assert_right(executor, Grade(GRADES[name]))


@pytest.mark.parametrize("name", cases(["tree", "filters"], *GRADES))
def test_half_images_without_alpha(name: str, executor: TiledExecutor) -> None:
    grade, image = Grade(GRADES[name]), matte_image(np.float16, 3)
    inputs = inputs_for(grade)
    whole = executor.execute_color(image, grade, inputs)
    assert whole.dtype == np.float16
    assert_same_bits(in_tiles(executor, 33).execute_color(image, grade, inputs), whole)
    assert_same_bits(streamed(in_tiles(executor, 33), image, grade, inputs), whole)


def test_mattes_are_fitted_to_the_display_window(executor: TiledExecutor) -> None:
    drawn = Matte(SOFT, feather=9.0, grow=2.0, frame=(400, 300))
    small = executor.execute_color(
        matte_image(), Grade([Layer(RED, matte=drawn)]), MatteInputs(Place(0.0, 0.0, 2.0, 2.0), None, (200, 150))
    )
    same = Grade([Layer(RED, matte=drawn.fitted(200, 150))])
    assert_same_bits(small, executor.execute_color(matte_image(), same, MatteInputs(Place(0.0, 0.0, 2.0, 2.0))))
    assert (small != executor.execute_color(matte_image(), same)).any()


def test_radii_are_scaled_with_the_view(executor: TiledExecutor) -> None:
    """At a mip level feather, growth and denoise shrink with the image, windows stay where they are."""
    entries: list[Any] = [
        Layer(RED, matte=Matte(branch("union", SKIN_AFTER, SOFT), feather=12.0, grow=-5.0)),
        Layer(ops.Blur(8.0), matte=Matte(RAMP, feather=3.0)),
        Group((UP, Layer(LUT, matte=Matte(BOX, feather=8.0))), mix=0.5),
    ]
    shown = [op.at_scale(0.25) for op in Grade(entries)]
    assert_right(executor, shown, place=Place(0.0, 0.0, 4.0, 4.0))
    assert sum(op.halo() for op in shown if op) == 3 + 2 + 3 + 2 + 1 + 2
    steps = plan([op for op in shown if op]).steps
    assert [step.radius_x for step in steps if isinstance(step, SoftStep)] == [3.0, 3.0, 0.75, 2.0]


@pytest.mark.parametrize("inner", [RED, LUT, ops.Blur(3.0)])
def test_what_a_matte_leaves_out_keeps_its_bits(inner: Any, executor: TiledExecutor) -> None:
    image = matte_image()
    image[:9, :9] = image[30:33, 30:33] = [np.nan, np.inf, -0.0, 1e-30]
    coverage = np.zeros((HEIGHT, WIDTH), np.float32)
    coverage[30:40, 30:50] = 1.0
    inputs = MatteInputs(planes=ArrayPlanes({CoveragePlane("CryptoObject", ("hero*",)): coverage}))
    result = executor.execute_color(image, Grade([Layer(inner, matte=Matte(HERO))]), inputs)
    assert_same_bits(result[coverage == 0.0], image[coverage == 0.0])
    everywhere = executor.execute_color(image, Grade([inner]))
    assert_same_bits(result[coverage == 1.0], everywhere[coverage == 1.0])
    assert (result != image).any()


def test_entries_that_change_nothing_are_left_out() -> None:
    for matte in (Matte(Leaf(SOFT.source, opacity=0.0)), Matte(SOFT, gain=0.0), Matte(Branch("union", ()))):
        assert Grade([Layer(RED, matte=matte), Layer(ops.Blur(2.0), matte=matte)]).effective == ()
    assert Grade([Layer(RED, mix=0.0, matte=Matte(SOFT)), Group((UP,), mix=0.0)]).effective == ()
    assert Grade([Layer(ops.Exposure(), matte=Matte(SOFT)), Layer(ops.Blur(0.0), mix=0.5)]).effective == ()
    assert Grade([Layer(RED, matte=Matte(Branch("union", ()), inverted=True))]).effective


@pytest.mark.parametrize("mode", cases(["subtraction"], "union", "intersection"))
def test_trees_of_more_planes_than_a_kernel_reads(mode: str, executor: TiledExecutor) -> None:
    leaves = [Leaf(Cryptomatte(names=(f"object {n}",)), opacity=0.5 + n / 40.0) for n in range(19)]
    tree = branch(mode, *leaves[:11], branch("union", *leaves[11:], inverted=True), SKIN, SKIN_AFTER)
    assert_right(executor, Grade([UP, Layer(RED, matte=Matte(tree))]))


def test_groups_with_more_mattes_than_a_kernel_reads(executor: TiledExecutor) -> None:
    leaves = [Leaf(ChannelRange(channel=f"mask{n}", soft_low=1.0)) for n in range(12)]
    group = Group(tuple(Layer(ops.Exposure(0.1 * n), matte=Matte(leaf)) for n, leaf in enumerate(leaves, 1)), mix=0.7)
    assert_right(executor, Grade([group, Layer(RED, matte=Matte(leaves[0], feather=2.0))]))


def test_mattes_of_different_softness_share_a_kernel(executor: TiledExecutor) -> None:
    """Their images are merged: a kernel reads two."""
    leaves = [SOFT, BOX, HERO, FAR]
    grade = Grade(Layer(UP, mix=0.2, matte=Matte(leaf, feather=1.0 + n)) for n, leaf in enumerate(leaves))
    assert_right(executor, grade)
    points = [step.ops for step in plan(grade).steps if isinstance(step, PointStep)]
    assert [len(run) for run in points if not isinstance(run[0], Coverage | Merge)] == [4]
    assert sum(isinstance(run[0], Merge) for run in points) == 3


def test_mattes_after_a_crop(executor: TiledExecutor) -> None:
    matte = Matte(branch("union", SOFT, HERO, SKIN), feather=4.0)
    steps = [*Grade([UP, Layer(RED, matte=matte)]), CropStep(Rect(11, 7, 60, 41)), *Grade([Layer(UP, matte=matte)])]
    image, inputs = matte_image(), inputs_for(Grade([Layer(RED, matte=matte)]))
    result = streamed(in_tiles(executor, 64), image, steps, inputs)
    planes = planes_for(Grade([Layer(RED, matte=matte)]))
    assert_close(result, graded(image, steps, PLACE, planes), executor.name, chain=True)
    assert_same_bits(streamed(in_tiles(executor, 9), image, steps, inputs), result)


def test_parts_of_an_image_have_their_places(executor: TiledExecutor) -> None:
    """A strip with its place is the strip of the whole, as in views."""
    image, grade = matte_image(), Grade([UP, Layer(RED, matte=Matte(branch("union", SOFT, RAMP)))])
    whole = executor.execute_color(image, grade, MatteInputs(PLACE))
    strip = executor.execute_color(image[20:33], grade, MatteInputs(PLACE.part(0, 20)))
    assert_same_bits(strip, whole[20:33])


# --- plans --------------------------------------------------------------------------------------------------------


def test_frames_for_display(executor: TiledExecutor) -> None:
    grade = list(Grade([*GRADES["filters"], Layer(RED, matte=Matte(SKIN_AFTER, feather=2.0))]))
    image, inputs = matte_image(), inputs_for(grade)
    handle = executor.upload(image)
    expected = np.clip(graded(image, grade, PLACE, planes_for(grade))[..., :3], 0.0, 1.0) * 255.0
    assert np.abs(executor.display(handle, grade, inputs)[..., :3] - expected).max() <= 0.51
    processed = executor.download(executor.process(handle, grade, inputs))
    assert_same_bits(processed, executor.execute_color(image, grade, inputs))
    head, rest = executor.filtered(handle, [*grade, UP, RED], inputs)
    assert rest == (UP, RED)
    assert_close(executor.download(head), graded(image, grade, PLACE, planes_for(grade)), executor.name, chain=True)


def moved_sliders() -> list[Grade]:
    """Grades that differ from the first in the sliders of their mattes only."""

    def of(feather: float, grow: float, opacity: float, gain: float, size: float, denoise: float) -> Grade:
        window = Leaf(Ellipse(center=(size, 120.0), size=(size, 80.0), softness_out=30.0), opacity=opacity)
        skin = Leaf(SKIN_AFTER.source.replace(denoise=denoise))
        one = Matte(branch("subtraction", window, HERO), feather, grow, gain, 1.0 if size == 90.0 else 0.5)
        return Grade(
            [
                Layer(RED, mix=opacity, matte=one),
                Layer(UP, matte=Matte(branch("union", skin, FAR, opacity=opacity))),
                Layer(ops.Blur(2.0), matte=replace_feather(one, feather)),
                Group((LUT, Layer(UP, matte=one)), mix=0.5 + 0.4 * opacity),
            ]
        )

    def replace_feather(matte: Matte, feather: float) -> Matte:
        return Matte(matte.root, feather=2.0 * feather)

    values = [(0.0, 0.0, 1.0, 1.0, 90.0, 0.0), (4.0, 0.0, 0.5, 2.0, 30.0, 2.0), (0.0, 1.5, 0.0, 0.5, 9.0, 0.0)]
    return [of(*each) for each in (*values, (30.0, -3.0, 1.0, 1.0, 90.0, 8.0), (0.0, 0.0, 1.0, 1.0, 20.0, 0.0))]


def test_moving_sliders_of_mattes_compiles_nothing(backend: str) -> None:
    executor = create_executor(backend)
    grades = [list(grade) for grade in moved_sliders()]
    executor.prepare(grades[0], RGBA, display=True)
    for grade in grades:
        assert executor.prepared(grade, RGBA, display=True)
        executor.display(executor.upload(matte_image()), grade, inputs_for(grade))
        assert executor.prepared(grade, RGBA, display=True)
    assert not executor.prepared([*Grade([Layer(RED, matte=Matte(TREE))])], RGBA, display=True)


def test_kernels_of_a_view_are_those_that_were_prepared() -> None:
    executor = create_executor("cpu")
    grades = [list(grade) for grade in moved_sliders()]
    executor.prepare(grades[0], RGBA, display=True)
    assert isinstance(executor.primitives, CpuPrimitives)
    ready = len(executor.primitives._kernels)
    for grade in grades:
        executor.display(executor.upload(matte_image()), grade, inputs_for(grade))
    assert len(executor.primitives._kernels) == ready


def test_a_plan_for_display_keeps_neutral_mattes() -> None:
    neutral = [*Grade([Layer(RED, mix=0.0, matte=Matte(HERO)), Layer(ops.Blur(2.0), mix=0.0)])]
    assert [type(step).__name__ for step in display_plan(neutral).steps] == [
        *("PlaneStep", "PointStep", "FilterStep"),
        *("PointStep", "PointStep"),
    ]
    assert plan(neutral).steps == ()


# --- memory and failure -------------------------------------------------------------------------------------------


LARGER = np.resize(matte_image(), (200, 210, 4))
WITH_PLANES = Grade([UP, Layer(RED, matte=Matte(branch("union", SOFT, HERO), feather=5.0, grow=1.5))])


def inputs_of_larger() -> MatteInputs:
    plane = CoveragePlane("CryptoObject", ("hero*",))
    return MatteInputs(PLACE, ArrayPlanes({plane: np.random.default_rng(1).random((200, 210))}))


@pytest.mark.parametrize("streams", [False, True], ids=["array", "stream"])
def test_out_of_memory_halves_tiles_with_planes(streams: bool, backend: str) -> None:
    expected = create_executor(backend).execute_color(LARGER, WITH_PLANES, inputs_of_larger())
    primitives = create_executor(backend).primitives
    primitives.memory_limit = 3 * LARGER.nbytes
    executor = TiledExecutor(primitives)
    run = streamed if streams else TiledExecutor.execute_color
    assert_same_bits(run(executor, LARGER, WITH_PLANES, inputs_of_larger()), expected)
    assert any("short of memory" in note for note in executor.notes)
    assert primitives.memory_stats().count == 0


def test_a_device_that_can_not_hold_a_tile_with_planes_is_said_or_replaced(backend: str) -> None:
    primitives = create_executor(backend).primitives
    primitives.memory_limit = 1 << 17  # a tile of 64 pixels with what lies around it, and no planes
    with pytest.raises(OutOfDeviceMemory, match=r"0\.125 MB is reached, even for tiles of 64 pixels; close what else"):
        TiledExecutor(primitives).execute_color(LARGER, WITH_PLANES, inputs_of_larger())
    gc.collect()  # the error and the frames that it came through hold each other
    assert primitives.memory_stats().count == 0
    executor = TiledExecutor(primitives, fallbacks=[lambda: CpuPrimitives(1)])
    expected = create_executor("cpu").execute_color(LARGER, WITH_PLANES, inputs_of_larger())
    assert_same_bits(streamed(executor, LARGER, WITH_PLANES, inputs_of_larger()), expected)
    assert executor.notes[-1].endswith("even for tiles of 64 pixels; continuing with " + CpuPrimitives(1).device)


@pytest.mark.parametrize("hook", ["_run_extreme", "_run_point", "_run_filter"])
def test_a_lost_device_is_replaced_with_its_planes(hook: str) -> None:
    grade = Grade([UP, Layer(RED, matte=Matte(branch("union", SOFT, HERO), feather=5.0, grow=2.0))])
    inputs = inputs_for(grade)
    expected = create_executor("cpu").execute_color(matte_image(), grade, inputs)
    broken = CpuPrimitives(1)
    Faults(broken, hook, 1, DeviceLost("the device is gone"), True)
    executor = TiledExecutor(broken, 40, None, [lambda: CpuPrimitives(1)])
    assert_same_bits(executor.execute_color(matte_image(), grade, inputs), expected)
    assert executor.primitives is not broken


def test_a_budget_and_little_memory_change_no_bits(executor: TiledExecutor) -> None:
    grade = Grade(GRADES["soft qualifiers"])
    image, inputs = matte_image(), inputs_for(grade)
    whole = executor.execute_color(image, grade, inputs)
    budget = MemoryBudget(3_000_000, 1, 1)
    assert_same_bits(streamed(executor, image, grade, inputs, budget=budget), whole)
    assert_same_bits(streamed(in_tiles(executor, None, 3_000_000), image, grade, inputs), whole)


def test_bands_are_higher_for_mattes_that_reach_far() -> None:
    """Each band evaluates what lies around it again."""
    image = np.zeros((4000, WIDTH, 4), np.float32)
    heights = []
    for entry in (Layer(RED, matte=Matte(HERO)), Layer(RED, matte=Matte(HERO, feather=1000.0))):
        steps = plan(Grade([entry]))
        pipeline = Pipeline(MemorySource(image), MemoryOutput(), steps, lambda *_: image, max_memory=10**9)
        pipeline.output.init(WIDTH, 4000, 4)
        heights.append(pipeline.regions()[0].height)
        assert steps.side_bytes(steps.regions(pipeline.regions()[0], steps.sizes(WIDTH, 4000))) < 256 << 20
    assert heights[1] >= 1000
    few = Pipeline(MemorySource(image), MemoryOutput(), steps, lambda *_: image, max_memory=20_000_000)
    assert few.regions()[0].height < heights[1]


def test_memory_that_a_plane_source_keeps_is_counted() -> None:
    source = ArrayPlanes({ChannelPlane("Z"): np.zeros((HEIGHT, WIDTH))}, fixed_bytes=10_000_000)
    from engine.errors import MemoryLimitError

    executor = in_tiles(create_executor("cpu"), None, 9_000_000)
    with pytest.raises(MemoryLimitError):
        streamed(executor, matte_image(), Grade([Layer(RED, matte=Matte(FAR))]), MatteInputs(planes=source))
