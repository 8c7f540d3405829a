"""Denoise against non-local means of scikit-image on a photograph, with noise of three deviations: PSNR, and seconds of
the processor.

    python -m tests.benchmarks.denoise
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import create_executor, ops
from tests.benchmarks.timing import table

Floats = NDArray[np.float64]
SIGMAS = (0.02, 0.05, 0.1)


def decibels(found: Floats, photo: Floats) -> float:
    """PSNR of values of 0..1."""
    return float(-10.0 * np.log10(((found - photo) ** 2).mean()))


def worked(run: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a function, and seconds of the processor on all cores."""
    start = time.process_time()
    return run(), time.process_time() - start


def main() -> int:
    try:
        from skimage import data, restoration
    except ImportError:
        print("install the extra oracles")
        return 1
    photo, executor = np.asarray(data.astronaut() / 255.0), create_executor("cpu")
    rows = [["sigma", "noisy dB", "non-local means dB", "s", "Denoise dB", "s"]]
    for sigma in SIGMAS:
        noisy = photo + np.random.default_rng(1).normal(0.0, sigma, photo.shape)
        how = {"patch_size": 5, "patch_distance": 6, "h": 0.8 * sigma, "sigma": sigma, "channel_axis": -1}
        means, seconds = worked(lambda: restoration.denoise_nl_means(noisy, **how))  # noqa: B023 (called at once)
        image, grade = noisy.astype(np.float32), [ops.Denoise(1.0, 1.0, 0.0, (sigma,) * 3)]
        executor.execute_color(image, grade)  # compiles
        ours, own = worked(lambda: executor.execute_color(image, grade))  # noqa: B023
        found = (decibels(each.astype(np.float64), photo) for each in (noisy, means, ours))
        before, theirs, after = (f"{each:.2f}" for each in found)
        rows.append([f"{sigma:g}", before, theirs, f"{seconds:.2f}", after, f"{own:.2f}"])
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
