"""Grades with keys on every backend: right at every frame by the float64 reference, and no frame compiles anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import Grade, Group, Layer, create_executor, ops
from engine.color.management import manage
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.compute.plan import plan
from engine.compute.steps import RGBA, ExtremeStep, PointStep, SoftStep
from engine.grade import ColourSetup, Curve, Key
from engine.grade.curves import Keys
from engine.mattes import Matte
from tests.engine.animated_grades import FRAMES, random_animated
from tests.engine.compute.test_prepare import compiled
from tests.engine.compute.test_tiles import assert_same_bits
from tests.engine.matte_grades import HERO, PLACE, RED, SKIN_AFTER, SOFT, UP, branch, matte_image, planes_for
from tests.engine.matte_reference import ArrayPlanes, graded
from tests.thorough import THOROUGH
from tests.tolerance import assert_close

SEEDS = range(200) if THOROUGH else (1, 3)
FEW = range(0, FRAMES + 1, 1 if THOROUGH else 4)


def animated(entry: Any, matte: Matte | None = None, **curves: tuple[float, ...]) -> Layer:
    """A layer whose numbers have these values at frames 0, 1, 2 and so on."""
    keys = {path.replace("__", "."): rising(*values) for path, values in curves.items()}
    return Layer(entry, matte=matte, keys=Keys(keys))


def rising(*values: float) -> Curve:
    return Curve(Key(frame, value) for frame, value in enumerate(values))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_grades_at_frames_by_the_reference(seed: int, backend: str) -> None:
    grade = random_animated(np.random.default_rng(seed))
    executor, image = create_executor(backend), matte_image()
    planes, ready = planes_for(grade.at(0)), 0
    for frame in FEW:
        at = grade.at(frame)
        result = executor.execute_color(image, at, MatteInputs(PLACE, ArrayPlanes(planes)))
        assert_close(result, graded(image, at.settled, PLACE, planes), backend, chain=True)
        ready = ready or compiled(executor.primitives)
        assert compiled(executor.primitives) == ready, f"frame {frame} compiles"


NEUTRAL: list[Any] = [
    animated(UP, stops=(0.0, 1.0)),
    animated(ops.Matrix(), offset__0=(0.0, 0.1)),
    ops.Matrix(offset=(0.1, 0.0, 0.0, 0.0)),
    animated(RED, mix=(0.0, 0.5, 1.0)),
    animated(ops.Blur(2.0), radius=(0.0, 4.0)),
    animated(RED, Matte(SOFT), matte__feather=(0.0, 4.0), matte__grow=(-3.5, 0.0, 3.5), matte__gamma=(1.0, 0.5)),
    animated(RED, Matte(branch("union", SKIN_AFTER, HERO)), matte__tree__1__denoise=(0.0, 8.0), matte__gain=(0.0, 1.0)),
    animated(ops.Blur(2.0), Matte(HERO), matte__tree__0__opacity=(0.0, 1.0)),
]
"""Entries that do nothing at frame 0, and something else at each of the next ones."""


def test_frames_at_which_entries_do_nothing(executor: TiledExecutor) -> None:
    grade, image = Grade(NEUTRAL), matte_image()
    planes = planes_for(grade.at(0))
    assert len({len(plan(grade.at(frame)).steps) for frame in range(4)}) == 1
    for frame in range(4):
        at = grade.at(frame)
        result = executor.execute_color(image, at, MatteInputs(PLACE, ArrayPlanes(planes)))
        assert_close(result, graded(image, at.settled, PLACE, planes), executor.name, chain=True)


def test_kernels_of_the_first_frame_are_those_of_all(backend: str) -> None:
    executor, grade = create_executor(backend), Grade(NEUTRAL)
    executor.prepare(grade.at(0), RGBA)
    executor.prepare(grade.at(0), RGBA, display=True)
    ready = compiled(executor.primitives)
    inputs = MatteInputs(PLACE, ArrayPlanes(planes_for(grade.at(0))))
    for frame in range(4):
        assert executor.prepared(grade.at(frame), RGBA) and executor.prepared(grade.at(frame), RGBA, display=True)
        executor.execute_color(matte_image(), grade.at(frame), inputs)
        executor.display(executor.upload(matte_image()), list(grade.at(frame)), inputs)
    assert compiled(executor.primitives) == ready


def test_frames_between_colour_spaces(backend: str) -> None:
    managed = manage(ColourSetup(input="ACES2065-1", working="Linear Rec.709 (sRGB)", output="ACEScg"))
    group = Group(
        (animated(UP, stops=(0.0, 0.5)), animated(ops.Saturation(0.8), mix=(0.0, 1.0))),
        keys=Keys({"mix": rising(0.0, 1.0)}),
    )
    window = animated(UP, Matte(SKIN_AFTER), stops=(0.0, 0.2), matte__gain=(0.0, 1.0))
    grade, image = Grade([animated(ops.Matrix(), offset__1=(0.0, 0.01)), group, window]), matte_image()
    executor, ready = create_executor(backend), 0
    for frame in (0, 1, 2):
        at = managed.expanded(grade.at(frame))
        result = executor.execute_color(image, at, MatteInputs(PLACE))
        assert_close(result, graded(image, at, PLACE), backend, chain=True)
        ready = ready or compiled(executor.primitives)
    assert compiled(executor.primitives) == ready


def test_a_key_on_an_op_needs_no_other_kernel(backend: str) -> None:
    executor, image = create_executor(backend), matte_image()
    plain = executor.execute_color(image, Grade([UP, RED]))
    ready = compiled(executor.primitives)
    grade = Grade([animated(UP, stops=(0.5, 1.0)), animated(RED, slope__0=(1.2, 1.3))])
    assert_same_bits(executor.execute_color(image, grade.at(0)), plain)
    assert compiled(executor.primitives) == ready


def test_the_ends_of_a_mix_with_keys_are_exact(executor: TiledExecutor) -> None:
    image = matte_image()
    image[0, 0], image[0, 1] = np.inf, np.nan
    grade = Grade([animated(RED, mix=(0.0, 1.0))])
    assert_same_bits(executor.execute_color(image, grade.at(0)), image)
    assert_same_bits(executor.execute_color(image, grade.at(1)), executor.execute_color(image, Grade([RED])))


def kinds(grade: Grade, frame: int) -> list[Any]:
    """The steps of a frame: the structure of colour ops, the class of others."""
    steps = plan(grade.at(frame)).steps
    return [tuple(op.structure for op in step.ops) if isinstance(step, PointStep) else type(step) for step in steps]


def test_a_mix_of_0_keeps_the_steps_of_mattes_and_filters() -> None:
    grade = Grade([animated(RED, Matte(SOFT), mix=(0.0, 1.0)), animated(ops.Blur(2.0), mix=(0.0, 1.0)), UP])
    assert kinds(grade, 0) == kinds(grade, 1) and len(kinds(grade, 0)) > 2


def test_mattes_that_are_the_same_at_a_frame_keep_their_own_steps() -> None:
    one, other = (animated(RED, Matte(SOFT), matte__feather=(4.0, last)) for last in (4.0, 8.0))
    assert kinds(Grade([one, other]), 0) == kinds(Grade([one, other]), 1)


def test_only_softness_with_keys_takes_steps_where_it_is_0() -> None:
    def steps(**curves: tuple[float, ...]) -> list[Any]:
        found = plan(Grade([animated(RED, Matte(SOFT), **curves)]).at(0)).steps
        return [step for step in found if isinstance(step, SoftStep | ExtremeStep)]

    assert not steps(matte__tree__0__center__0=(10.0, 20.0))
    assert [type(step) for step in steps(matte__feather=(0.0, 1.0))] == [SoftStep]
    assert [type(step) for step in steps(matte__grow=(0.0, 1.0))] == [ExtremeStep, ExtremeStep]
