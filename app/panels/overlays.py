"""Overlays that mark pixels of the image."""

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


def toggle_overlay(documents: OpenDocuments, name: str) -> None:
    """Show or hide an overlay. False colour replaces the image; the others are drawn over it."""
    shown = documents.view.overlays
    kept = tuple(each for each in shown if each != name) if name in shown else (*shown, name)
    documents.set_view(overlays=kept)
