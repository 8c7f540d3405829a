"""Make the images of docs/zones.md: the sample as it is, and graded by ops for zones of tones and hues.

python -m tools.zone_images [DIR]    (default: resources/)
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine import Grade, ops, save_grade
from engine.kernel.op import Op
from tools.sample_images import RESOURCES, VIEWED, folder_asked, run

GRADES: dict[str, tuple[Op, ...]] = {
    "before": (),
    "hdr": (
        ops.HdrWheels(
            dark=(-0.1, 0.0, 0.35, -0.2, 0.8, -2.0, 2.0),
            shadow=(0.0, 0.0, 0.15, 0.35, 0.9, 0.0, 2.0),
            light=(0.0, -0.05, -0.1, 0.1, 1.15),
            highlight=(0.1, 0.0, -0.2, -0.7, 1.3, 2.0, 2.0),
            specular=(0.0, 0.0, 0.0, -1.2, 1.0, 4.0, 2.0),
        ),
    ),
    "split": (ops.SplitTone(205.0, 0.3, 40.0, 0.22, -0.5, 4.0),),
    "six": (
        ops.SixVector(
            density=(0.6, 0.0, 0.0, 0.0, 0.5, 0.0),
            saturation=(1.0, 0.6, 0.5, 1.0, 1.2, 1.0),
            hue=(0.0, 0.0, 30.0, 0.0, -30.0, 0.0),
        ),
    ),
    "recovery": (ops.Recovery(-2.0, 1.6, 0.5, -1.0),),
    "filmic": (ops.FilmicContrast(1.5, toe=0.6, shoulder=1.5), ops.Vibrance(0.6)),
}
"""The grade of each image by its name."""


def main() -> None:
    folder = folder_asked(__doc__)
    with tempfile.TemporaryDirectory() as work:
        for name, entries in GRADES.items():
            saved = Path(work) / f"{name}.json"
            save_grade(Grade(entries), saved)
            run("export", RESOURCES / "sample.exr", folder / f"zones_{name}.jpg", "--grade", saved, *VIEWED)


if __name__ == "__main__":
    main()
