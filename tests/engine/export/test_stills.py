"""Stills record themselves and their own grades, and attributes of exports reach the header."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import Grade, ops
from engine.core.attribute_names import GRADE, PREFIX
from engine.errors import UnreadableFile, UnsupportedFile
from engine.export.attributes import load_attributes
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.export.provenance import recorded
from engine.export.stills import StillRecord, still_grade, still_record, write_note
from engine.io import describe, read_image
from tests.app.command_line import write_exr

RECORD = StillRecord("7f", "/shots/a, b.exr", "1001", "2026-11-23T14:03:55.000+00:00", "Too “warm”, 50 %", 1)
OPTIONS = ExportOptions(backend="cpu", threads=1, type="half", compression="zip", only_graded=True)


def still(source: Path, target: Path, grade: Grade, record: StillRecord = RECORD) -> Path:
    export_image(source, target, grade, ExportOptions(**vars(OPTIONS) | {"attributes": record.attributes}))
    return target


def test_a_still_records_itself_and_its_grade(tmp_path: Path) -> None:
    grade = Grade([ops.Exposure(1.0)])
    made = still(write_exr(tmp_path / "a.exr"), tmp_path / "still.exr", grade)
    part = describe(made).parts[0]
    assert still_record(part) == RECORD
    found = still_grade(part)
    assert found is not None and found.entries == grade.entries
    np.testing.assert_array_equal(read_image(made).pixels, read_image(tmp_path / "a.exr").pixels * 2)
    write_note(made, "Final\nnow")
    found_record = still_record(describe(made).parts[0])
    assert found_record is not None and (found_record.note, found_record.id) == ("Final?now", "7f")


def test_a_still_of_an_exported_image_has_its_own_entries_only(tmp_path: Path) -> None:
    export_image(write_exr(tmp_path / "a.exr"), tmp_path / "b.exr", Grade([ops.Exposure(1.0)]), OPTIONS)
    made = still(tmp_path / "b.exr", tmp_path / "still.exr", Grade([ops.Saturation(0.5)]))
    part = describe(made).parts[0]
    both, own = recorded(part), still_grade(part)
    assert both is not None and both.entries == (ops.Exposure(1.0), ops.Saturation(0.5))
    assert own is not None and own.entries == (ops.Saturation(0.5),)


def test_a_grade_without_effect_is_recorded_too(tmp_path: Path) -> None:
    neutral = Grade([ops.Exposure(0.0)])
    made = still(write_exr(tmp_path / "a.exr"), tmp_path / "still.exr", neutral)
    own = still_grade(describe(made).parts[0])
    assert own is not None and own.entries == neutral.entries
    np.testing.assert_array_equal(read_image(made).pixels, read_image(tmp_path / "a.exr").pixels)


def test_a_still_that_is_graded_again_is_not_a_still(tmp_path: Path) -> None:
    made = still(write_exr(tmp_path / "a.exr"), tmp_path / "still.exr", Grade([ops.Exposure(1.0)]))
    export_image(made, tmp_path / "again.exr", Grade([ops.Exposure(-1.0)]), OPTIONS)
    part = describe(tmp_path / "again.exr").parts[0]
    assert still_record(part) is None
    assert still_record(describe(tmp_path / "a.exr").parts[0]) is None


@pytest.mark.parametrize(
    ("target", "attributes", "line"),
    [
        ("out.png", {"owner": "Ada"}, "can't hold the attribute 'owner'; write an EXR"),
        ("out.exr", {"dataWindow": "0"}, "can't hold a text as 'dataWindow'"),
        ("out.exr", {GRADE: "{}"}, f"can't hold a text as '{PREFIX}grade'"),
        ("out.exr", {"expTime": "1/50"}, "can't hold a text as 'expTime'"),
        ("out.exr", {"x" * 256: "long"}, "its name is too long"),
        ("out.exr", {"owner": "Ada\n"}, "control characters"),
    ],
)
def test_attributes_that_a_file_cannot_hold(tmp_path: Path, target: str, attributes: dict[str, str], line: str) -> None:
    options = ExportOptions(**vars(OPTIONS) | {"attributes": tuple(attributes.items())})
    with pytest.raises(UnsupportedFile, match="out") as refused:
        export_image(write_exr(tmp_path / "a.exr"), tmp_path / target, Grade(), options)
    assert line in str(refused.value) and not (tmp_path / target).exists()


def test_attributes_are_texts_by_name(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"owner": "Ada", "comments": ""}')
    assert load_attributes(tmp_path / "a.json") == (("owner", "Ada"), ("comments", ""))
    for wrong in ("[1]", '{"owner": 1}', "{"):
        (tmp_path / "a.json").write_text(wrong)
        with pytest.raises(UnreadableFile, match="owner"):
            load_attributes(tmp_path / "a.json")
