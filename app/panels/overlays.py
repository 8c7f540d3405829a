"""Overlays that mark pixels of the image, and the modes of a difference."""

from __future__ import annotations

OVERLAYS = {
    "nan": ("&NaN and Inf", "Shift+N", "Mark pixels with NaN or infinite values in magenta"),
    "negative": ("N&egative", "Shift+M", "Mark pixels with negative values in blue"),
    "clipped": ("&Clipped", "Shift+C", "Mark pixels that clip on the display in red"),
    "gamut": ("Outside of &gamut", "Shift+G", "Mark colours outside of a gamut by how far outside they are"),
    "zebra": ("&Zebra", "Z", "Draw stripes over pixels above the zebra level"),
    "focus peaking": ("Focus &peaking", "Shift+Z", "Mark sharp edges: where luma on the display changes abruptly"),
    "false colour": ("&False colour", "Shift+F", "Show the distance of each pixel from mid grey, in stops"),
}
"""Label, key and tip of each overlay."""
DIFFERENCE_MODES = {
    "absolute": ("&Absolute", "The size of the difference times the gain, through the view; black is equal"),
    "signed": ("&Signed", "Grey is equal, lighter is more than the other image, darker is less; without the view"),
    "heat": ("&Heat map", "The largest difference of R, G and B as a colour; black is equal; without the view"),
}
"""Label and tip of each mode of a difference."""


def toggled(overlays: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return the shown overlays with one more or one less. False colour replaces the image, others are over it."""
    return tuple(each for each in overlays if each != name) if name in overlays else (*overlays, name)
