"""A baked cube, read back by OpenColorIO and by Tessera."""

from pathlib import Path

import numpy as np
import pytest

from engine.bake import DARKEST, bake
from engine.errors import GradeError, WriteFailed
from engine.grade import FileLook, Grade
from engine.ocio import ops_from_file
from engine.ops import Blur, Cdl, Contrast, Exposure, LogAffine, Matrix, Saturation
from tests.engine import ocio_corpus as corpus

GRADE = Grade([Exposure(0.5), Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (1.1, 1.0, 0.95), 1.2), Contrast(1.1)])
CLAMPED = Grade([Exposure(-3.0), Cdl(power=(0.6, 0.6, 0.6), style="asc")])


def light(highest: float, count: int = 20000) -> np.ndarray:
    """Other colours than those that `bake` measures itself on, spread alike: a quarter of them grey."""
    where = np.random.default_rng(99).random((count, 3))
    where[: count // 4] = where[: count // 4, :1]
    rgb = where if highest == 1.0 else DARKEST * (highest / DARKEST) ** where
    return np.column_stack([rgb, np.full(count, 0.5)])


@pytest.mark.parametrize("grade", [GRADE, CLAMPED], ids=["open", "clamped"])
@pytest.mark.parametrize("highest", [1.0, 16.0, 100.0])
def test_opencolorio_reads_it_and_finds_the_error_that_was_reported(tmp_path: Path, grade: Grade, highest) -> None:
    path = tmp_path / "look.cube"
    report = bake(grade, path, highest=highest)
    rgba = light(highest)
    theirs = corpus.exact(corpus.processor_of(path), rgba)
    error, disagree = corpus.errors(theirs, corpus.reference(list(grade), rgba))
    assert not disagree.any()
    assert error.mean() == pytest.approx(report.mean_error, rel=0.1)
    assert error.max() <= report.max_error * 1.2
    assert corpus.compare(path, ops_from_file(path), corpus.processor_of(path), corpus.reference).kind != "missed"


@pytest.mark.parametrize(("highest", "mean", "most"), [(1.0, 4e-4, 4e-3), (16.0, 3e-3, 8e-3), (100.0, 6e-3, 2e-2)])
def test_the_error_stays_small(tmp_path: Path, highest: float, mean: float, most: float) -> None:
    report = bake(GRADE, tmp_path / "look.cube", highest=highest)
    assert report.mean_error < mean
    assert report.max_error < most


def test_a_larger_cube_is_nearer(tmp_path: Path) -> None:
    coarse, fine = (bake(GRADE, tmp_path / "look.cube", size, highest=16.0) for size in (17, 65))
    assert fine.mean_error < coarse.mean_error / 6.0


def test_a_straight_grade_is_exact_at_every_size(tmp_path: Path) -> None:
    grade = Grade([Exposure(-1.0), Saturation(0.5)])
    assert bake(grade, tmp_path / "look.cube", 2).max_error < 1e-6


def test_the_shaper_itself_adds_no_error(tmp_path: Path) -> None:
    """At the cube's entries, found through the stored shaper, the file gives the grade."""
    path = tmp_path / "look.cube"
    bake(GRADE, path, 9, highest=16.0)
    matrix, shaper, *_ = ops_from_file(path)
    curve = shaper.curve.array[:, 0].astype(np.float64)
    inputs = np.interp(np.linspace(0.0, 1.0, 9), curve, np.linspace(0.0, 16.0, len(curve)))
    rgba = np.column_stack([inputs, inputs, inputs, np.ones(9)])
    got, wanted = corpus.reference(ops_from_file(path), rgba), corpus.reference(list(GRADE), rgba)
    assert isinstance(matrix, Matrix)
    assert corpus.errors(got, wanted)[0].max() < 2e-6


@pytest.mark.parametrize(("highest", "entries"), [(1.0, 0), (0.5, 0), (16.0, 4096), (65504.0, 4096)])
def test_a_shaper_is_there_above_1_and_within_what_resolve_takes(tmp_path: Path, highest: float, entries: int) -> None:
    path = tmp_path / "look.cube"
    report = bake(GRADE, path, 5, highest=highest)
    head = path.read_text().splitlines()[1:5]
    if not entries:
        assert head[0] == "LUT_3D_SIZE 5"
        assert (report.shaper, report.highest) == (0, 1.0)
        return
    assert entries <= report.shaper <= 65536
    assert head == [
        f"LUT_1D_SIZE {report.shaper}",
        f"LUT_1D_INPUT_RANGE 0 {highest:g}",
        "LUT_3D_SIZE 5",
        "LUT_3D_INPUT_RANGE 0 1",
    ]


def test_looks_within_the_grade_are_baked_too(tmp_path: Path) -> None:
    bare = bake(GRADE, tmp_path / "a.cube")
    kept = bake(Grade([FileLook("x.cube", tuple(GRADE))]), tmp_path / "b.cube")
    assert bare == kept


def test_an_executor_may_compute_it(tmp_path: Path) -> None:
    calls = []

    def execute(ops, rgba):
        calls.append(len(rgba))
        return corpus.reference(ops, rgba)

    assert bake(GRADE, tmp_path / "a.cube", execute=execute) == bake(GRADE, tmp_path / "b.cube")
    assert calls


@pytest.mark.parametrize(("grade", "arguments", "says"), [
    (Grade([Blur(3.0)]), {}, "Blur looks at neighbouring pixels"),
    (GRADE, {"size": 1}, "can't bake 1 entries"),
    (GRADE, {"size": 200}, "can't bake 200 entries"),
    (GRADE, {"highest": 0.0}, "can't bake"),
    (GRADE, {"highest": float("nan")}, "can't bake"),
    (Grade([LogAffine(log_slope=(0.001,) * 3, direction="reverse")]), {}, "no finite number"),
])  # fmt: skip
def test_what_cannot_be_baked_is_refused_and_nothing_is_written(tmp_path: Path, grade, arguments, says: str) -> None:
    with pytest.raises(GradeError, match=says):
        bake(grade, tmp_path / "look.cube", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match=r"no/look\.cube"):
        bake(GRADE, tmp_path / "no" / "look.cube", 5)
