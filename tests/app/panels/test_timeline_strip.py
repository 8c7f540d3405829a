"""The strip of the timeline: colours of frames, fields to type in, timecode, and when it is shown."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from app.shell.sequence_strip import ALWAYS, AUTO, NEVER, SHOWN
from app.widgets.timeline import DECODED, FAILED, HEIGHT, HOLE, MARGIN, MISSING, OUTSIDE, THERE, Timeline
from tests.app.hands import LEFT, SHIFT, Key, drag, move


def at(window):
    return window.document.image_path.name


def test_frames_are_coloured_by_their_state(qtbot):
    timeline = Timeline()
    qtbot.addWidget(timeline)
    timeline.resize(2 * MARGIN + 100, HEIGHT)
    timeline.show_frames([1, 2, 3, 4, 5, 8, 9, 10], 3, 9, frozenset({3, 4}), frozenset({5}))
    timeline.show_at(10)
    expected = [(1, 2, (OUTSIDE, "")), (3, 4, (THERE, DECODED)), (5, 5, (FAILED, "")), (6, 7, (HOLE, MISSING))]
    assert timeline.runs() == [*expected, (8, 9, (THERE, "")), (10, 10, (OUTSIDE, ""))]
    image = timeline.grab().toImage()
    seen = [image.pixelColor(round(timeline.x_of(f + 0.5)), HEIGHT - 3).name() for f in (1, 4, 5, 6, 8)]
    assert seen == [OUTSIDE, DECODED, FAILED, MISSING, THERE]
    assert all(colour in timeline.toolTip() for colour in (DECODED, MISSING, FAILED, "cached", "failed"))


def test_the_strip_is_56_pixels_high_and_shows_the_frames(shot):
    dock = shot.docks.docks["timeline"]
    assert dock.isVisible() and dock.height() == 56
    shot.actions_by_name["panel_scopes"].trigger()
    assert dock.height() == 56 and shot.canvas.height() > shot.height() / 3


def test_the_frame_is_typed_stepped_and_scrubbed(shot, qtbot):
    player, panel = shot.workspace.player, shot.workspace.panel("timeline")
    field = panel.frame
    assert (field.text(), panel.first.text(), panel.last.text()) == ("3", "1", "6")
    qtbot.mouseClick(field, LEFT)
    assert field.hasFocus() and field.selectedText() == "3"
    qtbot.keyClicks(field, "5")
    player.moved.emit(3)  # what is typed stays
    qtbot.keyClick(field, Key.Key_Return)
    qtbot.waitUntil(lambda: at(shot) == "s.0005.exr")
    assert panel.timeline.hasFocus() and field.text() == "5"
    field.setFocus()
    qtbot.keyClick(field, Key.Key_Up)
    assert player.frame == 6
    qtbot.keyClick(field, Key.Key_Down, SHIFT)
    assert player.frame == 1
    qtbot.keyClicks(field, "x")
    qtbot.keyClick(field, Key.Key_Escape)
    assert field.text() == "1" and panel.timeline.hasFocus()
    drag(qtbot, field, 30)
    assert player.frame == 6 and not field.hasFocus()
    drag(qtbot, field, -30, SHIFT)
    assert player.frame == 5


def test_in_and_out_are_typed_and_stay_in_the_sequence(shot, qtbot):
    player, panel = shot.workspace.player, shot.workspace.panel("timeline")
    for field, text in ((panel.first, "2"), (panel.last, "99")):
        qtbot.mouseClick(field, LEFT)
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Key.Key_Return)
    assert (player.clip.first, player.clip.last) == (2, 6)
    qtbot.mouseClick(panel.last, LEFT)
    qtbot.keyClicks(panel.last, "5")
    qtbot.keyClick(panel.last, Key.Key_Tab)
    assert player.clip.played == [2, 3, 5]
    qtbot.mouseClick(panel.buttons["mark_out"], LEFT)
    assert player.clip.played == [2, 3] and panel.last.text() == "3"


def test_a_drag_with_shift_sets_in_and_out(shot, qtbot):
    player, panel = shot.workspace.player, shot.workspace.panel("timeline")
    track = panel.timeline
    places = [QPointF(track.x_of(frame) + 4, 20).toPoint() for frame in (5, 2)]
    qtbot.mousePress(track, LEFT, SHIFT, places[0])
    assert (player.clip.first, player.clip.last, player.frame) == (1, 6, 3)  # a click alone sets nothing
    move(track, places[1], LEFT, SHIFT)
    qtbot.mouseRelease(track, LEFT, SHIFT, places[1])
    assert (player.clip.first, player.clip.last, player.frame) == (2, 5, 3)
    qtbot.mouseClick(track, LEFT, pos=places[1])
    assert player.frame == 2


def test_the_timecode_is_counted_at_the_rate_or_from_the_file(shot):
    player, panel = shot.workspace.player, shot.workspace.panel("timeline")
    player.set_rate(24.0)
    assert panel.timecode.text() == "00:00:00:03"
    shot.document.image.part.metadata["timeCode"] = "01:00:00:22"
    player.moved.emit(3)
    assert panel.timecode.text() == "01:00:00:22"
    player.moved.emit(5)
    assert panel.timecode.text() == "01:00:01:00"
    shot.document.image.part.metadata["framesPerSecond"] = "25/1"
    player.moved.emit(6)
    assert panel.timecode.text() == "01:00:01:00"


def test_the_strip_comes_and_goes_with_sequences(shot, image_file, qtbot):
    dock = shot.docks.docks["timeline"]
    first = shot.document
    shot.files.open_image(image_file)
    qtbot.waitUntil(lambda: at(shot) == image_file.name)
    assert dock.isVisible()  # another tab has a sequence
    shot.workspace.open_documents.close(first)
    assert not dock.isVisible()
    shot.actions_by_name["panel_timeline"].trigger()
    assert dock.isVisible() and shot.workspace.settings.get(SHOWN, "") == ALWAYS
    shot.actions_by_name["panel_timeline"].trigger()
    assert not dock.isVisible() and shot.workspace.settings.get(SHOWN, "") == AUTO


def test_a_strip_that_was_hidden_stays_hidden(shot, image_file, tmp_path, qtbot):
    dock, panel = shot.docks.docks["timeline"], shot.workspace.panel("timeline")
    qtbot.mouseClick(panel.hide_button, LEFT)
    assert not dock.isVisible() and shot.workspace.settings.get(SHOWN, "") == NEVER
    shot.files.open_image(image_file)
    qtbot.waitUntil(lambda: at(shot) == image_file.name)
    with qtbot.waitSignal(shot.workspace.player.sequence_open):
        shot.files.open_image(tmp_path / "s.0005.exr")
    assert not dock.isVisible()
    shot.actions_by_name["reset_layout"].trigger()
    assert dock.isVisible()


def test_the_strip_stays_away_from_the_image_alone(shot, qtbot):
    dock = shot.docks.docks["timeline"]
    shot.actions_by_name["clean"].trigger()
    shot.workspace.player.sequence_open.emit(True)
    assert not dock.isVisible()
    shot.actions_by_name["clean"].trigger()
    qtbot.waitUntil(dock.isVisible)
