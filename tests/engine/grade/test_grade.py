"""A grade is a value with a versioned JSON form that survives damage, and files that are whole or not there."""

from __future__ import annotations

import base64
import json
import warnings
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import FileLook, Grade, ops
from engine.compute.plan import PointStep, plan
from engine.errors import GradeError, UnreadableFile
from engine.export.provenance import grade_from_file
from engine.grade.grade import Layer
from engine.kernel.op import REGISTRY, Op, Table
from tests.engine.images import chains, ops_of
from tests.engine.limits import FOUND, MB, bounded, needs_found, needs_limits
from tests.thorough import cases, examples
from tests.typed import expect

EVERY = [pytest.param(cls, id=name) for name, cls in REGISTRY.items()]
LOOK = FileLook("looks/warm.cube", (ops.Lut1d([0.0, 1.0]), ops.Exposure(1.0)), "tetrahedral")
DAMAGED = "a table of the grade is damaged"
GRADE = Grade([ops.Exposure(0.5), LOOK, ops.Cdl((1.1, 1.0, 0.9)), ops.Blur(2.0)])


def through_text(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


@pytest.mark.parametrize("cls", EVERY)
def test_every_op_survives_json(cls: type[Op]) -> None:
    @settings(max_examples=8)
    @given(ops_of(cls))
    def check(op: Op) -> None:
        assert Op.from_json(through_text(op.to_json())) == op

    if cls is not ops.Resize:  # whose sliders are whole numbers
        check()
    assert Op.from_json(through_text(ops.Resize(30.0, 20.0).to_json())) == ops.Resize(30.0, 20.0)


@settings(max_examples=examples(10))
@given(st.lists(st.one_of(chains(1, 2), chains(1, 3).map(lambda run: [FileLook("a.clf", tuple(run))])), max_size=3))
def test_grades_survive_json(parts: list[list[Any]]) -> None:
    grade = Grade(entry for part in parts for entry in part)
    again = Grade.from_json(through_text(grade.to_json()))
    assert again == grade
    assert hash(again) == hash(grade)
    assert again.structure == grade.structure


def test_fields_that_were_renamed_load_under_their_old_names() -> None:
    old = {
        "tessera": "grade",
        "version": 2,
        "entries": [
            {"op": "CieCoordinates", "space": "uvY", "direction": "forward"},
            {
                "entry": {"op": "CieCoordinates", "space": "Luv", "direction": "reverse"},
                "enabled": True,
                "mix": 0.5,
                "solo": False,
            },
            {
                "file": "a.ctf",
                "interpolation": "file",
                "ops": [{"op": "CieCoordinates", "space": "xyY", "direction": "forward"}],
            },
        ],
    }
    look = FileLook("a.ctf", (ops.CieCoordinates("xyY"),))
    wanted = Grade([ops.CieCoordinates("uvY"), Layer(ops.CieCoordinates("Luv", "reverse"), mix=0.5), look])
    assert Grade.from_json(old) == wanted
    assert wanted.to_json()["entries"][0] == {"op": "CieCoordinates", "coordinates": "uvY", "direction": "forward"}
    with pytest.raises(GradeError, match="CieCoordinates has no field named 'place'"):
        Op.from_json({"op": "CieCoordinates", "place": "uvY"})


def test_the_form_on_disk_is_stable() -> None:
    """A golden file: what older sessions saved must load, so this changes only with the version."""
    assert Grade([ops.Exposure(0.5), FileLook("w.cc", (ops.Saturation(1.5),))]).to_json() == {
        "tessera": "grade",
        "version": 1,
        "entries": [
            {"op": "Exposure", "stops": 0.5},
            {"file": "w.cc", "interpolation": "file", "ops": [{"op": "Saturation", "saturation": 1.5}]},
        ],
    }
    table = {"shape": [2, 1], "float32": "eJxjYGBgaLBnAAADgAE/"}
    op = Op.from_json({"op": "Lut1d", "curve": Table([0.0, 1.0]).to_json()})
    assert op == ops.Lut1d([0.0, 1.0])
    assert Table.from_json(Table([0.0, 1.0]).to_json() | {"shape": table["shape"]}) == Table([0.0, 1.0])


def test_a_field_that_is_left_out_has_its_default() -> None:
    assert Op.from_json({"op": "Cdl", "saturation": 0.5}) == ops.Cdl(saturation=0.5)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "not a Tessera grade"),
        ([], "not a Tessera grade"),
        ({"tessera": "grade", "version": 1}, "not a Tessera grade"),
        ({"tessera": "session", "version": 1, "entries": []}, "not a Tessera grade"),
        ({"tessera": "grade", "version": 5, "entries": []}, "version 5, newer than 4; update Tessera"),
        ({"tessera": "grade", "version": "1", "entries": []}, "version '1'"),
        ({"tessera": "grade", "entries": []}, "version None"),
        (["Exposure"], "there is no op named 'Exposure'; ops are: "),
        ([{"stops": 1.0}], "there is no op named None"),
        ([{"op": ["Exposure"]}], "there is no op named"),
        ([{"op": "Exposure", "gain": 1.0}], "Exposure has no field named 'gain'"),
        ([{"op": "Exposure", "stops": "much"}], "Exposure.stops must be a finite number"),
        ([{"op": "Exposure", "stops": None}], "Exposure.stops must be a finite number"),
        ([{"op": "Cdl", "style": "loud"}], "must be one of"),
        ([{"op": "Cdl", "style": ["asc"]}], "must be one of"),
        ([{"op": "Lut1d"}], "Lut1d has a missing field"),
        ([{"op": "Lut1d", "curve": 3}], DAMAGED),
        ([{"op": "Lut1d", "curve": {"shape": [2, 1]}}], DAMAGED),
        ([{"op": "Lut1d", "curve": {"shape": [2, 1], "float32": "!!"}}], DAMAGED),
        ([{"op": "Lut1d", "curve": Table([0.0, 1.0]).to_json() | {"shape": [3, 1]}}], DAMAGED),
        ([{"op": "Lut1d", "curve": Table([0.0, 1.0]).to_json() | {"shape": "x"}}], DAMAGED),
        ([{"op": "Lut3d", "cube": Table([0.0, 1.0]).to_json()}], "Lut3d.cube must have the shape"),
        ([{"file": "a.cube"}], "the look 'a.cube' has no list of ops"),
        ([{"file": "a.cube", "ops": [{"stops": 1.0}]}], "there is no op named None"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_grade_is_said(data: Any, says: str) -> None:
    if isinstance(data, list) and data:
        data = {"tessera": "grade", "version": 1, "entries": data}
    with pytest.raises(GradeError) as caught:
        Grade.from_json(data)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=examples(50))
@given(st.data())
def test_a_damaged_grade_is_an_error_and_not_a_crash(data: st.DataObject) -> None:
    """Any part of a good grade replaced by something else: it loads, or it is a GradeError."""
    whole = through_text(GRADE.to_json())
    places: list[tuple[Any, Any]] = []

    def collect(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                collect(node[key])

    collect(whole)
    node, key = data.draw(st.sampled_from(places))
    junk = [None, True, -1, 1e400, "", "x", [], {}, [1, 2], {"op": "Blur"}, "Exposure", 10**400]
    node[key] = data.draw(st.sampled_from(junk))
    try:
        grade = Grade.from_json(whole)
    except GradeError as error:
        assert "\n" not in str(error)
    else:
        assert isinstance(grade, Grade)


def cubes(count: int, shape: list[int], packed: bytes) -> str:
    """A grade of tables that claim a shape and unpack to something; they differ by what follows the packed data."""
    texts = (base64.b64encode(packed + n.to_bytes(3)).decode() for n in range(count))
    entries = [{"op": "Lut3d", "cube": {"shape": shape, "float32": text}} for text in texts]
    return json.dumps({"tessera": "grade", "version": 1, "entries": entries})


@cache
def zeros(size: int) -> bytes:
    """So many zeros, packed, which takes seconds."""
    packing = zlib.compressobj(9)
    return b"".join([*(packing.compress(bytes(1 << 24)) for _ in range(size >> 24)), packing.flush()])


def test_a_table_that_stands_several_times_is_unpacked_once() -> None:
    table = Table(np.linspace(0.0, 1.0, 100).reshape(-1, 1)).to_json()
    grade = {"tessera": "grade", "version": 1, "entries": [{"op": "Lut1d", "curve": table}] * 3}
    first, *others = (expect(ops.Lut1d, op) for op in Grade.from_json(json.loads(json.dumps(grade))))
    assert all(other.curve is first.curve for other in others)
    with pytest.raises(GradeError, match="a table of the grade is damaged"):
        Grade.from_json(grade | {"entries": [{"op": "Lut1d", "curve": {**table, "shape": [50, 1]}}]})


LOAD = "from engine import load_grade; load_grade(sys.argv[1])"


@needs_limits
@pytest.mark.parametrize(
    ("count", "shape", "size", "says"),
    cases(
        [(1, [2, 2, 2, 3], 1 << 29, "a table of the grade is damaged")],
        (1, [1 << 20, 1 << 20, 3], 1 << 24, "a table of the grade claims 12582912 MB; 128 MB is the most"),
        (1, [10**30], 1 << 24, "is the most"),
        (1, [-1, 3], 1 << 24, "a table of the grade is damaged"),
        (100, [128, 128, 128, 3], 3 << 23, "its tables take more than 256 MB"),
    ),
)
def test_a_table_unpacks_to_no_more_than_its_shape(
    count: int, shape: list[int], size: int, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.json"
    path.write_text(cubes(count, shape, zeros(size)))
    assert path.stat().st_size < 8 * MB
    done = bounded(LOAD, path)
    assert says in done.said
    assert done.peak < 400 * MB


@needs_limits
def test_a_table_in_the_header_of_an_exr_is_bounded_too(tmp_path: Path) -> None:
    path = tmp_path / "bomb.exr"
    OpenEXR.File({"tessera:grade": cubes(1, [2, 2, 2, 3], zeros(1 << 29))}, {"Y": np.zeros((4, 4), np.half)}).write(
        str(path)
    )
    done = bounded("from engine.export.provenance import grade_from_file; grade_from_file(sys.argv[1])", path)
    assert "bomb.exr: a table of the grade is damaged" in done.said
    assert done.peak < 400 * MB


@pytest.mark.parametrize(
    ("op", "says"),
    [
        ({"op": "Resize", "width": 1e300, "height": 2.0}, "an image can't be 1e\\+300 x 2 pixels"),
        ({"op": "Blur", "radius": 1e300}, "a blur can't reach 1e\\+300 pixels"),
        ({"op": "Aces2GamutCompress", "primaries": [0.64, 0.33, 1e300, 0.6, 0.15, 0.06, 0.3127, 0.3]}, "the primaries"),
        ({"op": "Aces2OutputTransform", "primaries": [0.3, 0.3] * 4}, "the primaries do not form a triangle"),
        ({"op": "Aces2Jmh", "primaries": [0.64, 1e-300, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.3]}, "the primaries"),
    ],
)
def test_numbers_that_no_op_can_work_with_are_refused(op: dict[str, Any], says: str) -> None:
    with warnings.catch_warnings(action="error"), pytest.raises(GradeError, match=says):
        Grade.from_json({"tessera": "grade", "version": 1, "entries": [op]})


def test_primaries_that_enclose_no_gamut_are_one_line() -> None:
    chance = np.random.default_rng(5)
    refused = 0
    for _ in range(40):
        primaries = tuple(float(x) for x in chance.uniform(-0.5, 1.0, 8))
        with warnings.catch_warnings(action="error"):
            try:
                op = ops.Aces2OutputTransform(primaries=primaries)
                assert np.isfinite(op.cusps.array).all()
            except GradeError:
                refused += 1
    assert 0 < refused < 40


@needs_found
def test_grades_that_did_harm(tmp_path: Path) -> None:
    for name in ("grade-27af2dbf.json", "nan_primaries.json", "nul.json", "surrogate.json", "exrgrade-6c8d4378.exr"):
        with pytest.raises(UnreadableFile, match=name) as caught:
            grade_from_file(FOUND / name)
        assert str(caught.value).isprintable()


def test_a_grade_is_a_frozen_value() -> None:
    assert Grade(GRADE.entries) == GRADE
    assert list(GRADE) == [GRADE.entries[0], *LOOK.ops, *GRADE.entries[2:]]
    changed = GRADE.with_entry(0, ops.Exposure(1.0))
    assert changed != GRADE
    assert GRADE.entries[0] == ops.Exposure(0.5)
    assert changed.entries[1:] == GRADE.entries[1:]
    with pytest.raises(AttributeError):
        GRADE.entries = ()  # type: ignore[misc]


def test_ops_that_change_nothing_are_left_out() -> None:
    idle = [ops.Exposure(0.0), ops.Cdl(), ops.Saturation(), ops.Blur(0.0), ops.Matrix(), ops.WhiteBalance()]
    assert Grade(idle).effective == ()
    assert plan(idle).steps == ()
    assert Grade([*idle, ops.Exposure(1.0), *idle]).effective == (ops.Exposure(1.0),)
    (step,) = plan([ops.Exposure(1.0), *idle, ops.Cdl(style="asc"), *idle]).steps
    assert isinstance(step, PointStep)
    assert step.ops == (ops.Exposure(1.0), ops.Cdl(style="asc"))


def test_structure_follows_choices_and_order_and_not_sliders() -> None:
    a = Grade([ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9))])
    assert a.structure == Grade([ops.Exposure(-2.0), ops.Cdl(saturation=0.3)]).structure
    assert a.structure == Grade([ops.Exposure(0.5), ops.Saturation(1.0), ops.Cdl((1.1, 1.0, 0.9))]).structure
    assert a.structure == Grade([FileLook("x", (ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9))))]).structure
    assert a.structure != Grade([ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9), style="asc")]).structure
    assert a.structure != Grade([ops.Cdl((1.1, 1.0, 0.9)), ops.Exposure(0.5)]).structure
    assert a.structure != Grade([ops.Exposure(0.0), ops.Cdl((1.1, 1.0, 0.9))]).structure
    one, three = ops.Lut1d([0.0, 1.0]), ops.Lut1d([[0.0] * 3, [1.0] * 3])
    assert Grade([one]).structure != Grade([three]).structure
    assert Grade([one]).structure == Grade([ops.Lut1d([0.0, 0.5, 1.0])]).structure


# --- files ------------------------------------------------------------------------------------------------------
