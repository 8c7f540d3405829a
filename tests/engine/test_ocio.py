"""OpenColorIO's transforms and files against the ops that they come apart into."""

import json
import shutil
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine import ocio as tessera_ocio
from engine.errors import GradeError, UnreadableFile, UnsupportedFile, UnsupportedTransform
from engine.grade import FileLook, Grade
from engine.ocio import (
    describe_look,
    list_cdl_ids,
    look_from_file,
    ops_from_file,
    ops_from_processor,
    split_cdl_id,
    transforms,
    write_cdl,
)
from engine.ops import Cdl, Contrast, Exponent, Exposure, Lut1d, Lut3d, Matrix, Saturation
from tests.engine import ocio_corpus as corpus

INVERSE = ocio.TRANSFORM_DIR_INVERSE
FORWARD = ocio.TRANSFORM_DIR_FORWARD
RNG = np.random.default_rng(5)
CCC = """<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">
<ColorCorrection id="first"><SOPNode><Description>warm</Description><Slope>1.1 1 0.9</Slope><Offset>0 0 0</Offset>
<Power>1 1 1</Power></SOPNode><SatNode><Saturation>1</Saturation></SatNode></ColorCorrection>
<ColorCorrection id="shot#2"><SOPNode><Slope>2 2 2</Slope><Offset>0 0 0.1</Offset><Power>1 1 1.5</Power></SOPNode>
<SatNode><Saturation>0.5</Saturation></SatNode></ColorCorrection>
</ColorCorrectionCollection>"""


def processor(*steps: ocio.Transform) -> ocio.Processor:
    return ocio.Config.CreateRaw().getProcessor(ocio.GroupTransform(list(steps)))


def built(kind, **values):
    """A transform of class `kind` with `setX(value)` for each X=value."""
    transform = kind()
    for name, value in values.items():
        getattr(transform, f"set{name}")(value)
    return transform


def lut1d(half: bool = False, size: int = 33) -> ocio.Lut1DTransform:
    transform = ocio.Lut1DTransform(65536 if half else size, half)
    curve = RNG.random((size, 3))
    if half:
        data = np.array(transform.getData(), np.float32).reshape(-1, 3)
        with np.errstate(invalid="ignore"):
            curve = np.sign(data) * np.abs(data) ** np.float32([0.5, 1.0, 0.8])
    transform.setData(curve.astype(np.float32).ravel())
    return transform


def lut3d(interpolation: ocio.Interpolation, size: int = 5) -> ocio.Lut3DTransform:
    transform = ocio.Lut3DTransform(size)
    transform.setData(RNG.random(size**3 * 3).astype(np.float32))
    transform.setInterpolation(interpolation)
    return transform


CURVE = {
    "Base": 10.0,
    "LogSideSlopeValue": [0.25, 0.3, 0.2],
    "LogSideOffsetValue": [0.38, 0.4, 0.5],
    "LinSideSlopeValue": [5.5, 4.0, 6.0],
    "LinSideOffsetValue": [0.05, 0.04, 0.02],
}
SOP = {"Slope": [1.2, 0.9, 0.7], "Offset": [0.03, -0.02, 0.0], "Power": [1.3, 0.8, 1.0], "Sat": 1.4}
MATRIX = [1.1, -0.2, 0.1, 0.0, 0.05, 0.9, 0.05, 0.0, 0.0, 0.1, 0.8, 0.0, 0.0, 0.0, 0.0, 1.0]
DIAGONAL = np.diag([1.5, 0.5, 2.0, 1.0]).ravel().tolist()

TRANSFORMS = {
    "matrix": built(ocio.MatrixTransform, Matrix=MATRIX, Offset=[0.1, 0.0, -0.2, 0.0]),
    "matrix inverse": built(ocio.MatrixTransform, Matrix=MATRIX, Offset=[0.1, 0.0, -0.2, 0.0], Direction=INVERSE),
    "matrix to alpha": built(ocio.MatrixTransform, Matrix=[*MATRIX[:12], 0.2, 0.3, 0.1, 0.5]),
    "matrix diagonal": built(ocio.MatrixTransform, Matrix=DIAGONAL),
    "matrix diagonal inverse": built(
        ocio.MatrixTransform, Matrix=DIAGONAL, Offset=[0.1, 0.2, 0.3, 0.0], Direction=INVERSE
    ),
    "range": built(ocio.RangeTransform, MinInValue=0.1, MaxInValue=0.9, MinOutValue=-0.2, MaxOutValue=1.5),
    "range inverse": built(
        ocio.RangeTransform, MinInValue=0.1, MaxInValue=0.9, MinOutValue=-0.2, MaxOutValue=1.5, Direction=INVERSE
    ),
    "range low": built(ocio.RangeTransform, MinInValue=0.1, MinOutValue=0.1),
    "range high": built(ocio.RangeTransform, MaxInValue=0.8, MaxOutValue=0.8),
    "range high inverse": built(ocio.RangeTransform, MaxInValue=0.8, MaxOutValue=0.8, Direction=INVERSE),
    "range no clamp": built(
        ocio.RangeTransform,
        MinInValue=0.1,
        MaxInValue=0.9,
        MinOutValue=0.0,
        MaxOutValue=1.0,
        Style=ocio.RANGE_NO_CLAMP,
    ),
    "log": built(ocio.LogTransform, Base=10.0),
    "log inverse": built(ocio.LogTransform, Base=2.0, Direction=INVERSE),
    "log affine": built(ocio.LogAffineTransform, **CURVE),
    "log affine inverse": built(ocio.LogAffineTransform, **CURVE, Direction=INVERSE),
    "lut1d": lut1d(),
    "lut1d half": lut1d(half=True),
    "lut3d trilinear": lut3d(ocio.INTERP_LINEAR),
    "lut3d default": lut3d(ocio.INTERP_DEFAULT),
    "lut3d tetrahedral": lut3d(ocio.INTERP_TETRAHEDRAL),
    "lut3d best": lut3d(ocio.INTERP_BEST),
    "exposure": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_LINEAR, exposure=1.5),
    "exposure video": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_VIDEO, exposure=-1.5),
}
for style in (ocio.CDL_NO_CLAMP, ocio.CDL_ASC):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"cdl {style.name} {direction.name}"] = built(
            ocio.CDLTransform, **SOP, Style=style, Direction=direction
        )
for negative in (ocio.NEGATIVE_CLAMP, ocio.NEGATIVE_MIRROR, ocio.NEGATIVE_PASS_THRU):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"exponent {negative.name} {direction.name}"] = built(
            ocio.ExponentTransform, Value=[2.2, 1.0, 0.6, 1.0], NegativeStyle=negative, Direction=direction
        )
for negative in (ocio.NEGATIVE_LINEAR, ocio.NEGATIVE_MIRROR):
    for direction in (FORWARD, INVERSE):
        TRANSFORMS[f"exponent with linear {negative.name} {direction.name}"] = built(
            ocio.ExponentWithLinearTransform,
            Gamma=[2.4, 3.0, 1.0, 1.0],
            Offset=[0.055, 0.16, 0.0, 0.0],
            NegativeStyle=negative,
            Direction=direction,
        )
for slope in ({}, {"LinearSlopeValue": [8.0, 6.0, 7.0]}):
    for direction in (FORWARD, INVERSE):
        camera = ocio.LogCameraTransform([0.01, 0.02, 0.0])
        for field, value in {**CURVE, **slope, "Direction": direction}.items():
            getattr(camera, f"set{field}")(value)
        TRANSFORMS[f"log camera {'given' if slope else 'matched'} {direction.name}"] = camera
for direction in (FORWARD, INVERSE):
    log = ocio.ExposureContrastTransform(
        style=ocio.EXPOSURE_CONTRAST_LOGARITHMIC, exposure=0.7, contrast=1.4, gamma=1.1, pivot=0.3, direction=direction
    )
    TRANSFORMS[f"exposure contrast log {direction.name}"] = log


@pytest.fixture
def no_op_for_logs(monkeypatch: pytest.MonkeyPatch) -> str:
    """As if OpenColorIO had a transform that Tessera does not know; it has none."""
    monkeypatch.delitem(transforms._CONVERTERS, ocio.LogTransform)
    return "Log"


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_gives_opencolorios_exact_answer(name: str) -> None:
    whole = processor(TRANSFORMS[name])
    outcome = corpus.compare(Path(name), ops_from_processor(whole), whole, corpus.reference)
    assert outcome.kind in ("matched", "rounding"), outcome.detail


@pytest.mark.parametrize("style", [ocio.EXPOSURE_CONTRAST_LINEAR, ocio.EXPOSURE_CONTRAST_VIDEO])
@pytest.mark.parametrize("direction", [FORWARD, INVERSE])
def test_exposure_contrast_is_right_where_opencolorio_approximates(style, direction) -> None:
    """OpenColorIO's power is off by up to 2e-5 there; its own matrices and exponent, from the same ops, are not."""
    transform = ocio.ExposureContrastTransform(style=style, exposure=0.5, contrast=1.3, pivot=0.2, direction=direction)
    whole = processor(transform)
    ops = ops_from_processor(whole)
    assert corpus.compare(Path("fast"), ops, whole, corpus.reference).kind == "approximated"
    exact = [
        built(ocio.MatrixTransform, Matrix=list(op.matrix), Offset=list(op.offset))
        if isinstance(op, Matrix)
        else built(ocio.ExponentTransform, Value=[*op.exponent, 1.0])
        for op in ops
    ]
    assert any(isinstance(op, Exponent) for op in ops)
    assert corpus.compare(Path("exact"), ops, processor(*exact), corpus.reference).kind in ("matched", "rounding")


def test_an_unsupported_transform_is_named(no_op_for_logs: str) -> None:
    with pytest.raises(UnsupportedTransform) as caught:
        ops_from_processor(processor(ocio.LogTransform()))
    assert caught.value.transform == no_op_for_logs
    assert str(caught.value) == f"needs the transform {no_op_for_logs}, which Tessera has no op for"


def test_every_transform_that_a_processor_is_made_of_has_an_op() -> None:
    made_of_others = ("Allocation", "Builtin", "ColorSpace", "DisplayView", "File", "Group", "Look", "View")
    names = {name for name in dir(ocio) if name.endswith("Transform") and name not in ("Transform", "NamedTransform")}
    names -= {f"{name}Transform" for name in made_of_others}
    assert {kind.__name__ for kind in transforms._CONVERTERS} == names


def test_a_value_that_no_op_takes_is_unsupported_and_named() -> None:
    beyond = {
        "LogCamera": ocio.LogCameraTransform([-1.0] * 3),
        "ExposureContrast VIDEO": ocio.ExposureContrastTransform(style=ocio.EXPOSURE_CONTRAST_VIDEO, exposure=1e9),
    }
    for name, transform in beyond.items():
        with pytest.raises(UnsupportedTransform, match=f"has a {name} out of range"):
            ops_from_processor(processor(transform))


def test_entries_of_a_table_that_are_not_finite_become_so_as_in_opencolorio() -> None:
    transform = ocio.Lut1DTransform(4, False)
    transform.setData(np.float32([0, 0, 0, np.nan, 1, np.inf, 1, -np.inf, 2, 1, 1, 1]))
    whole = processor(transform)
    outcome = corpus.compare(Path("table"), ops_from_processor(whole), whole, corpus.reference)
    assert outcome.kind in ("matched", "rounding"), outcome.detail


def test_ops_come_in_the_order_of_the_transforms() -> None:
    ops = ops_from_processor(processor(TRANSFORMS["lut1d"], TRANSFORMS["matrix"], TRANSFORMS["lut3d best"]))
    assert [type(op) for op in ops] == [Lut1d, Matrix, Lut3d]


def test_every_file_of_the_corpus_matches_or_says_why_not() -> None:
    files = corpus.corpus_files()
    if not files:
        pytest.skip("the corpus is not here")
    outcomes = [corpus.compare_file(path) for path in files]
    assert not [o.detail for o in outcomes if o.kind == "missed"]
    kinds = [o.kind for o in outcomes]
    assert kinds.count("matched") >= 67
    assert kinds.count("rounding") <= 5
    for outcome in outcomes:
        refused = False
        try:
            corpus.processor_of(outcome.path)
        except ocio.Exception:
            refused = True
        assert refused == (outcome.kind == "rejected"), outcome
        assert "\n" not in outcome.detail


@pytest.mark.parametrize(("content", "says"), [
    (b"\x00\xff\x13 not a look", "is not a"),
    (b"", "is not a"),
    (b"LUT_3D_SIZE 2\n0 0 0\n1 1 1\n", "Found 2, expected 8"),
    (b"LUT_3D_SIZE 2\n0 0 0\n1 x\xff\x1b[31m 1\n", "is not a sound .cube file: line 3: "),
    (b"LUT_3D_SIZE 100000\n0 0 0\n", "is not a sound .cube file"),
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


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="no such file; check the name"):
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
    asked = {i: ops_from_file(path, interpolation=i)[0].interpolation for i in ("file", "linear", "tetrahedral")}
    assert asked == {"file": "trilinear", "linear": "trilinear", "tetrahedral": "tetrahedral"}
    clf = tmp_path / "a.clf"
    group = ocio.GroupTransform([lut3d(ocio.INTERP_TETRAHEDRAL, 2)])
    clf.write_text(group.write(formatName="Academy/ASC Common LUT Format", config=ocio.Config.CreateRaw()))
    assert ops_from_file(clf)[0].interpolation == "tetrahedral"
    assert ops_from_file(clf, interpolation="linear")[0].interpolation == "trilinear"


@pytest.mark.parametrize("wrong", ["interpolation", "direction", "cdl_style"])
def test_an_unknown_word_is_a_grade_error_that_lists_the_words(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(GradeError, match="named 'odd'; choose "):
        ops_from_file(cube(tmp_path / "a.cube"), **{wrong: "odd"})


def test_a_cube_is_read_with_red_fastest(tmp_path: Path) -> None:
    (lut,) = ops_from_file(cube(tmp_path / "a.cube"))
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
    with pytest.raises(UnreadableFile, match=r"needs the file 'clf/matrix_example_utf8.clf', which is not there"):
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


def test_a_correction_is_picked_by_id_or_place_and_the_first_without(tmp_path: Path) -> None:
    path = tmp_path / "shots.ccc"
    path.write_text(CCC)
    assert ops_from_file(path)[0].slope == (1.1, 1.0, 0.9)
    assert ops_from_file(path, cdl_id="shot#2")[0].slope == (2.0, 2.0, 2.0)
    assert ops_from_file(path, cdl_id="1")[0].saturation == 0.5
    assert ops_from_file(path, cdl_id="first", cdl_style="asc")[0].style == "asc"
    assert ops_from_file(path)[0].style == "noclamp"
    with pytest.raises(UnreadableFile, match="holds no correction named 'none'; it has: first, shot#2"):
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


def test_describing_what_has_no_op_names_the_transforms(tmp_path: Path, no_op_for_logs: str) -> None:
    path = tmp_path / "a.ctf"
    group = ocio.GroupTransform([TRANSFORMS["matrix"], ocio.LogTransform()])
    path.write_text(group.write(formatName="Color Transform Format", config=ocio.Config.CreateRaw()))
    about = describe_look(path)
    assert about["transforms"] == ["Matrix", "Log"]
    assert no_op_for_logs in about["error"]
    with pytest.raises(UnsupportedTransform, match=r"a\.ctf: needs the transform Log"):
        ops_from_file(path)


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
    with pytest.raises(GradeError, match=f"a CDL can't say (a )?{says} here"):
        write_cdl(Grade(entries), tmp_path / "look.cc")
    assert list(tmp_path.iterdir()) == []


def test_a_cdl_needs_the_suffix_of_one(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFile, match=r"end it in \.cc, \.ccc or \.cdl"):
        write_cdl(Grade(), tmp_path / "look.xml")


def test_public_names_are_there() -> None:
    assert {"ops_from_processor", "ops_from_file", "write_cdl"} <= set(tessera_ocio.__all__)
