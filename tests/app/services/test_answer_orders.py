"""Late answers in every order: each reaches the document that it was requested for, or none."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.model.document import Document
from app.model.document_state import default_grade
from app.model.grade_file import GradeFile, save_grade_file
from app.model.session import Session, save_session
from app.render.requests import View
from app.workspace import Workspace
from engine import FileLook, Grade, load_grade, ops
from engine.grade.colour_settings import ColourSetup
from tests.app.conftest import image, write_cube
from tests.app.late import Orders, act, assert_consistent, held, opened, paused_workspace, watching_of

pytestmark = pytest.mark.usefixtures("qapp")

SAVED = Grade([ops.Exposure(3.0)], ColourSetup(input="ACEScg"))
Actions = list[Callable[[], object]]


@pytest.fixture
def images(tmp_path: Path) -> list[Path]:
    return [image(tmp_path, f"{name}.exr") for name in ("one", "two", "three")]


@pytest.fixture
def grade(tmp_path: Path) -> Path:
    path = tmp_path / "look.json"
    save_grade_file(GradeFile(SAVED), path)
    return path


def names(document: Document) -> list[str]:
    """The files of a grade's looks."""
    return [Path(entry.path).name for entry in document.grade.entries if isinstance(entry, FileLook)]


def test_a_grade_and_a_look_that_come_with_a_broken_image_reach_no_other(
    images: list[Path], grade: Path, cube: Path, tmp_path: Path
):
    for order in Orders():
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            first.edit_entry(0, ops.Exposure(1.0), "exposure")
            before = first.state
            drop = partial(workspace.files.drop, [tmp_path / "missing.exr", grade, cube])
            act(order, [held(workspace)], [drop])
            assert_consistent(workspace)
            assert workspace.documents == [first], order
            assert first.state == before, order


def test_what_is_dropped_with_an_image_is_that_image_s(images: list[Path], grade: Path, cube: Path):
    for order in Orders(limit=120):
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            actions: Actions = [
                partial(workspace.files.drop, [cube, grade, images[1]]),
                partial(workspace.open_documents.show, first),
                partial(workspace.files.drop, [images[2]]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            second = workspace.documents[1]
            assert second.image_path == images[1]
            assert second.grade.entries[0] == ops.Exposure(3.0) and names(second) == [cube.name], order
            assert [each.grade for each in (first, workspace.documents[2])] == [default_grade()] * 2, order


def test_files_change_a_grade_in_the_order_in_which_they_were_asked_for(
    images: list[Path], grade: Path, cube: Path, tmp_path: Path
):
    other = write_cube(tmp_path / "other.cube", 0.25)
    for order in Orders(limit=200):
        with paused_workspace() as workspace:
            files = workspace.files
            actions: Actions = [
                partial(files.open_image, images[0]),
                partial(files.add_looks, [other]),
                partial(files.open_grade, grade),
                partial(files.add_looks, [cube]),
                partial(files.add_looks, [other]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            document = workspace.document
            assert names(document) == [cube.name, other.name], order
            assert document.history[1:] == [f"adding {other.name}", f"opening of {grade.name}"] + [
                f"adding {name}" for name in (cube.name, other.name)
            ]


def test_nothing_is_left_of_a_document_that_is_closed_while_it_is_read(images: list[Path], grade: Path, cube: Path):
    for order in Orders(limit=120):
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            before = first.state

            def close(workspace: Workspace = workspace, first: Document = first) -> None:
                for document in workspace.documents:
                    if document is not first:
                        workspace.open_documents.close(document)

            actions: Actions = [
                partial(workspace.files.open_image, images[1]),
                partial(workspace.files.open_grade, grade),
                partial(workspace.files.add_looks, [cube]),
                close,
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert workspace.documents == [first] and first.state == before, order


def test_reading_is_taken_back_with_the_tab(images: list[Path]):
    with paused_workspace() as workspace:
        opened(workspace, images[0])
        workspace.files.open_image(images[1])
        assert workspace.jobs.status == "Reading two.exr…"
        workspace.files.open_image(images[2])
        workspace.open_documents.close(workspace.document)
        assert workspace.jobs.status == "Reading two.exr…"
        workspace.open_documents.close(workspace.documents[1])
        assert workspace.jobs.status == ""


def test_colour_management_is_that_of_image_and_grade_in_whatever_order_they_come(images: list[Path], grade: Path):
    images.append(image(images[0].parent, "parts.exr"))
    for order in Orders(limit=120):
        with paused_workspace() as workspace:
            document = opened(workspace, images[0])
            actions: Actions = [
                partial(workspace.files.open_grade, grade),
                partial(workspace.files.read_into, document, images[1]),
                document.undo,
                partial(workspace.files.read_into, document, images[3], 1),
                partial(workspace.colour.edit, "input space", input="ACEScct"),
                partial(workspace.files.open_image, images[2]),
                partial(workspace.settings.set, "config", "ocio://cg-config-latest"),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)


def test_no_frame_is_made_under_spaces_of_another_state(images: list[Path], monkeypatch: pytest.MonkeyPatch):
    for order in Orders(limit=200):
        with paused_workspace() as workspace:
            submitted: list[tuple[ColourSetup, ColourSetup]] = []

            def submit(
                grade: Grade, view: View, setup_for: Any = workspace.colour.setup_for, kept: Any = submitted
            ) -> None:
                kept.append((view.managed.setup, setup_for(grade)))

            monkeypatch.setattr(workspace.preview, "submit", submit)
            workspace.canvas.resize(400, 300)
            actions: Actions = [
                partial(workspace.files.open_image, images[0]),
                partial(workspace.colour.edit, "input space", input="ACEScg"),
                workspace.stage.refresh,
                partial(workspace.colour.edit, "input space", input="ACEScct"),
                workspace.document.undo,
                workspace.stage.refresh,
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert submitted
            assert all(used == wanted for used, wanted in submitted), order


def test_an_image_whose_spaces_can_not_be_found_is_shown_without_and_that_is_said(images: list[Path]):
    with paused_workspace() as workspace:
        messages: list[str] = []
        taken_back: list[str] = []
        workspace.messages.warned.connect(lambda warned: messages.append(warned.text))
        workspace.messages.withdrawn.connect(lambda warned: taken_back.append(warned.text))
        document = opened(workspace, images[0])
        workspace.colour.edit("input space", input="nonsense")
        assert not workspace.colour.settled(document)
        held(workspace).release_all()
        assert workspace.colour.settled(document) and not document.managed.converts
        assert messages[-1].endswith("Until then one.exr is shown without colour management.")
        count = len(messages)
        document.edit_entry(0, ops.Exposure(1.0), "exposure")
        held(workspace).release_all()
        assert len(messages) == count, "it is said once"
        workspace.files.read_into(document, images[1])
        held(workspace).release_all()
        assert document.image_path == images[1] and len(messages) == count + 1
        document.undo()
        document.undo()
        held(workspace).release_all()
        assert_consistent(workspace)
        assert document.managed.found.origin == "of two.exr"
        assert taken_back == [line for line in messages if "nonsense" in line]


def test_the_last_interpolation_of_a_look_counts(images: list[Path], cube: Path):
    for order in Orders():
        with paused_workspace() as workspace:
            document = opened(workspace, images[0])
            workspace.files.add_looks([cube])
            held(workspace).release_all()
            choose = workspace.files.set_interpolation
            actions: Actions = [partial(choose, 2, "tetrahedral"), partial(choose, 2, "linear")]
            act(order, [held(workspace)], actions)
            look = document.grade.entries[2]
            assert isinstance(look, FileLook) and look.interpolation == "linear", order


def test_a_look_that_is_written_twice_is_what_it_was_last(images: list[Path], cube: Path):
    for order in Orders():
        with paused_workspace() as workspace:
            write_cube(cube, 0.5)
            documents = [opened(workspace, path) for path in images[:2]]
            for document in documents:
                workspace.files.add_looks([cube], document)
            held(workspace).release_all()
            watching = watching_of(workspace)
            actions: Actions = []
            for gain in (0.25, 0.75):
                actions += [partial(write_cube, cube, gain), partial(watching._act, "looks", [cube])]
            act(order, [held(workspace)], actions)
            for document in documents:
                assert document.grade.entries[2] == workspace.services.look_from_file(str(cube)), order
            watching.deleteLater()


def test_of_two_saves_of_one_grade_the_file_holds_the_last(images: list[Path], tmp_path: Path):
    path = tmp_path / "saved.json"
    for order in Orders():
        with paused_workspace() as workspace:
            document = opened(workspace, images[0])
            actions: Actions = []
            for stops in (1.0, 2.0):
                actions.append(partial(document.edit_entry, 0, ops.Exposure(stops), "exposure"))
                actions.append(partial(workspace.files.save_grade, path))
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert load_grade(path) == document.grade
            assert not document.modified and document.grade_path == path, order


def test_a_save_that_ends_after_another_grade_was_opened_is_not_that_grade_s(
    images: list[Path], grade: Path, tmp_path: Path
):
    path = tmp_path / "saved.json"
    for order in Orders():
        with paused_workspace() as workspace:
            document = opened(workspace, images[0])
            document.edit_entry(0, ops.Exposure(1.0), "exposure")
            actions: Actions = [partial(workspace.files.save_grade, path), partial(workspace.files.open_grade, grade)]
            act(order, [held(workspace)], actions)
            assert (document.grade_path, document.modified) == (grade, False), order
            document.undo()
            assert (document.grade_path, document.modified) == (path, False), order


def test_a_session_that_ended_while_it_was_saved_gives_its_name_to_no_other(images: list[Path], tmp_path: Path):
    path = tmp_path / "shot.tessera"
    for order in Orders():
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            actions: Actions = [
                partial(workspace.files.save_session, path),
                partial(workspace.open_documents.close, first),
                partial(workspace.files.open_image, images[1]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert workspace.session.path is None, order


def test_sessions_that_come_together_hold_what_they_held(images: list[Path], tmp_path: Path):
    paths = [tmp_path / "a.tessera", tmp_path / "b.tessera"]
    for path, source in zip(paths, images, strict=False):
        with paused_workspace() as workspace:
            opened(workspace, source)
            save_session(workspace.open_documents.session(), path)
    texts = [path.read_bytes() for path in paths]
    for order in Orders():
        with paused_workspace() as workspace:
            actions: Actions = [
                *(partial(workspace.files.open_session, path) for path in paths),
                partial(workspace.files.open_image, images[2]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            found = {document.image_path for document in workspace.documents}
            assert found == set(images) and len(workspace.documents) == 3, order
            assert workspace.session.path in (None, paths[0]), order
            assert [path.read_bytes() for path in paths] == texts
            assert workspace.session.path is None or workspace.session.modified


def close_shown(workspace: Workspace) -> None:
    workspace.open_documents.close(workspace.document)


def test_two_windows_answer_for_themselves(images: list[Path], grade: Path, cube: Path):
    for order in Orders(limit=120):
        with paused_workspace() as one, paused_workspace() as two:
            opened(one, images[0])
            opened(two, images[0])
            actions: Actions = [
                partial(one.files.open_grade, grade),
                partial(two.files.add_looks, [cube]),
                partial(one.files.open_image, images[1]),
                partial(two.files.open_image, images[2]),
                partial(close_shown, one),
            ]
            act(order, [held(one), held(two)], actions)
            assert_consistent(one)
            assert_consistent(two)
            assert [document.image_path for document in one.documents] == [images[0]]
            assert one.document.grade == SAVED and names(two.documents[0]) == [cube.name], order


def test_a_session_that_is_empty_is_none(tmp_path: Path):
    path = tmp_path / "empty.tessera"
    save_session(Session(()), path)
    assert json.loads(path.read_text())["documents"] == []
    with paused_workspace() as workspace:
        workspace.files.open_session(path)
        held(workspace).release_all()
        assert workspace.session.path is None and len(workspace.documents) == 1
