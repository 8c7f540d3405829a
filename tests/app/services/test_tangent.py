"""The protocol of Tangent's Hub, byte by byte, against a server that stands for the Hub; no panel was used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QObject
from PySide6.QtNetwork import QHostAddress, QTcpServer

from app.model.tangent import COMMANDS, Command, Reader, controls_xml
from app.services.jobs import Jobs
from app.services.settings import Settings
from app.services.tangent import Tangent

HELLO = bytes.fromhex("00000014 00000001 00000006 00000001 0000000c 000a0001")
"""INITIATE_COMMS: revision 6, one panel, an Element-Tk."""
TURN = bytes.fromhex("0000000c 00000002 00030001 3ba3d70a")
"""PARAMETER_CHANGE: the first slider, by 0.005."""
REST = bytes.fromhex(
    "00000008 00000003 00030002"  # PARAMETER_RESET
    "00000008 00000004 00030009"  # PARAMETER_VALUE_REQUEST
    "00000008 00000008 00020003 00000008 0000000b 00020003"  # ACTION_ON, ACTION_OFF
    "0000000c 0000000a fffffffe 00000000"  # TRANSPORT
    "00000008 00000077 00000000"  # none that is known
    "00000008 00000004 00099999"  # of no parameter
)


class Hub:
    """A server, and what it has received."""

    def __init__(self) -> None:
        self.server = QTcpServer()
        assert self.server.listen(QHostAddress("127.0.0.1"))
        self.received = b""
        self.server.newConnection.connect(self._accept)
        self.socket: Any = None

    def _accept(self) -> None:
        self.socket = self.server.nextPendingConnection()
        self.socket.readyRead.connect(self._read)

    def _read(self) -> None:
        self.received += self.socket.readAll().data()


@pytest.fixture
def jobs(qapp: Any) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def test_packets_arrive_in_any_pieces():
    reader = Reader()
    found = [command for byte in HELLO + TURN for command in reader.read(bytes([byte]))]
    assert found[0] == Command(1, (6, 1)) and len(found) == 2
    assert found[1].number == 2 and found[1].arguments == pytest.approx((0x30001, 0.005))


def test_a_packet_of_several_commands_and_one_cut_off():
    two = bytes.fromhex("00000018 00000008 00020001 0000000b 00020001 00000002 00030001")
    assert list(Reader().read(two)) == [Command(8, (0x20001,)), Command(11, (0x20001,))]


def test_bytes_of_another_program_are_refused():
    with pytest.raises(ValueError):
        list(Reader().read(b"HTTP/1.1 400"))


def test_controls_of_panels_are_named():
    names = dict.fromkeys(COMMANDS, "Undo & more")
    tree = ElementTree.fromstring(controls_xml(names).encode())
    assert tree.tag == "TangentWave" and tree.get("fileType") == "ControlSystem"
    parameters = {each.get("id"): each.findtext("Name") for each in tree.iter("Parameter")}
    assert parameters["0x00030001"] == "Slider 1 of the selected entry" and len(parameters) == 23
    actions = {each.get("id"): each.findtext("Name") for each in tree.iter("Action")}
    assert actions["0x00020001"] == "Undo & more" and len(actions) == len(COMMANDS)


def test_the_hub_and_the_window(jobs: Jobs, tmp_path: Path, qtbot: Any):
    hub, top = Hub(), QObject()
    tangent = Tangent(Settings(tmp_path, jobs, top), jobs, "<controls/>", top, hub.server.serverPort())
    heard: list[Any] = []
    for signal in (tangent.turned, tangent.reset, tangent.asked, tangent.pressed, tangent.jogged):
        signal.connect(lambda *what: heard.append(what))
    assert not tangent.enabled
    tangent.enable(True)
    qtbot.waitUntil(lambda: hub.socket is not None and tangent.connected)
    hub.socket.write(HELLO)
    folder = str(tmp_path / "tangent").encode()
    definition = bytes.fromhex("00000081 00000007") + b"Tessera" + len(folder).to_bytes(4, "big") + folder + bytes(4)
    qtbot.waitUntil(lambda: hub.received == len(definition).to_bytes(4, "big") + definition)
    assert tangent.panels == 1 and (tmp_path / "tangent" / "controls.xml").read_text() == "<controls/>"
    hub.socket.write(TURN + REST)
    qtbot.waitUntil(lambda: len(heard) == 5)
    assert heard == [("slider 1", pytest.approx(0.005)), ("slider 2",), ("wheel 1 x",), ("play",), (-2,)]
    hub.received = b""
    tangent.send_value("slider 1", 0.5, True)
    tangent.values_changed()
    tangent.values_changed()
    sent = bytes.fromhex("00000010 00000082 00030001 3f000000 00000001 00000004 00000084")
    qtbot.waitUntil(lambda: hub.received == sent)
    hub.socket.write(b"HTTP/1.1 400")
    qtbot.waitUntil(lambda: not tangent.connected)
    tangent.enable(False)
    assert not tangent.enabled
