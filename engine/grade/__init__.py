"""A grade as a value: its entries, its colour settings, and how ops are blended and matrices folded."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup as ColourSetup
    from engine.grade.colour_settings import Viewing as Viewing
    from engine.grade.grade import FileLook as FileLook
    from engine.grade.grade import Grade as Grade
    from engine.grade.grade import Layer as Layer
    from engine.grade.grade import load_grade as load_grade
    from engine.grade.grade import save_grade as save_grade

_HOME = {
    "ColourSetup": "colour_settings",
    "FileLook": "grade",
    "Grade": "grade",
    "Layer": "grade",
    "Viewing": "colour_settings",
    "load_grade": "grade",
    "save_grade": "grade",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """The public names, each imported on first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
