"""Tests for device functions that are more accurate than WGSL guarantees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.wgpu.device import Batch, Device, spread, whole
from engine.compute.backends.wgpu.transfers import Transfers
from engine.core.records import dataclass

TEXT = """
@group(0) @binding(0) var<storage, read> given: array<f32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(256)
fn pack_halves(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&found) {
        found[id.x] = pack2x16float(vec2f(given[2u * id.x], given[2u * id.x + 1u]));
    }
}

@compute @workgroup_size(256)
fn raise_two(@builtin(global_invocation_id) id: vec3u) {
    if id.x < arrayLength(&found) {
        found[id.x] = bitcast<u32>(exp2(given[id.x]));
    }
}
"""
LARGEST_ERROR = 2.5e-7
"""Largest relative error of 2 ** x: two units in the last place."""


@dataclass(frozen=True)
class Abilities:
    """The accuracy of a device.

    `packs_halves`: `pack2x16float` rounds to nearest, ties to even, and preserves Inf, NaN and subnormals.
    `exact_exp2`: `exp2` is within LARGEST_ERROR for normal results, and exact at Inf.
    """

    packs_halves: bool
    exact_exp2: bool

    @classmethod
    def of(cls, device: Device, transfers: Transfers) -> Abilities:
        return cls(_packs_halves(device, transfers), _exact_exp2(device, transfers))


def _packs_halves(device: Device, transfers: Transfers) -> bool:
    given = halves()
    got = _run(device, transfers, "pack_halves", given, given.size // 2).view(np.float16)
    with np.errstate(over="ignore"):
        wanted = given.astype(np.float16)
    same = (got.view(np.uint16) == wanted.view(np.uint16)) | (np.isnan(got) & np.isnan(wanted))
    return bool(same.all())


def _exact_exp2(device: Device, transfers: Transfers) -> bool:
    given = np.append(
        np.linspace(-126.0, 127.99, 65532, dtype=np.float32), np.array([0.0, 128.0, np.inf, -np.inf], np.float32)
    )
    got = _run(device, transfers, "raise_two", given, given.size).view(np.float32)
    wanted = np.exp2(given[:-3].astype(np.float64))
    near = np.abs(got[:-3] / wanted - 1.0).max() <= LARGEST_ERROR
    return bool(near) and got[-3:].tolist() == [np.inf, np.inf, 0.0]


def _run(
    device: Device, transfers: Transfers, entry: str, given: NDArray[np.float32], words: int
) -> NDArray[np.uint32]:
    """Run a kernel of TEXT on some numbers and return its output."""
    read, written = device.filled(given), device.buffer(4 * words, "STORAGE|COPY_SRC")
    batch = Batch(device)
    batch.add(device.kernel(entry, TEXT, entry, "rw"), spread(words, 256), whole(read), whole(written))
    batch.submit()
    found = transfers.fetch(written)
    device.trim()
    read.destroy()
    written.destroy()
    return found


def halves() -> NDArray[np.float32]:
    """Return every finite half, the midpoints between them and the floats beside these, Inf, NaN and large numbers."""
    finite = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = finite + np.diff(finite, append=np.float32(65536.0)) / 2
    sides = [np.nextafter(middles, np.float32(end)) for end in (0.0, np.inf)]
    others = np.array([np.inf, np.nan, 65519.0, 65520.0, 1e6, 3e38, 0.0, 1e-9], np.float32)
    positive = np.concatenate([finite, middles, *sides, others])
    return np.concatenate([positive, -positive])
