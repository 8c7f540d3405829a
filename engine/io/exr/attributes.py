"""Conversion of raw EXR attributes to values that JSON can hold."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from typing import Any

from engine.core.file_errors import printable
from engine.io.exr.header import Attribute, RawHeader

STRUCTURE = frozenset(
    (
        *("channels", "compression", "dataWindow", "displayWindow", "lineOrder", "pixelAspectRatio", "tiles"),
        *("type", "name", "view", "chunkCount"),
    )
)
"""Attributes that have fields in PartInfo."""

MOST_FRAME = 39
"""The largest number of a frame in the timecode of an EXR."""
_TIMECODE = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)([:;])(\d\d)")
_RATE = re.compile(r"(\d{1,10})/(\d{1,10})")
_NUMBERS = {
    "int": "<i", "float": "<f", "double": "<d", "v2i": "<2i", "v2f": "<2f", "v2d": "<2d", "v3i": "<3i", "v3f": "<3f",
    "v3d": "<3d", "m33f": "<9f", "m33d": "<9d", "m44f": "<16f", "m44d": "<16d", "box2i": "<4i", "box2f": "<4f",
    "chromaticities": "<8f", "rational": "<iI", "timecode": "<2I", "keycode": "<7i",
}  # fmt: skip


def metadata(header: RawHeader) -> dict[str, Any]:
    """Return every attribute that is not in STRUCTURE."""
    return {
        printable(name): readable(attribute) for name, attribute in header.attributes.items() if name not in STRUCTURE
    }


def readable(attribute: Attribute) -> Any:
    """Return the value as a number, text or a list of either; for other types return a description."""
    kind, data = attribute.type, attribute.data
    try:
        if kind in _NUMBERS:
            return _numbers(struct.unpack(_NUMBERS[kind], data), kind)
        if kind == "string":
            return data.decode("utf-8", "replace")
        if kind == "stringvector":
            return _texts(data)
        if kind == "envmap":
            return ("latlong", "cube")[data[0]]
        if kind == "preview":
            width, height = struct.unpack_from("<2I", data)
            return f"{width} x {height} pixels"
    except (struct.error, IndexError):
        return f"damaged {kind}"
    return f"{kind}, {len(data)} bytes"


def _numbers(values: tuple[Any, ...], kind: str) -> Any:
    if kind == "timecode":
        return _timecode(values[0])
    clean = [v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in values]
    if kind == "rational":
        return f"{clean[0]}/{clean[1]}"
    return clean[0] if len(clean) == 1 else clean


def _timecode(packed: int) -> str:
    """Return hh:mm:ss:ff, or hh:mm:ss;ff for drop-frame timecode (SMPTE 12M, packed for 60-field TV)."""

    def digits(shift: int, tens_mask: int) -> int:
        return (packed >> shift & 15) + 10 * (packed >> (shift + 4) & tens_mask)

    frame, second, minute, hour = digits(0, 3), digits(8, 7), digits(16, 7), digits(24, 3)
    return f"{hour:02}:{minute:02}:{second:02}{';' if packed >> 6 & 1 else ':'}{frame:02}"


def timing(metadata: Mapping[str, Any]) -> dict[str, Attribute]:
    """Return the attributes for the timecode and the rate in metadata, as far as EXR can hold them."""
    found = {}
    match = _TIMECODE.fullmatch(str(metadata.get("timeCode", "")))
    if match is not None and int(match[5]) <= MOST_FRAME:
        packed = int(match[4] == ";") << 6
        for shift, number in ((0, 5), (8, 3), (16, 2), (24, 1)):
            tens, ones = divmod(int(match[number]), 10)
            packed |= (tens << 4 | ones) << shift
        found["timeCode"] = Attribute("timecode", struct.pack("<2I", packed, 0))
    match = _RATE.fullmatch(str(metadata.get("framesPerSecond", "")))
    if match is not None and int(match[2]) and max(int(match[1]), int(match[2])) < 1 << 31:
        found["framesPerSecond"] = Attribute("rational", struct.pack("<iI", int(match[1]), int(match[2])))
    return found


def _texts(data: bytes) -> list[str]:
    texts, position = [], 0
    while position < len(data):
        (length,) = struct.unpack_from("<i", data, position)
        if length < 0:
            raise IndexError
        texts.append(data[position + 4 : position + 4 + length].decode("utf-8", "replace"))
        position += 4 + length
    return texts


def number(header: RawHeader, name: str, default: float) -> float:
    """Return the value of a float attribute, or `default`."""
    found = header.attributes.get(name)
    if found is None or found.type != "float" or len(found.data) != 4:
        return default
    return float(struct.unpack("<f", found.data)[0])
