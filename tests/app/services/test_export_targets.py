"""Which files of an export are there already, and the next version of a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.services.export_options import ExportOrder
from app.services.export_targets import find_targets
from app.services.export_versions import next_version
from engine import Grade
from engine.errors import TesseraError
from engine.export.frame_patterns import parse_pattern


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """Frames 1001-1006, and an empty folder for graded ones."""
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    for frame in range(1001, 1007):
        (tmp_path / "in" / f"s.{frame}.exr").touch()
    return tmp_path / "in" / "s.####.exr"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "g.####.exr"


def write(out: Path, *frames: int) -> None:
    for frame in frames:
        out.with_name(f"g.{frame:04}.exr").touch()


def order(source: Path, target: Path, **options: str) -> ExportOrder:
    return ExportOrder(source, target, Grade(), options)


def test_the_frames_that_are_there_are_found(shot: Path, out: Path):
    assert not find_targets(order(shot, out)).existing
    write(out, 1002, 1003, 1005, 1099)
    found = find_targets(order(shot, out))
    assert (found.sequence, found.existing) == (True, "1002-1003,1005")
    assert found.line == "3 of 6 frames exist already: 1002-1003,1005."
    found = find_targets(order(shot, out, frames="1004-1006"))
    assert found.line == "1 of 3 frames exists already: 1005."
    assert not find_targets(order(shot, out, frames="1001,1004")).existing
    shot.with_name("s.1003.exr").unlink()
    shot.with_name("s.1004.exr").unlink()
    assert find_targets(order(shot, out)).existing == "1002-1003,1005"  # gaps are frames of the sequence, too
    assert find_targets(order(shot, out, watch="5")).existing == "1002-1003,1005,1099"
    write(out, *range(1, 200, 2))
    line = find_targets(order(shot, out, watch="5")).line
    assert line.startswith("104 of the frames to come exist already: 1") and len(line) < 120


def test_frames_that_are_numbered_anew(shot: Path, out: Path):
    write(out, 2, 3)
    renumbered = out.with_name("g.1-6####.exr")
    assert find_targets(order(shot, renumbered)).existing == "1002-1003"


def test_frames_of_other_letters_are_found_where_the_disk_finds_them(shot: Path, out: Path):
    out.with_name("G.1002.EXR").touch()
    alike = out.with_name("g.1002.exr").exists()
    assert bool(find_targets(order(shot, out)).existing) == alike


def test_what_can_not_begin_is_said(shot: Path, out: Path, tmp_path: Path):
    with pytest.raises(TesseraError, match="no frames"):
        find_targets(order(tmp_path / "none.####.exr", out))
    with pytest.raises(TesseraError, match="placeholder for the frame number"):
        find_targets(order(shot, tmp_path / "out" / "g.exr"))
    with pytest.raises(TesseraError, match="IN has none"):
        find_targets(order(tmp_path / "in" / "s.1001.exr", out))


def test_one_image_and_dangling_links(tmp_path: Path):
    target = tmp_path / "out.exr"
    assert not find_targets(order(tmp_path / "in.exr", target)).existing
    target.symlink_to(tmp_path / "nowhere")
    found = find_targets(order(tmp_path / "in.exr", target))
    assert (found.sequence, found.existing, found.line) == (False, "replace", "out.exr exists already.")
    assert not find_targets(order(tmp_path / "in.exr", tmp_path / ("n" * 300 + ".exr"))).existing


@pytest.mark.parametrize(
    ("name", "there", "wanted"),
    [
        ("sc010_comp_v003.exr", [], "sc010_comp_v004.exr"),
        ("sc010_comp_v003.exr", ["sc010_comp_v005.exr", "sc010_comp_v012.tif"], "sc010_comp_v013.exr"),
        ("sc010_comp_v003.exr", ["sc010_comp_v0099x.exr", "sc011_comp_v007.exr"], "sc010_comp_v004.exr"),
        ("sample_graded.exr", [], "sample_graded_v002.exr"),
        ("sample_graded.exr", ["sample_graded_v002.exr", "Sample_Graded_V3.exr"], "sample_graded_v004.exr"),
        ("v01_to_v9_final.exr", [], "v01_to_v10_final.exr"),
        ("look.v2.clf", ["look.v2.clf"], "look.v3.clf"),
        ("revolver.clf", [], "revolver_v002.clf"),
    ],
)
def test_the_next_version_is_after_the_highest(tmp_path: Path, name: str, there: list[str], wanted: str):
    for each in there:
        (tmp_path / each).touch()
    assert next_version(tmp_path / name) == tmp_path / wanted


@pytest.mark.parametrize(
    ("name", "there", "wanted"),
    [
        ("g.####.exr", [], "g_v002.####.exr"),
        ("g_v002.####.exr", ["g_v002.1001.exr", "g_v003.1001.exr"], "g_v004.####.exr"),
        ("g_v009_%04d.exr", [], "g_v010_%04d.exr"),
        ("g_v001.1-5@@@.exr", [], "g_v002.1-5@@@.exr"),
        ("####.exr", [], "v002.####.exr"),
    ],
)
def test_the_next_version_of_a_sequence(tmp_path: Path, name: str, there: list[str], wanted: str):
    for each in there:
        (tmp_path / each).touch()
    path = tmp_path / name
    assert next_version(path, parse_pattern(path)) == tmp_path / wanted
