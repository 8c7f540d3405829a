"""Ops that are not known here: kept as they were saved, without effect, and named where the result would differ."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engine.color.management import manage
from engine.errors import GradeError
from engine.grade.entries import Group, Layer, layer_of
from engine.grade.grade import Grade
from engine.grade.missing import MissingOp
from engine.grade.renewal import check_known, missing_of, ops_in, without_missing
from engine.luts.look_files import write_look
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Ellipse
from engine.ops import Exposure

SHARPEN = {"op": "LaterBlur", "radius": 2, "amount": 1.0, "deep": {"more": [1, 2.5, None, "é"]}}
LOOK = {"file": "film.clf", "interpolation": "linear", "ops": [{"op": "Exposure", "stops": 1.0}, {"op": "LaterGlow"}]}
MATTE = Matte(Leaf(Ellipse())).to_json()
KEYED = {
    "entry": SHARPEN,
    "enabled": True,
    "mix": 0.5,
    "solo": False,
    "matte": MATTE,
    "keys": {"amount": [[1, 0.0, "linear"], [9, 1.0, "linear"]], "mix": [[1, 0.5, "linear"]]},
}


def graded(*entries: Any) -> Grade:
    return Grade.from_json({"tessera": "grade", "version": 4, "entries": list(entries)})


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (SHARPEN, "LaterBlur"),
        (LOOK, "film.clf"),
        (KEYED, "LaterBlur"),
        ({"entry": LOOK, "enabled": False, "mix": 1.0, "solo": False}, "film.clf"),
    ],
)
def test_a_missing_op_is_kept_just_as_it_was(entry: dict[str, Any], name: str) -> None:
    grade = graded({"op": "Exposure", "stops": 0.5}, entry)
    saved = grade.to_json()["entries"][1]
    assert json.dumps(saved) == json.dumps(entry)
    missing = layer_of(grade.entries[1]).entry
    assert isinstance(missing, MissingOp)
    assert missing.title() == name
    assert grade.effective == (Exposure(0.5),)
    assert grade.structure == (Exposure(0.5).structure,)
    at = grade.at(5)
    assert at.effective == (Exposure(0.5),)
    assert manage(grade.colour).expanded(at) == manage(grade.colour).expanded(Grade([Exposure(0.5)]))
    assert Grade.from_json(json.loads(json.dumps(grade.to_json()))) == grade


def test_what_is_missing_is_named_with_what_to_do() -> None:
    grade = graded(SHARPEN, {"group": "Both", "entries": [LOOK, SHARPEN]})
    assert [op.title() for op in missing_of(grade)] == ["LaterBlur", "film.clf", "LaterBlur"]
    with pytest.raises(GradeError) as caught:
        check_known(grade, "go on without it")
    assert str(caught.value) == (
        "LaterBlur: there is no op named 'LaterBlur'; film.clf: there is no op named 'LaterGlow'; "
        "update Tessera: it may be from a later version, or go on without it"
    )
    skipped, notes = without_missing(grade)
    assert not missing_of(skipped)
    assert not any(layer_of(entry).enabled for entry in skipped.entries if isinstance(entry, Layer))
    assert [op.to_json() for op in ops_in(skipped.entries)] == [SHARPEN, LOOK, SHARPEN]
    assert len(notes) == 2
    check_known(skipped, "")
    assert without_missing(Grade([Exposure()])) == (Grade([Exposure()]), ())


def test_entries_that_do_not_run_are_not_missed() -> None:
    entry = missing_of(graded(SHARPEN))[0]
    check_known(Grade([Layer(entry, enabled=False), Layer(Exposure(), solo=True), entry]), "")


def test_a_missing_op_takes_switches_and_lies_in_groups() -> None:
    (entry,) = graded(KEYED).entries
    assert isinstance(entry, Layer)
    moved = Group((replace(entry, enabled=False), Exposure()), "Copy", mix=0.5)
    saved = Grade([moved]).to_json()["entries"][0]["entries"][0]
    assert saved == KEYED | {"enabled": False}
    assert not missing_of(Grade([moved]))


def test_a_look_file_can_not_hold_what_is_missing(tmp_path: Any) -> None:
    for name in ("a.clf", "a.cube", "a.cc"):
        with pytest.raises(GradeError, match=r"there is no op named 'LaterBlur'; .* or bypass it"):
            write_look(graded(SHARPEN), tmp_path / name)
    assert not list(tmp_path.iterdir())
