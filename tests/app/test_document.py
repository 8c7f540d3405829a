"""The document: undo steps, merging, what counts as modified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.document import Document, default_grade
from app.session import Session, load_session, save_session
from app.versions import Versions
from engine import Grade, ops
from engine.errors import GradeError


def exposure(stops: float) -> Grade:
    return default_grade().with_entry(0, ops.Exposure(stops))


def test_starts_unmodified_with_an_exposure_and_a_cdl():
    document = Document()
    assert [type(entry) for entry in document.grade.entries] == [ops.Exposure, ops.Cdl]
    assert not document.modified
    assert document.grade.effective == ()


def test_a_drag_is_one_step():
    document = Document()
    document.begin_drag()
    for n in range(1, 30):
        document.edit(exposure(n / 10), "exposure", "0.stops")
    document.end_drag()
    assert document.steps == 1
    document.undo()
    assert document.grade == default_grade()
    document.redo()
    assert document.grade == exposure(2.9)


def test_two_drags_are_two_steps():
    document = Document()
    for stops in (1.0, 2.0):
        document.begin_drag()
        document.edit(exposure(stops), "exposure", "0.stops")
        document.end_drag()
    assert document.steps == 2


def test_a_drag_back_to_its_start_leaves_no_step():
    document = Document()
    document.begin_drag()
    document.edit(exposure(1.0), "exposure", "0.stops")
    document.edit(exposure(0.0), "exposure", "0.stops")
    document.end_drag()
    assert document.steps == 0
    assert not document.modified


def test_key_presses_on_one_control_are_one_step_and_on_another_are_not():
    document = Document()
    document.edit(exposure(1.0), "exposure", "0.stops")
    document.edit(exposure(2.0), "exposure", "0.stops")
    document.edit_entry(1, ops.Cdl(saturation=0.5), "saturation", "1.saturation")
    assert document.steps == 2


def test_an_edit_after_undo_drops_what_was_undone():
    document = Document()
    document.edit(exposure(1.0), "exposure")
    document.undo()
    document.edit(exposure(2.0), "exposure")
    assert document.redo_text == ""
    assert document.steps == 1


def test_modified_follows_equality_not_history():
    document = Document()
    document.edit(exposure(1.0), "exposure")
    document.mark_saved(document.grade, Path("a.json"))
    assert not document.modified
    document.undo()
    assert document.modified
    document.redo()
    assert not document.modified


def test_the_same_grade_again_is_no_step():
    document = Document()
    document.edit(default_grade(), "nothing")
    assert document.steps == 0


@pytest.mark.parametrize(
    ("index", "by", "order"), [(0, 1, "Cdl Exposure"), (0, -1, "Exposure Cdl"), (1, 1, "Exposure Cdl")]
)
def test_entries_move_within_the_ends(index: int, by: int, order: str):
    document = Document()
    document.move(index, by, "move")
    assert " ".join(type(entry).__name__ for entry in document.grade.entries) == order


def test_history_has_an_end():
    document = Document()
    for n in range(600):
        document.edit(exposure(n / 100 + 0.001), "exposure")
    assert document.steps == 500


def test_a_drag_that_comes_back_and_goes_on_leaves_the_steps_before_it_alone():
    document = Document()
    document.edit(exposure(1.0), "first")
    document.begin_drag()
    for stops in (2.0, 1.0, 3.0, 4.0):
        document.edit(exposure(stops), "drag", "0.stops")
    document.end_drag()
    assert document.history == ["", "first", "drag"]
    document.undo()
    assert document.grade == exposure(1.0)


def test_versions_and_their_steps_survive_a_session(tmp_path: Path):
    document = Document()
    document.keep_version()
    document.edit(exposure(1.0), "exposure")
    document.keep_version("warm")
    document.edit_version("warm", None, "removal of warm")
    save_session(Session((document.state,)), tmp_path / "night.tessera")
    again = Document()
    again.restore(load_session(tmp_path / "night.tessera").documents[0])
    assert again.state == document.state
    again.undo()
    assert [version.name for version in again.versions.items] == ["Version 1", "warm"]
    assert again.versions["warm"].grade == exposure(1.0)


@pytest.mark.parametrize("data", [None, {}, {"items": [{}], "marks": ["", ""]}, {"items": [], "marks": 3}])
def test_damaged_versions_are_an_error(data: Any):
    with pytest.raises(GradeError, match="damaged"):
        Versions.from_json(data)
