"""Where a damaged file has no pixels: kept in little memory, reported in time that grows with the image alone."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import OpenImageIO as oiio

from engine.core.geometry import Rect
from engine.io.holes import MissingRegions, describe_regions
from tests.engine.limits import FOUND, bounded, needs_found, needs_limits

SALVAGE = """
from engine.export.options import ExportOptions
from engine.export.image import export_image
from engine.grade.grade import Grade
from engine.ops import Exposure
options = ExportOptions(backend="cpu", threads=1, salvage=True)
report = export_image(sys.argv[1], sys.argv[2], Grade([Exposure(1.0)]), options)
print("notes:", *report.notes)
"""


def test_holes_are_what_was_added_in_any_order() -> None:
    for seed in range(200):
        chance, holes, rows = random.Random(seed), MissingRegions(), set[int]()
        for _ in range(chance.randint(1, 25)):
            first, count = chance.randint(0, 30), chance.randint(1, 6)
            holes.add(Rect(0, first, 5, count))
            rows |= set(range(first, first + count))
        found = list(holes)
        assert {y for hole in found for y in range(hole.y, hole.bottom)} == rows
        assert all(one.bottom < other.y for one, other in pairwise(found))
        assert (holes.pixels, bool(holes)) == (5 * len(rows), True)
    assert not MissingRegions()


def test_columns_of_tiles_stay_apart() -> None:
    holes = MissingRegions()
    for x, y in ((64, 0), (0, 32), (64, 32), (0, 96)):
        holes.add(Rect(x, y, 64, 32))
    assert list(holes) == [Rect(64, 0, 64, 64), Rect(0, 32, 64, 32), Rect(0, 96, 64, 32)]
    assert describe_regions(holes, 128, 10, 20) == "(74, 20) - (137, 83); (10, 52) - (73, 83); (10, 116) - (73, 147)"
    assert describe_regions(holes, 64, 0, 0) == "scanlines 0 - 63; scanlines 32 - 63; scanlines 96 - 127"


@needs_limits
@needs_found
def test_an_image_of_many_lines_that_took_a_minute(tmp_path: Path) -> None:
    for name in ("salvage_68s.tif", "picture-92c695a3.tif"):
        done = bounded(SALVAGE, FOUND / name, tmp_path / f"{name}.exr", seconds=15)
        assert "scanlines 0 - 32796." in done.out


@needs_limits
def test_salvage_takes_time_in_proportion_to_the_lines(tmp_path: Path) -> None:
    """Of 80,000 lines the second half is cut off: a search through all holes for each of them would take minutes."""
    path, spec = tmp_path / "long.dpx", oiio.ImageSpec(16, 80_000, 3, "uint16")
    file = oiio.ImageOutput.create(str(path))
    assert file is not None
    assert file.open(str(path), spec)
    file.write_image(np.full((80_000, 16, 3), 1000, np.uint16))
    file.close()
    with path.open("r+b") as cut:
        cut.truncate(path.stat().st_size // 2)
    done = bounded(SALVAGE, path, tmp_path / "b.exr", seconds=20)
    assert "regions that could not be read are 0 in all channels: scanlines 39957 - 79999." in done.out
