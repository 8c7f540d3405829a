"""Windows tracked in the window of the app: by keys and buttons, stopped, lost, and answers that come too late."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.panels.mattes.section import MatteSection
from app.panels.mattes.track_row import TrackRow
from app.services.engine_calls import Services
from app.services.frame_luminance import in_display_window
from app.shell.activity_sign import ActivitySign
from app.shell.main_window import MainWindow
from engine import Grade, Layer, ops
from engine.errors import UnreadableFile
from engine.grade.keys import keys_of
from engine.io.info import ChannelInfo, ImageInfo, LayerInfo, PartInfo
from engine.io.source import Image
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.conftest import begin_with, end
from tests.app.fakes import FakeExecutor
from tests.app.panels.matte_cards import card_matte, section_of
from tests.engine.moving_scenes import Scene, swinging
from tests.tolerance import TRACKED_DEGREES, TRACKED_PIXELS
from tests.typed import expect

COUNT = 5
SCENE = Scene(swinging(12.0), 112, 80, count=30, blur=0.0)
OTHER = Scene(swinging(12.0), 112, 80, seed=5)
WINDOW = Ellipse(center=(56.0, 40.0), size=(26.0, 20.0))
GRADE = Grade((Layer(ops.Exposure(1.0), matte=Matte(Leaf(WINDOW), frame=(112, 80))), ops.Saturation(0.5)))


class Frames:
    """Reads the frames of the scene: those from `cut` on are of another shot, and from `ends` on unreadable.

    Frame `waits_at` is read once `go` is set.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.cut = self.ends = self.waits_at = COUNT + 1
        self.go, self.reached = threading.Event(), threading.Event()

    def __call__(self, path: Path, part: int | None = None, layer: str | None = None) -> Image:
        number = int(path.stem.rpartition(".")[2])
        if threading.current_thread().name.startswith("tessera-read") and number == self.waits_at:
            self.reached.set()
            self.go.wait(30.0)
        if number >= self.ends:
            raise UnreadableFile(path, "is cut off", "render it again")
        luminance = (SCENE if number < self.cut else OTHER).frame(number)
        channels = tuple(ChannelInfo(name, "half") for name in "RGB")
        box = (0, 0, SCENE.width - 1, SCENE.height - 1)
        info = PartInfo(0, "p0", "scanline", channels, box, box, compression="zip")
        layers: tuple[LayerInfo, ...] = info.layers
        return Image(np.repeat(luminance[..., None], 3, axis=2), ImageInfo(path, "openexr", (info,)), info, layers[0])


FRAMES = Frames()


@pytest.fixture(scope="module")
def shared(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MainWindow, Path]]:
    """A window and a folder with the sequence."""
    folder = tmp_path_factory.mktemp("tracked")
    for frame in range(1, COUNT + 1):
        (folder / f"s.{frame:04}.exr").touch()
    services = Services(read_image=FRAMES, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    window = MainWindow(services=services)
    window.show()
    yield window, folder
    end(window)


@pytest.fixture
def shot(shared: tuple[MainWindow, Path], qtbot: Any) -> Iterator[MainWindow]:
    """The window at frame 1, with an ellipse as the matte of the first entry, as if it were new."""
    window, folder = shared
    FRAMES.reset()
    documents = window.workspace.open_documents
    documents.new()
    for document in window.workspace.documents[:-1]:
        documents.close(document)
    begin_with(window.document, GRADE)
    window.files.open_image(folder / "s.0001.exr")
    qtbot.waitUntil(lambda: window.workspace.player.clip is not None and window.canvas.has_frame)
    window.docks.show("grade")
    window.panel.select(0)
    card_matte(window).open(True)
    window.activateWindow()
    window.canvas.setFocus()
    qtbot.waitUntil(lambda: window.workspace.actions["track_forward"].isEnabled())
    window.bar.hide()
    yield window
    FRAMES.go.set()
    qtbot.waitUntil(lambda: not window.workspace.tracking.tracks)
    for name in ("position", "scale", "rotation", "graded"):
        window.workspace.tracking.set_option(name, name != "graded")
        window.workspace.actions[f"track_{name}"].setChecked(name != "graded")


def row_of(window: MainWindow) -> TrackRow:
    """The controls, which are made now if their turn has not come yet."""
    return expect(TrackRow, expect(MatteSection, card_matte(window).section).track)


def press(qtbot: Any, window: MainWindow, key: Any, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(window.canvas, key, modifier)


def ended(qtbot: Any, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.workspace.tracking.tracks)
    QApplication.processEvents()


def window_at(window: MainWindow, frame: int, at: int = 0) -> Ellipse:
    layer: Any = window.document.grade.at(frame).entries[at]
    return expect(Ellipse, layer.matte.root.source)


def keyed(window: MainWindow, at: int = 0) -> dict[str, tuple[int, ...]]:
    curves = keys_of(window.document.entries[at])
    assert all(key.interpolation == "linear" for curve in curves.values() for key in curve.keys)
    return {path.removeprefix("matte.tree.0."): curve.frames for path, curve in curves.items()}


def assert_follows(window: MainWindow, frame: int, reference: int = 1) -> None:
    """The ellipse is where the scene took it since the reference frame."""
    true, ellipse = SCENE.motion(frame, reference, complex(*WINDOW.center)), window_at(window, frame)
    off = (ellipse.center[0] - WINDOW.center[0] - true.dx, ellipse.center[1] - WINDOW.center[1] - true.dy)
    assert np.hypot(*off) < TRACKED_PIXELS
    assert np.abs(np.array(ellipse.size) - np.array(WINDOW.size) * true.scale).max() < TRACKED_PIXELS
    assert abs(ellipse.rotation - true.rotation) < TRACKED_DEGREES


def test_a_key_tracks_forward_and_undo_takes_it_all_back(shot, qtbot):
    notes: list[str] = []
    shot.workspace.messages.noted.connect(notes.append)
    press(qtbot, shot, Qt.Key.Key_T)
    assert shot.workspace.tracking.tracks and shot.workspace.actions["track_stop"].isEnabled()
    assert "Tracking Ellipse: " in expect(tuple, shot.workspace.tracking.current_work)[0]
    ended(qtbot, shot)
    frames = tuple(range(1, COUNT + 1))
    assert keyed(shot) == dict.fromkeys(("center.0", "center.1", "rotation", "size.0", "size.1"), frames)
    for frame in frames:
        assert_follows(shot, frame)
    qtbot.waitUntil(lambda: shot.document.frame == COUNT)
    assert notes[-1] == f"Ellipse tracked over {COUNT - 1} frames, up to frame {COUNT}."
    shot.document.undo()
    assert shot.document.grade == GRADE


def test_buttons_track_one_frame_and_backward_and_what_is_chosen(shot, qtbot):
    row = row_of(shot)
    qtbot.waitUntil(row.isVisible)
    assert not row.ways["track_backward"].isEnabled()  # there is no frame before the first one
    qtbot.mouseClick(row.options["track_scale"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(row.options["track_rotation"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(row.ways["track_forward_one"], Qt.MouseButton.LeftButton)
    ended(qtbot, shot)
    assert keyed(shot) == {"center.0": (1, 2), "center.1": (1, 2)}
    shot.document.undo()
    for name in ("track_scale", "track_rotation", "track_graded"):
        shot.workspace.actions[name].trigger()
    shot.workspace.player.go(4)
    qtbot.waitUntil(lambda: shot.document.frame == 4 and row.ways["track_backward"].isEnabled())
    qtbot.mouseClick(row.ways["track_backward"], Qt.MouseButton.LeftButton)
    ended(qtbot, shot)
    assert set(keyed(shot).values()) == {(1, 2, 3, 4)}
    assert_follows(shot, 1, reference=4)
    shot.workspace.actions["track_position"].trigger()
    assert shot.workspace.tracking.options.any
    for name in ("track_scale", "track_rotation"):
        shot.workspace.actions[name].trigger()
    assert not row.ways["track_forward"].isEnabled()  # nothing is chosen


def test_a_window_that_is_lost_keeps_its_keys_so_far_and_says_why(shot, qtbot):
    FRAMES.cut = 4
    shot.workspace.actions["track_forward"].trigger()
    ended(qtbot, shot)
    assert set(keyed(shot).values()) == {(1, 2, 3)}
    assert shot.bar.text.startswith("Ellipse is lost at frame 4: the shot ends with a cut. It has keys for 2 frames")
    FRAMES.reset()
    FRAMES.ends = 5
    shot.document.undo()
    shot.workspace.player.go(1)
    shot.workspace.player.clip.renew(shot.document.wanted_layer)
    qtbot.waitUntil(lambda: shot.document.frame == 1)
    shot.workspace.actions["track_forward"].trigger()
    ended(qtbot, shot)
    assert set(keyed(shot).values()) == {(1, 2, 3, 4)}
    assert "The track of Ellipse ends before frame 5" in shot.bar.text and "is cut off" in shot.bar.text


def test_a_track_that_is_stopped_keeps_its_frames(shot, qtbot):
    FRAMES.waits_at = 4
    press(qtbot, shot, Qt.Key.Key_T)
    qtbot.waitUntil(FRAMES.reached.is_set)
    sign = expect(ActivitySign, shot.findChild(ActivitySign))
    qtbot.waitUntil(lambda: sign.stop.isVisible() and sign.text == f"Tracking Ellipse: 2 of {COUNT - 1} frames")
    qtbot.mouseClick(sign.stop, Qt.MouseButton.LeftButton)
    FRAMES.go.set()
    ended(qtbot, shot)
    assert set(keyed(shot).values()) == {(1, 2, 3, 4)}
    assert len(shot.document.history) == 2
    shot.document.undo()
    FRAMES.reset()
    FRAMES.waits_at = 3
    shot.workspace.player.go(1)
    qtbot.waitUntil(lambda: shot.workspace.actions["track_forward"].isEnabled() and shot.document.frame == 1)
    shot.workspace.player.clip.decoded.clear()
    press(qtbot, shot, Qt.Key.Key_T)
    qtbot.waitUntil(FRAMES.reached.is_set)
    press(qtbot, shot, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    FRAMES.go.set()
    ended(qtbot, shot)
    assert set(keyed(shot).values()) == {(1, 2, 3)}


def test_keys_follow_their_entry_and_are_discarded_with_the_window(shot, qtbot):
    FRAMES.waits_at = 3
    shot.workspace.actions["track_forward"].trigger()
    qtbot.waitUntil(FRAMES.reached.is_set)
    shot.document.move_to(0, (2,), "move")
    assert isinstance(shot.document.entries[0], ops.Saturation)
    FRAMES.go.set()
    ended(qtbot, shot)
    assert not keyed(shot) and set(keyed(shot, 1).values()) == {tuple(range(1, COUNT + 1))}
    begin_with(shot.document, GRADE)
    FRAMES.reset()
    FRAMES.waits_at = 3
    shot.panel.select(0)
    shot.workspace.player.go(1)
    qtbot.waitUntil(lambda: shot.workspace.actions["track_forward"].isEnabled())
    shot.workspace.player.clip.decoded.pop(3, None)
    shot.workspace.actions["track_forward"].trigger()
    qtbot.waitUntil(FRAMES.reached.is_set)
    section_of(shot, Leaf(WINDOW.replace(size=(20.0, 20.0))))
    FRAMES.go.set()
    ended(qtbot, shot)
    assert not keyed(shot)
    assert "is discarded: the window was changed or removed meanwhile" in shot.bar.text


def test_a_track_of_a_closed_document_ends_with_it(shot, qtbot):
    FRAMES.waits_at = 3
    shot.workspace.actions["track_forward"].trigger()
    qtbot.waitUntil(FRAMES.reached.is_set)
    document = shot.document
    shot.workspace.open_documents.new()
    shot.workspace.open_documents.close(document)
    assert not shot.workspace.tracking.tracks
    FRAMES.go.set()
    qtbot.waitUntil(lambda: not shot.workspace.jobs.active)
    assert document.grade == GRADE and not shot.bar.isVisible()


def test_pixels_beyond_the_data_window_are_unknown():
    channels = tuple(ChannelInfo(name, "half") for name in "RGB")
    part = PartInfo(0, "p", "scanline", channels, (8, 4, 11, 6), (10, 5, 15, 9), compression="zip")
    found = in_display_window(np.arange(12.0, dtype=np.float32).reshape(3, 4), part)
    expected = np.full((5, 6), np.nan)
    expected[:2, :2] = [[6.0, 7.0], [10.0, 11.0]]
    np.testing.assert_array_equal(found, expected)
