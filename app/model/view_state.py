"""How a document is looked at: on the screen alone, never in an export. A value; it travels in sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from app.model.comparison_target import SOURCE, Target, moved, target_from_json, target_to_json

CHOICES: dict[str, tuple[str, ...]] = {
    "channel": ("", "red", "green", "blue", "alpha", "luma"),
    "compare": ("", "source", "wipe", "split", "difference"),
    "backdrop": ("", "checker", "grey"),
    "overlays": ("nan", "negative", "clipped", "zebra", "false colour"),
}
"""What fields of names may hold."""
RANGES: dict[str, tuple[float, float]] = {"exposure": (-64.0, 64.0), "gamma": (0.01, 100.0)}
"""What fields of numbers may hold; any other is finite."""
FINITE = (-1e6, 1e6)


@dataclass(frozen=True)
class ViewState:
    """Every option of the view has a field here, with a default that shows the graded image as it is.

    `exposure` is in stops, `gamma` an exponent's inverse (1 changes nothing); both come after the grade. `channel` is
    '' for colour, else red, green, blue, alpha or luma. `display`, `view` and `looks` are the config's names, '' for
    its defaults. `compare` is '' for the graded image, or how it is compared with the target `against`: `source`
    shows the source.
    `backdrop` is what is seen where the image is transparent: '' for black, grey or checker.
    `overlays` are the names of what is drawn over the image: nan, negative, clipped, zebra, false colour. `zebra` is
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
    against: Target = SOURCE
    wipe_x: float = 0.5
    wipe_y: float = 0.5
    wipe_angle: float = 90.0
    gain: float = 8.0
    zebra: float = 0.95
    pins: tuple[tuple[int, ...], ...] = ()
    area: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"against": target_to_json(self.against)}

    def with_documents(self, ids: Mapping[str, str]) -> ViewState:
        """The same where documents have other ids."""
        return replace(self, against=moved(self.against, ids))

    @classmethod
    def from_json(cls, data: Any) -> ViewState:
        """What `to_json` gave; what is unknown, of another kind or no finite number is left at its default."""
        found: dict[str, Any] = {"against": target_from_json(data.get("against") if isinstance(data, dict) else None)}
        for field in fields(cls):
            value = data.get(field.name) if isinstance(data, dict) else None
            default, choices = field.default, CHOICES.get(field.name)
            if isinstance(default, tuple) and isinstance(value, list):
                each = tuple(tuple(each) if isinstance(each, list) else each for each in value)
                found[field.name] = each if choices is None else tuple(name for name in each if name in choices)
            elif isinstance(default, float) and isinstance(value, int | float):
                low, high = RANGES.get(field.name, FINITE)
                found[field.name] = float(value) if low <= value <= high else default
            elif type(value) is type(default) and (choices is None or value in choices):
                found[field.name] = value
        return cls(**found)
