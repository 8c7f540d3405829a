"""The choices of the Scopes panel, and how they are stored in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from typing import Any, TypeVar

from engine.core.gamuts import GAMUTS
from engine.core.records import dataclass
from engine.viewing.diagram import NEUTRALS, Diagram
from engine.viewing.scatter import SPACES
from engine.viewing.scopes import KINDS, SCENE_AXES, VALUES, ScopeOptions

T = TypeVar("T")
MOST_PANES = 4
DEFAULT_PANES = ("parade", "vectorscope", "histogram")
ORDER = ("parade", "luma", "rgb", "vectorscope", "histogram", "chromaticity", "scatter")
"""The types of scopes in the order of the menus."""
GAIN_RANGE, INTENSITY_RANGE = (-6.0, 6.0), (20.0, 100.0)
WORKING, DISPLAY = "working", "display"
"""Gamuts that depend on the image and on the view."""
DRAWN = {**GAMUTS, WORKING: "Working space", DISPLAY: "Display"}
"""The gamuts that a diagram can show, and their names."""
YAW_RANGE, PITCH_RANGE = (-180.0, 180.0), (-90.0, 90.0)


@dataclass(frozen=True)
class Trace:
    """The look of traces: `gain` in stops lifts sparse ones, `intensity` in percent is the brightness of dense ones."""

    gain: float = 0.0
    intensity: float = 100.0


@dataclass(frozen=True)
class VectorscopeMarks:
    """What the vectorscope shows: the targets of colour bars at 75 and 100 %, and the skin tone line."""

    bars_75: bool = True
    bars_100: bool = True
    skin: bool = True


@dataclass(frozen=True)
class DiagramChoices:
    """What the chromaticity diagram shows; `gamuts` are keys of DRAWN."""

    coordinates: str = "xy"
    neutral: str = "D65"
    zoom: bool = False
    background: bool = True
    whites: bool = False
    gamuts: tuple[str, ...] = ("rec709", "p3d65", "rec2020")


@dataclass(frozen=True)
class ScatterChoices:
    """The space of the scatter, and the angles in degrees that it is seen from."""

    space: str = "rgb"
    yaw: float = 35.0
    pitch: float = 25.0


@dataclass(frozen=True)
class PaneChoices:
    """The type of scope in a pane, its trace, and what it shows; those of other types stay for when they are chosen."""

    kind: str
    trace: Trace = field(default_factory=Trace)
    vectorscope: VectorscopeMarks = field(default_factory=VectorscopeMarks)
    diagram: DiagramChoices = field(default_factory=DiagramChoices)
    scatter: ScatterChoices = field(default_factory=ScatterChoices)

    def shown_diagram(self, gamut: str) -> Diagram:
        """Return the chromaticity diagram; without a gamut to zoom to it shows all colours."""
        return Diagram(self.diagram.coordinates, self.diagram.neutral, gamut if self.diagram.zoom else "")

    def to_json(self) -> dict[str, Any]:
        """Return the choices as JSON."""
        kept = asdict(self)
        trace: dict[str, Any] = kept.pop("trace")
        return trace | kept

    @classmethod
    def from_json(cls, kind: str, kept: Mapping[str, Any]) -> PaneChoices:
        """Return the choices from the result of `to_json`; unknown or invalid values keep their defaults."""
        default = cls(kind)
        diagram = _part(kept.get("diagram"), default.diagram)
        scatter = _part(kept.get("scatter"), default.scatter)
        return replace(
            default,
            trace=Trace(
                _number(kept.get("gain"), default.trace.gain, GAIN_RANGE),
                _number(kept.get("intensity"), default.trace.intensity, INTENSITY_RANGE),
            ),
            vectorscope=_part(kept.get("vectorscope"), default.vectorscope),
            diagram=replace(
                diagram,
                coordinates=_one_of(diagram.coordinates, ("xy", "uv"), default.diagram.coordinates),
                neutral=_one_of(diagram.neutral, NEUTRALS, default.diagram.neutral),
                gamuts=tuple(name for name in DRAWN if name in diagram.gamuts),
            ),
            scatter=replace(
                scatter,
                space=_one_of(scatter.space, SPACES, default.scatter.space),
                yaw=_number(scatter.yaw, default.scatter.yaw, YAW_RANGE),
                pitch=_number(scatter.pitch, default.scatter.pitch, PITCH_RANGE),
            ),
        )


def panes_of(*kinds: str) -> tuple[PaneChoices, ...]:
    """Return panes of these types, with what they show at first."""
    return tuple(PaneChoices(kind) for kind in kinds)


@dataclass(frozen=True)
class ScopeChoices:
    """The panes, from the first to the last, and what all of them show: the values, their scale and the region.

    `gamut` is the one whose outside is counted, a key of GAMUTS or ''.
    """

    panes: tuple[PaneChoices, ...] = panes_of(*DEFAULT_PANES)
    values: str = "display"
    scale: str = "stops"
    whole: bool = False
    gamut: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types of scopes in the panes."""
        return tuple(pane.kind for pane in self.panes)

    @property
    def options(self) -> ScopeOptions:
        """The options of the reading. The histogram is always read, since it tells what is clipped."""
        kinds = tuple(kind for kind in KINDS if kind in (*self.kinds, "histogram"))
        shown = (pane.shown_diagram(self.gamut) for pane in self.panes if pane.kind == "chromaticity")
        diagrams = tuple(dict.fromkeys(shown)) or (Diagram(),)
        spaces = tuple(dict.fromkeys(pane.scatter.space for pane in self.panes if pane.kind == "scatter"))
        return ScopeOptions(kinds, self.values, self.whole, self.scale, diagrams, self.gamut, spaces or SPACES[:1])

    def with_pane(self, number: int, **changes: Any) -> tuple[PaneChoices, ...]:
        """Return the panes, one of which is changed."""
        return tuple(replace(pane, **changes) if at == number else pane for at, pane in enumerate(self.panes))

    def to_json(self) -> dict[str, Any]:
        """Return the choices as JSON."""
        kept = {"values": self.values, "scale": self.scale, "whole": self.whole, "gamut": self.gamut}
        return kept | {"panes": [pane.to_json() for pane in self.panes]}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> ScopeChoices:
        """Return the choices from the result of `to_json`; unknown or invalid values keep their defaults.

        Settings in which panes are only types have one trace, vectorscope, diagram and scatter for all of them. Those
        without panes have `kinds`, of which each type is shown once.
        """
        default = cls()
        found = kept.get("panes", kept.get("kinds"))
        each = [pane if isinstance(pane, dict) else {**kept, "kind": pane} for pane in _list(found)]
        known = [pane for pane in each if isinstance(pane.get("kind"), str) and pane["kind"] in KINDS]
        return replace(
            default,
            panes=tuple(PaneChoices.from_json(pane["kind"], pane) for pane in known[:MOST_PANES]) or default.panes,
            values=_one_of(kept.get("values"), VALUES, default.values),
            scale=_one_of(kept.get("scale"), SCENE_AXES, default.scale),
            whole=kept.get("whole") is True,
            gamut=_one_of(kept.get("gamut"), GAMUTS, default.gamut),
        )


def _list(kept: Any) -> list[Any]:
    return kept if isinstance(kept, list) else []


def _part(kept: Any, default: T) -> T:
    """Return a copy of a part with the stored values that have the types of its own."""
    if not isinstance(kept, dict):
        return default
    changes = {}
    for each in fields(default):  # type: ignore[arg-type]
        own, value = getattr(default, each.name), kept.get(each.name)
        if isinstance(own, tuple) and isinstance(value, list):
            changes[each.name] = tuple(value)
        elif isinstance(value, type(own)):
            changes[each.name] = value
    return replace(default, **changes)  # type: ignore[type-var]


def _one_of(value: Any, known: Any, default: str) -> str:
    """Return a stored value if it is one of the known ones, else the default."""
    return value if isinstance(value, str) and value in known else default


def _number(value: Any, default: float, span: tuple[float, float]) -> float:
    """Return a stored number, or the default if it is not a number in a range."""
    valid = isinstance(value, int | float) and not isinstance(value, bool) and span[0] <= value <= span[1]
    return float(value) if valid else default
