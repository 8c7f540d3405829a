"""States of the stack of ops: rows, options, sliders beyond their range, a new op, and the search for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine import Layer, ops
from tools.screenshots.own_op_states import STATES as OWN_OP_STATES
from tools.screenshots.preset_states import PRESET_STATES
from tools.screenshots.texture_states import STATES as TEXTURE_STATES
from tools.screenshots.warper_states import STATES as WARPER_STATES
from tools.screenshots.window import Shown
from tools.screenshots.zone_states import STATES as ZONE_STATES

ROWS: tuple[Any, ...] = (
    ops.Exposure(0.35),
    ops.WhiteBalance(5200.0, 8.0),
    ops.Contrast(1.15),
    Layer(ops.Saturation(1.2), mix=0.6),
    ops.GradingTone(),
    ops.GradingPrimary(style="linear"),
    ops.Blur(),
    ops.AcesGamutCompress(),
    Layer(ops.Range(), enabled=False),
    ops.Matrix(),
    ops.Cdl(),
    ops.GradingRgbCurve.straight(),
)


def stack(shown: Shown) -> None:
    """Twelve entries as rows, one of them open."""
    shown.grade(*ROWS)
    shown.window.panel.select(2, focus=True)
    shown.do("fold_others")


def stack_sliders(shown: Shown) -> None:
    """A value beyond the visible range, dots beside what differs, and a style that is not the default."""
    shown.workspace.settings.set("wheels", False)
    shown.grade(ops.Exposure(6.0), ops.Cdl(slope=(1.2, 1.0, 0.9), style="asc"), ops.Contrast(1.2))


def stack_new(shown: Shown) -> None:
    """An op that was just added to a long grade."""
    shown.grade(*ROWS)
    shown.window.panel.select(11)
    shown.window.panel.add(ops.Contrast)


def stack_menu(shown: Shown) -> None:
    """The menu of an entry with its options."""
    shown.grade(ops.Exposure(0.35), ops.Cdl())
    shown.window.panel.cards[1].more.click()


def stack_search(shown: Shown) -> None:
    """Ops that match a search, best first."""
    shown.grade(ops.Exposure(0.35), ops.Cdl())
    shown.do("add_operation")
    shown.window.panel.footer.op_menu.search.setText("exp")


STATES: dict[str, Callable[[Shown], None]] = (
    {each.__name__: each for each in (stack, stack_sliders, stack_new, stack_menu, stack_search)}
    | ZONE_STATES
    | TEXTURE_STATES
    | OWN_OP_STATES
    | WARPER_STATES
    | PRESET_STATES
)
