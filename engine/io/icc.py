"""Reading of ICC profiles: primaries, transfer curve and code points of an RGB profile. Layout: ICC.1:2022."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import PRIMARIES, adaptation, to_xyz
from engine.core.records import dataclass

D50 = (0.9642, 1.0, 0.8249)
"""XYZ of the white point of the profile connection space: ICC.1:2022, 7.2.16."""
D65_TO_D50 = adaptation(to_xyz(PRIMARIES["rec709"]).sum(axis=1), np.array(D50))
"""Bradford's adaptation, assumed for profiles without a `chad` tag."""
ENCODED = np.linspace(0.0, 1.0, 257)
CLOSE = 2e-3
"""Tolerance for known curves, in linear values of 0..1."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class IccColours:
    """The colour space of an ICC profile.

    `primaries` are x and y of red, green, blue and white; None for a grey or table-based profile. `curve` is srgb, lin,
    itu709, g18, g22, g24 or g26, or '' for any other; `cicp` are code points of ITU-T H.273, or None.
    """

    primaries: tuple[float, ...] | None = None
    curve: str = ""
    cicp: tuple[int, ...] | None = None
    is_grey: bool = False


def read_icc(profile: bytes) -> IccColours:
    """Return the colour space of a profile; an empty IccColours if it is damaged or not made of a matrix and curves."""
    try:
        with np.errstate(all="ignore"):
            return _read(profile)
    except (struct.error, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
        return IccColours()


def _read(profile: bytes) -> IccColours:
    if profile[36:40] != b"acsp":
        return IccColours()
    (count,) = struct.unpack_from(">I", profile, 128)
    entries = [struct.unpack_from(">4sII", profile, 132 + 12 * number) for number in range(min(count, 100))]
    tags = {name: profile[offset : offset + size] for name, offset, size in entries}
    cicp = tuple(tags[b"cicp"][8:12]) if len(tags.get(b"cicp", b"")) >= 12 else None
    grey = profile[16:20] == b"GRAY"
    names = (b"kTRC",) if grey else (b"rTRC", b"gTRC", b"bTRC")
    if b"A2B0" in tags or not all(name in tags for name in names):  # tables take precedence over matrix and curves
        return IccColours(cicp=cicp)
    curves = {_named(_curve(tags[name])) for name in names}
    return IccColours(None if grey else _primaries(tags), curves.pop() if len(curves) == 1 else "", cicp, grey)


def _numbers(tag: bytes, count: int, at: int = 8) -> list[float]:
    return [value / 65536.0 for value in struct.unpack_from(f">{count}i", tag, at)]


def _primaries(tags: dict[bytes, bytes]) -> tuple[float, ...] | None:
    if not all(name in tags for name in (b"rXYZ", b"gXYZ", b"bXYZ")):
        return None
    columns = np.array([_numbers(tags[name], 3) for name in (b"rXYZ", b"gXYZ", b"bXYZ")]).T
    adapted = np.reshape(_numbers(tags[b"chad"], 9), (3, 3)) if b"chad" in tags else D65_TO_D50
    native = np.linalg.solve(adapted, np.column_stack([columns, np.array(D50)]))
    return tuple(float(value) for value in (native[:2] / native.sum(axis=0)).T.ravel())


def _curve(tag: bytes) -> Array:
    """Return the linear values for ENCODED: ICC.1:2022, 10.6 and 10.18."""
    if tag[:4] == b"para":
        return _parametric(tag)
    if tag[:4] != b"curv":
        raise ValueError
    (count,) = struct.unpack_from(">I", tag, 8)
    if count == 0:
        return ENCODED
    values = np.array(struct.unpack_from(f">{count}H", tag, 12), np.float64)
    if count == 1:
        return np.asarray(ENCODED ** (values[0] / 256.0))
    return np.interp(ENCODED, np.linspace(0.0, 1.0, count), values / 65535.0)


def _parametric(tag: bytes) -> Array:
    (kind,) = struct.unpack_from(">H", tag, 8)
    if kind > 4:
        raise ValueError
    given = _numbers(tag, (1, 3, 4, 5, 7)[kind], 12)
    g, a, b = (*given[:3], 1.0, 0.0)[:3] if kind else (given[0], 1.0, 0.0)
    c, d, e, f = 0.0, -b / a, 0.0, 0.0
    if kind == 2:
        e = f = given[3]
    elif kind == 3:
        c, d = given[3:]
    elif kind == 4:
        c, d, e, f = given[3:]
    power = np.maximum(a * ENCODED + b, 0.0) ** g + e
    return np.where(d <= ENCODED, power, c * ENCODED + f)


def _named(curve: Array) -> str:
    """Return the name of the known curve that matches this one, or ''."""
    known = {f"g{round(10 * gamma)}": ENCODED**gamma for gamma in (1.8, 2.2, 2.4, 2.6)}
    known["lin"] = ENCODED
    known["srgb"] = np.where(ENCODED <= 0.04045, ENCODED / 12.92, ((ENCODED + 0.055) / 1.055) ** 2.4)  # IEC 61966-2-1
    known["itu709"] = np.where(ENCODED < 0.081, ENCODED / 4.5, ((ENCODED + 0.099) / 1.099) ** (1 / 0.45))  # BT.709
    distances = {name: float(np.abs(curve - other).max()) for name, other in known.items()}
    nearest = min(distances, key=lambda name: distances[name])
    return nearest if distances[nearest] < CLOSE else ""
