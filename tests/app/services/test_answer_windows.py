"""Sessions, recovery and files of two windows, with their answers in every order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.model.document import Document
from app.model.document_state import Saved
from app.model.grade_file import GradeFile, load_grade_file, save_grade_file
from app.model.session import load_session, save_session
from app.services.autosave import Autosave, crashed
from app.services.settings import Settings
from app.workspace import Workspace
from engine import Grade, load_grade, ops
from tests.app.conftest import image
from tests.app.late import Orders, PausedJobs, act, assert_consistent, held, opened, paused_workspace

pytestmark = pytest.mark.usefixtures("qapp")
Actions = list[Callable[[], object]]
SAVED = Grade([ops.Exposure(3.0)])


@pytest.fixture
def images(tmp_path: Path) -> list[Path]:
    return [image(tmp_path, f"{name}.exr") for name in ("one", "two", "three")]


def edit(document: Document, stops: float) -> None:
    document.edit_entry(0, ops.Exposure(stops), "exposure")


def test_an_edit_while_a_session_is_saved_counts_as_a_change_of_it(images: list[Path], tmp_path: Path):
    path = tmp_path / "shot.tessera"
    for order in Orders():
        path.unlink(missing_ok=True)
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            actions: Actions = [
                partial(workspace.files.save_session, path),
                partial(edit, first, 1.0),
                partial(workspace.files.open_image, images[1]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert workspace.session.path == path and workspace.session.modified, order
            assert [state.grade for state in load_session(path).documents] == [Grade([ops.Exposure(), ops.Cdl()])]


def test_of_two_saves_of_a_session_the_file_holds_the_last_unasked(images: list[Path], tmp_path: Path):
    path = tmp_path / "shot.tessera"
    for order in Orders():
        path.unlink(missing_ok=True)
        with paused_workspace() as workspace:
            held(workspace).works_at_once = False
            first = opened(workspace, images[0])
            asked: list[Path] = []
            workspace.files.changed_on_disk.connect(lambda file, _again, asked=asked: asked.append(file))
            actions: Actions = [
                partial(workspace.files.save_session, path),
                partial(edit, first, 1.0),
                partial(workspace.files.save_session, path),
                partial(edit, first, 2.0),
                partial(workspace.files.save_session, path),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert asked == [] and not workspace.session.modified, order
            assert [state.grade for state in load_session(path).documents] == [first.grade]


def test_an_image_is_opened_while_a_session_comes(images: list[Path], tmp_path: Path):
    path = tmp_path / "shot.tessera"
    with paused_workspace() as workspace:
        edit(opened(workspace, images[0]), 1.0)
        save_session(workspace.open_documents.session(), path)
    for order in Orders():
        with paused_workspace() as workspace:
            actions: Actions = [
                partial(workspace.files.open_session, path),
                partial(workspace.files.open_image, images[1]),
                partial(workspace.files.add_looks, [tmp_path / "missing.cube"]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert {document.image_path for document in workspace.documents} == set(images[:2]), order
            stops = {document.image_path: document.grade.entries[0] for document in workspace.documents}
            assert stops == {images[0]: ops.Exposure(1.0), images[1]: ops.Exposure()}, order


def test_two_windows_that_save_to_one_file_replace_nothing_unasked(images: list[Path], tmp_path: Path):
    path = tmp_path / "saved.json"
    for order in Orders():
        save_grade_file(GradeFile(SAVED), path)
        with paused_workspace() as one, paused_workspace() as two:
            asked: list[Workspace] = []
            for number, workspace in enumerate((one, two), 1):
                held(workspace).works_at_once = False
                document = opened(workspace, images[0])
                document.open_grade(SAVED, path)
                edit(document, float(number))
                workspace.files.changed_on_disk.connect(lambda *_, who=workspace, asked=asked: asked.append(who))
            act(order, [held(one), held(two)], [partial(each.files.save_grade, path) for each in (one, two)])
            (loser,) = asked
            winner = two if loser is one else one
            assert load_grade(path) == winner.document.grade and not winner.document.modified, order
            assert loser.document.modified and loser.document.saved == Saved(path, SAVED), order


def test_two_windows_that_save_to_one_session_replace_nothing_unasked(images: list[Path], tmp_path: Path):
    path = tmp_path / "shot.tessera"
    for order in Orders():
        path.unlink(missing_ok=True)
        with paused_workspace() as one, paused_workspace() as two:
            asked: list[Workspace] = []
            for number, workspace in enumerate((one, two)):
                held(workspace).works_at_once = False
                opened(workspace, images[number])
                workspace.files.changed_on_disk.connect(lambda *_, who=workspace, asked=asked: asked.append(who))
            act(order, [held(one), held(two)], [partial(each.files.save_session, path) for each in (one, two)])
            (loser,) = asked
            winner = two if loser is one else one
            assert (winner.session.path, loser.session.path) == (path, None), order
            names = [state.image_path for state in load_session(path).documents]
            assert names == [winner.document.image_path], order


def test_a_grade_that_one_window_opens_while_the_other_saves_it_is_whole(images: list[Path], tmp_path: Path):
    path = tmp_path / "saved.json"
    for order in Orders():
        save_grade_file(GradeFile(SAVED), path)
        with paused_workspace() as one, paused_workspace() as two:
            for workspace in (one, two):
                held(workspace).works_at_once = False
                opened(workspace, images[0])
            one.document.open_grade(SAVED, path)
            edit(one.document, 1.0)
            actions: Actions = [partial(one.files.save_grade, path), partial(two.files.open_grade, path)]
            act(order, [held(one), held(two)], actions)
            assert two.document.grade in (SAVED, one.document.grade) and not two.document.modified, order
            edit(two.document, 2.0)
            asked: list[Path] = []
            two.files.changed_on_disk.connect(lambda file, _again, asked=asked: asked.append(file))
            two.files.save_grade(path)
            held(two).release_all()
            held_now = load_grade_file(path).grade
            assert held_now == (one.document.grade if asked else two.document.grade), order


def test_recovery_of_two_windows_holds_both_in_every_order(images: list[Path], tmp_path: Path, monkeypatch: Any):
    for number, order in enumerate(Orders(limit=60)):
        home = tmp_path / str(number)
        with paused_workspace() as one, paused_workspace() as two:
            saves: Actions = []
            for workspace, image in zip((one, two), images, strict=False):
                held(workspace).works_at_once = False
                opened(workspace, image)
                autosave = Autosave(workspace.open_documents, workspace.jobs, workspace.messages, home, workspace)
                saves += [partial(edit, workspace.document, 1.0), autosave._save]
            act(order, [held(one), held(two)], [saves[0], saves[1], saves[2], saves[3]])
            with monkeypatch.context() as patch:
                patch.setattr("app.services.autosave._alive", lambda _name: False)
                found = [state.image_path for each in crashed(home) for state in each.session.documents]
            assert sorted(map(str, found)) == sorted(map(str, images[:2])), order


def test_recent_files_of_two_windows_come_in_the_order_of_the_writes(tmp_path: Path):

    for number, order in enumerate(Orders(limit=150)):
        owners = [QObject(), QObject()]
        jobs = [PausedJobs(owner) for owner in owners]
        for each in jobs:
            each.works_at_once = False
        one, two = (Settings(tmp_path / str(number), *pair) for pair in zip(jobs, owners, strict=True))
        actions: Actions = [
            partial(one.add, "recent", "a", 3),
            partial(two.add, "recent", "b", 3),
            one.sync,
            two.sync,
            partial(one.add, "recent", "c", 3),
            one.sync,
        ]
        act(order, jobs, actions)
        act(order, jobs, [one.sync, two.sync])
        assert one.get("recent", []) == two.get("recent", []), order
        assert set(one.get("recent", [])) == {"a", "b", "c"}, order
        for each in jobs:
            each.close()
