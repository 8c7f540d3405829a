"""The colour setup as a value, and as it is kept with a grade."""

from __future__ import annotations

import json

import pytest

from engine import Grade, load_grade, save_grade
from engine.errors import GradeError, UnreadableFile
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.ops import Exposure

FULL = ColourSetup("show.ocio", "ACEScg", "ACEScct", "lin_rec709", (("SHOT", "sc010"), ("A", "1")))


def test_a_setup_is_kept_with_its_grade(tmp_path):
    grade = Grade([Exposure(1.0)], FULL)
    save_grade(grade, tmp_path / "g.json")
    assert load_grade(tmp_path / "g.json") == grade
    assert hash(load_grade(tmp_path / "g.json")) == hash(grade)
    assert json.loads((tmp_path / "g.json").read_text())["version"] == 2
    assert grade.with_entries([]).colour == FULL
    assert grade.with_entry(0, Exposure(2.0)).colour == FULL


def test_grades_of_version_1_have_the_default(tmp_path):
    (tmp_path / "g.json").write_text(
        '{"tessera": "grade", "version": 1, "entries": [{"op": "Exposure", "stops": 1.0}]}'
    )
    assert load_grade(tmp_path / "g.json") == Grade([Exposure(1.0)])
    assert Grade([Exposure(1.0)]).to_json()["version"] == 1
    assert "colour" not in Grade([Exposure(1.0)]).to_json()


@pytest.mark.parametrize("name", ["\ud800", "a\0b"])
def test_what_is_no_name_is_refused(name):
    for kwargs in ({"config": name}, {"input": name}, {"working": name}, {"output": name}, {"context": (("A", name),)}):
        with pytest.raises(GradeError, match="is not a valid name in a config"):
            ColourSetup(**kwargs)
        with pytest.raises(GradeError, match="is not a valid name"):
            Viewing(name)


def test_context_is_equal_in_any_order():
    assert ColourSetup(context=(("a", "1"), ("b", "2"))) == ColourSetup(context=(("b", "2"), ("a", "1")))


def test_what_is_said_counts_over_what_is_not():
    other = ColourSetup("c", "i", "w", "o", (("A", "0"), ("B", "2")))
    mine = ColourSetup(working="mine", context=(("A", "1"),))
    assert mine.over(other) == ColourSetup("c", "i", "mine", "o", (("A", "1"), ("B", "2")))
    assert ColourSetup().over(other) == other
    assert other.over(ColourSetup()) == other
    assert ColourSetup().is_default
    assert not mine.is_default


@pytest.mark.parametrize(
    "damaged", [[], {"workin": "ACEScct"}, {"working": 3}, {"context": ["a"]}, {"context": {"a": 1}}, None]
)
def test_a_damaged_setup_is_no_grade(tmp_path, damaged):
    with pytest.raises(GradeError, match="damaged"):
        ColourSetup.from_json(damaged)
    (tmp_path / "g.json").write_text(json.dumps(Grade([]).to_json() | {"colour": damaged}))
    with pytest.raises(UnreadableFile, match="damaged"):
        load_grade(tmp_path / "g.json")
