"""Cryptomatte layers of the sample image, after the Cryptomatte specification 1.2.0 (Psyop)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.io.cryptomatte import CONVERSION, HASH, hash_name

RANKS = 4
"""Objects kept for each pixel, the largest coverage first."""


def layer(
    name: str, names: Sequence[str], samples: NDArray[np.int8]
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """Return the channels and the metadata of a layer.

    `samples` (samples, height, width) are indices of `names` for the rays of each pixel; -1 is none.
    """
    counts = np.stack([(samples == n).sum(axis=0) for n in range(len(names))]).astype(np.float32) / len(samples)
    ids = np.array([hash_name(each) for each in names], np.uint32).view(np.float32)
    order = np.argsort(-counts, axis=0, kind="stable")[:RANKS]
    coverage = np.take_along_axis(counts, order, axis=0)
    channels = {}
    for rank in range(RANKS):
        holder, pair = f"{name}{rank // 2:02}", ("R", "G") if rank % 2 == 0 else ("B", "A")
        covered = coverage[rank] > 0
        channels[f"{holder}.{pair[0]}"] = np.where(covered, ids[order[rank]], np.float32(0.0))
        channels[f"{holder}.{pair[1]}"] = coverage[rank]
    key = f"cryptomatte/{hash_name(name):08x}"[:19]
    manifest = json.dumps({each: f"{hash_name(each):08x}" for each in names}, separators=(",", ":"))
    texts = {"name": name, "hash": HASH, "conversion": CONVERSION, "manifest": manifest}
    return channels, {f"{key}/{field}": text for field, text in texts.items()}
