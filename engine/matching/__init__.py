"""Colour matching: pixels of two images, or of a colour chart, in; ordinary ops out. It knows no files."""

from engine.matching.chart_fit import KEEPS, ChartFit, fit_chart
from engine.matching.chart_geometry import ChartPlace, chart_place
from engine.matching.chart_values import PATCHES
from engine.matching.methods import METHODS, Method, match, matched_group

__all__ = [
    "KEEPS",
    "METHODS",
    "PATCHES",
    "ChartFit",
    "ChartPlace",
    "Method",
    "chart_place",
    "fit_chart",
    "match",
    "matched_group",
]
