"""The view options of a document. They affect only the screen, never an export, and are stored in sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from app.model.comparison_target import SOURCE, Target, moved, target_from_json, target_to_json
from app.model.data_view import DataView, views_from_json, views_to_json
from engine.core.gamuts import GAMUTS, WORKING
from engine.core.records import dataclass

DIFFERENCES = ("absolute", "signed", "heat")
"""Ways to show a difference: its size, its size and sign around grey, or its size as a heat map."""
GAMUT_NAMES = {WORKING: "the working space", **{name: GAMUTS[name] for name in ("rec709", "p3d65", "rec2020", "ap1")}}
"""The gamuts outside of which colours can be marked, and their names."""
CHOICES: dict[str, tuple[str, ...]] = {
    "channel": ("", "red", "green", "blue", "alpha", "luma"),
    "compare": ("", "source", "wipe", "split", "difference", "side by side", "anaglyph"),
    "difference": DIFFERENCES,
    "backdrop": ("", "checker", "grey"),
    "overlays": ("nan", "negative", "clipped", "gamut", "zebra", "focus peaking", "false colour"),
    "gamut": tuple(GAMUT_NAMES),
    "peaking_colour": ("red", "green", "blue", "yellow", "white"),
    "matte": ("", "alone", "overlay", "cut-out"),
}
"""The valid values of fields that hold names."""
RANGES: dict[str, tuple[float, float]] = {"exposure": (-64.0, 64.0), "gamma": (0.01, 100.0)}
"""The valid ranges of fields that hold numbers."""
FINITE = (-1e6, 1e6)
"""The valid range of all other numbers."""


@dataclass(frozen=True)
class ViewState:
    """The options of the view, with defaults that show the graded image unchanged.

    `exposure` is in stops, `gamma` the inverse of an exponent (1 changes nothing); both follow the grade. `channel` is
    '' for colour, else red, green, blue, alpha or luma. `display`, `view` and `looks` are names of the config, '' for
    its defaults. `compare` is '' for the graded image, or how it is compared with the target `against`; `source`
    shows the source, `side by side` and `anaglyph` the two eyes of a stereo image. `difference` is how a difference is
    shown, one of DIFFERENCES.
    `backdrop` is shown where the image is transparent: '' for black, grey or checker.
    `overlays` are names of overlays on the image: nan, negative, clipped, gamut, zebra, focus peaking, false colour.
    `gamut` is the one outside of which colours are marked. `zebra` is the luma, 0..1 on the screen, from which the
    image is striped. `peaking` is the change of that luma from one pixel of the screen to the next from which edges
    are marked in `peaking_colour`.
    `pins` are the columns and rows of pinned probes, and `area` is the x, y, width and height of the probed area, both
    relative to the first pixel of the data window. `data_views` are the choices made for layers of data. `asks_space`
    is whether the bar asks for an unknown colour space. `matte` is how the matte of the current entry is shown: '' not
    at all, alone as grey, as a red overlay, or as a cut-out. `inside_matte` limits scopes and probes to what it covers.
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
    difference: str = "absolute"
    zebra: float = 0.95
    peaking: float = 0.1
    peaking_colour: str = "red"
    pins: tuple[tuple[int, ...], ...] = ()
    area: tuple[int, ...] = ()
    data_views: tuple[DataView, ...] = ()
    asks_space: bool = True
    matte: str = ""
    inside_matte: bool = False
    gamut: str = "rec709"

    def to_json(self) -> dict[str, Any]:
        own = {"against": target_to_json(self.against), "data_views": views_to_json(self.data_views)}
        return asdict(self) | own

    def with_documents(self, ids: Mapping[str, str]) -> ViewState:
        """Return the view with the ID of the document to compare with replaced as in `ids`."""
        return replace(self, against=moved(self.against, ids))

    @classmethod
    def from_json(cls, data: Any) -> ViewState:
        """Return the view from the result of `to_json`; unknown or invalid values keep their defaults."""
        data = data if isinstance(data, dict) else {}
        found: dict[str, Any] = {}
        for field in fields(cls):
            value = data.get(field.name)
            default, choices = field.default, CHOICES.get(field.name)
            if isinstance(default, tuple) and isinstance(value, list):
                each = tuple(tuple(each) if isinstance(each, list) else each for each in value)
                found[field.name] = each if choices is None else tuple(name for name in each if name in choices)
            elif isinstance(default, float) and isinstance(value, int | float):
                low, high = RANGES.get(field.name, FINITE)
                found[field.name] = float(value) if low <= value <= high else default
            elif type(value) is type(default) and (choices is None or value in choices):
                found[field.name] = value
        own = {"against": target_from_json(data.get("against")), "data_views": views_from_json(data.get("data_views"))}
        return cls(**found | own)
