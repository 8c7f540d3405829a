"""Colour matching: pixels of two images, or of a colour chart, in; ordinary ops out. It knows no files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.matching.chart_fit import KEEPS as KEEPS
    from engine.matching.chart_fit import ChartFit as ChartFit
    from engine.matching.chart_fit import fit_chart as fit_chart
    from engine.matching.chart_geometry import ChartPlace as ChartPlace
    from engine.matching.chart_geometry import chart_place as chart_place
    from engine.matching.chart_values import PATCHES as PATCHES
    from engine.matching.methods import METHODS as METHODS
    from engine.matching.methods import Method as Method
    from engine.matching.methods import match as match
    from engine.matching.methods import matched_group as matched_group

_HOME = {
    "KEEPS": "chart_fit",
    "ChartFit": "chart_fit",
    "fit_chart": "chart_fit",
    "ChartPlace": "chart_geometry",
    "chart_place": "chart_geometry",
    "PATCHES": "chart_values",
    "METHODS": "methods",
    "Method": "methods",
    "match": "methods",
    "matched_group": "methods",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
