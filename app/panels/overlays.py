"""Overlays that mark pixels of the image, and the modes of a difference."""

from __future__ import annotations

from app.services.open_documents import OpenDocuments

OVERLAYS = {
    "nan": ("&NaN and Inf", "Shift+N", "Mark pixels with NaN or infinite values in magenta"),
    "negative": ("N&egative", "Shift+M", "Mark pixels with negative values in blue"),
    "clipped": ("&Clipped", "Shift+C", "Mark pixels that clip on the display in red"),
    "zebra": ("&Zebra", "Z", "Draw stripes over pixels above the zebra level"),
    "false colour": ("&False colour", "Shift+F", "Show the distance of each pixel from mid grey, in stops"),
}
"""Label, key and tip of each overlay."""
DIFFERENCE_MODES = {
    "absolute": ("&Absolute", "The size of the difference times the gain, through the view; black is equal"),
    "signed": ("&Signed", "Grey is equal, lighter is more than the other image, darker is less; without the view"),
    "heat": ("&Heat map", "The largest difference of R, G and B as a colour; black is equal; without the view"),
}
"""Label and tip of each mode of a difference."""


def toggle_overlay(documents: OpenDocuments, name: str) -> None:
    """Show or hide an overlay. False colour replaces the image; the others are drawn over it."""
    shown = documents.view.overlays
    kept = tuple(each for each in shown if each != name) if name in shown else (*shown, name)
    documents.set_view(overlays=kept)
