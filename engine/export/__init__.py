"""Graded images and sequences as files, on this machine and on farms."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.export.farm import export_on_farm as export_on_farm
    from engine.export.image import ExportOptions as ExportOptions
    from engine.export.image import ExportReport as ExportReport
    from engine.export.image import export_picture as export_picture
    from engine.export.sequence import export_sequence as export_sequence

_HOME = {
    "ExportOptions": "image",
    "ExportReport": "image",
    "export_picture": "image",
    "export_sequence": "sequence",
    "export_on_farm": "farm",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """The public names, each imported on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
