"""Formats for channel values."""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.core.colorimetry import MID_GREY


def number_text(value: float) -> str:
    """Format a value: 0.1234, 123.4, 1.2e-06, inf, nan."""
    if not math.isfinite(value):
        return str(value)
    size = abs(value)
    if size >= 100000 or 0.0 < size < 0.0001:
        return f"{value:.1e}"
    return f"{value:.{4 if size < 10 else 3 if size < 100 else 2 if size < 1000 else 1}f}"


def code(value: float, bits: int) -> int | None:
    """Return the nearest code value, 0 to 2**bits - 1, of a value clamped to 0..1; None for NaN."""
    top = (1 << bits) - 1
    return None if math.isnan(value) else round(min(max(value, 0.0), 1.0) * top)


def eight(value: float) -> str:
    found = code(value, 8)
    return "nan" if found is None else str(found)


def ten(value: float) -> str:
    found = code(value, 10)
    return "nan" if found is None else str(found)


def hexadecimal(value: float) -> str:
    found = code(value, 8)
    return "nan" if found is None else f"{found:02X}"


def stops(value: float) -> str:
    """Format a value as stops from mid grey, 0.18."""
    if math.isnan(value):
        return "nan"
    if value <= 0.0:
        return "-inf"
    return "inf" if math.isinf(value) else f"{math.log2(value / MID_GREY):+.2f}"


FORMATS: dict[str, tuple[str, str, Callable[[float], str]]] = {
    "float": ("Float", "Floating-point values", number_text),
    "8": ("8 bit", "Code values 0 to 255 for 0 to 1, clamped", eight),
    "10": ("10 bit", "Code values 0 to 1023 for 0 to 1, clamped", ten),
    "hex": ("Hex", "8-bit code values in hexadecimal", hexadecimal),
    "stops": ("Stops", "Stops from mid grey (0.18); alpha and display values remain numbers", stops),
}
"""Label, tip and formatting function of each format."""


def row_of(values: tuple[float, ...], form: str, scene: bool) -> list[str]:
    """Format R, G, B and, if present, alpha. Stops apply only to `scene` values (scene-linear)."""
    format_value = FORMATS[form][2]
    return [
        number_text(value) if form == "stops" and (n == 3 or not scene) else format_value(value)
        for n, value in enumerate(values)
    ]
