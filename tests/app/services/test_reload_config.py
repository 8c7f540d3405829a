"""The OpenColorIO config follows its file and the files it refers to; a broken one leaves everything as it is."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from app.model.view_ops import view_ops
from app.render.requests import Request, View
from app.services.config_names import Names
from app.shell.main_window import MainWindow
from engine import ops
from engine.color.management import manage
from engine.core.file_watch import State, state_of
from engine.errors import UnreadableFile
from engine.grade.colour_settings import ColourSetup
from engine.ocio import load_config
from engine.ocio.config_files import files_of, reload_config
from tests.app.conftest import looked_again
from tests.app.late import settle
from tests.engine.shows import CC, SHOW, write_show
from tests.typed import expect

DARKER = SHOW.replace(
    "matrix: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5,", "matrix: [0.25, 0, 0, 0, 0, 0.25, 0, 0, 0, 0, 0.25,"
)
RENAMED = SHOW.replace("name: Video,", "name: Television,")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.disk.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("app.services.disk.QUIET_SECONDS", 0.02)
    monkeypatch.setattr("engine.core.file_watch.QUIET_SECONDS", 0.05)


@pytest.fixture
def show(tmp_path: Path) -> Path:
    return write_show(tmp_path / "show")


@pytest.fixture
def managed(opened: MainWindow, show: Path, qtbot: Any) -> MainWindow:
    """An image in the space Plate of the show's config, seen through the view Film and its look."""
    colour = opened.workspace.colour
    colour.choose_config(str(show))
    colour.edit("input space", input="Plate")
    qtbot.waitUntil(lambda: colour.managed.input == "Plate" and colour.names is not None)
    colour.choose_view("Monitor", "Film")
    qtbot.waitUntil(lambda: bool(colour.files) and opened.workspace.disk.known)
    return opened


def shown(window: MainWindow) -> tuple[Any, ...]:
    """The ops from the graded image to the screen."""
    colour = window.workspace.colour
    return view_ops(colour.managed, colour.viewing)


def gains(window: MainWindow) -> list[tuple[float, ...]]:
    return [op.slope for op in shown(window) if isinstance(op, ops.Cdl)]


def test_a_lut_of_the_config_is_read_again(managed: MainWindow, show: Path, qtbot: Any):
    assert gains(managed) == [(1.5, 1.0, 1.0)]
    look = show.parent / "luts" / "look_sc010.cc"
    look.write_text(CC.format("sc010", 4.25) + "</ColorCorrection>")
    qtbot.waitUntil(lambda: gains(managed) == [(4.25, 1.0, 1.0)])
    assert managed.status.left.whole == "Reloaded config.ocio"
    settle()
    qtbot.waitUntil(lambda: managed.preview.idle)  # the view is built from the file as it is now
    look.write_text("<ColorCorrection>")
    qtbot.waitUntil(lambda: bool(managed.bar.text))
    assert managed.bar.text.startswith(f"{show}: ") and "look_sc010.cc" in managed.bar.text
    assert managed.bar.text.endswith("The previous version of config.ocio stays in use.")
    assert "\n" not in managed.bar.text
    assert gains(managed) == [(4.25, 1.0, 1.0)]
    assert load_config(show) is managed.workspace.colour.managed.config


@pytest.mark.parametrize("which", ["look", "config"])
def test_a_file_of_the_config_that_changes_while_it_is_read_is_read_again(
    opened: MainWindow, show: Path, which: str, qtbot: Any
):
    workspace, colour = opened.workspace, opened.workspace.colour
    true, read, look = workspace.services.names, threading.Event(), show.parent / "luts" / "look_sc010.cc"

    def late(*what: Any) -> Any:
        read.wait(20.0)
        if which == "look":
            look.write_text(CC.format("sc010", 4.25) + "</ColorCorrection>")
        else:
            show.write_text(DARKER + "\n")
        return true(*what)

    object.__setattr__(workspace.services, "names", late)
    colour.choose_config(str(show))
    colour.edit("input space", input="Plate")
    colour.choose_view("Monitor", "Film")
    qtbot.waitUntil(lambda: colour.managed.input == "Plate")
    assert gains(opened) == [(1.5, 1.0, 1.0)]
    before = shown(opened)
    object.__setattr__(workspace.services, "names", true)
    read.set()
    qtbot.waitUntil(lambda: "Reloaded config.ocio" in opened.status.left.whole)
    qtbot.waitUntil(lambda: shown(opened) != before)


def test_a_config_that_changes_before_it_is_first_looked_at_is_read_again(
    opened: MainWindow, show: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    """The image is shown with the config as it was, and the menus have the names of that which replaced it."""
    workspace, colour, look = opened.workspace, opened.workspace.colour, threading.Event()
    true = workspace.services.names

    def late(*what: Any) -> Names:
        show.write_text(DARKER + "\n")
        return true(*what)

    def state(path: Path) -> State:
        if path == show:
            look.wait(20.0)
        return state_of(path)

    monkeypatch.setattr("engine.core.file_watch.state_of", state)
    object.__setattr__(workspace.services, "names", late)
    colour.choose_config(str(show))
    colour.edit("input space", input="Plate")
    colour.choose_view("Monitor", "Film")
    qtbot.waitUntil(lambda: colour.managed.input == "Plate" and colour.names is not None)
    before = shown(opened)
    look.set()
    qtbot.waitUntil(lambda: shown(opened) != before)
    qtbot.waitUntil(lambda: colour.managed.config is expect(Names, colour.names).config)


def last_view(window: MainWindow) -> View:
    """How the image of the last request is looked at."""
    return expect(Request, window.preview._last).view


def test_an_edited_config_shows_at_once(managed: MainWindow, show: Path, qtbot: Any):
    before, request = shown(managed), managed.preview.submit(managed.document.grade, last_view(managed))
    new = show.with_name("new")
    new.write_text(DARKER)
    new.replace(show)
    qtbot.waitUntil(lambda: shown(managed) != before)
    qtbot.waitUntil(lambda: last_view(managed).managed is managed.workspace.colour.managed)
    assert last_view(managed).ops != request.view.ops
    assert managed.workspace.colour.managed.input == "Plate"


def test_views_of_an_edited_config_are_offered(managed: MainWindow, show: Path, qtbot: Any):
    colour = managed.workspace.colour
    show.write_text(RENAMED)
    qtbot.waitUntil(lambda: colour.names is not None and colour.names.displays["Monitor"][0].name == "Television")
    assert colour.shown == ("Monitor", "Film")
    show.write_text(RENAMED.replace("Film", "Cinema"))
    qtbot.waitUntil(lambda: colour.shown == ("Monitor", "Television"))  # what was shown is gone: the default


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (SHOW[: len(SHOW) // 2], "has no colour space 'Plate'"),
        ("no config", "is not a valid config"),
        (SHOW.replace("name: Plate\n", "name: Negative\n"), "has no colour space 'Plate'"),
    ],
)
def test_a_broken_config_leaves_everything(managed: MainWindow, show: Path, qtbot: Any, broken: str, why: str):
    before, spaces = shown(managed), managed.workspace.colour.managed
    show.write_text(broken)
    qtbot.waitUntil(lambda: bool(managed.bar.text))
    assert managed.bar.text.startswith(f"{show}: ") and why in managed.bar.text and "\n" not in managed.bar.text
    assert shown(managed) == before and managed.workspace.colour.managed is spaces
    managed.workspace.colour.edit("working space", working="Plate Log")  # what is asked of it now, the last one answers
    qtbot.waitUntil(lambda: managed.workspace.colour.managed.working == "Plate Log")
    show.write_text(DARKER)
    qtbot.waitUntil(lambda: shown(managed) != before)
    qtbot.waitUntil(lambda: not managed.bar.text)


def test_a_config_that_was_never_sound_is_read_once_it_is(opened: MainWindow, show: Path, qtbot: Any):
    colour, text = opened.workspace.colour, show.read_text()
    show.write_text("broken")
    colour.choose_config(str(show))
    colour.edit("input space", input="Plate")
    qtbot.waitUntil(lambda: "is not a valid config" in opened.bar.text)
    qtbot.waitUntil(lambda: opened.workspace.disk.known)
    assert not colour.managed.converts
    show.write_text(text)
    qtbot.waitUntil(lambda: colour.managed.input == "Plate" and colour.names is not None)
    qtbot.waitUntil(lambda: not opened.bar.text)
    assert expect(Names, colour.names).config.name == "show" and opened.status.left.whole == "Reloaded config.ocio"


def test_a_config_that_is_chosen_again_is_read_again(opened: MainWindow, show: Path, qtbot: Any):
    """It was mended while another one was in use, and nobody looked at it."""
    colour, text = opened.workspace.colour, show.read_text()
    show.write_text("broken")
    colour.request_names()
    colour.choose_config(str(show))
    qtbot.waitUntil(lambda: "is not a valid config" in opened.bar.text)
    colour.choose_config("")
    qtbot.waitUntil(lambda: colour.names is not None and opened.workspace.jobs.active == 0)
    show.write_text(text)
    colour.choose_config(str(show))
    qtbot.waitUntil(lambda: colour.names is not None and colour.names.config.name == "show")


def test_a_config_that_goes_away_stays_in_use(managed: MainWindow, show: Path, qtbot: Any):
    before = shown(managed)
    show.unlink()
    looked_again(managed, qtbot)
    managed.workspace.colour.edit("working space", working="Plate Log")
    qtbot.waitUntil(lambda: managed.workspace.colour.managed.working == "Plate Log")
    assert shown(managed) == before and not managed.bar.text


def test_the_files_of_a_config(show: Path, tmp_path: Path):
    config = load_config(show)
    looks = [show.parent / "luts" / f"look_{name}.cc" for name in ("sc010", "sc020")]
    assert files_of(config) == (show, looks[0])
    assert files_of(config, ((), (("SHOT", "sc020"),))) == (show, *looks)
    assert files_of(load_config("cg-config-latest")) == ()
    assert files_of(load_config("raw")) == ()


def test_a_config_stays_what_it_was_until_it_is_sound_again(show: Path):
    before = load_config(show)
    show.write_text("broken")
    assert load_config(show) is before
    with pytest.raises(UnreadableFile, match=r"config\.ocio: is not a valid config: .*; correct it, or choose another"):
        reload_config(load_config(show), lambda _config: None)
    assert load_config(show) is before
    write_show(show.parent)
    again = reload_config(before, lambda config: config.resolve("Plate"))
    assert load_config(show) is again is not before


def test_images_of_a_config_that_was_read_again_are_other_ones(show: Path):
    setup = ColourSetup(str(show), "Plate")
    one = manage(setup, "a.exr")
    assert manage(setup, "a.exr") == one
    reload_config(load_config(show), lambda _config: None)
    assert manage(setup, "a.exr") != one


def test_names_that_are_held_are_read_when_they_are_released(opened: MainWindow, show: Path, qtbot: Any):
    colour = opened.workspace.colour
    opened.later.timer.stop()  # the window releases the names, too, once it has started
    colour.choose_config("")
    qtbot.waitUntil(lambda: opened.workspace.jobs.active == 0)
    colour.hold_names()
    colour.choose_config(str(show))
    colour.request_names()
    qtbot.waitUntil(lambda: opened.workspace.jobs.active == 0)
    assert colour.names is None
    colour.release_names()
    qtbot.waitUntil(lambda: colour.names is not None)
