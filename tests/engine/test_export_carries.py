"""Exports of generated EXRs: what is graded equals the picture graded in memory, what is not is untouched."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

from engine.detect import create_executor
from engine.export import ExportOptions, export_picture
from engine.grade import Grade
from engine.io import read_picture
from engine.ops import Cdl, Exposure, Saturation
from tests.engine.io.exr import same_bits
from tests.engine.io.generated import (
    LOSSY,
    Made,
    assert_carried,
    pictures,
    read_by_oiio,
    read_by_openexr,
    without_ours,
    write,
)

PREVIEW = {"preview", "thumbnail_width", "thumbnail_height", "thumbnail_nchannels", "thumbnail_image"}
EXAMPLES = int(os.environ.get("TESSERA_EXAMPLES", "25"))
GRADE = Grade([Exposure(0.4), Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0, 0), power=(1.1, 1, 0.9)), Saturation(1.2)])


def ulps(one: np.ndarray, other: np.ndarray) -> int:
    """The largest distance of two half pictures, in steps between neighbouring numbers."""
    ranks = [x.view(np.int16).astype(np.int32) for x in (one, other)]
    ranks = [np.where(r < 0, -(r & 0x7FFF), r) for r in ranks]
    return int(np.abs(ranks[0] - ranks[1]).max())


def names_of(made: Made) -> set[str]:
    """The channels that are graded, of all layers asked for."""
    return {f"{layer}." * bool(layer) + c for layer in made.layers for c in "RGB"}


def wanted(path: Path, made: Made) -> dict[str, np.ndarray]:
    """The graded channels, from the whole picture in memory."""
    executor = create_executor("cpu", 1)
    found = {}
    for layer in made.layers:
        pixels = executor.execute_color(read_picture(path, made.graded, layer).pixels, GRADE)
        found |= {f"{layer}." * bool(layer) + c: pixels[..., n] for n, c in enumerate("RGB")}
    return found


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(made=pictures())
def test_all_that_is_not_graded_is_as_it_was(made: Made) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.exr", Path(folder) / "b.exr"
        made.channels.clear()
        write(made, source)
        options = ExportOptions(backend="cpu", threads=1, part=made.graded, layer=made.layers)
        report = export_picture(source, target, GRADE, options)
        assert sorted(path.name for path in Path(folder).iterdir()) == ["a.exr", "b.exr"]
        spec, names = made.parts[made.graded], names_of(made)
        dropped = PREVIEW if "preview" in spec.opaque else set[str]()
        assert any("preview" in note for note in report.notes) == bool(dropped)
        expected = wanted(source, made)
        if not any("not text" in part.opaque for part in made.parts):  # OpenEXR's Python can't read such a header
            before, after = read_by_openexr(source), read_by_openexr(target)
            for n, ((was, old), (now, new)) in enumerate(zip(before, after, strict=True)):
                mine = n == made.graded
                assert without_ours(now) == without_ours(was, *(dropped if mine else ()))
                lossy = mine and made.parts[n].compression in LOSSY
                assert_carried(old, new, names if mine else set(), lossy)
            if spec.compression not in LOSSY:
                check_graded(expected, after[made.graded][1])
        for n, part in enumerate(made.parts):
            was, now = read_by_oiio(source, n), read_by_oiio(target, n)
            if was is None or now is None:
                assert spec.coarse or part.coarse
                continue
            mine = n == made.graded
            assert without_ours(now[0]) == without_ours(was[0], *(dropped if mine else ()))
            assert_carried(was[1], now[1], names if mine else set(), mine and part.compression in LOSSY)


def check_graded(expected: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> None:
    for name, plane in expected.items():
        if plane.dtype == np.float32:
            assert same_bits(np.ascontiguousarray(plane), after[name]), name
        else:
            assert ulps(np.ascontiguousarray(plane), after[name]) <= 1, name
