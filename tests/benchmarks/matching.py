"""How near the methods of colour matching come to known transforms: `python -m tests.benchmarks.matching`.

Twenty transforms (exposure, white balance, CDL, matrices, curves, saturation, mixtures) are applied to two images, the
sample and a generated one with grain, and each image is matched to the result of its own transform. The errors are
CIEDE2000 after the match, as median / 95th percentile over the pixels up to four times diffuse white, in the default
spaces of the window: ACEScct and scene-linear AP1. With `--part`, the reference shows only a part of what the image
shows, as another shot of the same scene does. Colour charts are measured by --charts.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from engine.matching import METHODS, fit_chart
from tests.benchmarks.timing import table
from tests.engine.matching_pairs import TRANSFORMS, after, generated, sample
from tests.engine.sample_chart import published

Array = NDArray[np.float64]
NOISES = (0.0, 0.005, 0.02)


def matches(part: float) -> list[list[str]]:
    """The errors of all methods, a row for each image and transform, and their means and times."""
    rows = [["image", "transform", "before", *METHODS]]
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in METHODS}
    for image, source in (("sample", sample(4)), ("generated", generated(320, 180))):
        seen = np.s_[:, : int(source.shape[1] * part)]
        for name, ops in TRANSFORMS.items():
            row, before = [], np.zeros(1)
            for method in METHODS:
                start = time.process_time()
                before, errors = after(method, source, ops, seen)
                found[method].append((*quantiles(errors), time.process_time() - start))
                row.append(text(errors))
            rows.append([image, name, text(before), *row])
    means = ["{:.2f} / {:.2f}".format(*np.mean(each, axis=0)[:2]) for each in found.values()]
    times = [f"{np.mean(each, axis=0)[2]:.2f} s" for each in found.values()]
    return [*rows, ["", "mean", "", *means], ["", "processor time", "", *times]]


def charts() -> list[list[str]]:
    """The errors of fits to a chart of a camera with noise: the mean, and the largest of the 24 patches."""
    wanted = published()
    camera = np.array([[0.75, 0.2, 0.05], [0.1, 0.8, 0.1], [0.02, 0.25, 0.73]]) * 0.6
    rows = [["noise", "mean before", "mean after", "largest after"]]
    for noise in NOISES:
        random = np.random.default_rng(1)
        known = wanted @ camera.T * random.normal(1.0, noise, (24, 3))
        fit = fit_chart(known, keep="nothing")
        rows.append([f"{noise:.1%}", *(f"{mean:.2f}" for mean in fit.means), f"{np.max(fit.after):.2f}"])
    return rows


def quantiles(errors: Array) -> tuple[float, float]:
    return float(np.median(errors)), float(np.percentile(errors, 95))


def text(errors: Array) -> str:
    return "{:.2f} / {:.2f}".format(*quantiles(errors))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", type=float, default=1.0, help="the part of the width that the reference shows")
    parser.add_argument("--charts", action="store_true", help="measure fits to a colour chart")
    options = parser.parse_args()
    print(table(charts() if options.charts else matches(options.part)))


if __name__ == "__main__":
    main()
