"""How close is close enough: the one policy for every backend, op and chain.

An error is |result - reference| divided by max(1, the largest finite channel of the pixel's reference), so that a
bright pixel is not judged by its smallest channel. The reference is float64. NaN must meet NaN and Inf an Inf of the
same sign; a reference beyond the range of the storage counts as Inf. A channel that only the storage can't hold still
counts in its pixel's largest: arithmetic is float32 whatever the storage.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ONE_OP = 1e-6
"""CPU and CUDA, one op."""
CHAIN = 2e-6
"""CPU and CUDA, any number of ops."""
WGPU = 1e-5
"""wgpu and OpenCL, whatever runs: WGSL and OpenCL C promise less of their functions."""

TRACKED_PIXELS, TRACKED_DEGREES = 0.5, 0.5
"""How far a tracked window may be from where generated motion took it, in position, at its edge, and in rotation."""

LIMITS = {np.dtype(np.float16): 65520.0, np.dtype(np.float32): (2.0 - 2.0**-24) * 2.0**127}
"""Where rounding to a storage begins to give Inf."""


def tolerance(backend: str, chain: bool = False) -> float:
    """The largest error that the policy allows."""
    if backend in ("wgpu", "opencl"):
        return WGPU
    return CHAIN if chain else ONE_OP


def half_ulp(reference: Any, storage: Any) -> Array:
    """What rounding to the storage may cost: half a unit in the last place of float16; float32's is in the policy."""
    if np.dtype(storage) != np.float16:
        return np.zeros(np.shape(reference))
    magnitude = np.clip(np.abs(np.nan_to_num(np.asarray(reference, np.float64))), 2.0**-14, 65504.0)
    return np.asarray(2.0 ** (np.floor(np.log2(magnitude)) - 11.0))


def policy_error(result: Any, reference: Any, storage: Any = np.float32) -> Array:
    """The error of each channel of (..., channels) pixels; Inf where the two disagree about what is not finite.

    Half a unit of float16 is taken off where that is the storage. Where the reference is finite but beyond the range,
    Inf and the largest number are one and the same.
    """
    result, reference = np.asarray(result, np.float64), np.asarray(reference, np.float64)
    limit = LIMITS[np.dtype(storage)]
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(reference)
        inside = finite & (np.abs(reference) < LIMITS[np.dtype(np.float32)])
        largest = np.where(inside, np.abs(reference), 0.0).max(axis=-1, keepdims=True, initial=0.0)
        distance = np.abs(np.clip(result, -limit, limit) - np.clip(reference, -limit, limit))
        excess = np.maximum(distance - half_ulp(reference, storage), 0.0) / np.maximum(largest, 1.0)
        same = np.where(np.isnan(reference), np.isnan(result), result == reference)
    comparable = finite & ~np.isnan(result)
    return np.where(comparable, excess, np.where(same, 0.0, np.inf))


def assert_close(
    result: Any, reference: Any, backend: str = "cpu", chain: bool = False, storage: Any = np.float32
) -> None:
    """Fail with the worst pixel where `result` is not within the policy of `reference`."""
    error = policy_error(result, reference, storage)
    allowed = tolerance(backend, chain)
    if error.size and error.max() > allowed:
        worst = error.max(axis=-1)
        at = np.unravel_index(int(worst.argmax()), worst.shape)
        got, wanted = np.asarray(result)[at], np.asarray(reference)[at]
        raise AssertionError(
            f"{backend}: error {worst.max():.3g}, allowed {allowed:g}; {(worst > allowed).sum()} pixels of {worst.size}"
            f"; the worst, at {tuple(map(int, at))}, is {got}, not {wanted}"
        )
