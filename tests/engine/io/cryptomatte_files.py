"""Cryptomatte files made for tests, and coverages computed from what was put into them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR

from engine.io.cryptomatte import hash_name
from tests.engine.io.exr import window

NAN_ID, INF_ID = 0x7F800001, 0xFF800000
"""IDs that are NaN and Inf as floats: the specification avoids them, but a file may have any bits."""


@dataclass
class Layer:
    """A layer: its name, the names of its objects, and for each rank the IDs and coverages, (ranks, height, width)."""

    name: str
    objects: list[str]
    ids: np.ndarray
    coverages: np.ndarray
    manifest: dict[str, str] = field(default_factory=dict)

    def coverage(self, ids: Any) -> np.ndarray:
        """The coverage of these IDs in float64."""
        wanted = np.isin(self.ids, np.array(ids, np.uint32))
        with np.errstate(invalid="ignore"):
            return np.clip(np.where(wanted, self.coverages.astype(np.float64), 0.0).sum(0), 0.0, 1.0)

    def metadata(self, key: str = "", **changed: Any) -> dict[str, Any]:
        """The attributes of the layer; None leaves one out."""
        start = f"cryptomatte/{key or f'{hash_name(self.name):08x}'[:7]}"
        fields = {
            "name": self.name,
            "hash": "MurmurHash3_32",
            "conversion": "uint32_to_float32",
            "manifest": json.dumps(self.manifest, ensure_ascii=False),
        }
        return {f"{start}/{name}": value for name, value in (fields | changed).items() if value is not None}

    def channels(self, letters: Sequence[str] = "RGBA", dtype: Any = np.float32) -> dict[str, np.ndarray]:
        """The channels of all ranks."""
        found = {}
        for rank, (ids, coverages) in enumerate(zip(self.ids, self.coverages, strict=True)):
            of_id, of_coverage = letters[rank % 2 * 2], letters[rank % 2 * 2 + 1]
            with np.errstate(over="ignore", invalid="ignore"):
                found[f"{self.name}{rank // 2:02}.{of_id}"] = ids.view(np.float32).astype(dtype)
                found[f"{self.name}{rank // 2:02}.{of_coverage}"] = coverages.astype(dtype)
        return found


def layer(
    name: str = "CryptoObject", ranks: int = 6, size: tuple[int, int] = (61, 47), objects: int = 9, seed: int = 0
) -> Layer:
    """A layer of blobs: ranks are sorted by coverage, most pixels have one object, some have as many as fit."""
    random = np.random.default_rng(seed)
    names = [f"{name.lower()}_{n}" for n in range(objects)]
    hashes = np.array([hash_name(each) for each in names], np.uint32)
    width, height = size
    ids, coverages = np.zeros((ranks, height, width), np.uint32), np.zeros((ranks, height, width), np.float32)
    y, x = np.mgrid[:height, :width]
    first = (x // 13 + 3 * (y // 11)) % objects
    order = (first[None] + np.arange(ranks)[:, None, None]) % objects
    shares = np.sort(random.dirichlet(np.ones(ranks), (height, width)), axis=-1)[..., ::-1]
    mixed = random.random((height, width)) < 0.3
    for rank in range(ranks):
        coverages[rank] = np.where(mixed, shares[..., rank], 1.0 if rank == 0 else 0.0)
        ids[rank] = np.where(coverages[rank] > 0, hashes[order[rank]], 0)
    coverages[0][y > height - 4] = 0.0
    ids[0][y > height - 4] = 0
    return Layer(
        name, names, ids, coverages, {each: f"{h:08x}" for each, h in zip(names, hashes.tolist(), strict=True)}
    )


def write_layers(path: Path, layers: Sequence[Layer], header: dict[str, Any] | None = None, **more: Any) -> Path:
    """Write a single-part file with RGBA, these layers and more channels."""
    height, width = layers[0].ids.shape[1:]
    channels: dict[str, np.ndarray] = {"RGBA": np.zeros((height, width, 4), np.float16)}
    attributes: dict[str, Any] = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    for each in layers:
        channels |= each.channels()
        attributes |= each.metadata()
    OpenEXR.File(attributes | (header or {}), channels | more).write(str(path))
    return path


def write_parts(
    path: Path, parts: Sequence[tuple[str, tuple[int, int], dict[str, Any], dict[str, np.ndarray]]]
) -> Path:
    """Write parts: name, corner of the data window, attributes and channels. The display window is 80 x 60."""
    made = []
    for name, corner, attributes, channels in parts:
        first = next(iter(channels.values()))
        header = {
            "compression": OpenEXR.ZIP_COMPRESSION,
            "type": OpenEXR.scanlineimage,
            "dataWindow": window(*corner, first.shape[1], first.shape[0]),
            "displayWindow": window(0, 0, 80, 60),
        }
        made.append(OpenEXR.Part(header | attributes, channels, name))
    OpenEXR.File(made).write(str(path))
    return path


def box_means(values: np.ndarray, level: int) -> np.ndarray:
    """The means of 2**level x 2**level pixels, of fewer at the right and bottom edges, in float64."""
    side = 1 << level
    height, width = (-(-n >> level) for n in values.shape)
    blocks = [
        [values[y * side : (y + 1) * side, x * side : (x + 1) * side] for x in range(width)] for y in range(height)
    ]
    return np.array([[block.astype(np.float64).mean() for block in row] for row in blocks])
