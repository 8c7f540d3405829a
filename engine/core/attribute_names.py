"""Names of attributes in the headers of images: those that Tessera adds, and those that describe colour."""

from __future__ import annotations

PREFIX = "tessera:"
GRADE, CDL, LAYERS, VIEW = f"{PREFIX}grade", f"{PREFIX}cdl", f"{PREFIX}layers", f"{PREFIX}view"
SOFTWARE, VERSION = f"{PREFIX}software", f"{PREFIX}version"
EXPORT = f"{PREFIX}export"
"""A digest of the options of a frame, its grade, and the ops that the grade resolved to."""
RECORDED = (GRADE, CDL, LAYERS, VIEW, SOFTWARE, VERSION, EXPORT)
"""The attributes that record an export."""
STILL, SOURCE, FRAME = f"{PREFIX}still", f"{PREFIX}source", f"{PREFIX}frame"
TAKEN, NOTE, ENTRIES = f"{PREFIX}taken", f"{PREFIX}note", f"{PREFIX}entries"
"""The attributes of a still: its ID, the path of its image, the frame number, the time, the note, and how many of the
entries of the recorded grade are its own. Those before them are in the pixels of its image."""
EXPORT_IN_SOFTWARE = "Tessera export "
"""Prefix of the attribute `Software` where that holds the digest, in formats other than EXR."""
MISSING = f"{PREFIX}missing"
"""The regions of a damaged file that could not be read."""
ACES_FLAG, INTEROP_ID, CHROMATICITIES = "acesImageContainerFlag", "colorInteropID", "chromaticities"
"""Attributes of the colour space: SMPTE ST 2065-4, the Color Interop Forum's recommendation, and OpenEXR."""
