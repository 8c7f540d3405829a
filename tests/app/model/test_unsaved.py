"""What closing a document would lose, in words."""

from __future__ import annotations

from pathlib import Path

from app.model.document import Document
from app.model.unsaved import unsaved_work
from engine import ops


def test_a_new_document_loses_nothing():
    assert unsaved_work(Document().state) == []


def test_grade_and_versions_are_listed():
    document = Document()
    document.edit_entry(0, ops.Exposure(1.0), "exposure")
    assert unsaved_work(document.state) == ["the grade (Exposure, CDL)"]
    for name in ("warm", "cold", "night", "day"):
        document.keep_version(name)
    document.add(ops.Contrast(1.1), "contrast")
    document.add(ops.Saturation(1.1), "saturation")
    assert unsaved_work(document.state) == [
        "the grade (Exposure, CDL, Contrast and 1 more)",
        "4 versions (warm, cold, night and 1 more)",
    ]


def test_only_what_the_file_lacks_is_listed():
    document = Document()
    document.keep_version("warm")
    document.mark_saved(document.grade, Path("look.json"))
    assert unsaved_work(document.state) == []
    document.edit_entry(0, ops.Exposure(1.0), "exposure")
    document.edit_version("warm", None, "removal of warm")
    document.keep_version("cold")
    assert unsaved_work(document.state) == [
        "the grade (as changed since look.json was saved)",
        "1 version (cold)",
        "the removal of 1 version (warm)",
    ]
