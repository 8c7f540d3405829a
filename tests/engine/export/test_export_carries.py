"""Exports of generated EXRs: what is graded equals the image graded in memory, what is not is untouched."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from engine.compute.devices import create_executor
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import Grade
from engine.io import read_image
from engine.io.whole import planes_of
from engine.ops import Cdl, Exposure, Saturation
from tests.engine.io.exr import same_bits, some_corpus_files
from tests.engine.io.generated import (
    LOSSY,
    Made,
    Spec,
    assert_carried,
    images,
    read_by_oiio,
    read_by_openexr,
    without_ours,
    write,
)

PREVIEW = {"preview", "thumbnail_width", "thumbnail_height", "thumbnail_nchannels", "thumbnail_image"}
EXAMPLES = int(os.environ.get("TESSERA_EXAMPLES", "25"))
CPU = ExportOptions(backend="cpu", threads=1, colour=ColourSetup(config="raw"))
GRADE = Grade([Exposure(0.4), Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0, 0), power=(1.1, 1, 0.9)), Saturation(1.2)])


def ulps(one: np.ndarray, other: np.ndarray) -> int:
    """The largest distance of two half images, in steps between neighbouring numbers."""
    ranks = [x.view(np.int16).astype(np.int32) for x in (one, other)]
    ranks = [np.where(r < 0, -(r & 0x7FFF), r) for r in ranks]
    return int(np.abs(ranks[0] - ranks[1]).max())


def names_of(made: Made) -> set[str]:
    """The channels that are graded, of all layers asked for."""
    return {f"{layer}." * bool(layer) + c for layer in made.layers for c in "RGB"}


def wanted(path: Path, made: Made) -> dict[str, np.ndarray]:
    """The graded channels, from the whole image in memory."""
    executor = create_executor("cpu", 1)
    found: dict[str, np.ndarray] = {}
    for layer in made.layers:
        pixels = executor.execute_color(read_image(path, made.graded, layer).pixels, GRADE)
        found |= {f"{layer}." * bool(layer) + c: pixels[..., n] for n, c in enumerate("RGB")}
    return found


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(made=images())
def test_all_that_is_not_graded_is_as_it_was(made: Made) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "a.exr", Path(folder) / "b.exr"
        made.channels.clear()
        write(made, source)
        options = replace(CPU, part=made.graded, layer=made.layers)
        report = export_image(source, target, GRADE, options)
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
            one, other = read_by_oiio(source, n), read_by_oiio(target, n)
            if one is None or other is None:
                assert spec.coarse or part.coarse
                continue
            mine = n == made.graded
            assert without_ours(other[0]) == without_ours(one[0], *(dropped if mine else ()))
            assert_carried(one[1], other[1], names if mine else set(), mine and part.compression in LOSSY)


def check_graded(expected: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> None:
    for name, plane in expected.items():
        if plane.dtype == np.float32:
            assert same_bits(np.ascontiguousarray(plane), after[name]), name
        else:
            assert ulps(np.ascontiguousarray(plane), after[name]) <= 1, name


def test_coarse_channels_beside_text_that_is_not_utf8(tmp_path: Path) -> None:
    spec = Spec(
        (20, 30), (2, -4), "ZIP", ("",), True, "half", {"id": "uint"}, None, True, True, (0, 0, 9, 9), ("not text",)
    )
    made = Made([spec], 0, ("",))
    write(made, tmp_path / "a.exr")
    export_image(tmp_path / "a.exr", tmp_path / "b.exr", GRADE, CPU)
    before, after = (planes_of(tmp_path / name, 0) for name in ("a.exr", "b.exr"))
    assert before["coarse"].shape == (15, 10)
    assert_carried(before, after, set("RGB"), False)
    check_graded(wanted(tmp_path / "a.exr", made), after)


@pytest.mark.parametrize("path", some_corpus_files())
def test_the_corpus_keeps_all_that_is_not_graded(path: Path, tmp_path: Path) -> None:
    target, options = tmp_path / "b.exr", CPU
    image = read_image(path)
    if image.part.is_deep:  # test_deep_export.py grades them
        export_image(path, target, Grade(), options)
        assert target.read_bytes() == path.read_bytes()
        return
    report = export_image(path, target, GRADE, options)
    pixels = create_executor("cpu", 1).execute_color(image.pixels, GRADE)
    names = image.layer.channels[:3] if image.layer.is_colour else ("R", "G", "B")
    replaced = set() if image.layer.is_colour else set(image.layer.channels[:3])
    before, after = read_by_openexr(path), read_by_openexr(target)
    for n, ((was, old), (now, new)) in enumerate(zip(before, after, strict=True)):
        mine = n == image.part.index
        other = {"preview", "channels"} if mine and replaced else {"preview"}
        assert without_ours(now, *other) == without_ours(was, *other)
        if mine:
            lossy = image.part.compression.partition(":")[0].upper() in LOSSY
            assert {c for c in old if c not in replaced} | set(names) == set(new)
            kept = [c for c in old if c not in replaced and c not in names]
            assert_carried({c: old[c] for c in kept}, {c: new[c] for c in kept}, set(), lossy)
            if not lossy:
                check_graded({c: pixels[..., n] for n, c in enumerate(names)}, new)
        else:
            assert_carried(old, new, set(), False)
        seen = read_by_oiio(target, n)
        assert seen is not None
        assert all(np.array_equal(seen[1][c], new[c], equal_nan=True) for c in new)
    assert ("preview" in before[image.part.index][0]) == any("preview" in note for note in report.notes)
    assert bool(replaced) == any("in place of" in note for note in report.notes)
