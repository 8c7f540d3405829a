"""A grade as a value: its entries, its keys, its colour settings, blending of ops and folding of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup as ColourSetup
    from engine.grade.colour_settings import Viewing as Viewing
    from engine.grade.curves import Curve as Curve
    from engine.grade.curves import Key as Key
    from engine.grade.entries import FileLook as FileLook
    from engine.grade.entries import Group as Group
    from engine.grade.entries import Layer as Layer
    from engine.grade.grade import Grade as Grade
    from engine.grade.grade import load_grade as load_grade
    from engine.grade.grade import save_grade as save_grade

_HOME = {
    "ColourSetup": "colour_settings",
    "Curve": "curves",
    "FileLook": "entries",
    "Grade": "grade",
    "Group": "entries",
    "Key": "curves",
    "Layer": "entries",
    "Viewing": "colour_settings",
    "load_grade": "grade",
    "save_grade": "grade",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
