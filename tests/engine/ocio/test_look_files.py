"""Look files: read, described, refused in one line; CDLs as they are written."""

import contextlib
import json
import shutil
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine.errors import GradeError, UnreadableFile, UnsupportedFile, UnsupportedTransform
from engine.grade.grade import FileLook, Grade
from engine.kernel.op import ColorOp
from engine.luts.look_files import write_look
from engine.ocio import (
    describe_look,
    list_cdl_ids,
    look_from_file,
    ops_from_file,
    split_cdl_id,
    write_cdl,
)
from engine.ops import Cdl, Contrast, Exposure, GradingPrimary, Lut3d, Matrix, Saturation
from tests.engine import ocio_corpus as corpus
from tests.typed import expect

RNG = np.random.default_rng(5)
CCC = """<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">
<ColorCorrection id="first"><SOPNode><Description>warm</Description><Slope>1.1 1 0.9</Slope><Offset>0 0 0</Offset>
<Power>1 1 1</Power></SOPNode><SatNode><Saturation>1</Saturation></SatNode></ColorCorrection>
<ColorCorrection id="shot#2"><SOPNode><Slope>2 2 2</Slope><Offset>0 0 0.1</Offset><Power>1 1 1.5</Power></SOPNode>
<SatNode><Saturation>0.5</Saturation></SatNode></ColorCorrection>
</ColorCorrectionCollection>"""


@pytest.mark.parametrize(("content", "says"), [
    (b"\x00\xff\x13 not a look", "is not a"),
    (b"", "is not a"),
    (b"LUT_3D_SIZE 2\n0 0 0\n1 1 1\n", "Found 2, expected 8"),
    (b"LUT_3D_SIZE 2\n0 0 0\n1 x\xff\x1b[31m 1\n", "is not a valid .cube file"),
    (b"LUT_3D_SIZE 100000\n0 0 0\n", "is not a valid .cube file"),
])  # fmt: skip
def test_a_damaged_file_ends_in_one_clear_line(tmp_path: Path, capfd, content: bytes, says: str) -> None:
    path = tmp_path / "broken.cube"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        ops_from_file(path)
    line = str(caught.value)
    assert line.startswith(f"{path}: ")
    assert says in line
    assert line.isprintable()
    assert line.count(str(tmp_path)) == 1
    assert capfd.readouterr() == ("", "")


def test_a_missing_file_and_a_folder_are_reported_apart(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="does not exist; check the name"):
        ops_from_file(tmp_path / "gone.cube")
    with pytest.raises(UnreadableFile, match="is a folder"):
        ops_from_file(tmp_path)


def test_opencolorio_writes_nothing_to_the_terminal(tmp_path: Path, capfd) -> None:
    path = tmp_path / "unknown.ccc"
    path.write_text(CCC.replace("<SOPNode>", "<Unknown/><SOPNode>"))
    assert len(ops_from_file(path)) == 1
    assert capfd.readouterr() == ("", "")


def cube(path: Path, first: float = 0.0) -> Path:
    rows = [f"{r + first} {g} {b * g}" for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    path.write_text("LUT_3D_SIZE 2\n" + "\n".join(rows) + "\n")
    return path


def test_interpolation_is_the_files_or_the_one_asked_for(tmp_path: Path) -> None:
    path = cube(tmp_path / "a.cube")
    asked = {
        i: expect(Lut3d, ops_from_file(path, interpolation=i)[0]).interpolation
        for i in ("file", "linear", "tetrahedral")
    }
    assert asked == {"file": "trilinear", "linear": "trilinear", "tetrahedral": "tetrahedral"}
    clf = tmp_path / "a.clf"
    lut = ocio.Lut3DTransform(2)
    lut.setInterpolation(ocio.INTERP_TETRAHEDRAL)
    group = ocio.GroupTransform([lut])
    clf.write_text(group.write(formatName="Academy/ASC Common LUT Format", config=ocio.Config.CreateRaw()))
    assert expect(Lut3d, ops_from_file(clf)[0]).interpolation == "tetrahedral"
    assert expect(Lut3d, ops_from_file(clf, interpolation="linear")[0]).interpolation == "trilinear"


@pytest.mark.parametrize("wrong", ["interpolation", "direction", "cdl_style"])
def test_an_unknown_word_is_a_grade_error_that_lists_the_words(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(GradeError, match="named 'odd'; choose "):
        ops_from_file(cube(tmp_path / "a.cube"), **{wrong: "odd"})


def test_a_cube_is_read_with_red_fastest(tmp_path: Path) -> None:
    (lut,) = (expect(Lut3d, op) for op in ops_from_file(cube(tmp_path / "a.cube")))
    assert lut.cube.array[1, 0, 0].tolist() == [1.0, 0.0, 0.0]
    assert lut.cube.array[0, 1, 1].tolist() == [0.0, 1.0, 1.0]


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = cube(tmp_path / "a.cube")
    before = ops_from_file(path)
    cube(path, first=0.25)
    assert ops_from_file(path) != before


@pytest.mark.parametrize("name", ["$HOME.cube", "100%%.cube", "shot #1 (ä).cube", "a:b;c.cube"])
def test_a_strange_name_is_just_a_name(tmp_path: Path, name: str) -> None:
    assert ops_from_file(cube(tmp_path / name)) == ops_from_file(cube(tmp_path / "plain.cube"))


def test_a_relative_path_is_read_from_the_working_folder(tmp_path: Path, monkeypatch) -> None:
    cube(tmp_path / "a.cube")
    monkeypatch.chdir(tmp_path)
    assert len(ops_from_file("a.cube")) == 1


def test_a_file_that_refers_to_another_finds_it_beside_itself(tmp_path: Path) -> None:
    source = corpus.CORPUS / "reference_nested_2.ctf"
    if not source.exists():
        pytest.skip("the corpus is not here")
    shutil.copy(source, tmp_path)
    with pytest.raises(UnreadableFile, match=r"needs the file 'clf/matrix_example_utf8.clf', which is missing"):
        ops_from_file(tmp_path / source.name)
    (tmp_path / "clf").mkdir()
    shutil.copy(corpus.CORPUS / "clf" / "matrix_example_utf8.clf", tmp_path / "clf")
    assert [type(op) for op in ops_from_file(tmp_path / source.name)] == [Matrix]


def test_reverse_runs_the_ops_backwards(tmp_path: Path) -> None:
    path = tmp_path / "look.cc"
    write_cdl(Grade([Cdl((1.2, 1.0, 0.9), (0.01, 0.0, 0.02), (1.1, 1.0, 0.9), 0.8)]), path)
    rgba = RNG.uniform(0.1, 0.9, (50, 4))
    there = corpus.reference(ops_from_file(path), rgba)
    assert np.allclose(corpus.reference(ops_from_file(path, direction="reverse"), there), rgba, atol=1e-12)


def test_a_file_of_one_correction_is_not_taken_for_another_shot(tmp_path: Path) -> None:
    path = tmp_path / "look.cc"
    write_cdl(Grade([Cdl((1.2, 1.0, 0.9))]), path, id="sc010")
    assert ops_from_file(path, cdl_id="sc010") == ops_from_file(path) == ops_from_file(path, cdl_id="0")
    with pytest.raises(UnreadableFile, match="has no correction named 'sc020'; it has: sc010"):
        ops_from_file(path, cdl_id="sc020")


def test_a_correction_is_picked_by_id_or_place_and_the_first_without(tmp_path: Path) -> None:
    path = tmp_path / "shots.ccc"
    path.write_text(CCC)
    assert expect(Cdl, ops_from_file(path)[0]).slope == (1.1, 1.0, 0.9)
    assert expect(Cdl, ops_from_file(path, cdl_id="shot#2")[0]).slope == (2.0, 2.0, 2.0)
    assert expect(Cdl, ops_from_file(path, cdl_id="1")[0]).saturation == 0.5
    assert expect(Cdl, ops_from_file(path, cdl_id="first", cdl_style="asc")[0]).style == "asc"
    assert expect(Cdl, ops_from_file(path)[0]).style == "noclamp"
    with pytest.raises(UnreadableFile, match="has no correction named 'none'; it has: first, shot#2"):
        ops_from_file(path, cdl_id="none")
    assert list_cdl_ids(path) == [{"id": "first", "descriptions": ["warm"]}, {"id": "shot#2", "descriptions": []}]
    with pytest.raises(UnreadableFile, match="is not a CDL file"):
        list_cdl_ids(cube(tmp_path / "a.cube"))


def test_a_name_is_split_at_its_hash_unless_there_is_such_a_file(tmp_path: Path) -> None:
    assert split_cdl_id("dir/a.ccc#shot") == (Path("dir/a.ccc"), "shot")
    assert split_cdl_id("dir/a.ccc") == (Path("dir/a.ccc"), None)
    assert split_cdl_id("a.ccc#") == (Path("a.ccc"), None)
    real = tmp_path / "shot#2.cc"
    real.write_text("x")
    assert split_cdl_id(str(real)) == (real, None)
    assert split_cdl_id(f"{real}#id") == (real, "id")


def test_an_id_with_a_hash_is_found_in_a_file_that_exists(tmp_path: Path) -> None:
    path = tmp_path / "shots.ccc"
    path.write_text(CCC)
    assert split_cdl_id(f"{path}#shot#2") == (path, "shot#2")


def test_a_look_keeps_the_ops_and_the_name(tmp_path: Path) -> None:
    path = tmp_path / "shots.ccc"
    path.write_text(CCC)
    look = look_from_file(path, cdl_id="first", cdl_style="asc")
    assert look == FileLook(f"{path}#first", tuple(ops_from_file(path, cdl_style="asc")), "file")
    grade = Grade([look])
    assert Grade.from_json(json.loads(json.dumps(grade.to_json()))) == grade


def test_a_description_is_json_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "shots.ccc"
    path.write_text(CCC)
    about = json.loads(json.dumps(describe_look(path)))
    assert about["format"] == "ColorCorrectionCollection"
    assert about["ops"][0]["slope"] == [1.1, 1.0, 0.9]
    assert [c["id"] for c in about["corrections"]] == ["first", "shot#2"]
    lut = describe_look(cube(tmp_path / "a.cube"))
    assert lut["ops"][0]["cube"] == {"size": 2, "channels": 3, "least": 0.0, "greatest": 1.0}
    assert "error" not in lut
    (tmp_path / "b.cube").write_text("LUT_3D_SIZE 2\n0 0 0\n")
    assert "Found 1, expected 8" in describe_look(tmp_path / "b.cube")["error"]


def test_what_is_wrong_with_the_values_of_a_look_names_its_file(tmp_path):
    path = tmp_path / "a.cc"
    path.write_text(
        '<ColorCorrection id="one"><SOPNode><Slope>1 1 1</Slope><Offset>0 inf 0</Offset><Power>1 1 1</Power></SOPNode>'
        "</ColorCorrection>"
    )
    with pytest.raises(UnsupportedTransform) as raised:
        look_from_file(path)
    line = str(raised.value)
    assert line.startswith(f"{path}: has a CDL out of range")
    assert describe_look(path)["error"] == line


LOOK = Cdl((1.123456789012345, 0.7, 1.0 / 3.0), (1e-9, 1.0 / 7.0, -0.02), (1.1, 1.0, 1.0 / 3.0), 1.0 / 3.0)


@pytest.mark.parametrize("suffix", [".cc", ".ccc", ".cdl", ".CDL"])
def test_a_cdl_comes_back_as_it_was_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"look{suffix}"
    words = 'a <look> & "more" &amp;'
    write_cdl(Grade([LOOK]), path, id="shot <1> & 2", description=words)
    (back,) = ops_from_file(path, cdl_id=None if suffix == ".cc" else "shot <1> & 2")
    for name in ("slope", "offset", "power", "saturation"):
        assert np.allclose(getattr(back, name), getattr(LOOK, name), rtol=1e-12, atol=0)
    assert path.read_text().count("&amp;amp;amp;") == 0
    assert "a &lt;look&gt; &amp; " in path.read_text()
    assert list_cdl_ids(path)[0]["id"] == "shot <1> & 2"
    assert [f.name for f in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("entries", [
    [Exposure(1.5), LOOK],
    [Exposure(1.5), Exposure(-0.5), LOOK, Saturation(0.7)],
    [Saturation(0.7), Exposure(2.0)],
    [LOOK.replace(power=(1.0, 1.0, 1.0)), Exposure(1.0)],
    [LOOK.replace(power=(1.0, 1.0, 1.0), saturation=1.0), LOOK],
    [LOOK, Cdl(saturation=0.5)],
    [Exposure(-1.0), LOOK.replace(style="asc")],
    [],
])  # fmt: skip
def test_what_one_cdl_can_say_is_folded_into_it_exactly(tmp_path: Path, entries) -> None:
    path = tmp_path / "look.cc"
    write_cdl(Grade(entries), path)
    style = "asc" if entries and getattr(entries[-1], "style", "") == "asc" else "noclamp"
    rgba = np.concatenate([RNG.uniform(-1.0, 2.0, (500, 4)), RNG.uniform(0.0, 100.0, (100, 4))])
    wanted, got = corpus.reference(entries, rgba), corpus.reference(ops_from_file(path, cdl_style=style), rgba)
    assert corpus.errors(got, wanted)[0].max() <= 1e-7


@pytest.mark.parametrize(("entries", "says"), [
    ([Contrast(1.5)], "Contrast"),
    ([LOOK, Exposure(1.0)], "Exposure"),
    ([Saturation(0.5), LOOK], "CDL"),
    ([LOOK.replace(style="asc"), Saturation(0.5)], "Saturation"),
    ([LOOK.inverse()], "reversed CDL"),
    ([LOOK, LOOK], "CDL"),
])  # fmt: skip
def test_what_a_cdl_cannot_say_is_refused_by_name_and_nothing_is_written(tmp_path: Path, entries, says: str) -> None:
    with pytest.raises(GradeError, match=f"a CDL can't store (a )?{says} here"):
        write_cdl(Grade(entries), tmp_path / "look.cc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".cc", ".clf", ".ctf", ".cube"])
@pytest.mark.parametrize("op", [
    Exposure(3e8),
    Exposure(-3e8).inverse(),
    GradingPrimary(style="linear", exposure=(0.0, 0.0, 0.0, 3e8)),
    GradingPrimary(style="linear", pivot=3e8),
])  # fmt: skip
def test_stops_beyond_every_float_are_refused_or_written_whole(tmp_path: Path, op: ColorOp, suffix: str) -> None:
    target = tmp_path / f"look{suffix}"
    with contextlib.suppress(GradeError):
        write_look(Grade([op]), target)
        look_from_file(target)
    assert list(tmp_path.iterdir()) in ([], [target])


def test_a_cdl_needs_the_suffix_of_one(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match=r"end it in \.cc, \.ccc or \.cdl"):
        write_cdl(Grade(), tmp_path / "look.xml")
