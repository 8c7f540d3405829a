"""Qualifiers made from colours that are picked on the canvas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.grade_rows import siblings
from app.model.view_ops import grade_ops
from engine import Grade, ops
from engine.color.management import Managed
from engine.core.colorimetry import LUMA
from engine.grade.entries import Entry, Layer
from engine.grade.masking import Masked
from engine.kernel.op import Op
from engine.kernel.pixel import Vec
from engine.mattes import encodings
from engine.mattes.qualifiers import DARKEST, MOST_SAMPLES, NEUTRAL, HslQualifier, Key3d, spread
from engine.mattes.tree import Leaf, Matte

STROKE_SAMPLES = 8
"""The most samples that one stroke adds to a 3D key."""
HUE_MARGIN, SATURATION_MARGIN, LUMA_MARGIN = 5.0, 0.04, 0.02
"""What the ranges of a qualifier reach beyond the picked colours: degrees, and shares."""
FULL_TURN = 360.0
MOST_SATURATION, MOST_LUMA = 1.0, 1.5
"""The upper ends of the sliders of a qualifier, which stand for no limit."""
Colours = NDArray[np.float64]


def ops_to_key(managed: Managed, grade: Grade, path: tuple[int, ...], source: HslQualifier | Key3d) -> tuple[Op, ...]:
    """Return the ops from the values of the image to the colours that a qualifier of the entry at a path reads."""
    mark = Layer(ops.Exposure(1.0), matte=Matte(Leaf(Key3d(added=((0.5, 0.5, 0.5),), input=source.input))))
    marked = grade.with_entries((*_before(grade.without_solo(), path), mark))
    found = grade_ops(managed, marked)
    at = max(place for place, op in enumerate(found) if isinstance(op, Masked))  # conversions may follow it
    cover = found[at].cover  # type: ignore[attr-defined]
    return cover.source if source.input == "source" else (*found[:at], *cover.entry)


def _before(grade: Grade, path: tuple[int, ...]) -> tuple[Entry, ...]:
    """Return the entries that run before the one at a path, those of the groups around it included."""
    return tuple(entry for depth, at in enumerate(path) for entry in siblings(grade, path[:depth])[:at])


def with_samples(key: Key3d, colours: Colours, removes: bool = False) -> Key3d:
    """Return a 3D key with samples of some colours (n, 3) added, or added to those that it leaves out.

    There are at most STROKE_SAMPLES of them, and fewer if the key has hardly any left.
    """
    left = MOST_SAMPLES - len(key.added) - len(key.removed)
    found = spread(colours, min(left, STROKE_SAMPLES))
    field = "removed" if removes else "added"
    return key.replace(**{field: (*getattr(key, field), *found)})


def with_ranges(qualifier: HslQualifier, colours: Colours, extends: bool = False) -> HslQualifier:
    """Return a qualifier whose ranges are those of some colours (n, 3), with its softness; as it is without colours.

    With `extends`, the ranges grow to include the colours.
    """
    colours = colours[np.isfinite(colours).all(axis=1)]
    if not len(colours):
        return qualifier
    hues, saturations, lumas = hsl_of(colours, qualifier.encoding)
    spans = (saturations, SATURATION_MARGIN, MOST_SATURATION), (lumas, LUMA_MARGIN, MOST_LUMA)
    ends = [_ends(values, margin, most) for values, margin, most in spans]
    center, width = _arc(hues[saturations > NEUTRAL])
    if extends:
        old = qualifier.saturation[:2], qualifier.luma[:2]
        ends = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(ends, old, strict=True)]
        center, width = _joined((center, width), qualifier.hue[:2])
    return qualifier.replace(
        hue=(center, width, qualifier.hue[2]),
        saturation=(*ends[0], *qualifier.saturation[2:]),
        luma=(*ends[1], *qualifier.luma[2:]),
    )


def hsl_of(colours: Colours, encoding: str) -> tuple[Colours, Colours, Colours]:
    """Return hue in degrees, saturation and luma of colours (n, 3), as `HslQualifier` measures them."""
    linear = encodings.bounded(Vec(tuple(colours.T)))
    rgb: Any = encodings.encoded(linear, encoding)
    red, green, blue = (np.asarray(channel, np.float64) for channel in rgb)
    most, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    hue = np.degrees(np.arctan2(math.sqrt(3.0) * (green - blue), 2.0 * red - green - blue)) % FULL_TURN
    saturation = np.minimum((most - least) / np.maximum(most, DARKEST), 1.0)
    weighted = sum(weight * np.asarray(channel) for weight, channel in zip(LUMA, linear, strict=True))
    log = red * LUMA[0] + green * LUMA[1] + blue * LUMA[2]
    luma = log if encoding == "log" else np.asarray(encodings.encoded(weighted, "log"), np.float64)
    return hue, saturation, luma


def _ends(values: Colours, margin: float, most: float) -> tuple[float, float]:
    low, high = float(values.min()) - margin, float(values.max()) + margin
    return min(max(low, 0.0), most), min(max(high, 0.0), most)


def _arc(hues: Colours) -> tuple[float, float]:
    """Return the centre and the width of the shortest arc with all hues; a full turn without hues."""
    if not len(hues):
        return 0.0, FULL_TURN
    ordered = np.sort(hues)
    gaps = np.diff(np.append(ordered, ordered[0] + FULL_TURN))
    widest = int(gaps.argmax())
    width = min(FULL_TURN - float(gaps[widest]), FULL_TURN)
    start = float(ordered[(widest + 1) % len(ordered)])
    return (start + width / 2.0) % FULL_TURN, min(width + 2.0 * HUE_MARGIN, FULL_TURN)


def _joined(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the centre and the width of the shortest arc that holds two arcs."""
    away = 180.0 - (180.0 - other[0] + one[0]) % FULL_TURN  # from the centre of one to that of the other
    low, high = min(-one[1] / 2.0, away - other[1] / 2.0), max(one[1] / 2.0, away + other[1] / 2.0)
    if high - low >= FULL_TURN:
        return one[0], FULL_TURN
    return (one[0] + (low + high) / 2.0) % FULL_TURN, high - low
