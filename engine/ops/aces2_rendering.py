"""Base of the ACES 2 ops that depend on a display: its peak and primaries, and the tables computed from them."""

from __future__ import annotations

from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Numbers, Table, choice, derived, derived_table, slider
from engine.ops import aces2_tables as tables
from engine.ops.aces2_model import NUMBERS, Rendering


@dataclass(frozen=True)
class Aces2Display(ColorOp, abstract=True):
    """Base class of ops for a display with a peak luminance and limiting primaries."""

    peak: float = slider(
        100.0, 100.0, 10000.0, unit="nit", minimum=1.0, help="Luminance of the display's white", visible=(100.0, 2000.0)
    )
    primaries: Numbers = slider(tables.REC709, 0.0, 1.0, help="x, y of the limiting red, green, blue and white")
    direction: str = choice("forward", "reverse", help="reverse: display to scene")

    def check(self) -> None:
        tables.check_display(self.peak, self.primaries)

    @derived(len(NUMBERS))
    def numbers(self) -> tuple[float, ...]:
        return (*tables.tone_numbers(self.peak), *tables.gamut_tables(self.peak, self.primaries)[2])

    @derived_table
    def reach(self) -> Table:
        return tables.reach_table(self.peak)

    @derived_table
    def hues(self) -> Table:
        return tables.gamut_tables(self.peak, self.primaries)[0]

    @derived_table
    def cusps(self) -> Table:
        return tables.gamut_tables(self.peak, self.primaries)[1]

    def rendering(self) -> Rendering:
        """Return the model's numbers and tables, for `pixel`."""
        return Rendering(self.numbers, self.reach, self.hues, self.cusps)
