"""States of colour matching: a reference and an area, and a chart on the image."""

from __future__ import annotations

from collections.abc import Callable

from app.panels.match.panel import MatchPanel
from app.services.match_references import image_of
from app.services.matching import REFERENCE
from app.shell.empty_state import SAMPLE
from engine import ops
from tools.screenshots.files import sequence
from tools.screenshots.window import Shown

CORNERS = ((70.7, 221.9), (422.0, 220.7), (405.1, 507.9), (50.3, 485.8))
"""The corners of the chart of the sample."""
LOOK = (ops.Exposure(-0.8), ops.Cdl(offset=(-0.02, 0.0, 0.03), saturation=0.7))


def match_none(shown: Shown) -> None:
    """No reference is chosen yet."""
    _open(shown)


def match_image(shown: Shown) -> None:
    """The match to a still of another grade, with areas on both, on the image."""
    _open(shown)
    matching = shown.workspace.matching
    matching.choose(image_of(shown.workspace.documents[0]))
    matching.set_area(REFERENCE, (0.0, 0.3, 0.6, 0.6))
    matching.set_area("image", (0.0, 0.3, 0.6, 0.6))
    matching.set_method("smooth")
    shown.until(lambda: bool(matching.ops) and not matching.busy and all(matching.small.values()))
    shown.wait()


def match_chart(shown: Shown) -> None:
    """The chart of the sample with its errors."""
    shown.open(SAMPLE)
    shown.do("match_chart")
    chart = shown.workspace.chart_matching
    shown.until(lambda: chart.corners is not None)
    chart.set_corners(CORNERS)
    shown.until(lambda: chart.fit is not None and not chart.busy)
    shown.wait()


def match_chart_misplaced(shown: Shown) -> None:
    """The chart as it is put on the image, which is not on a chart."""
    shown.open(SAMPLE)
    shown.do("match_chart")
    chart = shown.workspace.chart_matching
    shown.until(lambda: chart.corners is not None and not chart.busy and (chart.fit is not None or bool(chart.problem)))
    shown.wait()


def _open(shown: Shown) -> MatchPanel:
    """The sample, and a frame of a sequence with another look, which is current."""
    shown.open(SAMPLE, sequence(shown.folder, range(1001, 1004))[0])
    document = shown.workspace.document
    document.edit(document.grade.with_entries(LOOK), "grade")
    shown.do("match")
    panel = shown.panel("match", MatchPanel)
    matching = shown.workspace.matching
    shown.until(lambda: matching.small["image"] is not None)
    shown.wait()
    return panel


MATCH_STATES: tuple[Callable[[Shown], None], ...] = (match_none, match_image, match_chart, match_chart_misplaced)
