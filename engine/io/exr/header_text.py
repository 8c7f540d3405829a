"""Headers as lines of text, for comparison by eye."""

from __future__ import annotations

from engine.errors import escaped
from engine.io.exr.attributes import metadata
from engine.io.exr.header import RawHeader

LONGEST = 160
"""The number of characters shown of a value."""


def header_lines(headers: list[RawHeader]) -> list[str]:
    """Return the lines of all parts: channels, structure, attributes."""
    lines = []
    for number, header in enumerate(headers):
        name = header.text("name")
        lines.append(f"part {number}{f' {name}' if name else ''}")
        lines += [f"  {line}" for line in _structure(header)]
        lines += [f"  {name} = {_short(value)}" for name, value in metadata(header).items()]
    return [escaped(line) for line in lines]


def _structure(header: RawHeader) -> list[str]:
    tiles = header.tiles
    lines = [f"channel {c.name} {c.type}{_spacing(c.x_sampling, c.y_sampling)}" for c in header.channels]
    for window in ("dataWindow", "displayWindow"):
        x0, y0, x1, y1 = header.box(window)
        lines.append(f"{window} = ({x0}, {y0}) - ({x1}, {y1}), {x1 - x0 + 1} x {y1 - y0 + 1}")
    lines += [f"compression = {header.compression}", f"lineOrder = {header.line_order}"]
    mode = ("", ", mip levels", ", rip levels")[tiles[2]] if tiles else ""
    lines.append(f"storage = tiles of {tiles[0]} x {tiles[1]}{mode}" if tiles else "storage = scanlines")
    view = header.text("view")
    return [*lines, *([f"view = {view}"] if view else [])]


def _spacing(x: int, y: int) -> str:
    return "" if (x, y) == (1, 1) else f" every {x} x {y} pixels"


def _short(value: object) -> str:
    text = "".join(c if c.isprintable() else " " for c in str(value))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
