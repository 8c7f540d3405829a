"""States of the window with scopes, and with the legends of differences."""

from __future__ import annotations

from typing import Any

from app.panels.scopes.panel import ScopesPanel
from app.panels.scopes.scope_settings import DiagramChoices, ScatterChoices
from app.shell.empty_state import SAMPLE
from engine import ops
from tools.screenshots.window import Shown


def _differ(shown: Shown, mode: str) -> None:
    shown.open(SAMPLE)
    document = shown.workspace.document
    document.edit(document.grade.with_entries([ops.Exposure(0.1), ops.Saturation(1.1)]), "grade")
    shown.workspace.set_view(compare="difference", difference=mode)
    shown.workspace.show_panel("looking")


def difference_absolute(shown: Shown) -> None:
    _differ(shown, "absolute")


def difference_signed(shown: Shown) -> None:
    _differ(shown, "signed")


def difference_heat(shown: Shown) -> None:
    _differ(shown, "heat")


def scopes_in_nits(shown: Shown) -> None:
    """A PQ view, whose scopes have a scale in nits."""
    shown.open(SAMPLE)
    panel = shown.panel("scopes", ScopesPanel)
    shown.until(lambda: shown.workspace.colour.names is not None)
    shown.workspace.colour.choose_view("Rec.2100-PQ - Display", "ACES 2.0 - HDR 1000 nits (Rec.2020)")
    shown.until(lambda: panel.reading is not None and panel.panes[0].plot.transfer == "PQ")


def scopes_graded(shown: Shown) -> None:
    """A single large parade in stops."""
    shown.open(SAMPLE)
    panel = shown.panel("scopes", ScopesPanel)
    panel.choose(panes=("parade",), values="graded")
    shown.until(lambda: panel.reading is not None)


def _wide_scopes(shown: Shown, **choices: Any) -> ScopesPanel:
    """Saturated colours, some of them outside of Rec.709, in the panes that are chosen."""
    shown.open(SAMPLE)
    shown.until(lambda: shown.workspace.colour.names is not None)
    document = shown.workspace.document
    document.edit(document.grade.with_entries([ops.Exposure(1.0), ops.Saturation(1.6)]), "grade")
    panel = shown.panel("scopes", ScopesPanel)
    panel.choose(**choices)
    shown.wait()
    shown.until(lambda: panel.reading is not None)
    return panel


def scopes_chromaticity(shown: Shown) -> None:
    """Both chromaticity diagrams need a change of the choices; this one has all gamuts, next to an RGB cube."""
    drawn = ("rec709", "p3d65", "rec2020", "working")
    panes = ("chromaticity", "scatter", "vectorscope")
    _wide_scopes(shown, panes=panes, values="graded", gamut="rec709", diagram=DiagramChoices(gamuts=drawn, whites=True))


def scopes_diagram(shown: Shown) -> None:
    """A single large CIE 1976 diagram around Rec.2020."""
    choices = DiagramChoices("uv", zoom=True, whites=True)
    _wide_scopes(shown, panes=("chromaticity",), values="graded", gamut="rec2020", diagram=choices)


def scopes_solids(shown: Shown) -> None:
    """The HSV cone."""
    _wide_scopes(shown, panes=("scatter", "chromaticity"), scatter=ScatterChoices("hsv"))


def scopes_oklab(shown: Shown) -> None:
    """A single large Oklab solid."""
    _wide_scopes(shown, panes=("scatter",), scatter=ScatterChoices("oklab", 60.0, 30.0))


SCOPE_STATES = {
    state.__name__: state
    for state in (
        difference_absolute,
        difference_signed,
        difference_heat,
        scopes_in_nits,
        scopes_graded,
        scopes_chromaticity,
        scopes_diagram,
        scopes_solids,
        scopes_oklab,
    )
}
