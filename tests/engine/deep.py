"""Deep EXRs for tests, and their samples as two libraries read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio

from tests.engine.io.exr import same_bits, window

KINDS = {"half": np.float16, "float": np.float32, "uint": np.uint32}
COLOUR = {"R": "half", "G": "half", "B": "half", "A": "half", "Z": "float", "ZBack": "float", "id": "uint"}


@dataclass
class Deep:
    """The number of samples of each pixel, row by row, and the samples of each channel, one pixel after the other."""

    counts: list[int]
    channels: dict[str, np.ndarray]


def counts_of(shape: tuple[int, int], most: int = 5, seed: int = 0) -> np.ndarray:
    """The number of samples of each pixel: none at many, and none on a whole line."""
    counts = np.random.default_rng(seed).integers(-2, most + 1, shape).clip(0)
    counts[shape[0] // 2] = 0
    return counts


def samples_of(counts: np.ndarray, kinds: Mapping[str, str], seed: int = 0) -> dict[str, np.ndarray]:
    """Premultiplied colours, alpha with some 0 and 1, depths, and numbers with any bits."""
    rng = np.random.default_rng(seed)
    found = {name: np.empty(counts.shape, object) for name in kinds}
    for at in np.ndindex(*counts.shape):
        alpha = rng.choice([0.0, 1.0, rng.uniform(0.01, 1.0)], counts[at])
        for name, kind in kinds.items():
            if name.rpartition(".")[2] in ("R", "G", "B"):
                values = rng.uniform(0.0, 4.0, counts[at]) * np.where(alpha == 0.0, 0.5, alpha)
            else:
                values = alpha if name == "A" else rng.uniform(0.5, 90.0, counts[at])
            samples = rng.integers(0, 1 << 32, counts[at]) if kind == "uint" else values
            found[name][at] = samples.astype(KINDS[kind])
    return found


def deep_part(
    name: str = "",
    shape: tuple[int, int] = (11, 23),
    kinds: Mapping[str, str] = COLOUR,
    compression: str = "ZIPS",
    tile: tuple[int, int] | None = None,
    seed: int = 0,
    **attributes: Any,
) -> OpenEXR.Part:
    """A deep part; `tile` is the width and height of its tiles."""
    counts = counts_of(shape, seed=seed)
    planes = samples_of(counts, kinds, seed)
    for plane in planes.values():
        for at in np.ndindex(*shape):
            plane[at] = plane[at] if len(plane[at]) else None
    header: dict[str, Any] = {
        "type": OpenEXR.Storage.deeptile if tile else OpenEXR.Storage.deepscanline,
        "compression": getattr(OpenEXR, f"{compression}_COMPRESSION"),
        "comments": "made for a test",
        "studio:shot": 42,
        "dataWindow": window(3, -2, shape[1], shape[0]),
        "displayWindow": window(0, 0, 50, 40),
        **attributes,
    }
    if tile:
        header["tiles"] = OpenEXR.TileDescription()
        header["tiles"].xSize, header["tiles"].ySize = tile
    return OpenEXR.Part(header, {n: OpenEXR.Channel(plane) for n, plane in planes.items()}, name)


def write_deep(path: Path, *parts: OpenEXR.Part) -> Path:
    """Write parts, or a single-part file."""
    OpenEXR.File(list(parts)).write(str(path))
    return path


def read_by_openexr(path: Path, part: int = 0) -> Deep:
    """The samples of a deep part as OpenEXR reads them."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        found, counts = {}, list[int]()
        for name, channel in file.channels(part).items():
            cells = list(channel.pixels.reshape(-1))
            counts = [0 if each is None else len(each) for each in cells]
            found[name] = np.concatenate([each for each in cells if each is not None] or [np.empty(0)])
        return Deep(counts, found)


def read_by_oiio(path: Path, part: int = 0) -> Deep:
    """The samples of a deep part as OpenImageIO reads them: float, or the bits of uint."""
    file: Any = oiio.ImageInput.open(str(path))
    file.seek_subimage(part, 0)
    spec, deep = file.spec(), file.read_native_deep_image(part, 0)
    counts = [deep.samples(pixel) for pixel in range(spec.width * spec.height)]
    found = {}
    for n, name in enumerate(spec.channelnames):
        bits = str(deep.channeltype(n)) in ("uint", "uint32")
        read = deep.deep_value_uint if bits else deep.deep_value
        values = [read(pixel, n, sample) for pixel, count in enumerate(counts) for sample in range(count)]
        found[name] = np.array(values, np.uint32 if bits else np.float32)
    file.close()
    return Deep(counts, found)


def joined(deep: Deep, names: tuple[str, ...]) -> np.ndarray:
    """All samples of some channels, (samples, channels), float64."""
    return np.stack([deep.channels[name].astype(np.float64) for name in names], axis=1)


def same_samples(one: Deep, other: Deep, names: set[str]) -> bool:
    """Whether the channels have the same bits in each sample of each pixel."""
    bits = all(same_bits(one.channels[name], other.channels[name]) for name in names)
    return one.counts == other.counts and bits
