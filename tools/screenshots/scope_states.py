"""States of the window with scopes, and with the legends of differences."""

from __future__ import annotations

from app.panels.scopes.panel import ScopesPanel
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


SCOPE_STATES = {
    state.__name__: state
    for state in (difference_absolute, difference_signed, difference_heat, scopes_in_nits, scopes_graded)
}
