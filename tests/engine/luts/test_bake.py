"""Baked LUTs, read back by OpenColorIO and by Tessera."""

from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.errors import GradeError, UnsupportedFile, WriteFailed
from engine.grade.grade import FileLook, Grade
from engine.luts.baking import BEYOND, DARKEST, SCENE, bake
from engine.luts.text_formats import LUT_FORMATS
from engine.ocio import ops_from_file
from engine.ops import Blur, Cdl, Contrast, Exposure, LogAffine, Lut1d, Matrix, Saturation
from tests.engine import ocio_corpus as corpus
from tests.typed import expect

GRADE = Grade([Exposure(0.5), Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (1.1, 1.0, 0.95), 1.2), Contrast(1.1)])
CLAMPED = Grade([Exposure(-0.5), Cdl(power=(0.6, 0.6, 0.6), style="asc")])


def light(domain: tuple[float, float], shaped: bool, count: int = 20000) -> np.ndarray:
    """Other colours than those that `bake` measures itself on, spread alike: a quarter of them grey."""
    low, high = domain
    rng = np.random.default_rng(99)
    where = rng.random((count, 3))
    where[: count // 4] = where[: count // 4, :1]
    rgb = DARKEST * (high / DARKEST) ** where if shaped else low + (high - low) * where
    if shaped and low < 0.0:
        rgb = np.where(rng.random((count, 3)) < 0.25, low * where, rgb)
    return np.column_stack([rgb, np.full(count, 0.5)])


def read_back(path: Path, rgba: np.ndarray, interpolation: ocio.Interpolation = ocio.INTERP_LINEAR) -> np.ndarray:
    """What OpenColorIO makes of colours with the file."""
    ocio.ClearAllCaches()
    config = ocio.Config.CreateRaw()
    return corpus.exact(config.getProcessor(ocio.FileTransform(str(path), interpolation=interpolation)), rgba)


@pytest.mark.parametrize(("suffix", "domain", "grade", "interpolation"), [
    (".cube", (0.0, 1.0), GRADE, "linear"),
    (".cube", (0.0, 16.0), GRADE, "tetrahedral"),
    (".cube", (-0.5, 100.0), GRADE, "linear"),
    (".cube", (-0.5, 100.0), CLAMPED, "tetrahedral"),
    (".cube", (-0.25, 1.0), CLAMPED, "linear"),
    (".csp", (0.0, 1.0), GRADE, "linear"),
    (".csp", (-0.5, 100.0), GRADE, "tetrahedral"),
    (".csp", (-0.5, 100.0), CLAMPED, "linear"),
    (".csp", (-0.25, 0.75), GRADE, "linear"),
    (".spi3d", None, GRADE, "linear"),
    (".spi3d", None, CLAMPED, "tetrahedral"),
    (".3dl", None, GRADE, "linear"),
    (".3dl", None, CLAMPED, "tetrahedral"),
])  # fmt: skip
def test_opencolorio_reads_it_and_finds_the_error_that_was_reported(
    tmp_path: Path, suffix: str, domain, grade: Grade, interpolation: str
) -> None:
    path = tmp_path / f"look{suffix}"
    report = bake(grade, path, 9, domain=domain, interpolation=interpolation)
    assert report.domain == (domain or (0.0, 1.0))
    rgba = light(report.domain, bool(report.shaper))
    theirs = read_back(path, rgba, getattr(ocio, f"INTERP_{interpolation.upper()}"))
    error, disagree = corpus.errors(theirs, corpus.reference(list(grade), rgba))
    assert not disagree.any()
    assert error.mean() == pytest.approx(report.mean_error, rel=0.1)
    assert error.max() <= report.max_error * 1.2
    low, high = report.domain
    outside = np.array([[low - 0.1] * 3 + [1.0], [high * BEYOND, 0.0, 0.0, 1.0], [high * BEYOND] * 3 + [1.0]])
    error, _ = corpus.errors(read_back(path, outside), corpus.reference(list(grade), outside))
    assert error.max() <= report.outside_error * 1.2


@pytest.mark.parametrize("suffix", [".cube", ".csp", ".spi3d"])
def test_subnormal_numbers_are_written_as_zero(tmp_path: Path, suffix: str) -> None:
    """OpenColorIO's readers refuse them in some formats."""
    path = tmp_path / f"look{suffix}"
    bake(Grade([Exposure(-150.0)]), path, 5)
    assert np.array_equal(read_back(path, light((0.0, 1.0), False, 8))[:, :3], np.zeros((8, 3)))


@pytest.mark.parametrize("suffix", LUT_FORMATS)
def test_ours_reads_it_like_opencolorio(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"look{suffix}"
    bake(CLAMPED, path, 9, domain=(0.0, 1.0))
    assert corpus.compare(path, ops_from_file(path), corpus.processor_of(path), corpus.reference).kind != "missed"


@pytest.mark.parametrize(("highest", "mean", "most"), [(1.0, 4e-4, 4e-3), (100.0, 6e-3, 2e-2)])
def test_the_error_stays_small(tmp_path: Path, highest: float, mean: float, most: float) -> None:
    report = bake(GRADE, tmp_path / "look.cube", 33, domain=(0.0, highest))
    assert report.mean_error < mean
    assert report.max_error < most


def test_a_larger_cube_is_nearer(tmp_path: Path) -> None:
    coarse, fine = (bake(GRADE, tmp_path / "look.cube", size, domain=(0.0, 16.0)) for size in (9, 33))
    assert fine.mean_error < coarse.mean_error / 6.0


def test_a_straight_grade_is_exact_at_every_size(tmp_path: Path) -> None:
    grade = Grade([Exposure(-1.0), Saturation(0.5)])
    assert bake(grade, tmp_path / "look.cube", 2, domain=(-1.0, 64.0), shaper=False).max_error < 1e-6


def test_the_shaper_itself_adds_no_error(tmp_path: Path) -> None:
    """At the cube's entries, found through the stored shaper, the file gives the grade."""
    path = tmp_path / "look.cube"
    bake(GRADE, path, 9, domain=(0.0, 16.0))
    matrix, shaper, *_ = ops_from_file(path)
    curve = expect(Lut1d, shaper).curve.array[:, 0].astype(np.float64)
    inputs = np.interp(np.linspace(0.0, 1.0, 9), curve, np.linspace(0.0, 16.0, len(curve)))
    rgba = np.column_stack([inputs, inputs, inputs, np.ones(9)])
    got, wanted = corpus.reference(ops_from_file(path), rgba), corpus.reference(list(GRADE), rgba)
    assert isinstance(matrix, Matrix)
    assert corpus.errors(got, wanted)[0].max() < 2e-6


@pytest.mark.parametrize(("highest", "entries"), [(1.0, 0), (16.0, 4096), (65504.0, 4096)])
def test_a_shaper_is_there_above_1_and_within_what_resolve_takes(tmp_path: Path, highest: float, entries: int) -> None:
    path = tmp_path / "look.cube"
    report = bake(GRADE, path, 5, domain=(0.0, highest))
    head = path.read_text().splitlines()[1:5]
    if not entries:
        assert head[0] == "LUT_3D_SIZE 5"
        assert report.shaper == 0
        return
    assert entries <= report.shaper <= 65536
    assert head == [
        f"LUT_1D_SIZE {report.shaper}",
        f"LUT_1D_INPUT_RANGE 0 {highest:g}",
        "LUT_3D_SIZE 5",
        "LUT_3D_INPUT_RANGE 0 1",
    ]


def test_what_is_not_asked_for_suits_the_format(tmp_path: Path) -> None:
    scene, cube = bake(CLAMPED, tmp_path / "a.cube"), bake(CLAMPED, tmp_path / "b.cube", shaper=False)
    assert (scene.domain, scene.size, bool(scene.shaper)) == (SCENE, 65, True)
    assert (cube.domain, cube.size, bool(cube.shaper)) == ((0.0, 1.0), 33, False)
    assert "65 entries per axis after a shaper of" in scene.text
    assert "for values of 0..1;" in cube.text


def test_a_range_without_a_shaper_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "look.cube"
    bake(CLAMPED, path, 5, domain=(-0.5, 2.0), shaper=False)
    assert path.read_text().splitlines()[1:3] == ["LUT_3D_SIZE 5", "LUT_3D_INPUT_RANGE -0.5 2"]


def test_what_a_grade_makes_infinite_is_held_and_reported(tmp_path: Path) -> None:
    blown = Grade([Matrix(np.diag([20.0, 20.0, 20.0, 1.0]).ravel()), LogAffine(direction="reverse")])
    report = bake(blown, tmp_path / "look.cube", 17, domain=(0.0, 1.0))
    assert report.clamped_share == pytest.approx(
        0.75 * (1.0 - 0.8**3) + 0.25 * 0.2, abs=0.02
    )  # 2 ** (20 x) above x = 0.8
    assert "exceed 65504 and are clamped" in report.text


def test_a_3dl_tells_that_it_cuts_off(tmp_path: Path) -> None:
    assert not bake(CLAMPED, tmp_path / "look.3dl", 5).cut_off
    report = bake(Grade([Exposure(1.0)]), tmp_path / "look.3dl", 5)
    assert report.cut_off
    assert report.max_error == pytest.approx(0.5, abs=0.01)
    assert "results outside 0..1 are clamped" in report.text


def test_looks_within_the_grade_are_baked_too(tmp_path: Path) -> None:
    bare = bake(GRADE, tmp_path / "a.cube", 5, shaper=False)
    kept = bake(Grade([FileLook("x.cube", tuple(GRADE))]), tmp_path / "b.cube", 5, shaper=False)
    assert bare == kept


def test_an_executor_may_compute_it(tmp_path: Path) -> None:
    calls = []

    def execute(ops, rgba):
        calls.append(len(rgba))
        return corpus.reference(ops, rgba)

    assert bake(GRADE, tmp_path / "a.cube", 5, domain=(0.0, 1.0), execute=execute) == bake(
        GRADE, tmp_path / "b.cube", 5, domain=(0.0, 1.0)
    )
    assert calls


@pytest.mark.parametrize(("grade", "name", "arguments", "says"), [
    (Grade([Blur(3.0)]), "look.cube", {}, "Blur reads neighbouring pixels"),
    (GRADE, "look.cube", {"size": 1}, "can't bake 1 entries"),
    (GRADE, "look.cube", {"size": 200}, "can't bake 200 entries"),
    (GRADE, "look.cube", {"domain": (0.0, 0.0)}, "can't bake"),
    (GRADE, "look.cube", {"domain": (0.0, float("nan"))}, "can't bake"),
    (GRADE, "look.spi3d", {"domain": (0.0, 16.0)}, r"a \.spi3d covers values of 0\.\.1 only, not 0\.\.16"),
    (GRADE, "look.3dl", {"domain": (-0.1, 1.0)}, r"0\.\.1 only, not -0\.1\.\.1; write a \.cube or \.csp"),
    (Grade([Exposure(-2.0)]), "look.3dl", {}, r"the brightest result is 0\.25"),
    (Grade([LogAffine(log_slope=(0.001,) * 3, direction="reverse")]), "look.cube", {"size": 5}, "below 65504"),
])  # fmt: skip
def test_what_cannot_be_baked_is_refused_and_nothing_is_written(tmp_path, grade, name, arguments, says) -> None:
    with pytest.raises(GradeError, match=says):
        bake(grade, tmp_path / name, **arguments)
    assert list(tmp_path.iterdir()) == []


def test_the_suffix_must_be_of_a_lut(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match=r"end it in \.cube, \.csp, \.spi3d, \.3dl"):
        bake(GRADE, tmp_path / "look.txt")


def test_a_folder_that_is_not_there_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match=r"no/look\.cube"):
        bake(GRADE, tmp_path / "no" / "look.cube", 5)
