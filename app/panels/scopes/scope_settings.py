"""The choices of the Scopes panel, and how they are stored in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.viewing.scopes import KINDS, SCENE_AXES, VALUES, ScopeOptions

MOST_PANES = 4
DEFAULT_PANES = ("parade", "vectorscope", "histogram")
ORDER = ("parade", "luma", "rgb", "vectorscope", "histogram")
"""The types of scopes in the order of the menus."""
GAIN_RANGE, INTENSITY_RANGE = (-6.0, 6.0), (20.0, 100.0)


@dataclass(frozen=True)
class Trace:
    """The look of traces: `gain` in stops lifts sparse ones, `intensity` in percent is the brightness of dense ones."""

    gain: float = 0.0
    intensity: float = 100.0


@dataclass(frozen=True)
class ScopeChoices:
    """The types of scopes in the panes, from the first to the last, the values that they show, and their traces."""

    panes: tuple[str, ...] = DEFAULT_PANES
    values: str = "display"
    scale: str = "stops"
    whole: bool = False
    trace: Trace = field(default_factory=Trace)

    @property
    def options(self) -> ScopeOptions:
        """The options of the reading. The histogram is always read, since it tells what is clipped."""
        kinds = tuple(kind for kind in KINDS if kind in (*self.panes, "histogram"))
        return ScopeOptions(kinds, self.values, self.whole, self.scale)

    def to_json(self) -> dict[str, Any]:
        """Return the choices as JSON."""
        kept = {"panes": list(self.panes), "values": self.values, "scale": self.scale, "whole": self.whole}
        return kept | {"gain": self.trace.gain, "intensity": self.trace.intensity}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> ScopeChoices:
        """Return the choices from the result of `to_json`; unknown or invalid values keep their defaults.

        Settings without panes have `kinds`, of which each type is shown once.
        """
        default = cls()
        found = kept.get("panes", kept.get("kinds"))
        panes = tuple(kind for kind in found if kind in KINDS)[:MOST_PANES] if isinstance(found, list) else ()
        values, scale = str(kept.get("values")), str(kept.get("scale"))
        return replace(
            default,
            panes=panes or default.panes,
            values=values if values in VALUES else default.values,
            scale=scale if scale in SCENE_AXES else default.scale,
            whole=kept.get("whole") is True,
            trace=Trace(
                _number(kept.get("gain"), default.trace.gain, GAIN_RANGE),
                _number(kept.get("intensity"), default.trace.intensity, INTENSITY_RANGE),
            ),
        )


def _number(value: Any, default: float, span: tuple[float, float]) -> float:
    """Return a stored number, or the default if it is not a number in a range."""
    valid = isinstance(value, int | float) and not isinstance(value, bool) and span[0] <= value <= span[1]
    return float(value) if valid else default
