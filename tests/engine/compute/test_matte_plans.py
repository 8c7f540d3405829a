"""Plans of grades with mattes: their steps, and the planes that they read."""

from __future__ import annotations

import pytest

from engine import Grade, Group, Layer, MemoryOutput, MemorySource, ops
from engine.compute.executor import TiledExecutor
from engine.compute.pipeline import Pipeline
from engine.compute.plan import DisplayPlans, PlaneStep, PointStep, SoftStep, plan, stages
from engine.compute.steps import RGBA, ExtremeStep
from engine.core.geometry import Rect
from engine.errors import GradeError
from engine.kernel.op import Op
from engine.mattes import Branch, ChannelRange, Leaf, Matte
from tests.engine.compute.test_mattes import inputs_for, streamed
from tests.engine.compute.test_tiles import in_tiles
from tests.engine.matte_grades import (
    FAR,
    HEIGHT,
    HERO,
    LUT,
    RED,
    SHAPE,
    SOFT,
    TREE,
    UP,
    WIDTH,
    branch,
    matte_image,
)
from tests.engine.matte_reference import ArrayPlanes


def test_without_mattes_the_plan_is_a_chain() -> None:
    run: list[Op] = [UP, ops.Blur(2.0), RED, *LUT.ops, ops.Resize(9.0, 9.0), UP]
    found = plan(run)
    assert found.links == ()
    assert [type(step).__name__ for step in found.steps] == [
        "PointStep",
        "FilterStep",
        *["PointStep", "FilterStep"],
        "PointStep",
    ]
    assert stages(run, RGBA) == stages(Grade(run), RGBA)
    assert len(DisplayPlans().stages(run, RGBA)) == 5
    assert Grade([Group((UP, RED), "look")]).structure == Grade([UP, RED]).structure
    assert plan(Grade([Group((UP, RED), "look")])).steps == (PointStep((UP, RED)),)


def test_a_window_is_a_part_of_the_kernel() -> None:
    found = plan(Grade([UP, Layer(RED, matte=Matte(TREE, **SHAPE)), LUT]))
    assert [type(step).__name__ for step in found.steps] == ["PlaneStep", "PointStep"]


def test_a_soft_matte_on_several_entries_is_evaluated_once() -> None:
    matte = Matte(branch("union", SOFT, HERO), feather=4.0, grow=1.5)
    found = plan(Grade([Layer(UP, matte=matte), Layer(ops.Blur(2.0), matte=matte), Layer(RED, matte=matte)])).steps
    assert sum(isinstance(step, SoftStep) for step in found) == 1
    assert sum(isinstance(step, PlaneStep) for step in found) == 1
    assert sum(isinstance(step, ExtremeStep) for step in found) == 2


def test_soft_windows_read_no_more_of_the_image() -> None:
    """A band of an export reads its own rows only, although its mattes reach beyond."""
    found = plan(Grade([UP, Layer(RED, matte=Matte(branch("union", SOFT, HERO), feather=20.0))]))
    band = Rect(0, 30, WIDTH, 8)
    regions = found.regions(band, found.sizes(WIDTH, 1000))
    assert regions[0] == band
    assert found.halo > 20
    planes = next(number for number, step in enumerate(found.steps, 1) if isinstance(step, PlaneStep))
    assert regions[planes].height > 40
    assert found.side_bytes(regions) > 16 * WIDTH * 40


def test_memory_counts_planes_and_images_of_mattes() -> None:
    plain, masked = (plan(Grade(entries)) for entries in ([RED], [Layer(RED, matte=Matte(HERO))]))
    soft = plan(Grade([Layer(RED, matte=Matte(HERO, feather=3.0))]))
    sizes = [found.device_bytes(100, 100, 4, 4) for found in (plain, masked, soft)]
    assert sizes == [320_000, 480_000, 640_000]
    source, output = MemorySource(matte_image()), MemoryOutput()
    costs = [Pipeline(source, output, found, lambda *_: source.pixels)._cost(WIDTH, 8) for found in (plain, masked)]
    assert costs[1] - costs[0] == 16 * WIDTH * 8


def test_planes_are_read_once_for_each_region(executor: TiledExecutor) -> None:
    grade = Grade([Layer(RED, matte=Matte(branch("union", HERO, FAR))), Layer(UP, matte=Matte(HERO))])
    inputs = inputs_for(grade)
    streamed(in_tiles(executor, 20), matte_image(), grade, inputs)
    assert isinstance(inputs.planes, ArrayPlanes)
    assert len(set(inputs.planes.reads)) == len(inputs.planes.reads)
    assert sum(rect.pixels for rect in inputs.planes.reads) == WIDTH * HEIGHT


def test_the_largest_trees_have_a_plan() -> None:
    many = tuple(Leaf(ChannelRange(channel=f"c{number}")) for number in range(255))
    deep: Branch = Branch("union", many[:9])
    for _ in range(14):
        deep = Branch("union", (deep,))
    for root in (Branch("union", many), deep):
        assert plan(Grade([Layer(RED, matte=Matte(root))]), (8, 8)).steps


def test_planes_that_are_not_given_are_an_error(executor: TiledExecutor) -> None:
    with pytest.raises(GradeError, match="a matte reads a channel of the file"):
        executor.execute_color(matte_image(), Grade([Layer(RED, matte=Matte(HERO))]))


def test_an_entry_that_resizes_is_not_blended() -> None:
    for wrong in (
        lambda: Layer(ops.Resize(9.0, 9.0), matte=Matte(SOFT)),
        lambda: Group((ops.Resize(9.0, 9.0),), mix=0.5).ops,
    ):
        with pytest.raises(GradeError, match=r"resizes the image can't (have a matte|be mixed)"):
            wrong()


# --- views --------------------------------------------------------------------------------------------------------
