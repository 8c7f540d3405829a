"""Reports unexpected exceptions: one line for the user, the traceback for the log."""

from __future__ import annotations

import logging

LOG = logging.getLogger("tessera")
"""Prints to standard error unless it is configured otherwise."""


def internal_error(doing: str, error: Exception) -> str:
    """Log the traceback of an error that occurred while `doing` something; return the line to show to the user."""
    LOG.error("Internal error while %s", doing, exc_info=error)
    if isinstance(error, MemoryError):
        return f"There is not enough memory for {doing}; close other images or programs."
    what = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    return f"Internal error while {doing} ({what}). The traceback is on standard error: please report it."
