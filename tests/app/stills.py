"""Stills in a folder, as grabs write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR

from engine import Grade, ops
from engine.core.attribute_names import GRADE
from engine.export.provenance import _text
from engine.export.stills import StillRecord

WARM, DARK = Grade([ops.Exposure(1.0), ops.Saturation(0.5)]), Grade([ops.Exposure(-2.0)])


def write_still(path: Path, id: str, grade: Grade | None = WARM, minute: int = 0, note: str = "") -> Path:
    """A small still, grabbed at a minute of an hour."""
    taken = f"2026-11-23T14:{minute:02}:00.000+00:00"
    entries = 0 if grade is None else len(grade.entries)
    record = StillRecord(id, f"/shots/{path.name.partition('.')[0]}.exr", "1001", taken, note, entries)
    header = {"compression": OpenEXR.ZIP_COMPRESSION, **dict(record.attributes)}
    header |= {GRADE: _text(grade)} if grade is not None else {}
    planes = {name: np.full((9, 16), 0.18 * n, np.float16) for n, name in enumerate("RGB", 1)}
    OpenEXR.File(header, planes).write(str(path))
    return path
