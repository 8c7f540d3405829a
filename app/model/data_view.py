"""How layers of data are shown: what a person chose for each layer, and the ops that follow from it.

A layer of data, such as depth or normals, is neither graded nor converted between colour spaces for the screen: its
values are mapped from a range to grey or false colours, or its IDs to colours. Exports are not affected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, NamedTuple

from engine.core.records import dataclass
from engine.kernel.op import ColorOp
from engine.viewing.data_kinds import IMAGE, KINDS
from engine.viewing.viewer_ops import CryptomatteColours, DataRange, IdColours

Range = tuple[float, float]
LARGEST = 1e30
"""The largest end of a range."""


@dataclass(frozen=True)
class DataView:
    """What a person chose for a layer, by the name it shares with its counterparts in other views.

    `kind` is '' for that of the layer's name, IMAGE to show it as colours, or one of KINDS. `range` is empty for the
    sampled range, else the values of black and white. `coloured` is for false colours.
    """

    layer: str
    kind: str = ""
    range: tuple[float, ...] = ()
    coloured: bool = False

    @property
    def is_default(self) -> bool:
        return not (self.kind or self.range or self.coloured)


class ShownData(NamedTuple):
    """How the displayed layer of data is mapped to the screen. `plain` IDs are stored as they are, not as ID pixels."""

    kind: str
    range: Range = (0.0, 1.0)
    coloured: bool = False
    plain: bool = True

    @property
    def shown(self) -> str:
        """`range`, `ids` or `cryptomatte`."""
        return KINDS[self.kind].shown

    @property
    def picks(self) -> bool:
        """Whether pixels are picked, never averaged."""
        return self.shown != "range"

    @property
    def ops(self) -> tuple[ColorOp, ...]:
        """The ops from stored values to screen values, 0..1."""
        if self.shown == "ids":
            return (IdColours("plain" if self.plain else "scaled"),)
        if self.shown == "cryptomatte":
            return (CryptomatteColours(),)
        low, high = self.range
        return (DataRange(low, high, "middle" if low < 0.0 < high else "low", "false" if self.coloured else "grey"),)

    def describe(self, name: str) -> str:
        """Return how a layer of that name is shown, for the user."""
        if self.shown != "range":
            return f"Data view: {name}, {KINDS[self.kind].label} as colours, not graded"
        colours = ", false colours" if self.coloured else ""
        return f"Data view: {name} {range_text(self.range)}{colours}"


def range_text(values: Range) -> str:
    """Return a range with three significant digits, such as 0.1..250."""
    return "..".join(f"{value:.3g}" for value in values)


def view_for(views: Iterable[DataView], layer: str) -> DataView:
    """Return what was chosen for a layer."""
    return next((view for view in views if view.layer == layer), DataView(layer))


def with_view(views: Iterable[DataView], view: DataView) -> tuple[DataView, ...]:
    """Return the choices of all layers with that of one replaced."""
    others = tuple(each for each in views if each.layer != view.layer)
    return others if view.is_default else (*others, view)


def views_to_json(views: Iterable[DataView]) -> list[dict[str, Any]]:
    return [asdict(view) for view in views]


def views_from_json(data: Any) -> tuple[DataView, ...]:
    """Return the views from the result of `views_to_json`, without those that are invalid."""
    found = (_view_from(each) for each in data) if isinstance(data, list | tuple) else ()
    return tuple(view for view in found if view is not None)


def valid_range(values: Iterable[Any]) -> tuple[float, ...]:
    """Return a range if it is one: two finite numbers, the first the smaller; else ()."""
    ends = tuple(float(v) for v in values if isinstance(v, int | float) and math.isfinite(v) and abs(v) <= LARGEST)
    return ends if len(ends) == 2 and ends[0] < ends[1] else ()


def _view_from(data: Any) -> DataView | None:
    if not isinstance(data, dict) or not isinstance(data.get("layer"), str):
        return None
    kind, ends = data.get("kind"), data.get("range")
    known = kind if kind in (IMAGE, *KINDS) else ""
    return DataView(
        data["layer"], known, valid_range(ends) if isinstance(ends, list | tuple) else (), data.get("coloured") is True
    )
