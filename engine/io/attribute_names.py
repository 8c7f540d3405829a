"""Names of the attributes that Tessera adds to the headers of images."""

from __future__ import annotations

PREFIX = "tessera:"
GRADE, CDL, LAYERS, VIEW = f"{PREFIX}grade", f"{PREFIX}cdl", f"{PREFIX}layers", f"{PREFIX}view"
SOFTWARE, VERSION = f"{PREFIX}software", f"{PREFIX}version"
EXPORT = f"{PREFIX}export"
"""A digest of the options of a frame, its grade, and the ops that the grade resolved to."""
EXPORT_IN_SOFTWARE = "Tessera export "
"""Prefix of the attribute `Software` where that holds the digest, in formats other than EXR."""
MISSING = f"{PREFIX}missing"
"""The regions of a damaged file that could not be read."""
