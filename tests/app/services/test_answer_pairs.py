"""Two documents, or one and a file that changes, with their answers in every order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.model.comparison_target import DocumentTarget
from app.model.document import Document
from app.services import export_job
from app.services.export_job import ExportJob
from app.services.export_options import ExportOrder
from app.services.export_queue import Export, State
from app.workspace import Workspace
from engine import FileLook, Grade, load_grade, ops
from engine.core.file_watch import state_of
from engine.errors import UnreadableFile
from tests.app.conftest import image, make_image, write_cube
from tests.app.late import Orders, act, assert_consistent, held, opened, paused_workspace, watching_of
from tests.typed import expect
from tools.soak.rig import HandDisk

pytestmark = pytest.mark.usefixtures("qapp")
Actions = list[Callable[[], object]]
SAVED = Grade([ops.Exposure(3.0)])
CCC = '<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">{}</ColorCorrectionCollection>'
CC = '<ColorCorrection id="{0}"><SOPNode><Slope>{0} 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>'


@pytest.fixture
def images(tmp_path: Path) -> list[Path]:
    return [image(tmp_path, f"{name}.exr") for name in ("one", "two", "three")]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workspaces look at the disk when the test says so, and take each change at once."""
    monkeypatch.setattr("app.workspace.Disk", HandDisk)
    monkeypatch.setattr("engine.core.file_watch.QUIET_SECONDS", 0.0)


def edit(document: Document, stops: float) -> None:
    document.edit_entry(0, ops.Exposure(stops), "exposure")


def looks(document: Document) -> list[FileLook]:
    return [entry for entry in document.grade.entries if isinstance(entry, FileLook)]


def look_until_quiet(workspace: Workspace) -> None:
    """Look at the disk, and deliver what follows, until nothing changes."""
    assert isinstance(workspace.disk, HandDisk)
    held(workspace).release_all()
    while workspace.disk.look():
        held(workspace).release_all()


def stamped(path: Path, part: int | None = None, layer: str | None = None) -> Any:
    """An image that knows the state in which its file was read."""
    read = make_image(path, part, layer)
    return replace(read, info=replace(read.info, stamp=state_of(path)))


def test_a_layer_is_chosen_while_another_image_is_opened(images: list[Path]):
    for order in Orders():
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            files = workspace.files
            actions: Actions = [
                partial(files.open_image, images[0], layer="diffuse"),
                partial(files.open_image, images[1]),
                partial(workspace.open_documents.show, first),
                partial(files.open_image, images[0], layer=""),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert [document.image.layer.name for document in workspace.documents] == ["", ""], order
            assert [document.image_path for document in workspace.documents] == images[:2], order


def test_a_layer_is_chosen_while_the_image_is_read_again(images: list[Path], disk: None):
    for order in Orders():
        with paused_workspace() as workspace:
            first, second = opened(workspace, images[0]), opened(workspace, images[1])
            watching = watching_of(workspace)
            workspace.open_documents.show(first)
            actions: Actions = [
                partial(watching._act, "images", [images[0]]),
                partial(workspace.files.open_image, images[0], layer="diffuse"),
                partial(watching._act, "images", [images[1]]),
                partial(workspace.open_documents.close, second),
                partial(watching._act, "images", [images[0]]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert workspace.documents == [first] and first.image.layer.name == "diffuse", order
            watching.deleteLater()


def test_a_lut_that_is_written_while_it_is_added_is_as_in_its_file(images: list[Path], cube: Path, disk: None):
    for number, order in enumerate(Orders()):
        write_cube(cube, 0.5)
        with paused_workspace() as workspace:
            documents = [opened(workspace, path) for path in images[:2]]
            watching = watching_of(workspace)
            actions: Actions = [
                *(partial(workspace.files.add_looks, [cube], document) for document in documents),
                partial(write_cube, cube, round(0.1001 + number / 1000, 4)),
                workspace.disk.look,  # type: ignore[attr-defined]
            ]
            act(order, [held(workspace)], actions)
            look_until_quiet(workspace)
            assert_consistent(workspace)
            wanted = workspace.services.look_from_file(str(cube))
            assert [looks(document) for document in documents] == [[wanted], [wanted]], order
            watching.deleteLater()


def test_a_lut_that_changed_while_nothing_used_it_is_added_without_a_reload(images: list[Path], cube: Path, disk: None):
    with paused_workspace() as workspace:
        document, watching = opened(workspace, images[0]), watching_of(workspace)
        old = workspace.services.look_from_file(str(cube))
        workspace.files.add_looks([cube])
        look_until_quiet(workspace)
        write_cube(cube, 0.25)
        look_until_quiet(workspace)
        document.remove(2, "remove")
        write_cube(cube, 0.125)
        look_until_quiet(workspace)
        document.add(replace(old, stamp=None), "add")  # as a grade file brings it
        workspace.files.add_looks([cube])
        look_until_quiet(workspace)
        assert looks(document) == [old, workspace.services.look_from_file(str(cube))]
        watching.deleteLater()


def test_an_image_that_is_written_while_it_is_read_twice_is_as_in_its_file(images: list[Path], disk: None):
    for number, order in enumerate(Orders()):
        images[0].write_bytes(b"before")
        with paused_workspace(read_image=stamped) as workspace:
            workspace.open_documents.add([images[0], images[0]])
            watching = watching_of(workspace)
            actions: Actions = [
                *(partial(workspace.files.read_wanted, document) for document in workspace.documents),
                partial(images[0].write_bytes, b"after" * (number + 2)),
                workspace.disk.look,  # type: ignore[attr-defined]
            ]
            act(order, [held(workspace)], actions)
            look_until_quiet(workspace)
            stamps = [document.image.info.stamp for document in workspace.documents]
            assert stamps == [state_of(images[0])] * 2, order
            watching.deleteLater()


def test_an_interpolation_is_chosen_while_the_lut_is_read_again(images: list[Path], cube: Path, disk: None):
    for number, order in enumerate(Orders()):
        write_cube(cube, 0.5)
        with paused_workspace() as workspace:
            document = opened(workspace, images[0])
            workspace.files.add_looks([cube])
            held(workspace).release_all()
            watching = watching_of(workspace)
            actions: Actions = [
                partial(workspace.files.set_interpolation, 2, "tetrahedral"),
                partial(write_cube, cube, round(0.1001 + number / 1000, 4)),
                workspace.disk.look,  # type: ignore[attr-defined]
                partial(opened, workspace, images[1]) if number % 2 else partial(edit, document, 1.0),
            ]
            act(order, [held(workspace)], actions)
            look_until_quiet(workspace)
            (look,) = looks(document)
            wanted = workspace.services.look_from_file(str(cube), look.interpolation)
            assert look == wanted and look.interpolation in ("file", "tetrahedral"), order
            watching.deleteLater()


def test_an_image_is_closed_that_another_is_compared_with(images: list[Path]):
    for order in Orders():
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            workspace.open_documents.add([images[1]])
            second = workspace.documents[1]
            actions: Actions = [
                partial(workspace.set_view, compare="wipe", against=DocumentTarget(second.id)),
                partial(workspace.files.read_wanted, second),
                partial(workspace.open_documents.close, second),
                partial(workspace.files.open_image, images[2]),
                partial(workspace.open_documents.show, first),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert [document.image_path for document in workspace.documents] == [images[0], images[2]], order
            assert first.view.against == DocumentTarget(second.id) and second.image is None
            stage = workspace.stage
            assert stage.other.comparison(stage.grade, None) is None, order


def test_an_image_that_fails_late_leaves_the_one_that_was_opened_after_it(images: list[Path]):
    def read(path: Path, *args: Any) -> Any:
        if path == images[0]:
            raise UnreadableFile(path, "is damaged", "ask for it again")
        return make_image(path, *args)

    for order in Orders():
        with paused_workspace(read_image=read) as workspace:
            messages: list[str] = []
            workspace.messages.warned.connect(lambda warned, into=messages: into.append(warned.text))
            actions: Actions = [partial(workspace.files.open_image, path) for path in images]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert [document.image_path for document in workspace.documents] == images[1:], order
            assert len(messages) == 1 and "one.exr" in messages[0]


def test_a_correction_that_is_chosen_for_a_closed_document_changes_no_other(images: list[Path], tmp_path: Path):
    ccc = tmp_path / "shots.ccc"
    ccc.write_text(CCC.format("".join(CC.format(n) + "</ColorCorrection>" for n in (1, 2))))
    for order in Orders():
        with paused_workspace() as workspace:
            first, second = opened(workspace, images[0]), opened(workspace, images[1])
            asked: list[Document] = []
            workspace.files.correction_wanted.connect(lambda document, *_, asked=asked: asked.append(document))
            actions: Actions = [
                partial(workspace.files.import_cdl, ccc, first),
                partial(workspace.files.import_correction, first, ccc, 1),
                partial(workspace.open_documents.close, first),
                partial(workspace.files.import_correction, first, ccc, 1),
                partial(workspace.files.import_cdl, ccc, second),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert second.grade.entries[1] == ops.Cdl() and second in asked, order


def test_a_grade_whose_document_is_closed_is_written_all_the_same(images: list[Path], tmp_path: Path):
    path = tmp_path / "saved.json"
    for order in Orders():
        path.unlink(missing_ok=True)
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            edit(first, 1.0)
            wanted = first.grade
            actions: Actions = [
                partial(workspace.files.save_grade, path),
                partial(workspace.open_documents.close, first),
                partial(workspace.files.open_image, images[1]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert load_grade(path) == wanted
            assert workspace.document.grade_path is None and not workspace.document.modified, order


def finish(export: Export) -> None:
    expect(ExportJob, export._job).finished.emit({"seconds_total": 1.0})


def fail(export: Export) -> None:
    expect(ExportJob, export._job).failed.emit("the disk is full")


def test_an_export_that_ends_after_its_tab_was_closed_is_reported(
    images: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(export_job.ExportJob, "start", lambda _job, _order: None)
    for order in Orders():
        with paused_workspace() as workspace:
            first = opened(workspace, images[0])
            ended: list[State] = []
            workspace.exports.ended.connect(lambda export, ended=ended: ended.append(export.state))
            exports = [
                workspace.exports.add(ExportOrder(images[0], tmp_path / f"{n}.exr", first.grade)) for n in range(2)
            ]
            actions: Actions = [
                partial(workspace.files.open_image, images[1]),
                partial(workspace.open_documents.close, first),
                partial(finish, exports[0]),
                partial(fail, exports[1]),
            ]
            act(order, [held(workspace)], actions)
            assert_consistent(workspace)
            assert ended == [State.DONE, State.FAILED] and not workspace.exports.running, order
