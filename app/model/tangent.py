"""The protocol of Tangent's Hub, TIPC: packets of commands on TCP, and the file that names what panels can control.

A packet is its size and commands; a command is its number and its arguments. All are big-endian, of four bytes. The
names of the commands are those of Tangent's documentation (TUBE 3.8, TIPC revision 6).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from app.model.control_surface import number_targets
from engine.core.records import dataclass

PORT = 64246
INITIATE_COMMS, PARAMETER_CHANGE, PARAMETER_RESET, PARAMETER_VALUE_REQUEST = 0x01, 0x02, 0x03, 0x04
ACTION_ON, TRANSPORT = 0x08, 0x0A
_APPLICATION_DEFINITION, _PARAMETER_VALUE, _ALL_CHANGE = 0x81, 0x82, 0x84
_LAYOUTS = {
    PARAMETER_CHANGE: ">If",
    PARAMETER_RESET: ">I",
    PARAMETER_VALUE_REQUEST: ">I",
    0x05: ">Ii",
    0x06: ">I",
    0x07: ">I",
    ACTION_ON: ">I",
    0x09: ">I",
    TRANSPORT: ">ii",
    0x0B: ">I",
    0x35: ">II",
}
"""Arguments of the commands of the Hub, but for INITIATE_COMMS, whose size varies."""
LARGEST = 1 << 16
"""Size of a packet in bytes, at most; a larger one is not the Hub's."""
MODE = 0x00010001
_FIRST_ACTION, _FIRST_PARAMETER = 0x00020001, 0x00030001
STEP = 0.005
"""Change of a parameter by one step of a knob, where 1 is the whole range."""
COMMANDS = (
    *("undo", "redo", "play", "previous_frame", "next_frame", "first_frame", "last_frame"),
    *("entry_bypass", "entry_solo", "entry_reset", "versions_ab", "keep_version", "compare", "wipe", "fit", "actual"),
)
"""Commands of the window that buttons can give. Users' maps keep their places: new ones go to the end."""
ACTIONS = {_FIRST_ACTION + place: name for place, name in enumerate(COMMANDS)}
PARAMETERS = {_FIRST_PARAMETER + place: target for place, (target, _) in enumerate(number_targets())}
PARAMETER_IDS = {target: number for number, target in PARAMETERS.items()}


@dataclass(frozen=True)
class Command:
    """A command of the Hub; those of INITIATE_COMMS are the revision of the protocol and the number of panels."""

    number: int
    arguments: tuple[float, ...]


class Reader:
    """Splits the bytes that the Hub sends into commands."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def read(self, received: bytes) -> Iterator[Command]:
        """Add bytes and return the commands that are complete. Raises ValueError if they are not the Hub's."""
        self._bytes += received
        while len(self._bytes) >= 4:
            (size,) = struct.unpack_from(">I", self._bytes)
            if size > LARGEST:
                raise ValueError(f"a packet of {size} bytes")
            if len(self._bytes) < 4 + size:
                return
            packet = bytes(self._bytes[4 : 4 + size])
            del self._bytes[: 4 + size]
            yield from _commands(packet)


def _commands(packet: bytes) -> Iterator[Command]:
    """Return the commands of a packet, up to the first that is unknown or cut off."""
    at = 0
    while at + 4 <= len(packet):
        (number,) = struct.unpack_from(">I", packet, at)
        layout = ">II" if number == INITIATE_COMMS else _LAYOUTS.get(number)
        if layout is None or at + 4 + struct.calcsize(layout) > len(packet):
            return
        arguments = struct.unpack_from(layout, packet, at + 4)
        yield Command(number, arguments)
        at += 4 + struct.calcsize(layout) + (8 * arguments[1] if number == INITIATE_COMMS else 0)


def application_definition(name: str, folder: str, revision: int) -> bytes:
    """Return the packet that tells the Hub the name of the program and where the file of its controls is."""
    texts = [name, folder, "", *([""] if revision >= 7 else [])]
    packed = (text.encode() for text in texts)
    return _packet(struct.pack(">I", _APPLICATION_DEFINITION) + b"".join(struct.pack(">I", len(t)) + t for t in packed))


def parameter_value(parameter: int, value: float, at_default: bool) -> bytes:
    """Return the packet with the value of a parameter."""
    return _packet(struct.pack(">IIfI", _PARAMETER_VALUE, parameter, value, at_default))


def all_change() -> bytes:
    """Return the packet that lets the Hub ask for all values again."""
    return _packet(struct.pack(">I", _ALL_CHANGE))


def _packet(command: bytes) -> bytes:
    return struct.pack(">I", len(command)) + command


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def controls_xml(titles: Mapping[str, str]) -> str:
    """Return the file `controls.xml`, with the titles of the commands."""
    actions = [
        f'   <Action id="{number:#010x}"><Name>{_escaped(titles[name])}</Name></Action>'
        for number, name in ACTIONS.items()
        if name in titles
    ]
    names = dict(number_targets())
    parameters = [
        f'   <Parameter id="{number:#010x}"><Name>{_escaped(names[target])}</Name><MinValue>0</MinValue>'
        f"<MaxValue>1</MaxValue><StepSize>{STEP}</StepSize></Parameter>"
        for number, target in PARAMETERS.items()
    ]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
            '<TangentWave fileType="ControlSystem" fileVersion="3.0">',
            " <Capabilities>",
            '  <Jog enabled="true"/><Shuttle enabled="false"/><StatusDisplay lineCount="3"/>',
            " </Capabilities>",
            f' <Modes><Mode id="{MODE:#010x}"><Name>Grade</Name></Mode></Modes>',
            " <Controls>",
            '  <Group name="Grade">',
            *parameters,
            "  </Group>",
            '  <Group name="Commands">',
            *actions,
            "  </Group>",
            " </Controls>",
            " <DefaultGlobalSettings>",
            *(
                f'  <{each}Sensitivity std="1" alt="5"/>'
                for each in ("Knob", "JogDial", "Trackerball", "TrackerballDial")
            ),
            '  <IndependentPanelBanks enabled="false"/>',
            " </DefaultGlobalSettings>",
            "</TangentWave>",
            "",
        ]
    )
