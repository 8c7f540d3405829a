"""Grades as the model knows them: plain values, and how files describe them.

Nothing here is the engine's: the formats of files are written a second time, from their descriptions.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Body = tuple[Any, ...]
"""(operation, its fields) or ("file", path, interpolation, Content)."""


@dataclass(frozen=True)
class Content:
    """What a LUT or CDL file held: ("cube", gain) or ("cdl", its body), and which write of it was read, if known."""

    kind: str
    held: Any
    stamp: int | None = field(default=None, compare=False)


class Entry(NamedTuple):
    body: Body
    enabled: bool = True
    mix: float = 1.0
    solo: bool = False


class Grade(NamedTuple):
    """`colour` are the fields of the colour setup that differ from their defaults."""

    entries: tuple[Entry, ...] = ()
    colour: tuple[tuple[str, str], ...] = ()

    def with_bodies(self, change: Callable[[Body], Body]) -> Grade:
        return Grade(tuple(entry._replace(body=change(entry.body)) for entry in self.entries), self.colour)


def op(name: str, **fields: Any) -> Body:
    """The body of an operation that has its defaults but for these fields."""
    assert set(fields) <= set(DEFAULTS[name])
    return name, tuple(sorted((DEFAULTS[name] | fields).items()))


DEFAULTS: dict[str, dict[str, Any]] = {
    "Exposure": {"stops": 0.0},
    "Saturation": {"saturation": 1.0},
    "Contrast": {"contrast": 1.0, "pivot": 0.18},
    "Cdl": {
        "slope": (1.0, 1.0, 1.0),
        "offset": (0.0, 0.0, 0.0),
        "power": (1.0, 1.0, 1.0),
        "saturation": 1.0,
        "style": "noclamp",
        "direction": "forward",
    },
}
"""What each operation has when it is new."""
NEW = Grade((Entry(op("Exposure")), Entry(op("Cdl"))))
"""What a new document starts with."""


def with_fields(body: Body, **fields: Any) -> Body:
    return op(body[0], **(dict(body[1]) | fields))


# -- the files of LUTs and CDLs


def cube_text(gain: float) -> str:
    """A 3D LUT that multiplies 0..1; choose a gain that float32 holds."""
    corners = [(r * gain, g * gain, b * gain) for b in (0, 1) for g in (0, 1) for r in (0, 1)]
    return "LUT_3D_SIZE 2\n" + "".join(f"{r:.9g} {g:.9g} {b:.9g}\n" for r, g, b in corners)


def cdl_text(corrections: list[Body]) -> str:
    """A collection of bodies of CDLs."""
    return (
        "<ColorCorrectionCollection>"
        + "".join(map(_correction, range(len(corrections)), corrections))
        + ("</ColorCorrectionCollection>\n")
    )


def _correction(number: int, body: Body) -> str:
    fields = dict(body[1])
    slope, offset, power = (" ".join(map(repr, fields[name])) for name in ("slope", "offset", "power"))
    return (
        f'<ColorCorrection id="c{number}"><SOPNode><Slope>{slope}</Slope><Offset>{offset}</Offset>'
        f"<Power>{power}</Power></SOPNode><SatNode><Saturation>{fields['saturation']!r}</Saturation></SatNode>"
        "</ColorCorrection>"
    )


# -- grades as JSON


def grade_json(grade: Grade) -> dict[str, Any]:
    """A grade as somebody else would write it; without LUTs."""
    entries = []
    for entry in grade.entries:
        assert entry.body[0] != "file"
        inner = {"op": entry.body[0], **dict(entry.body[1])}
        entries.append({"entry": inner, "enabled": entry.enabled, "mix": entry.mix, "solo": entry.solo})
    data: dict[str, Any] = {"tessera": "grade", "version": 2, "entries": entries}
    return data | ({"colour": dict(grade.colour)} if grade.colour else {})


def grade_from(data: dict[str, Any]) -> Grade:
    """The grade that Tessera described."""
    colour = {name: value for name, value in data.get("colour", {}).items() if value}
    return Grade(tuple(map(_entry_from, data["entries"])), tuple(sorted((k, str(v)) for k, v in colour.items())))


def _entry_from(data: dict[str, Any]) -> Entry:
    if "entry" in data:
        return Entry(_body_from(data["entry"]), data["enabled"], data["mix"], data["solo"])
    return Entry(_body_from(data))


def _body_from(data: dict[str, Any]) -> Body:
    if "file" in data:
        return "file", data["file"], data["interpolation"], _content_of(data["ops"])
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items() if name != "op"}
    return data["op"], tuple(sorted(fields.items()))


def _content_of(ops: list[dict[str, Any]]) -> Content:
    if len(ops) == 1 and ops[0]["op"] == "Cdl":
        return Content("cdl", _body_from(ops[0]))
    (lut,) = ops
    assert lut["op"] == "Lut3d" and lut["cube"]["shape"] == [2, 2, 2, 3], lut
    found = struct.unpack("<24f", zlib.decompress(base64.b64decode(lut["cube"]["float32"])))
    gain = found[-1]
    wanted = [gain * (at >> (2 - channel) & 1) for at in range(8) for channel in range(3)]
    assert list(found) == wanted, found
    return Content("cube", gain)
