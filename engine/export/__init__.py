"""Export of graded images, sequences and movies, on this machine and on farms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.export.farm import export_on_farm as export_on_farm
    from engine.export.image import export_image as export_image
    from engine.export.movie import export_movie as export_movie
    from engine.export.options import ExportOptions as ExportOptions
    from engine.export.options import ExportReport as ExportReport
    from engine.export.sequence import export_sequence as export_sequence

_HOME = {
    "ExportOptions": "options",
    "ExportReport": "options",
    "export_image": "image",
    "export_movie": "movie",
    "export_sequence": "sequence",
    "export_on_farm": "farm",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
