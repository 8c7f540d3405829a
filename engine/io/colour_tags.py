"""Colour tags of files other than EXRs (chunks, profiles and header fields) as colorInteropIDs.

OpenImageIO reads the tags; this module decides which space they mean, because OpenImageIO ignores profiles, primaries
and some code points. Scene-referred IDs come first, as OpenImageIO names such files.
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.core.colorimetry import PRIMARIES

if TYPE_CHECKING:
    from engine.io.icc import IccColours

TAG, TAG_SPACES = "colourTag", "colourTag:spaces"
"""Metadata keys: a description of the tag, and the colorInteropIDs of the spaces that it may mean, the likeliest first.
The second key is only set where there are such spaces."""
CLOSE = 3e-3
"""Tolerance in x and y for known primaries."""
CICP_PRIMARIES = {1: "rec709", 9: "rec2020", 12: "p3d65"}
CICP_CURVES = {1: "g24", 6: "g24", 14: "g24", 15: "g24", 4: "g22", 8: "lin", 13: "srgb", 16: "pq", 17: "g26", 18: "hlg"}
"""Code points of ITU-T H.273. The camera curve of BT.709 and its equivalents stand for the display curve, BT.1886, as
the Color Interop Forum recommends."""
VIDEO = ("ITU-R 709-4", "SMPTE 274M")
DENSITY = ("Printing density", "Logarithmic")
"""DPX fields of SMPTE ST 268-1: high-definition video, both with BT.709's curve and primaries, and film scans."""
FILM_SPACES = ("KodakLog", "Cineon")
"""The names that configs use for the code values of film scans, which have no colorInteropID."""
JPEG_DEFAULT = "default of JPEG, sRGB"
PNG_DEFAULT = "default of PNG, sRGB"
MOST_CHUNKS = 1000
"""The number of PNG chunks that are searched for colour tags."""

Tag = tuple[str, tuple[str, ...]]


def colour_tag(path: Path, kind: str, spec: Any) -> dict[str, Any]:
    """Return the metadata TAG and TAG_SPACES for a file of format `kind` with this OpenImageIO `spec`.

    The result is empty if the file has no tag.
    """
    found = _code_points(spec) or _profile(spec) or _own(path, kind, spec)
    if found is None:
        return {}
    return {TAG: found[0], TAG_SPACES: list(found[1])} if found[1] else {TAG: found[0]}


def _own(path: Path, kind: str, spec: Any) -> Tag | None:
    """Return the tag in the format's own chunks or fields, apart from code points and profiles."""
    if kind == "png":
        return _png(path)
    if kind == "dpx":
        return _dpx(spec.get_string_attribute("dpx:Transfer"), spec.get_string_attribute("dpx:Colorimetric"))
    exif = spec.get_int_attribute("Exif:ColorSpace", 0)
    if exif == 1:
        return "Exif colour space sRGB", _both("srgb", "rec709")
    if exif:
        return "Exif colour space, which is uncalibrated", ()
    return (JPEG_DEFAULT, _both("srgb", "rec709")) if kind == "jpeg" else None


def _both(curve: str, gamut: str) -> tuple[str, ...]:
    """Return the scene-referred and the display-referred ID of a curve and primaries."""
    if not curve or not gamut:
        return ()
    if curve == "itu709":
        return (f"ocio:{curve}_{gamut}_scene",)
    return f"{curve}_{gamut}_scene", f"{curve}_{gamut}_display"


def spaces_of_code_points(primaries: int, transfer: int) -> tuple[str, ...]:
    """Return the colorInteropIDs that these primaries and this curve may mean, the likeliest first."""
    curve = CICP_CURVES.get(transfer, "")
    spaces = _both(curve, CICP_PRIMARIES.get(primaries, ""))
    return spaces[::-1] if curve in ("g24", "g26", "pq", "hlg") else spaces


def _of_cicp(points: tuple[int, ...]) -> tuple[str, ...]:
    primaries, transfer, matrix, full_range = points
    return spaces_of_code_points(primaries, transfer) if matrix == 0 and full_range == 1 else ()


def _code_points(spec: Any) -> Tag | None:
    points = spec.getattribute("CICP")
    if not isinstance(points, tuple) or len(points) != 4:
        return None
    return f"code points {'/'.join(map(str, points))} (CICP)", _of_cicp(points)


def _profile(spec: Any) -> Tag | None:
    data = spec.getattribute("ICCProfile")
    if data is None:
        return None
    name = " ".join(spec.get_string_attribute("ICCProfile:profile_description").split())[:60]
    from engine.io.icc import read_icc  # EXRs have no profiles

    found = read_icc(bytes(bytearray(data)))
    return f"ICC profile {name or 'without a name'}", _of_icc(found)


def _of_icc(found: IccColours) -> tuple[str, ...]:
    if found.cicp:
        return _of_cicp((*found.cicp[:2], 0, 1))
    return _both(found.curve, "rec709" if found.is_grey else gamut_of(found.primaries))


def gamut_of(primaries: tuple[float, ...] | None) -> str:
    """Return the name of these primaries and white point if they are known, else ''."""
    if primaries is None:
        return ""
    distances = {name: max(map(abs, _minus(primaries, known))) for name, known in PRIMARIES.items()}
    nearest = min(distances, key=lambda name: distances[name])
    return nearest if distances[nearest] < CLOSE else ""


def _minus(one: tuple[float, ...], other: tuple[float, ...]) -> list[float]:
    return [a - b for a, b in zip(one, other, strict=True)]


def _png(path: Path) -> Tag:
    """Return the tag of a PNG's chunks, in their order of precedence: W3C PNG, third edition, 4.3."""
    chunks = _png_chunks(path)
    if "sRGB" in chunks:
        return "sRGB chunk", _both("srgb", "rec709")
    if len(chunks.get("gAMA", b"")) != 4:
        return (PNG_DEFAULT, _both("srgb", "rec709")) if "cHRM" not in chunks else ("cHRM chunk without a curve", ())
    encoding = struct.unpack(">I", chunks["gAMA"])[0] / 100000
    gamma = 1.0 / encoding if encoding else math.inf
    curve = next(
        (name for name, one in (("lin", 1.0), ("g18", 1.8), ("g22", 2.2), ("g24", 2.4)) if _near(gamma, one)), ""
    )
    gamut, more = "rec709", ""
    if len(chunks.get("cHRM", b"")) == 32:
        white, *rgb = [tuple(v / 100000 for v in pair) for pair in struct.iter_unpack(">2I", chunks["cHRM"])]
        gamut, more = gamut_of(tuple(v for pair in (*rgb, white) for v in pair)), " and primaries"
    return f"gamma of {gamma:.3g}{more} (gAMA{', cHRM' if more else ''})", _both(curve, gamut)


def _near(gamma: float, known: float) -> bool:
    return abs(gamma - known) < 0.01


def _png_chunks(path: Path) -> dict[str, bytes]:
    """Return the colour chunks before the pixels."""
    chunks: dict[str, bytes] = {}
    try:
        with path.open("rb") as file:
            file.seek(8)
            for _ in range(MOST_CHUNKS):
                head = file.read(8)
                if len(head) < 8 or head[4:] == b"IDAT":
                    break
                size, name = struct.unpack(">I4s", head)
                if name in (b"sRGB", b"gAMA", b"cHRM"):
                    chunks[name.decode()] = file.read(min(size, 64))
                    size -= len(chunks[name.decode()])
                file.seek(size + 4, 1)
    except (OSError, ValueError):
        pass
    return chunks


def _dpx(transfer: str, primaries: str) -> Tag | None:
    """Return the tag of the fields for transfer and colorimetry. A curve without primaries names no space."""
    tag = f"DPX transfer {transfer}, colorimetry {primaries or 'Undefined'}"
    if transfer in DENSITY:
        return tag, FILM_SPACES
    if transfer in VIDEO and (primaries in VIDEO or not _is_defined(primaries)):
        return tag, _both("g24", "rec709")[::-1]
    if transfer == "Linear":
        return tag, _both("lin", "rec709") if primaries in VIDEO else ()
    return (tag, ()) if _is_defined(transfer) else None


def _is_defined(field: str) -> bool:
    return field not in ("", "Undefined", "User defined", "Unspecified video")
