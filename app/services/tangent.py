"""The connection to Tangent's Hub, which drives Tangent's panels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.model import tangent
from app.model.tangent import Command, Reader
from app.services.jobs import Jobs
from app.services.settings import Settings
from engine.core.atomic import write_text

if TYPE_CHECKING:
    from PySide6.QtNetwork import QTcpSocket

ENABLED = "tangent"
"""The setting for whether the window connects to the Hub."""
NAME = "Tessera"
RETRY_MS = 5000
"""Interval at which the Hub is looked for while it does not run."""
CHANGE_MS = 100
"""Least interval between messages to the Hub that values have changed."""


class Tangent(QObject):
    """Turns the commands of the Hub into signals, and sends values to it. It connects again when the Hub comes back."""

    turned = Signal(str, float)  # target, change of its position
    reset = Signal(str)  # target
    asked = Signal(str)  # target whose position the Hub shows
    pressed = Signal(str)  # command of the window
    jogged = Signal(int)  # frames
    changed = Signal()  # whether it is enabled or connected

    def __init__(
        self, settings: Settings, jobs: Jobs, controls: str, parent: QObject, port: int = tangent.PORT
    ) -> None:
        """`controls` is the content of the file that names what panels can control."""
        super().__init__(parent)
        self._settings, self._jobs, self._controls, self._port = settings, jobs, controls, port
        self._reader = Reader()
        self._socket: QTcpSocket | None = None  # made when first needed, since its module takes a while to import
        self._retry = QTimer(self, interval=RETRY_MS)
        self._retry.timeout.connect(self._connect)
        self._change = QTimer(self, interval=CHANGE_MS, singleShot=True)
        self._change.timeout.connect(lambda: self._send(tangent.all_change()))
        self.panels = 0
        if self.enabled:
            self._start()

    @property
    def enabled(self) -> bool:
        """Whether the window connects to the Hub."""
        return self._settings.folder is not None and self._settings.get(ENABLED, False)

    @property
    def connected(self) -> bool:
        """Whether the Hub is there."""
        return self._socket is not None and self._socket.state() == self._socket.SocketState.ConnectedState

    def enable(self, on: bool) -> None:
        """Connect to the Hub from now on, or no longer."""
        self._settings.set(ENABLED, on)
        if on:
            self._start()
        else:
            self.close()
        self.changed.emit()

    def close(self) -> None:
        """End the connection."""
        self._retry.stop()
        if self._socket is not None:
            self._socket.abort()

    def send_value(self, target: str, position: float, at_default: bool) -> None:
        """Send the position of a target."""
        self._send(tangent.parameter_value(tangent.PARAMETER_IDS[target], position, at_default))

    def values_changed(self) -> None:
        """Let the Hub ask for the values that it shows, soon."""
        if self.connected and not self._change.isActive():
            self._change.start()

    def _start(self) -> None:
        self._retry.start()
        self._connect()

    def _connect(self) -> None:
        from PySide6.QtNetwork import QTcpSocket

        if self._socket is None:
            self._socket = QTcpSocket(self)
            self._socket.readyRead.connect(self._read)
            self._socket.stateChanged.connect(self._follow)
        if self._socket.state() == QTcpSocket.SocketState.UnconnectedState:
            self._reader = Reader()
            self._socket.connectToHost("127.0.0.1", self._port)

    def _follow(self, _state: object) -> None:
        self.changed.emit()

    def _send(self, packet: bytes) -> None:
        if self._socket is not None and self.connected:
            self._socket.write(packet)

    def _read(self) -> None:
        assert self._socket is not None
        try:
            for command in self._reader.read(bytes(self._socket.readAll().data())):
                self._obey(command)
        except ValueError:
            self._socket.abort()  # another program uses the port

    def _obey(self, command: Command) -> None:
        arguments, target = command.arguments, tangent.PARAMETERS.get(int(command.arguments[0]))
        match command.number:
            case tangent.INITIATE_COMMS:
                self.panels = int(arguments[1])
                self._introduce(int(arguments[0]))
            case tangent.PARAMETER_CHANGE if target:
                self.turned.emit(target, arguments[1])
            case tangent.PARAMETER_RESET if target:
                self.reset.emit(target)
            case tangent.PARAMETER_VALUE_REQUEST if target:
                self.asked.emit(target)
            case tangent.ACTION_ON if arguments[0] in tangent.ACTIONS:
                self.pressed.emit(tangent.ACTIONS[int(arguments[0])])
            case tangent.TRANSPORT:
                self.jogged.emit(int(arguments[0]))

    def _introduce(self, revision: int) -> None:
        """Write the file of the controls, then tell the Hub where it is."""
        assert self._settings.folder is not None
        folder = self._settings.folder / "tangent"
        packet = tangent.application_definition(NAME, str(folder), revision)
        work = partial(_write, folder / "controls.xml", self._controls)
        self._jobs.write(folder, work, lambda _: self._send(packet), lambda _line: None, self)
        self.changed.emit()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, text)
