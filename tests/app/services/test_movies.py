"""Movies in the window: opened, stepped through, played, kept in sessions, and exported."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from app.actions.file import open_export_dialog
from app.model.document_state import DocumentState
from app.model.session import Session, load_session, save_session
from app.services.engine_calls import Services
from app.services.export_options import arguments
from app.services.export_targets import find_targets
from app.services.open_session import works_of
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.io import Image
from engine.movies.movie import close_movies, open_movie
from engine.viewing.opening import open_image
from tests.app.conftest import end
from tests.app.fakes import FakeExecutor
from tests.engine.movies.numbered import FRAMES, Case, make, number_in

pytest.importorskip("av", reason="PyAV is not installed")
CASE = Case("shot_010.mov", "prores_ks", "yuva444p10le", rate=Fraction(30000, 1001), timecode="01:00:00;02")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    yield make(tmp_path_factory.mktemp("movies"), CASE)
    close_movies()


def read(path, part=None, layer=None, frame=None) -> Image:
    """Return a frame in main memory: the fake device converts no planes."""
    opened: Any = open_image(path, part, layer, frame=frame)
    return Image(opened.levels.whole(0), opened.info, opened.part, opened.layer)


@pytest.fixture
def shown(qtbot, path):
    """A window that shows the first frame of a movie."""
    services = Services(read_image=read, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    window = MainWindow(services=services)
    qtbot.addWidget(window)
    window.show()
    window.files.open_image(path)
    qtbot.waitUntil(lambda: window.workspace.player.clip is not None and window.canvas.has_frame, timeout=20_000)
    yield window
    end(window)


def number(window) -> int:
    return number_in(window.document.image.pixels[..., 1])


def test_a_movie_is_a_sequence_with_its_rate_and_timecode(shown, path, qtbot):
    player, panel = shown.workspace.player, shown.workspace.panel("timeline")
    assert player.clip.frames == list(range(FRAMES)) and player.frame == 0
    assert panel.name.whole == path.name and panel.timecode.text() == "01:00:00;02"
    assert panel.rate.currentText() == "29.97 fps" and player.rate == pytest.approx(30000 / 1001)
    shown.document.edit(shown.document.grade.with_entry(0, ops.Exposure(1.5)), "exposure")
    grade = shown.document.grade
    for frame in (9, 4, 5):
        player.go(frame)
        qtbot.waitUntil(lambda: shown.document.frame == frame and shown.canvas.has_frame, timeout=20_000)  # noqa: B023
        assert number(shown) == frame and shown.document.image_path == path
    assert panel.timecode.text() == "01:00:00;07"
    assert shown.document.grade == grade and len(shown.workspace.documents) == 1
    player.set_rate(24.0)
    assert player.rate == 24.0 and panel.rate.currentText() == "24 fps"
    player.go(99)
    qtbot.waitUntil(lambda: shown.document.frame == FRAMES - 1, timeout=20_000)


def test_sessions_keep_the_frame(shown, path, qtbot, tmp_path):
    shown.workspace.player.go(6)
    qtbot.waitUntil(lambda: shown.document.frame == 6, timeout=20_000)
    save_session(shown.workspace.session.content, tmp_path / "s.tessera")
    state = load_session(tmp_path / "s.tessera").documents[0]
    assert (state.image_path, state.frame) == (path, 6)
    shown.document.restore(state)
    shown.document.image = None
    shown.files.read_wanted(shown.document)
    qtbot.waitUntil(lambda: shown.document.image is not None, timeout=20_000)
    assert number(shown) == 6


def test_export_of_the_frame_or_of_the_range(shown, path, qtbot, tmp_path):
    player = shown.workspace.player
    player.go(7)
    qtbot.waitUntil(lambda: shown.document.frame == 7, timeout=20_000)
    dialog = open_export_dialog(shown.workspace)
    assert dialog is not None
    order = dialog._order()
    assert (order.source, order.target.name) == (path, "shot_010_graded.0007.exr")
    assert not find_targets(order).sequence and "--frames=7" in arguments(order, tmp_path)
    player.set_in(3)
    player.set_out(5)
    dialog.propose(path, "3-5")
    order = dialog._order()
    assert order.target.name == "shot_010_graded.####.exr"
    targets = find_targets(order)
    assert (targets.sequence, targets.frames) == (True, "3-5")
    dialog.reject()


def test_a_still_is_that_of_the_frame(shown, path, qtbot, monkeypatch, tmp_path):
    shown.workspace.player.go(8)
    qtbot.waitUntil(lambda: shown.document.frame == 8, timeout=20_000)
    grabs = shown.workspace.still_grabs
    monkeypatch.setattr(grabs, "_next", lambda: None)
    grabs.grab(path, shown.document.image, shown.document.grade)
    grab = grabs._waiting.pop()
    assert grab.frame == "0008" and "--frames=8" in arguments(grab.order, tmp_path)


def test_movies_with_numbers_in_their_names_are_different_work(path):
    states = [replace(DocumentState.new(Grade()), image_path=path.with_name(name)) for name in ("a_1.mov", "a_2.mov")]
    one, other = (works_of(Session((state,), 0)) for state in states)
    assert one != other


def test_a_movie_rests_once_no_image_is_open(shown, path, monkeypatch, qtbot):
    movie = open_movie(path)
    monkeypatch.setattr("app.workspace.RETURN_MS", (0, 1, 2))
    before = movie.planes(3).planes[0]
    documents = shown.workspace.open_documents
    documents.close(shown.document)
    qtbot.waitUntil(lambda: movie._process is None and movie._memory is None)
    assert (movie.planes(3).planes[0] == before).all(), "it is read again"
