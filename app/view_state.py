"""How a document is looked at: on the screen alone, never in an export. A value; it travels in sessions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class ViewState:
    """Every option of the view has a field here, with a default that shows the graded picture as it is.

    `exposure` is in stops, `gamma` an exponent's inverse (1 changes nothing); both come after the grade. `channel` is
    '' for colour, else red, green, blue, alpha or luma. `display`, `view` and `looks` are the config's names, '' for
    its defaults. `compare` is '' for the graded picture, or how it is held against another: `source` shows the source.
    `backdrop` is what is seen where the picture is transparent: '' for black, grey or checker.
    `overlays` are the names of what is drawn over the picture: nan, negative, clipped, zebra, false colour. `zebra` is
    the luma, 0..1 on the screen, from which on it is striped. `pins` are the columns and rows of pinned probes, and
    `area` is the x, y, width and height of the probed area, both counted from the data window's first pixel.
    """

    exposure: float = 0.0
    gamma: float = 1.0
    channel: str = ""
    display: str = ""
    view: str = ""
    looks: str = ""
    compare: str = ""
    backdrop: str = ""
    overlays: tuple[str, ...] = ()
    against: str = ""
    wipe_x: float = 0.5
    wipe_y: float = 0.5
    wipe_angle: float = 90.0
    gain: float = 8.0
    zebra: float = 0.95
    pins: tuple[tuple[int, ...], ...] = ()
    area: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> ViewState:
        """What `to_json` gave; fields that are unknown or of another kind are left at their defaults."""
        found: dict[str, Any] = {}
        for field in fields(cls):
            value = data.get(field.name) if isinstance(data, dict) else None
            default = field.default
            if isinstance(default, tuple) and isinstance(value, list):
                found[field.name] = tuple(tuple(each) if isinstance(each, list) else each for each in value)
            elif isinstance(default, float) and isinstance(value, int | float):
                found[field.name] = float(value)
            elif type(value) is type(default):
                found[field.name] = value
        return cls(**found)
