"""The document: undo steps, merging, what counts as modified."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.model.document import Document
from app.model.document_state import default_grade
from app.model.session import Session, load_session, save_session
from app.model.versions import Versions
from app.services.watching import with_looks
from engine import FileLook, Grade, ops
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


def announced(document: Document) -> list[str]:
    """The signals of a document, in a list that grows as they are emitted."""
    found: list[str] = []
    for name in ("grade_changed", "history_changed", "title_changed"):
        getattr(document, name).connect(lambda *_, name=name: found.append(name))
    return found


def test_a_drag_announces_history_and_title_once():
    document = Document()
    document.begin_drag()
    found = announced(document)
    for n in range(1, 30):
        document.edit(exposure(n / 10), "exposure", "0.stops")
    assert found == ["grade_changed", "history_changed", "title_changed"] + 28 * ["grade_changed"]
    document.edit(exposure(3.0), "another text", "0.stops")
    assert found[31:] == ["grade_changed", "history_changed"]
    document.edit(exposure(0.0), "exposure", "0.stops")
    assert found[-3:] == ["grade_changed", "history_changed", "title_changed"], "it is unmodified again"


def test_merged_edits_announce_other_files():
    document = Document()
    one, other = (document.grade.with_entries([FileLook(f"/{name}.cube", ())]) for name in "ab")
    document.edit(one, "look", "look")
    found = announced(document)
    document.edit(other, "look", "look")
    assert found == ["grade_changed", "title_changed"]


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
    ("index", "place", "order"),
    [(0, 2, "Cdl Exposure"), (0, 0, "Exposure Cdl"), (1, 2, "Exposure Cdl"), (1, 0, "Cdl Exposure")],
)
def test_entries_move_to_places(index: int, place: int, order: str):
    document = Document()
    moved = document.entries[index]
    at = document.move_to(index, (place,), "move")
    assert document.entries[at] == moved
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


def facts(document: Document) -> tuple[Any, ...]:
    """What an undone opening must bring back."""
    named = [(version.name, version.grade) for version in document.versions.items]
    return document.grade, document.grade_path, document.modified, named


@pytest.mark.parametrize("path", [Path("look.json"), None])
def test_opening_a_grade_and_a_new_one_are_steps_that_undo_takes_back(path: Path | None):
    document = Document()
    document.edit(exposure(1.0), "exposure")
    document.mark_saved(document.grade, Path("a.json"))
    document.edit(exposure(2.0), "exposure")
    before = facts(document)
    document.open_grade(exposure(5.0), path, text="opening")
    assert facts(document) == (exposure(5.0), path, False, [])
    assert document.history == ["", "exposure", "exposure", "opening"]
    document.undo()
    assert facts(document) == before
    document.redo()
    assert facts(document) == (exposure(5.0), path, False, [])
    document.go_to(1)
    assert facts(document) == (exposure(1.0), Path("a.json"), False, [])


def test_a_file_that_is_saved_is_saved_for_every_step_that_belongs_to_it():
    document, path = Document(), Path("a.json")
    document.edit(exposure(1.0), "exposure")
    document.mark_saved(document.grade, path)
    document.open_grade(exposure(5.0), Path("b.json"), text="opening")
    document.mark_saved(document.grade, path)  # "save as" over the first
    document.undo()
    assert document.grade_path == path and document.modified, "the file holds what was saved last"
    document.redo()
    assert not document.modified


def test_opening_what_is_open_is_no_step():
    document = Document()
    document.open_grade(default_grade(), None)
    assert document.steps == 0 and document.untouched
    document.keep_version()
    document.mark_saved(document.grade, Path("a.json"))
    document.open_grade(document.grade, Path("a.json"), document.versions.items)
    assert document.steps == 0 and len(document.versions.items) == 1


def test_steps_of_several_files_survive_a_session(tmp_path: Path):
    document = Document()
    document.edit(exposure(1.0), "exposure")
    document.mark_saved(document.grade, tmp_path / "a.json")
    document.keep_version("warm")
    document.open_grade(exposure(5.0), tmp_path / "b.json", text="opening of b.json")
    document.edit(exposure(6.0), "exposure")
    save_session(Session((document.state,)), tmp_path / "night.tessera")
    again = Document()
    again.restore(load_session(tmp_path / "night.tessera").documents[0])
    assert again.state == document.state
    for _ in range(3):
        assert facts(again) == facts(document)
        again.undo()
        document.undo()


def test_a_session_of_before_is_read(tmp_path: Path):
    """As it was written when a document had one file and a step one change."""
    document = Document()
    document.keep_version("warm")
    document.edit_version("warm", None, "removal of warm")
    path = tmp_path / "night.tessera"
    save_session(Session((document.state,)), path)
    data = json.loads(path.read_text())
    (kept,) = data["documents"]
    del kept["files"], kept["versions"]["made"]
    for step in kept["steps"]:
        del step["file"]
        step |= {"change": step.pop("changes")[0]} if "changes" in step else {}
    path.write_text(json.dumps(data))
    again = Document()
    again.restore(load_session(path).documents[0])
    again.undo()
    assert [version.name for version in again.versions.items] == ["warm"]


def test_a_look_that_is_read_again_leaves_redo_there():
    old, new = (FileLook("/looks/a.cube", (ops.Exposure(stops),)) for stops in (1.0, 2.0))
    document = Document()
    document.open_grade(Grade([old, ops.Contrast()]), None)
    document.edit_entry(1, ops.Contrast(1.5), "contrast")
    document.edit_entry(1, ops.Contrast(2.0), "contrast again")
    document.undo()
    document.reload(partial(with_looks, [new]), "reload of a.cube")
    assert document.grade == Grade([new, ops.Contrast(1.5)])
    assert document.history[-3:] == ["contrast", "reload of a.cube", "contrast again"]
    document.redo()
    assert document.grade == Grade([new, ops.Contrast(2.0)]), "what comes again has the look as it is now"
    document.undo()
    document.undo()
    assert document.grade == Grade([old, ops.Contrast(1.5)]), "undo brings back what there was"
    document.go_to(len(document.history) - 1)
    assert document.grade == Grade([new, ops.Contrast(2.0)])
