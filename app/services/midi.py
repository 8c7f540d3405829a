"""Input from a MIDI port, through python-rtmidi if it is installed."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.model.control_surface import Control, movement
from app.services.jobs import Jobs
from app.services.settings import Settings
from engine.core.records import dataclass

PORT = "midi_port"
"""The setting for the name of the port; '' for none."""
POLL_MS = 8
MISSING = "python-rtmidi is not installed: pip install 'tessera[midi]'"
_CLIENT = "Tessera"
_NUMBERS = re.compile(r" \d+:\d+$")
"""Numbers that ALSA gives a port anew each time it is plugged in."""


@dataclass(frozen=True)
class Found:
    """The ports of the system, and the open input of the chosen one, if it is there."""

    ports: tuple[str, ...] = ()
    input: Any = None
    problem: str = ""


def find(port: str) -> Found:
    """Look for ports and open the one named `port`. Slow: for a thread."""
    try:
        import rtmidi
    except ImportError:
        return Found(problem=MISSING)
    names: list[str] = []
    opened = None
    problem = "This system has no MIDI server; on Linux, that is ALSA's sequencer or JACK."
    for api in rtmidi.get_compiled_api():
        try:
            client = rtmidi.MidiIn(api, name=_CLIENT)
        except rtmidi.RtMidiError:
            continue  # the server of this API does not run
        problem = ""
        found = [_NUMBERS.sub("", name) for name in client.get_ports()]
        names += [name for name in found if name not in names]
        if opened is None and port in found and _opens(client, found.index(port)):
            opened = client
        else:
            client.delete()
    if opened is None and port in names:
        problem = f"{port} can't be opened; another program may use it."
    return Found(tuple(names), opened, problem)


def _opens(client: Any, port: int) -> bool:
    """Open a port of a client; return whether that succeeded."""
    import rtmidi

    try:
        client.open_port(port, name="input")
    except rtmidi.RtMidiError:
        return False
    return True


class Midi(QObject):
    """The input from the MIDI port in the settings. Emits the positions of each control since the last turn."""

    moved = Signal(object, tuple)  # Control, positions from 0 to 1, oldest first
    changed = Signal()  # ports, or whether the port is open

    def __init__(self, settings: Settings, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._settings, self._jobs = settings, jobs
        self._input: Any = None
        self.ports: tuple[str, ...] = ()
        self.problem = ""
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._poll)
        if self.port:
            self.refresh()

    @property
    def port(self) -> str:
        """The name of the chosen port; '' for none."""
        return self._settings.get(PORT, "")

    @property
    def connected(self) -> bool:
        """Whether the chosen port is open."""
        return self._input is not None

    def choose(self, port: str) -> None:
        """Use another port; '' for none."""
        self._settings.set(PORT, port)
        self.refresh()

    def refresh(self) -> None:
        """Look for ports again, on a thread, and open the chosen one."""
        self.close()
        self._jobs.latest(self, PORT, partial(find, self.port), self._take, lambda _line: None)

    def close(self) -> None:
        """Close the port."""
        self._timer.stop()
        if self._input is not None:
            self._input.close_port()
            self._input.delete()
            self._input = None

    def _take(self, found: Found) -> None:
        self.ports, self._input, self.problem = found.ports, found.input, found.problem
        if self._input is not None:
            self._timer.start()
        self.changed.emit()

    def _poll(self) -> None:
        """Emit the messages that have arrived, one signal for each control."""
        moved: dict[Control, list[float]] = {}
        while self._input is not None and (received := self._input.get_message()) is not None:
            found = movement(received[0])
            if found is not None:
                moved.setdefault(found[0], []).append(found[1])
        for control, positions in moved.items():
            self.moved.emit(control, tuple(positions))
