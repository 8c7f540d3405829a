"""Small images that say their colours in the header, and the space that is found in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR

from engine.color.management import manage
from engine.grade.colour_settings import ColourSetup, InputSpace
from engine.io import describe

AP0 = (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767)
REC709 = (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)


def shot(path: Path, **header: Any) -> Path:
    """A small ramp to 4, with that metadata."""
    ramp = np.linspace(0.0, 4.0, 48, dtype=np.float32).reshape(6, 8)
    rgb = np.stack([ramp, ramp[::-1], ramp * 0.5], axis=-1)
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, **header}, {"RGB": rgb}).write(str(path))
    return path


def found(path: Path, config: str = "") -> InputSpace:
    return manage(ColourSetup(config), path, describe(path).parts[0].metadata).found
