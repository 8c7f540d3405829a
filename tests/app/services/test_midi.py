"""MIDI through JACK, without hardware: skipped where jackd or python-rtmidi is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from PySide6.QtCore import QObject

from app.model.control_surface import Control
from app.services import midi
from app.services.jobs import Jobs
from app.services.midi import PORT, Midi
from app.services.settings import Settings

SERVER = f"tessera_test_{os.getpid()}"


@pytest.fixture
def jack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A JACK server without a sound card, and the module rtmidi."""
    rtmidi = pytest.importorskip("rtmidi", reason="python-rtmidi is not installed")
    if shutil.which("jackd") is None or rtmidi.API_UNIX_JACK not in rtmidi.get_compiled_api():
        pytest.skip("jackd, or JACK in python-rtmidi, is missing")
    monkeypatch.setenv("JACK_DEFAULT_SERVER", SERVER)
    monkeypatch.setenv("JACK_NO_START_SERVER", "1")
    words = ["jackd", "--no-realtime", "--no-mlock", "--name", SERVER, "-d", "dummy", "-r", "48000", "-p", "256"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield rtmidi
    server.terminate()
    try:
        server.communicate(timeout=0.5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()


def sender_of(rtmidi: Any, qtbot: Any) -> Any:
    """Return the output of a surface, once the server has started."""
    found: list[Any] = []

    def try_it() -> bool:
        try:
            found.append(rtmidi.MidiOut(rtmidi.API_UNIX_JACK, name="surface"))
        except rtmidi.RtMidiError:
            return False
        return True

    qtbot.waitUntil(try_it)
    found[0].open_virtual_port("knobs")
    return found[0]


def test_controls_arrive_through_jack(jack: Any, qtbot: Any):
    sender = sender_of(jack, qtbot)
    top, jobs = QObject(), Jobs()
    settings = Settings(None, jobs, top)
    settings.set(PORT, "surface:knobs")
    with patch.object(jack, "get_compiled_api", lambda: [jack.API_UNIX_JACK]):
        port = Midi(settings, jobs, top)
        qtbot.waitUntil(lambda: port.connected)
    assert "surface:knobs" in port.ports
    moved: list[Any] = []
    port.moved.connect(lambda control, positions: moved.append((control, positions)))

    def arrives() -> bool:
        """Whether a message has arrived; sends one, as JACK may lose those of its first cycles under load."""
        sender.send_message([0xB0, 7, 127])
        return bool(moved)

    qtbot.waitUntil(arrives)
    assert {control for control, _positions in moved} == {Control("cc", 1, 7)}
    assert {position for _control, positions in moved for position in positions} == {1.0}
    with qtbot.waitSignal(port.changed):  # else a client of JACK waits for the server that ends
        port.choose("")
    assert not port.connected
    port.close()
    sender.delete()
    jobs.close()


def test_a_port_that_is_missing_is_said(qtbot: Any):
    top, jobs = QObject(), Jobs()
    with patch.dict("sys.modules", rtmidi=None):
        assert midi.find("knobs").problem == midi.MISSING
        port = Midi(Settings(None, jobs, top), jobs, top)
        port.choose("knobs")
        qtbot.waitUntil(lambda: port.problem == midi.MISSING)
    assert not port.connected
    jobs.close()
