"""States of the window with scopes, and with the legends of differences."""

from __future__ import annotations

from typing import Any

from app.panels.scopes.panel import ScopesPanel
from app.panels.scopes.scope_settings import DiagramChoices, PaneChoices, ScatterChoices, Trace, panes_of
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
    panel.choose(panes=panes_of("parade"), values="graded")
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
    """A diagram with white points and several gamuts, next to an RGB cube."""
    drawn = ("rec709", "p3d65", "rec2020", "working")
    diagram = PaneChoices("chromaticity", diagram=DiagramChoices(gamuts=drawn, whites=True))
    _wide_scopes(shown, panes=(diagram, *panes_of("scatter", "vectorscope")), values="graded", gamut="rec709")


def scopes_diagram(shown: Shown) -> None:
    """A single large CIE 1976 diagram around Rec.2020."""
    pane = PaneChoices("chromaticity", diagram=DiagramChoices("uv", zoom=True, whites=True))
    _wide_scopes(shown, panes=(pane,), values="graded", gamut="rec2020")


def scopes_solids(shown: Shown) -> None:
    """The HSV cone beside Oklab, and the same waveform with two gains."""
    solids = (
        PaneChoices("scatter", scatter=ScatterChoices("hsv")),
        PaneChoices("scatter", scatter=ScatterChoices("oklab")),
    )
    _wide_scopes(shown, panes=(*solids, PaneChoices("luma"), PaneChoices("luma", Trace(4.0))))


def scopes_menu(shown: Shown) -> None:
    """The menu of a pane."""
    panel = _wide_scopes(shown, panes=panes_of("parade", "vectorscope"))
    panel.panes[1].options.click()


def scopes_oklab(shown: Shown) -> None:
    """A single large Oklab solid."""
    _wide_scopes(shown, panes=(PaneChoices("scatter", scatter=ScatterChoices("oklab", 60.0, 30.0)),))


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
        scopes_menu,
        scopes_oklab,
    )
}
