"""The operations, presets and looks that can be added to a grade, by category, and how a search finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from app.model.looks import Look, looks
from app.model.preset import Preset
from app.model.search import rank
from engine import ops
from engine.core.records import dataclass
from engine.kernel.op import REGISTRY, ColorOp, Op, TableKind

CATEGORIES: dict[str, tuple[str, ...]] = {
    "Primary": (
        *("Exposure", "WhiteBalance", "Cdl", "Contrast", "FilmicContrast", "Saturation", "Vibrance"),
        *("GradingPrimary", "GradingTone"),
    ),
    "Zones": ("HdrWheels", "LogWheels", "Recovery", "SplitTone", "SixVector"),
    "Curves": ("GradingRgbCurve", "GradingHueCurve", "ColorWarp", "HueLumaGrid"),
    "Texture": ("Sharpen", "Clarity", "Denoise", "Bloom", "Halation", "Grain", "Vignette", "ChromaticAberration"),
    "Filter": ("Blur",),
    "Encoding": ("Log", "LogAffine", "LogCamera", "DoubleLog", "GammaLog", "Exponent", "ExponentWithLinear", "PqCurve"),
    "Colour": (
        "ChannelMixer",
        "Matrix",
        "Range",
        "CieCoordinates",
        "RgbHsv",
        "RgbHsy",
        "Rec2100Surround",
        "Premultiply",
    ),
}
"""Ops by category. ACES ops are found by their names, those of the user's are in OWN; all other ops are in `Other`."""
OWN = "Own"
CURVES: dict[type[Op], Callable[[], Op]] = {
    ops.GradingRgbCurve: ops.GradingRgbCurve.straight,
    ops.GradingHueCurve: ops.GradingHueCurve.neutral,
}
"""Curve ops, and functions that create them with neutral curves."""
STYLED = (ops.GradingHueCurve, ops.GradingPrimary, ops.GradingRgbCurve, ops.GradingTone)
"""Ops whose style depends on the image; a reset keeps it."""
A = TypeVar("A", bound="Addition")
PRESETS, LOOKS = "Presets", "Looks"
"""The categories of presets, and of the looks that come with Tessera."""


@dataclass(frozen=True)
class Addition:
    """What can be added to a grade: its title, category and description, and its `key` among the favourites."""

    title: str
    category: str
    about: str
    key: str


@dataclass(frozen=True)
class Offer(Addition):
    """An op that can be added without a file."""

    kind: type[Op]


@dataclass(frozen=True)
class KeptOffer(Addition):
    """A preset that can be added."""

    preset: Preset


@dataclass(frozen=True)
class LookOffer(Addition):
    """A look of Tessera's that can be added."""

    look: Look


def category_of(op: type[Op]) -> str:
    if op.own_source is not None:
        return OWN
    named = next((name for name, members in CATEGORIES.items() if op.__name__ in members), None)
    return named or ("ACES" if op.__name__.startswith("Aces") else "Other")


def offers() -> list[Offer]:
    """Return all ops that can be added without a file, sorted by category and title. LUTs come from files."""
    order = [*CATEGORIES, "ACES", OWN, "Other"]
    found = [
        Offer(op.title(), category_of(op), " ".join((op.__doc__ or "").split("\n\n")[0].split()), name, op)
        for name, op in REGISTRY.items()
        if can_be_made(op)
    ]
    return sorted(found, key=lambda offer: (order.index(offer.category), _place(offer), offer.title))


def preset_offers(presets: Iterable[Preset]) -> list[KeptOffer]:
    """Return presets as they are offered, sorted by tag and name."""
    sections = ((each, f"{PRESETS}: {each.tag}" if each.tag else PRESETS) for each in presets)
    found = [KeptOffer(each.name, section, each.about, each.key, each) for each, section in sections]
    return sorted(found, key=lambda offer: (offer.category.casefold(), offer.title.casefold()))


def look_offers() -> list[LookOffer]:
    """Return the looks that come with Tessera, sorted by title."""
    about = "Adds the entries of this look, in a group"
    return [LookOffer(look.title, LOOKS, about, look.key, look) for look in looks()]


def _place(offer: Offer) -> int:
    members = CATEGORIES.get(offer.category, ())
    return members.index(offer.key) if offer.key in members else 0


def ranked(offered: Iterable[A], text: str) -> list[A]:
    """Return the ops and presets that match a search text, best first."""
    found = [(rank(text, each.title, f"{each.category} {each.about}"), each) for each in offered]
    return [each for _, each in sorted((one for one in found if one[0] is not None), key=lambda one: one[0] or (0, 0))]


def can_be_made(op: type[Op]) -> bool:
    """Return whether an op has a default state: it is a curve op or the user's, or has no table and, if a filter, is
    neutral."""
    if op in CURVES or op.own_source is not None:
        return True
    if any(isinstance(kind, TableKind) for kind in op.kinds().values()):
        return False
    return issubclass(op, ColorOp) or op().is_identity()


def made(op: type[Op]) -> Op:
    """Create an op in its default state."""
    return CURVES.get(op, op)()


def default_of(op: Op) -> Op:
    """Return an op reset to its defaults. It keeps its style, the values it takes, and tables that come from a file."""
    defaults = {n: k.default for n, k in op.kinds().items() if not isinstance(k, TableKind)}
    new = made(type(op)) if type(op) in CURVES else op.replace(**defaults)
    new = new.in_style(op.style) if isinstance(op, STYLED) else new
    return new.replace(takes=op.takes) if isinstance(op, ops.GradingHueCurve) else new
