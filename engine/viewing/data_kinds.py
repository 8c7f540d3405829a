"""Kinds of layers that hold data instead of colour, recognised by their names, and the range that shows their values.

Names differ between renderers (N, normals, ViewLayer.Normal, shadingNormal), so names are split into words, at case
changes as well, and looked up in a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.io.info import LayerInfo, PartInfo, colour_of
from engine.io.views import part_views

IMAGE = "image"
"""The kind of a layer that holds colours."""
UNKNOWN = "data"
"""The kind of a channel that is neither a colour nor named like one of the others."""


class DataKind(NamedTuple):
    """A kind of data: its label, and the words of names that hold it. Single letters must be the whole name.

    `shown` is how values become visible: as a `range`, or as the colours of `ids` or of a `cryptomatte`.
    """

    label: str
    words: frozenset[str]
    shown: str = "range"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS: dict[str, DataKind] = {
    "cryptomatte": DataKind("Cryptomatte", _words(""), "cryptomatte"),
    "ids": DataKind("IDs", _words("id ids objectid materialid primid instanceid matid objid index"), "ids"),
    "depth": DataKind("Depth", _words("z depth zdepth depthz deepz zback mist zbuffer pz")),
    "motion": DataKind(
        "Motion vectors",
        _words(
            "motion motionvector motionvectors mv mvec vector vectors velocity vel forward backward fwd bwd flow"
            " motionfore motionback opticalflow disparity disparityl disparityr dpdtime"
        ),
    ),
    "normals": DataKind("Normals", _words("n nn ng ns normal normals nworld ncamera worldnormal")),
    "position": DataKind(
        "Positions",
        _words("p position positions worldposition worldpositions worldpos wpos pworld pref pobj pcamera"),
    ),
    "uv": DataKind("UV", _words("uv uvs uvw st texcoord texcoords uvmap")),
    "matte": DataKind("Matte", _words("matte mattes mask masks alpha holdout roto coverage multimatte")),
    UNKNOWN: DataKind("Data", _words("")),
}
"""All kinds of data, by the names that sessions store."""
NEUTRAL = _words(
    "world camera object space shading geometry geometric screen local raw filtered pass layer left right view"
)
"""Words that may stand beside those of a kind in the name of a colour layer, which else holds colours."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_RANKS = re.compile(r"crypto.*\d\d$", re.IGNORECASE)
_LIMIT = 1e30
"""Larger values are placeholders."""


def kind_of(part: PartInfo, layer: LayerInfo) -> str:
    """Return the kind of a layer: IMAGE, or one of KINDS."""
    if all(part.channel(name).type == "uint" for name in layer.channels):
        return "ids"
    if _is_cryptomatte(part, layer):
        return "cryptomatte"
    for name in _names(part, layer):
        kind = _named(name, strict=layer.is_colour)
        if kind:
            return "matte" if kind == "ids" and layer.is_colour else kind  # colours that stand for IDs
    if layer.is_vector:
        return UNKNOWN
    if len(layer.channels) > 1 or not layer.is_grey:
        return IMAGE
    if layer.channels[0].rpartition(".")[2].lower() in ("a", "alpha"):
        return "matte"
    return IMAGE if colour_of(layer.channels[0]) or len(part.channels) == 1 else UNKNOWN


def shown_kind(kind: str, name: str, samples: NDArray[Any]) -> str:
    """Return the kind that a layer of that name is shown as: a preview of Cryptomatte in colours as a matte.

    Some renderers write colours as the preview, others IDs. Layers with a number always hold IDs.
    """
    values = np.asarray(samples)[..., :3]
    is_preview = kind == "cryptomatte" and not name[-2:].isdigit()
    with np.errstate(invalid="ignore"):
        return "matte" if is_preview and bool((np.abs(values) <= 1.0).all()) else kind


def sampled_range(kind: str, samples: NDArray[Any]) -> tuple[float, float]:
    """Return the values that black and white stand for: percentiles of samples (..., channels) of a kind of data.

    Signed data has a range around 0, normals, UV and mattes their usual ones if they keep to them. Values that stand
    for "nothing here" are ignored: NaN and Inf, depths of 0, and a huge value at many pixels.
    """
    values = _usual(kind, np.asarray(samples, np.float64)[..., :3].ravel())
    if not values.size:
        return 0.0, 1.0
    low, high = _percentile(values, 1.0), _percentile(values, 99.0)
    least, most = float(values.min()), float(values.max())
    if kind == "normals" and least >= -1.01 and most <= 1.01:
        return (-1.0, 1.0) if least < -0.01 else (0.0, 1.0)
    if kind in ("uv", "matte", UNKNOWN, "cryptomatte", "ids") and least >= -0.001 and most <= 1.001:
        return 0.0, 1.0
    if kind in ("motion", "normals") or (low < 0.0 < high and kind != "position"):
        size = max(abs(low), abs(high)) or max(abs(least), abs(most))
        return (-size, size) if size else (-1.0, 1.0)
    if high > low:
        return low, high
    return (least, most) if most > least else (min(0.0, least), max(0.0, most) or 1.0)


def _usual(kind: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values without those that stand for "nothing here"."""
    values = values[np.isfinite(values) & (np.abs(values) < _LIMIT)]
    if kind == "depth":
        values = values[values > 0.0] if (values > 0.0).any() else values
    if values.size:
        far = values.max()
        rest = values[values < far]
        if 0 < rest.size < 0.99 * values.size and far > 4.0 * _percentile(rest, 99.0) > 0.0:
            values = rest
    return values


def _percentile(values: NDArray[np.float64], percent: float) -> float:
    """Return a percentile, interpolated linearly. NumPy's own loads its masked arrays, which takes longer than this."""
    place = percent / 100.0 * (values.size - 1)
    before = int(place)
    around = [before, min(before + 1, values.size - 1)]
    low, high = np.partition(values, around)[around]
    return float(low + (high - low) * (place - before))


def _is_cryptomatte(part: PartInfo, layer: LayerInfo) -> bool:
    """Return whether a layer holds IDs and coverages: by the names in the header, else by its own."""
    name = layer.name or part.name
    known = [str(v) for key, v in part.metadata.items() if key.startswith("cryptomatte/") and key.endswith("/name")]
    ranks = name[:-2] if name[-2:].isdigit() else name
    return len(layer.channels) >= 3 and (name in known or ranks in known or _RANKS.search(name) is not None)


def _names(part: PartInfo, layer: LayerInfo) -> Iterator[str]:
    """Yield the names that can say what a layer holds: of the layer, of its channel if it is one, and of the part."""
    views = part_views(part)
    parts = [each for each in layer.name.split(".") if each and each not in views]
    single = len(layer.channels) == 1
    if not single or len(parts) > 1:
        yield from reversed(parts[:-1] if single else parts)
    if single and parts:
        yield parts[-1]
    if part.name and not (layer.is_colour and layer.name):
        yield part.name


def _named(name: str, strict: bool) -> str:
    """Return the kind that a name says; with `strict`, all its words must belong to the kind or be NEUTRAL."""
    words = [word.lower() for word in _WORD.findall(name)]
    whole = "".join(words)
    for kind, each in KINDS.items():
        hits = [word for word in (*words, whole) if word in each.words and (len(word) > 1 or word == name.lower())]
        if hits and (not strict or whole in each.words or _all_known(words, each.words)):
            return kind
    return ""


def _all_known(words: Iterable[str], known: frozenset[str]) -> bool:
    return all(word in known or word in NEUTRAL for word in words)
