"""Versions of a document: in its grade file, in sessions, and as unsaved changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.model.document import Document
from app.model.document_state import default_grade
from app.model.grade_file import GradeFile, load_grade_file, save_grade_file
from app.model.session import Session, load_session, save_session
from engine import load_grade
from engine.errors import UnreadableFile
from tests.app.model.test_document import exposure


def test_a_version_that_no_file_holds_is_a_change():
    document = Document()
    document.keep_version()
    assert document.modified and not document.untouched
    document.mark_saved(document.grade, Path("a.json"))
    assert not document.modified
    document.mark_version(0, "")
    assert not document.modified, "A and B are a matter of looking"
    document.edit_version("Version 1", None, "removal")
    assert document.modified
    document.undo()
    assert not document.modified


def test_a_saved_grade_holds_its_versions_and_others_read_it(tmp_path: Path):
    path, document = tmp_path / "look.json", Document()
    document.edit(exposure(1.0), "exposure")
    document.keep_version("warm", b"a thumbnail")
    document.edit(exposure(2.0), "exposure")
    document.keep_version()
    save_grade_file(GradeFile(document.grade, document.versions.items), path)
    assert load_grade(path) == exposure(2.0), "the command line reads it as any other"
    file = load_grade_file(path)
    other = Document()
    other.keep_version("mine")
    other.open_grade(file.grade, path, file.versions, "opening")
    assert [version.name for version in other.versions.items] == ["mine", "warm", "Version 2"]
    assert other.versions["warm"].thumbnail == b"a thumbnail" and other.versions["warm"].grade == exposure(1.0)
    assert other.modified, "the file does not hold the one that was here"
    other.undo()
    assert [version.name for version in other.versions.items] == ["mine"]
    other.edit_version("mine", None, "removal")
    other.open_grade(file.grade, path, file.versions, "opening")
    assert not other.modified
    other.open_grade(exposure(0.5), None)
    assert other.versions.items == (), "those of a file go with it"
    other.undo()
    assert [version.name for version in other.versions.items] == ["warm", "Version 2"] and not other.modified


@pytest.mark.parametrize("versions", [3, [3], [{"name": "a"}], {"a": 1}])
def test_a_grade_file_with_damaged_versions_is_one_line(tmp_path: Path, versions: Any):
    path = tmp_path / "look.json"
    path.write_text(json.dumps(default_grade().to_json() | {"versions": versions}))
    with pytest.raises(UnreadableFile, match=r"look\.json: the versions of a grade are damaged"):
        load_grade_file(path)


def test_versions_that_are_kept_while_one_is_gone_take_no_name_from_it(tmp_path: Path):
    document = Document()
    for name in ("", "", "Version 4"):
        document.keep_version(name)
    document.edit_version("Version 2", None, "removal")
    document.edit_version("Version 4", None, "removal")
    document.keep_version()
    document.keep_version("Version 2")
    document.undo()
    document.undo()
    names = [version.name for version in document.versions.items]
    assert len(set(names)) == len(names) == 5
    save_session(Session((document.state,)), tmp_path / "night.tessera")
    again = Document()
    again.restore(load_session(tmp_path / "night.tessera").documents[0])
    assert again.state == document.state
    for _ in range(2):
        again.redo()
    assert len(again.versions.items) == 3
    for _ in range(2):
        again.undo()
    assert len(again.versions.items) == 5
