"""Make the images of docs/matching.md: `python -m tools.matching_images`.

A shot as another camera might have seen the sample, the sample as its reference, and the shot after the match.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from engine import Grade, ops, save_grade
from tools.sample_images import RESOURCES, VIEWED, run

SHOT = Grade(
    (
        ops.Exposure(-0.9),
        ops.WhiteBalance(8800.0, 18.0),
        ops.Cdl(offset=(0.01, 0.0, 0.02), power=(1.06, 1.0, 0.94), saturation=0.72),
    )
)
"""What makes the shot of the sample."""


def main() -> None:
    sample = RESOURCES / "sample.exr"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shot, look, found = work / "shot.exr", work / "shot.json", work / "match.json"
        save_grade(SHOT, look)
        run("export", sample, shot, "--grade", look)
        run("match", shot, found, "--reference", sample, "--method", "smooth")
        run("export", shot, RESOURCES / "match_before.jpg", *VIEWED)
        run("export", sample, RESOURCES / "match_reference.jpg", *VIEWED)
        run("export", shot, RESOURCES / "match_after.jpg", "--grade", found, *VIEWED)


if __name__ == "__main__":
    main()
