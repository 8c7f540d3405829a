"""The timeline of a sequence: stepping, scrubbing, in and out, and playing."""

from __future__ import annotations

import threading
import time

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.widgets.style import sheet
from app.widgets.timeline import HEIGHT, Timeline
from engine import ops
from engine.viewing import FrameMaker

FRAMES = (1, 2, 3, 5, 6)


def at(window):
    return window.document.image_path.name


def test_a_numbered_image_has_a_timeline(shot):
    player = shot.workspace.player
    assert player.clip.frames == list(FRAMES)
    assert player.frame == 3
    panel = shot.workspace.panel("timeline")
    assert panel.isVisible()
    assert panel.name.whole == "s.####.exr"
    assert panel.timeline.accessibleDescription() == "Frame 3 of 1 to 6"
    assert all(panel.buttons[name].isEnabled() for name in panel.buttons)


def test_an_image_without_neighbours_has_none(opened):
    assert opened.workspace.player.clip is None
    assert not opened.actions_by_name["play"].isEnabled()


def test_steps_keep_the_grade_and_the_zoom(shot, qtbot):
    player = shot.workspace.player
    shot.document.edit(shot.document.grade.with_entry(0, ops.Exposure(1.5)), "exposure")
    shot.canvas.zoom_by(2.0)
    zoom, grade, image = shot.canvas.viewport.scale, shot.document.grade, shot.document.image
    shot.actions_by_name["next_frame"].trigger()
    qtbot.waitUntil(lambda: at(shot) == "s.0005.exr")
    assert shot.document.image is not image
    assert (shot.document.grade, shot.canvas.viewport.scale) == (grade, zoom)
    assert shot.document.undo_text == "exposure"
    assert len(shot.workspace.documents) == 1
    shot.actions_by_name["previous_frame"].trigger()
    assert at(shot) == "s.0003.exr"  # decoded before: at once
    assert shot.document.image is image
    player.step(-2)
    qtbot.waitUntil(lambda: at(shot) == "s.0001.exr")
    player.step(-1)  # round the ends
    qtbot.waitUntil(lambda: at(shot) == "s.0006.exr")
    player.set_loops(False)
    player.step(1)
    assert player.frame == 6


def test_scrubbing_shows_where_it_ends(shot, qtbot):
    timeline = shot.workspace.panel("timeline").timeline
    for frame in (1, 2, 4, 6):
        timeline.sought.emit(frame)
    qtbot.waitUntil(lambda: at(shot) == "s.0006.exr")
    assert shot.workspace.player.frame == 6


def test_in_and_out(shot, qtbot):
    player = shot.workspace.player
    player.go(2)
    shot.actions_by_name["mark_in"].trigger()
    player.go(5)
    shot.actions_by_name["mark_out"].trigger()
    assert player.clip.played == [2, 3, 5]
    player.step(1)
    qtbot.waitUntil(lambda: at(shot) == "s.0002.exr")
    shot.actions_by_name["last_frame"].trigger()
    qtbot.waitUntil(lambda: at(shot) == "s.0005.exr")
    shot.actions_by_name["unmark"].trigger()
    assert player.clip.played == list(FRAMES)


def test_the_frames_that_are_played_are_offered_for_export(shot, qtbot, tmp_path):
    player = shot.workspace.player
    player.set_in(2)
    player.set_out(5)
    shot.actions_by_name["export_sequence"].trigger()
    dialog = shot.export_dialog
    assert dialog.source.text() == str(tmp_path / "s.####.exr")
    assert dialog.target.text() == str(tmp_path / "{name}_graded.{frame}.exr")
    assert dialog.destination.path.toolTip() == str(tmp_path / "s_graded.####.exr")
    assert dialog.form.values["frames"] == "2-3,5"
    dialog.reject()
    shot.actions_by_name["unmark"].trigger()
    shot.actions_by_name["export_sequence"].trigger()
    assert "frames" not in shot.export_dialog.form.values
    shot.export_dialog.reject()


def test_playing_goes_round_and_tells_its_rate(shot, qtbot):
    player, seen, panel = shot.workspace.player, set[int](), shot.workspace.panel("timeline")
    player.moved.connect(seen.add)
    player.set_rate(60.0)
    shot.actions_by_name["play"].trigger()
    assert player.playing
    qtbot.waitUntil(lambda: seen == set(FRAMES) and " fps" in panel.achieved.text(), timeout=10000)
    shot.actions_by_name["play"].trigger()
    assert not player.playing
    assert panel.achieved.text() == ""


def test_playing_ends_at_the_end_where_it_does_not_loop(shot, qtbot):
    player = shot.workspace.player
    player.set_loops(False)
    player.set_rate(60.0)
    player.toggle()
    qtbot.waitUntil(lambda: not player.playing and at(shot) == "s.0006.exr", timeout=10000)


def test_frames_that_are_late_are_dropped_and_counted(shot, qtbot):
    player = shot.workspace.player
    true = shot.workspace.services.read_image

    def slow(path, part=None, layer=None):
        time.sleep(0.12)
        return true(path, part, layer)

    object.__setattr__(shot.workspace.services, "read_image", slow)
    panel = shot.workspace.panel("timeline")
    player.set_rate(48.0)
    shot.preview.set_budget(2 * 3 * shot.document.image.pixels.nbytes)  # three frames can be decoded ahead
    player.toggle()
    qtbot.waitUntil(lambda: player.dropped > 0 and "dropped" in panel.dropped.text(), timeout=10000)
    player.stop()
    assert panel.dropped.text() == f"{player.dropped} dropped"
    assert "QLabel#drops { color: #e0a43c;" in sheet() and panel.dropped.objectName() == "drops"  # amber
    player.toggle()
    assert panel.dropped.text() == ""
    player.stop()


def test_the_clock_starts_when_enough_frames_are_decoded(shot, qtbot):
    player, panel = shot.workspace.player, shot.workspace.panel("timeline")
    true, let_go = shot.workspace.services.read_image, threading.Event()

    def slow(path, part=None, layer=None):
        let_go.wait(10.0)
        return true(path, part, layer)

    object.__setattr__(shot.workspace.services, "read_image", slow)
    player.set_loops(False)
    player.set_rate(60.0)
    shown = at(shot)
    player.toggle()
    qtbot.wait(150)
    assert (player.prerolls, player.playing, panel.achieved.text(), at(shot)) == (True, True, "Pre-roll", shown)
    let_go.set()
    qtbot.waitUntil(lambda: not player.playing and at(shot) == "s.0006.exr")
    assert (player.prerolls, panel.achieved.text()) == (False, "")


def test_a_frame_that_plays_is_computed_once_and_exactly_when_playback_stops(shot, qtbot, monkeypatch):
    player, exact = shot.workspace.player, list[bool]()
    monkeypatch.setattr(FrameMaker, "is_slow", lambda *_: True)
    player.set_rate(12.0)  # there is time for exact frames in between
    player.toggle()
    qtbot.waitUntil(lambda: player.playing and not player.prerolls and player.frame == 1, timeout=10000)
    shot.preview.frame.connect(lambda _image, request: exact.append(request.exact))
    qtbot.waitUntil(lambda: len(exact) > 4)
    assert not any(exact)
    player.stop()
    qtbot.waitUntil(lambda: exact[-1])


def test_memory_bounds_what_is_kept(shot, qtbot):
    player = shot.workspace.player
    frame = shot.document.image.pixels.nbytes
    shot.preview.set_budget(2 * 2 * frame)  # half of it is for frames
    for wanted in (5, 6, 1, 2):
        player.go(wanted)
        qtbot.waitUntil(lambda wanted=wanted: at(shot) == f"s.{wanted:04}.exr")
        assert player.clip.used <= 2 * frame


def test_a_frame_that_can_not_be_read_is_reported_and_passed_over(shot, qtbot, tmp_path):
    (tmp_path / "s.0005.exr").unlink()
    shot.workspace.player.go(5)
    qtbot.waitUntil(lambda: 5 in shot.workspace.player.clip.bad)
    assert "s.0005.exr" in shot.bar.text
    assert at(shot) == "s.0003.exr"


def test_another_image_has_its_own_timeline(shot, qtbot, image_file):
    player = shot.workspace.player
    first = shot.document
    player.toggle()
    shot.files.open_image(image_file)
    qtbot.waitUntil(lambda: at(shot) == image_file.name)
    assert player.clip is None
    assert not player.playing
    assert [clip.used for clip in player._clips.values()] == [0]
    shot.workspace.open_documents.show(first)
    assert player.clip is not None
    assert player.clip.frames == list(FRAMES)


def test_a_click_and_keys_on_the_widget(qtbot):
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.resize(520, HEIGHT)
    timeline.show_frames(list(range(1001, 1101)), 1001, 1100, frozenset({1001}), frozenset())
    sought, stepped = list[int](), list[int]()
    timeline.sought.connect(sought.append)
    timeline.stepped.connect(stepped.append)
    place = QPointF(timeline.x_of(1051) + 2, 20).toPoint()
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=place)
    QTest.keyClick(timeline, Qt.Key.Key_Left)
    QTest.keyClick(timeline, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(timeline, Qt.Key.Key_End)
    assert sought == [1051, 1100]
    assert stepped == [-1, 10]
    assert [timeline.frame_at(x) for x in (-50, 5000)] == [1001, 1100]


@pytest.fixture
def held(shot, monkeypatch):
    """Reads frames only when they are let go: calls with a name release that one, calls without all that follow."""
    true, open_now = shot.workspace.services.read_image, threading.Event()
    events: dict[str, threading.Event] = {}

    def read(path, part=None, layer=None):
        event = events.setdefault(path.name, threading.Event())
        while not (event.wait(0.005) or open_now.is_set()):
            pass
        return true(path, part, layer)

    def release(name=""):
        (events.setdefault(name, threading.Event()) if name else open_now).set()

    object.__setattr__(shot.workspace.services, "read_image", read)
    yield release
    open_now.set()


@pytest.fixture
def two(shot, held, tmp_path, qtbot):
    """The window, with a second sequence in a second tab, which is the current one."""
    (tmp_path / "two").mkdir()
    for frame in FRAMES:
        (tmp_path / "two" / f"t.{frame:04}.exr").touch()
    first = shot.document
    held("t.0003.exr")
    shot.files.open_image(tmp_path / "two" / "t.0003.exr")
    player = shot.workspace.player
    qtbot.waitUntil(lambda: shot.document is not first and player.clip is not None)
    return first, shot.document


def test_frames_of_another_sequence_do_not_keep_this_one_waiting(shot, held, two, qtbot):
    player, workspace = shot.workspace.player, shot.workspace
    first, second = two
    workspace.open_documents.show(first)
    player.go(5)
    player.go(6)  # as many as are decoded at once
    workspace.open_documents.show(second)
    player.go(1)
    held()
    qtbot.waitUntil(lambda: second.image_path.name == "t.0001.exr" and second.image.info.path.name == "t.0001.exr")
    qtbot.waitUntil(lambda: first.image_path.name == "s.0006.exr")  # where its timeline points
    workspace.open_documents.show(first)
    assert player.frame == 6


@pytest.mark.parametrize("order", [("s.0005.exr", "t.0001.exr"), ("t.0001.exr", "s.0005.exr")])
def test_each_sequence_shows_the_frame_that_it_was_asked_for(shot, held, two, qtbot, order):
    player, workspace = shot.workspace.player, shot.workspace
    first, second = two
    player.go(1)
    workspace.open_documents.show(first)
    assert player.frame == 3
    player.go(5)
    workspace.open_documents.show(second)
    assert player.frame == 1  # asked for, and on its way
    shown = {"s": lambda: first.image_path.name, "t": lambda: second.image_path.name}
    for name in order:
        held(name)
        qtbot.waitUntil(lambda name=name: shown[name[0]]() == name)
    assert (first.image.info.path.name, second.image.info.path.name) == ("s.0005.exr", "t.0001.exr")


def test_a_frame_of_a_closed_sequence_is_dropped(shot, held, two, qtbot):
    workspace = shot.workspace
    first, second = two
    shot.workspace.player.go(1)
    workspace.open_documents.close(second)
    held()
    qtbot.waitUntil(lambda: workspace.jobs.active == 0)
    assert shot.document is first and at(shot) == "s.0003.exr"
    assert not shot.bar.text


def test_frames_that_are_found_of_a_closed_image_are_dropped(shot, two, qtbot):
    workspace, player = shot.workspace, shot.workspace.player
    second = two[1]
    found = second, second.image_path, player._clips.pop(second).pattern, 1, [1, 2]
    workspace.open_documents.close(second)
    player._found(*found)
    assert second not in player._clips


def test_a_layer_that_is_chosen_while_a_frame_is_on_its_way(shot, held, qtbot):
    player = shot.workspace.player
    player.go(5)
    held("s.0003.exr")
    shot.files.open_image(shot.document.image_path, 0, "diffuse")
    qtbot.waitUntil(lambda: shot.document.image.layer.name == "diffuse")
    assert player.frame == 5
    held()
    qtbot.waitUntil(lambda: at(shot) == "s.0005.exr")
    assert shot.document.image.layer.name == "diffuse"
