"""Images kept from frame to frame: the same bits with and without them, and only what a slider changes is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import Grade, Layer, create_executor, ops
from engine.compute.executor import TiledExecutor
from engine.compute.kept_images import KeptImages
from engine.compute.mattes import MatteInputs
from engine.errors import Cancelled
from engine.kernel.filter_op import FilterOp
from engine.kernel.op import Op, Slider
from engine.mattes import Matte
from tests.engine.compute.test_filter_ops import FILTERS, each_filter
from tests.engine.images import plain
from tests.engine.matte_grades import GRADES, PLACE, SOFT, matte_image, planes_for
from tests.engine.matte_reference import ArrayPlanes

UP, DOWN = ops.Exposure(-1.0), ops.Contrast(0.8)


class Steps:
    """Counts the filters and the runs of colour ops of an executor."""

    def __init__(self, executor: TiledExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
        self.filters = self.points = 0
        primitives = executor.primitives
        taps, point = primitives.exec_taps, primitives.exec_point

        def exec_taps(*given: Any) -> None:
            self.filters += 1
            taps(*given)

        def exec_point(*given: Any) -> None:
            self.points += 1
            point(*given)

        monkeypatch.setattr(primitives, "exec_taps", exec_taps)
        monkeypatch.setattr(primitives, "exec_point", exec_point)

    def taken(self) -> tuple[int, int]:
        """Their numbers since the last call."""
        found, self.filters, self.points = (self.filters, self.points), 0, 0
        return found


def moved(op: Op, name: str) -> Op:
    """An op with one of its sliders moved."""
    value = getattr(op, name)
    return op.replace(**{name: tuple(0.9 * v for v in value) if isinstance(value, tuple) else 0.8 * value})


@each_filter
def test_frames_have_the_same_bits_with_kept_images(op: FilterOp, executor: TiledExecutor) -> None:
    """Each slider moves twice, so that what it leaves as it is has been kept; ops around the filter move, too."""
    source, kept = executor.upload(plain()), KeptImages()
    grades = [[UP, op, DOWN]]
    for name, kind in op.kinds().items():
        if isinstance(kind, Slider):
            changed = moved(op, name)
            grades += [[UP, changed, DOWN], [UP, moved(changed, name), DOWN]]
    grades += [[UP, op, ops.Contrast(0.7)], [UP, op, ops.Contrast(0.6)], [ops.Exposure(-0.5), op, DOWN], [op]]
    for number, grade in enumerate(grades):
        shown = executor.download(executor.displayed(source, grade, kept=kept))
        assert np.array_equal(shown, executor.display(source, grade)), f"grade {number}"


def test_only_what_a_slider_changes_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = create_executor("cpu")
    source, kept, steps = executor.upload(plain()), KeptImages(), Steps(executor, monkeypatch)

    def made(*grade: Op) -> tuple[int, int]:
        steps.taken()
        executor.displayed(source, grade, kept=kept)
        return steps.taken()

    bloom = FILTERS["Bloom"]
    assert isinstance(bloom, ops.Bloom)
    every, first = made(bloom, DOWN)
    assert every >= 4 and first == 3
    assert made(bloom.replace(amount=0.3), DOWN) == made(bloom, ops.Contrast(0.5)) == (0, 1)
    wider = made(bloom.replace(radius=20.0), DOWN)
    assert wider[0] >= 4
    assert made(bloom.replace(radius=21.0), DOWN) == (wider[0], 2)  # what is bright stays
    assert made(bloom.replace(radius=21.0, threshold=0.5), DOWN)[1] == 3
    assert made(UP, bloom, DOWN)[1] == 4

    denoise = FILTERS["Denoise"]
    every_step = made(denoise)
    first_time, again = made(moved(denoise, "luma")), made(moved(moved(denoise, "luma"), "luma"))
    assert again[0] == first_time[0] == 4  # the means of the first estimates are new at all four levels
    assert again[1] <= first_time[1] < every_step[1] < 20


def test_kept_images_keep_to_their_budget(executor: TiledExecutor) -> None:
    source, size = executor.upload(plain()), 53 * 71 * 16
    wanted = executor.display(source, [FILTERS["Denoise"]])
    for budget, most in ((0, 0), (2 * size + 5, 2), (9 * size, 9)):
        kept = KeptImages(budget)
        for luma in (0.5, 0.7, FILTERS["Denoise"].luma):  # type: ignore[attr-defined]
            found = executor.displayed(source, [FILTERS["Denoise"].replace(luma=luma)], kept=kept)
        assert kept.nbytes == most * size <= budget
        assert np.array_equal(executor.download(found), wanted)
        kept.clear()
        assert kept.nbytes == 0


@pytest.mark.parametrize("name", ["feather", "filters", "groups", "soft qualifiers", "tree"])
def test_mattes_have_the_same_bits_and_planes_are_read_again(name: str) -> None:
    executor = create_executor("cpu")
    source, kept = executor.upload(matte_image()), KeptImages()
    for number, after in enumerate((UP, UP, DOWN, DOWN)):
        grade = [*Grade(GRADES[name]), after]
        inputs = MatteInputs(PLACE, ArrayPlanes(planes_for(grade, seed=number)))
        shown = executor.download(executor.displayed(source, grade, inputs, kept=kept))
        assert np.array_equal(shown, executor.display(source, grade, inputs)), f"frame {number}"


def test_a_feathered_window_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = create_executor("cpu")
    source, kept, steps = executor.upload(matte_image()), KeptImages(), Steps(executor, monkeypatch)
    made = []
    for stops in (0.5, 0.6, 0.7):
        grade = Grade([Layer(ops.Exposure(stops), matte=Matte(SOFT, feather=5.0))])
        executor.displayed(source, grade, MatteInputs(PLACE), kept=kept)
        made.append(steps.taken())
    assert made[0][0] > 0 and made[1] == made[2] == (0, 1)


def test_a_stopped_frame_leaves_what_it_has_made() -> None:
    executor = create_executor("cpu")
    source, kept, op = executor.upload(plain()), KeptImages(), FILTERS["Halation"]
    answers = iter((False, True))
    with pytest.raises(Cancelled):
        executor.displayed(source, [op], stop=lambda: next(answers), kept=kept)
    assert kept.nbytes > 0
    found = executor.download(executor.displayed(source, [op], kept=kept))
    assert np.array_equal(found, executor.display(source, [op]))


def test_the_last_step_is_stopped_between_its_parts() -> None:
    """With all side images kept it is the only one, and takes the time of a view."""
    executor, op = create_executor("cpu", threads=1), FILTERS["Halation"]  # others would take some parts
    source, kept = executor.upload(plain(300, 400)), KeptImages()
    wanted = executor.download(executor.displayed(source, [op], kept=kept))
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    with pytest.raises(Cancelled):
        executor.displayed(source, [op], stop=stop, kept=kept)
    assert len(asked) == 3
    assert np.array_equal(executor.download(executor.displayed(source, [op], kept=kept)), wanted)
