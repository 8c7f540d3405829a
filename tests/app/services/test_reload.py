"""What is open follows its files: looks of the grade and of the wall that another program writes again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.panels.look_wall import LutWall
from app.services.disk import Disk
from app.services.watching import file_of
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops
from engine.errors import GradeError
from engine.grade.grade import Layer, bare
from engine.viewing.opening import open_image
from tests.app.command_line import write_exr
from tests.app.conftest import looked_again, write_cube

CC = '<ColorCorrection id="{0}"><SOPNode><Slope>{1} 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>'
CCC = '<ColorCorrectionCollection xmlns="urn:ASC:CDL:v1.01">{}</ColorCorrectionCollection>'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.disk.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("app.services.disk.QUIET_SECONDS", 0.02)
    monkeypatch.setattr("engine.core.file_watch.QUIET_SECONDS", 0.05)


def collection(path: Path, slope: float) -> Path:
    path.write_text(CCC.format("".join(CC.format(n, slope * n) + "</ColorCorrection>" for n in (1, 2))))
    return path


@pytest.fixture
def graded(opened: MainWindow, cube: Path, qtbot: Any) -> MainWindow:
    """An image under a LUT that halves."""
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: bool(looks(opened)))
    qtbot.waitUntil(lambda: opened.workspace.disk.known)
    return opened


def looks(window: MainWindow) -> list[FileLook]:
    return [look for entry in window.document.grade.entries if isinstance(look := bare(entry), FileLook)]


def white(look: FileLook) -> float:
    """What the look makes of white's red."""
    (op,) = look.ops
    if isinstance(op, ops.Lut3d):
        return float(op.cube.array[-1, -1, -1, 0])
    assert isinstance(op, ops.Cdl)
    return op.slope[0]


def at_once(path: Path, text: str) -> None:
    """As careful programs write: another file, put in the place of the old one."""
    (path.parent / "temporary").write_text(text)
    (path.parent / "temporary").replace(path)


def test_a_lut_written_again_is_shown_and_can_be_undone(graded: MainWindow, cube: Path, qtbot: Any):
    before = graded.document.grade
    at_once(cube, write_cube(cube.parent / "new.cube", 0.25).read_text())
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.25)
    assert graded.status.left.whole == "Reloaded half.cube"
    assert graded.document.undo_text == "reload of half.cube"
    graded.document.undo()
    assert graded.document.grade == before
    looked_again(graded, qtbot)
    assert graded.document.grade == before  # the file says no more than it did


def test_a_lut_written_again_leaves_redo_there(graded: MainWindow, cube: Path, qtbot: Any):
    graded.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    graded.document.undo()
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.75)
    graded.actions_by_name["redo"].trigger()
    assert graded.document.grade.entries[0] == ops.Exposure(1.0)
    assert white(looks(graded)[0]) == 0.75


def test_a_lut_in_two_interpolations_is_one_step_and_redo_has_both(graded: MainWindow, cube: Path, qtbot: Any):
    document = graded.document
    graded.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(looks(graded)) == 2)
    graded.files.set_interpolation(3, "tetrahedral")
    qtbot.waitUntil(lambda: looks(graded)[1].interpolation == "tetrahedral")
    count = document.steps
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: [white(look) for look in looks(graded)] == [0.75, 0.75])
    assert document.steps == count + 1
    document.go_to(count - 1)  # where both have the same interpolation
    write_cube(cube, 0.25)
    qtbot.waitUntil(lambda: [white(look) for look in looks(graded)] == [0.25, 0.25])
    document.redo()
    assert [(white(look), look.interpolation) for look in looks(graded)] == [(0.25, "file"), (0.25, "tetrahedral")]


def test_switches_and_interpolation_stay(graded: MainWindow, cube: Path, qtbot: Any):
    document = graded.document
    document.switch(2, "mix", 0.5)
    graded.files.set_interpolation(2, "tetrahedral")
    qtbot.waitUntil(lambda: looks(graded)[0].interpolation == "tetrahedral")
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.75)
    entry = document.grade.entries[2]
    assert isinstance(entry, Layer) and entry.mix == 0.5
    assert looks(graded)[0].interpolation == "tetrahedral"


def test_a_broken_file_leaves_the_last_good_look(graded: MainWindow, cube: Path, qtbot: Any):
    before = graded.document.grade
    cube.write_text("LUT_3D_SIZE 2\n1 2\n")
    qtbot.waitUntil(lambda: bool(graded.bar.text))
    line = graded.bar.text
    assert line.startswith(f"{cube}: ") and line.endswith("The previous version of half.cube stays in use.")
    assert "\n" not in line and graded.document.grade == before
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.75)
    assert not graded.bar.text  # what it said is over


def test_a_file_that_goes_away_is_no_matter(graded: MainWindow, cube: Path, qtbot: Any):
    before = graded.document.grade
    cube.unlink()
    looked_again(graded, qtbot)
    assert graded.document.grade == before and not graded.bar.text
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.75)


def test_a_look_is_read_again_in_every_open_grade(graded: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    first = graded.document
    (tmp_path / "other.exr").write_bytes(b"another")
    graded.files.open_image(tmp_path / "other.exr")
    second = graded.document
    second.open_grade(first.grade, None)
    second.insert(0, [looks(graded)[0]], "again")
    write_cube(cube, 0.75)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.75)
    found = [bare(entry) for document in (first, second) for entry in document.grade.entries]
    assert [white(look) for look in found if isinstance(look, FileLook)] == [0.75] * 3
    assert (first.undo_text, second.undo_text) == ("reload of half.cube",) * 2


def test_a_correction_of_a_collection_is_read_again(opened: MainWindow, tmp_path: Path, qtbot: Any):
    path = collection(tmp_path / "shots.ccc", 2.0)
    opened.document.open_grade(Grade([opened.workspace.services.look_from_file(f"{path}#2")]), None)
    qtbot.waitUntil(lambda: opened.workspace.disk.known)
    assert white(looks(opened)[0]) == 4.0
    collection(path, 3.0)
    os.utime(path, (2e9, 2e9))
    qtbot.waitUntil(lambda: white(looks(opened)[0]) == 6.0)


def test_looks_are_found_by_whole_names_alone(tmp_path: Path):
    assert file_of(FileLook(str(tmp_path / "a #1.cube"), ())) == tmp_path / "a #1.cube"
    assert file_of(FileLook(f"{tmp_path / 'a.ccc'}#sc/010", ())) == tmp_path / "a.ccc"
    assert file_of(FileLook("a.cube", ())) is None


@pytest.fixture
def wall(opened: MainWindow, tmp_path: Path, qtbot: Any) -> LutWall:
    """A wall with two looks."""
    folder = tmp_path / "looks"
    folder.mkdir()
    for name, gain in (("b", 0.5), ("d", 0.25)):
        write_cube(folder / f"{name}.cube", gain)
    opened.actions_by_name["panel_looks"].trigger()
    panel = opened.workspace.panel("looks")
    assert isinstance(panel, LutWall)
    panel.open_folder(folder)
    qtbot.waitUntil(lambda: names(panel) == ["b", "d"] and all(item.image for item in panel.model.items))
    return panel


def names(wall: LutWall) -> list[str]:
    return [Path(item.path).stem for item in wall.model.items]


def choose(wall: LutWall, row: int) -> None:
    wall.list.setCurrentIndex(wall.filter.index(row, 0))


def test_files_that_come_and_go_hang_on_the_wall(opened: MainWindow, wall: LutWall, tmp_path: Path, qtbot: Any):
    folder = tmp_path / "looks"
    choose(wall, 1)
    kept = [item.image for item in wall.model.items]
    for name in "ace":
        write_cube(folder / f"{name}.cube", 0.75)
    qtbot.waitUntil(lambda: names(wall) == list("abcde") and all(item.image for item in wall.model.items))
    assert [wall.model.items[row].image for row in (1, 3)] == kept  # those that were there are not made again
    assert wall.current is not None and wall.current.name == "d.cube"
    assert wall.count.text() == "5 files"
    (folder / "a.cube").unlink()
    qtbot.waitUntil(lambda: names(wall) == list("bcde"))
    assert wall.current.name == "d.cube" and opened.workspace.stage.previewed_lut is wall.current.look
    (folder / "d.cube").unlink()
    qtbot.waitUntil(lambda: names(wall) == list("bce"))
    assert wall.current is None and opened.workspace.stage.previewed_lut is None


def test_a_look_of_the_wall_that_changes_is_shown(opened: MainWindow, wall: LutWall, tmp_path: Path, qtbot: Any):
    path = tmp_path / "looks" / "d.cube"
    choose(wall, 1)
    item, before = wall.model.items[1], wall.model.items[1].image
    write_cube(path, 0.75)
    qtbot.waitUntil(lambda: item.image is not before)
    previewed_lut = opened.workspace.stage.previewed_lut
    assert previewed_lut is not None and white(previewed_lut) == 0.75
    assert opened.status.left.whole == "Reloaded d.cube"
    path.write_text("LUT_3D_SIZE 2\n1 2\n")
    qtbot.waitUntil(lambda: bool(opened.bar.text))
    assert opened.bar.text.startswith(f"{path}: ") and "previous version of d.cube stays in use" in opened.bar.text
    assert item.look is previewed_lut and item.problem


def test_a_view_that_fails_is_no_fault_of_the_looks(
    opened: MainWindow, wall: LutWall, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    def fail(*_: Any) -> Any:
        raise GradeError("there is no such view", "choose another")

    with monkeypatch.context() as patch:
        patch.setattr("app.panels.wall.maker.view_ops", fail)
        opened.workspace.set_view(exposure=1.0)
        qtbot.waitUntil(lambda: all(item.missing for item in wall.model.items))
    assert not opened.bar.text and not any(item.problem for item in wall.model.items)
    opened.workspace.set_view(exposure=2.0)
    qtbot.waitUntil(lambda: not any(item.missing for item in wall.model.items))


def test_a_wall_whose_folder_goes_away_stays(opened: MainWindow, wall: LutWall, tmp_path: Path, qtbot: Any):
    (tmp_path / "looks").rename(tmp_path / "elsewhere")
    looked_again(opened, qtbot)
    assert names(wall) == ["b", "d"]
    write_cube(tmp_path / "elsewhere" / "c.cube", 0.5)
    (tmp_path / "elsewhere").rename(tmp_path / "looks")
    qtbot.waitUntil(lambda: names(wall) == ["b", "c", "d"])


def test_a_disk_that_does_not_answer_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    from threading import Event

    release = Event()
    monkeypatch.setattr("engine.core.file_watch.state_of", lambda path: release.wait(5.0) and None)
    disk = Disk()
    disk.watch("looks", {tmp_path / "a.cube": None})
    disk.watch("looks", {tmp_path / "b.cube": None})
    disk.stop()
    assert not disk.known
    release.set()


def test_an_internal_error_is_reported_once_and_looking_goes_on(
    graded: MainWindow, cube: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    messages: list[str] = []
    graded.workspace.messages.warned.connect(lambda warned: messages.append(warned.text))
    looks_at = list[Path]()

    def broken(path: Path) -> Any:
        looks_at.append(path)
        raise RuntimeError("the disk speaks in riddles")

    with monkeypatch.context() as patch:
        patch.setattr("engine.core.file_watch.state_of", broken)
        qtbot.waitUntil(lambda: len(looks_at) > 6)
    assert len(messages) == len({*messages}) and all("Internal error" in line for line in messages)
    write_cube(cube, 0.25)
    qtbot.waitUntil(lambda: white(looks(graded)[0]) == 0.25)


def test_a_look_that_changes_while_it_is_read_is_read_again(
    opened: MainWindow, cube: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    read = opened.workspace.services.look_from_file

    def changing(*what: Any) -> FileLook:
        look = read(*what)
        write_cube(cube, 0.75)
        os.utime(cube, (2e9, 2e9))
        return look

    object.__setattr__(opened.workspace.services, "look_from_file", changing)
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: bool(looks(opened)))
    object.__setattr__(opened.workspace.services, "look_from_file", read)
    qtbot.waitUntil(lambda: white(looks(opened)[0]) == 0.75)


def test_an_image_that_changes_while_it_is_read_is_read_again(opened: MainWindow, tmp_path: Path, qtbot: Any):
    services = opened.workspace.services
    write_exr(tmp_path / "a.exr", R=np.zeros((4, 6), np.float16))
    write_exr(tmp_path / "b.exr", R=np.ones((4, 6), np.float16))

    def changing(*what: Any) -> Any:
        object.__setattr__(services, "read_image", open_image)
        found = open_image(*what)
        (tmp_path / "b.exr").replace(tmp_path / "a.exr")
        return found

    object.__setattr__(services, "read_image", changing)
    opened.files.open_image(tmp_path / "a.exr")
    document = opened.document
    qtbot.waitUntil(lambda: document.image is not None and document.image.pixels.max() == 1.0)
