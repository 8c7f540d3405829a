"""Cryptomatte layers of a file: which channels hold their ranks, and the hash that makes IDs of names.

Follows the Cryptomatte specification 1.2.0 (Psyop). A layer, for example `CryptoObject`, is a list of ranks: pairs of
an ID and a coverage for each pixel, stored in the channels of `CryptoObject00`, `CryptoObject01` and so on. IDs are 32
bits in a float32 channel and are compared as bits.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import Any

from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.io.info import ChannelInfo, ImageInfo, PartInfo, colour_of

PREFIXES = ("cryptomatte/", "exr/cryptomatte/")
"""The metadata of layers; some programs keep the prefix of their own names of metadata."""
HASH, CONVERSION = "MurmurHash3_32", "uint32_to_float32"
CHANGES_IDS = ("pxr24", "dwaa", "dwab", "lj2k")
"""Compressions that change the bits of float32 channels."""
_WORD = 0xFFFFFFFF
_EXPONENT_BIT = 1 << 23
_RANK = re.compile(r"(.+)(\d\d)")
_LIKELY = re.compile(r"crypto", re.IGNORECASE)
_PAIRS = (("R", "G"), ("B", "A"))
"""The channels of an ID and of its coverage: of an even rank, and of the odd one after it."""


@dataclass(frozen=True)
class Rank:
    """The channels of one rank, by their full names, and the index of their part."""

    part: int
    id_channel: str
    coverage_channel: str


@dataclass(frozen=True)
class CryptomatteLayer:
    """A typed layer such as `CryptoObject`. `key` is that of its metadata, "" if the file has none for it.

    `problem` says why its IDs can't be used; "" if they can. `manifest` is the text in the header, `manifest_file` the
    path of a sidecar file as written there; "" if there is none. `hashed` says whether IDs are `hash_name` of names.
    """

    name: str
    ranks: tuple[Rank, ...]
    key: str = ""
    manifest: str = ""
    manifest_file: str = ""
    problem: str = ""
    hashed: bool = True


def murmur_hash(data: bytes, seed: int = 0) -> int:
    """Return the 32 bits of MurmurHash3_x86_32 (Austin Appleby, public domain)."""
    state, tail = seed, len(data) & ~3
    for at in range(0, tail, 4):
        state ^= _mixed(int.from_bytes(data[at : at + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE6546B64) & _WORD
    state ^= _mixed(int.from_bytes(data[tail:], "little"))
    state ^= len(data)
    state = ((state ^ state >> 16) * 0x85EBCA6B) & _WORD
    state = ((state ^ state >> 13) * 0xC2B2AE35) & _WORD
    return state ^ state >> 16


def _mixed(word: int) -> int:
    return _rotated((word * 0xCC9E2D51) & _WORD, 15) * 0x1B873593 & _WORD


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD


def hash_name(name: str) -> int:
    """Return the ID of a name: its hash, changed where the float32 of these bits would be 0, denormal, Inf or NaN."""
    bits = murmur_hash(name.encode("utf-8", "surrogatepass"))
    return bits ^ _EXPONENT_BIT if (bits >> 23) & 0xFF in (0, 0xFF) else bits


def cryptomatte_layers(info: ImageInfo, part: PartInfo | None = None) -> tuple[CryptomatteLayer, ...]:
    """Return the Cryptomatte layers of a file, sorted by name.

    Where several parts hold a layer, `part` and its view come first. Layers without metadata
    are recognised by `crypto` in their names.
    """
    parts = _ordered(info, part)
    typed = _typed(parts)
    found = _rank_layers(parts, typed)
    untyped = (name for name in found if name not in typed and _LIKELY.search(name))
    names = sorted({*typed, *untyped})
    return tuple(_layer(info, name, found.get(name, {}), typed.get(name)) for name in names)


def cryptomatte_layer(info: ImageInfo, name: str, part: PartInfo | None = None) -> CryptomatteLayer:
    """Return the Cryptomatte layer of this name. Raises UnsupportedFile if there is none, or its IDs can't be used."""
    layers = cryptomatte_layers(info, part)
    layer = next((each for each in layers if each.name == name), None)
    if layer is None:
        there = ", ".join(each.name for each in layers) or "none"
        raise UnsupportedFile(info.path, f"has no Cryptomatte layer '{name}'", f"its Cryptomatte layers are: {there}")
    if layer.problem:
        raise UnsupportedFile(info.path, layer.problem, "render the layer again with float32 channels and ZIP")
    return layer


def _ordered(info: ImageInfo, part: PartInfo | None) -> list[PartInfo]:
    """Return the parts, first the given one, then those of its view, then those without a view."""
    if part is None:
        return list(info.parts)
    return sorted(info.parts, key=lambda p: (p.index != part.index, p.view != part.view, p.view != ""))


Channels = dict[str, tuple[PartInfo, ChannelInfo]]
"""The channels R, G, B, A of a numbered layer."""


def _rank_layers(parts: Iterable[PartInfo], typed: Container[str]) -> dict[str, dict[str, Channels]]:
    """Return the numbered layers of each possible name; of channels that several parts hold, the first."""
    found: dict[str, dict[str, Channels]] = {}
    for part in parts:
        for channel in part.channels:
            colour = colour_of(channel.name)
            for layer in _layer_names(part, channel.name) if colour else ():
                match = _RANK.fullmatch(layer)
                if match and (match[1] in typed or layer in (part.name, channel.name.rpartition(".")[0])):
                    channels = found.setdefault(match[1], {}).setdefault(match[2], {})
                    if not channels or next(iter(channels.values()))[0] is part:
                        channels.setdefault(colour, (part, channel))
    return found


def _layer_names(part: PartInfo, channel: str) -> Iterator[str]:
    """Yield the names of the layer that a channel may belong to: in its own name, or in that of its part."""
    layer = channel.rpartition(".")[0]
    if layer:
        yield layer
    if part.name:
        yield f"{part.name}.{layer}" if layer else part.name


def _typed(parts: Iterable[PartInfo]) -> dict[str, dict[str, str]]:
    """Return the metadata of each layer that has some, with its `key`, by the name of the layer."""
    typed: dict[str, dict[str, str]] = {}
    for part in parts:
        by_key: dict[str, dict[str, str]] = {}
        for attribute, value in part.metadata.items():
            prefix = next((each for each in PREFIXES if attribute.startswith(each)), None)
            key, slash, entry = attribute[len(prefix) :].rpartition("/") if prefix else ("", "", "")
            if slash and isinstance(value, str):
                by_key.setdefault(key, {"key": key})[entry] = value
        for fields in by_key.values():
            if fields.get("name"):
                typed[fields["name"]] = fields | typed.get(fields["name"], {})
    return typed


def _layer(
    info: ImageInfo, name: str, numbered: dict[str, Channels], fields: dict[str, str] | None
) -> CryptomatteLayer:
    pairs = [
        (channels[of_id], channels[of_coverage])
        for _, channels in sorted(numbered.items())
        for of_id, of_coverage in _PAIRS
        if of_id in channels and of_coverage in channels
    ]
    ranks = tuple(Rank(part.index, each.name, coverage.name) for (part, each), (_, coverage) in pairs)
    problem = next((text for pair in pairs if (text := _problem(name, *pair))), "")
    if not pairs:
        problem = f"has no channels of the Cryptomatte layer '{name}', such as {name}00.R"
    about: dict[str, Any] = fields or {}
    conversion = about.get("conversion", CONVERSION)
    if conversion != CONVERSION:
        problem = problem or f"stores the IDs of the Cryptomatte layer '{name}' as {conversion}, which is not known"
    return CryptomatteLayer(
        name,
        ranks,
        about.get("key", ""),
        about.get("manifest", ""),
        about.get("manif_file", ""),
        problem,
        about.get("hash", HASH) == HASH,
    )


def _problem(name: str, of_id: tuple[PartInfo, ChannelInfo], of_coverage: tuple[PartInfo, ChannelInfo]) -> str:
    """Return why a rank can't be used, or ""."""
    part, channel = of_id
    layer = f"the Cryptomatte layer '{name}'"
    if part.is_deep:
        return f"has {layer} in a deep part, where IDs have no coverage"
    if channel.type not in ("float", "uint") or of_coverage[1].type not in ("float", "half"):
        kind = channel.type if channel.type not in ("float", "uint") else of_coverage[1].type
        return f"stores {layer} as {kind}, which can't hold its IDs: they need float32"
    if (channel.x_sampling, channel.y_sampling) != (1, 1):
        return f"has {layer} in subsampled channels, which lack IDs of most pixels"
    compression = part.compression.partition(":")[0]
    if compression in CHANGES_IDS:
        return f"stores {layer} with the lossy compression {compression}, which changes IDs"
    return ""
