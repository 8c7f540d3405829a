"""`tessera` without a command, which opens the window."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import app.shell
from tests.app.command_line import run, write_exr


@pytest.fixture
def window(monkeypatch):
    """Stands in for app.shell.start; gathers what `run` is called with, once the process is prepared."""
    calls = []
    prepared: list[bool] = []

    def called(*given):
        assert prepared.pop()
        calls.append(given)
        return 0

    fake = SimpleNamespace(run=called)
    monkeypatch.setitem(sys.modules, "app.shell.start", fake)
    monkeypatch.setattr(app.shell, "start", fake, raising=False)
    monkeypatch.setattr("app.shell.loading.prepare_process", lambda: prepared.append(True))  # for its life
    monkeypatch.setattr("app.services.read_ahead.ReadAhead", lambda image: ("reading", image))
    monkeypatch.setenv("DISPLAY", ":0")
    return calls


def test_no_command_opens_the_window(window, shot):
    assert run() == 0
    assert run(shot, "--backend", "cpu", "--threads", "3") == 0
    assert window == [(None, "auto", 0, None), (shot, "cpu", 3, ("reading", shot))]


def test_a_sequence_is_opened_by_its_first_frame(window, tmp_path, capsys):
    for frame in (7, 8, 12):
        write_exr(tmp_path / f"s.{frame:04}.exr", 8, 6)
    for name, frame in (("s.####.exr", 7), ("s.8-12#.exr", 8)):
        assert run(tmp_path / name) == 0
        assert window.pop()[0] == tmp_path / f"s.{frame:04}.exr"
    assert run(tmp_path / "none.####.exr") == 1
    assert "none.####.exr: does not exist" in capsys.readouterr().err


def test_a_missing_image_opens_no_window(window, capsys):
    assert run("gone.exr") == 1
    assert capsys.readouterr().err == "tessera: gone.exr: does not exist; check the name\n"
    assert window == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a display is a matter of DISPLAY on Linux only")
def test_without_a_display_the_window_says_so(window, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert run() == 1
    assert "no display" in capsys.readouterr().err
    assert window == []
