"""Grading of colours as they are stored, or divided by alpha."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.export.alpha import unpremultiplied
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.export.provenance import grade_from_file
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Entry, FileLook, Group, Layer
from engine.grade.grade import Grade
from engine.io import read_image
from engine.ops import Blur, Contrast, Exposure, Premultiply, Saturation
from tests.tolerance import assert_close

CPU = ExportOptions(backend="cpu", threads=1, colour=ColourSetup(config="raw"), alpha="unpremultiplied")
GRADE = Grade([Contrast(1.3), Saturation(1.4)])
DIVIDE, MULTIPLY = Premultiply("reverse"), Premultiply()


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    """Premultiplied colours; alpha is 0 at some pixels, which glow."""
    rng = np.random.default_rng(4)
    pixels = rng.uniform(0.0, 3.0, (21, 34, 4)).astype(np.float32)
    pixels[..., 3] = rng.choice([0.0, 0.01, 0.3, 0.7, 1.0], pixels.shape[:2])
    pixels[..., :3] *= np.where(pixels[..., 3:] == 0.0, 0.5, pixels[..., 3:])
    OpenEXR.File({}, {"RGBA": pixels}).write(str(tmp_path / "a.exr"))
    return tmp_path / "a.exr"


def test_colours_are_divided_by_alpha_and_multiplied_again(shot: Path) -> None:
    export_image(shot, shot.with_name("b.exr"), GRADE, CPU)
    before, after = (read_image(shot.with_name(name)).pixels for name in ("a.exr", "b.exr"))
    wanted = before.astype(np.float64)
    factor = np.where(wanted[..., 3:] == 0.0, 1.0, wanted[..., 3:])
    wanted[..., :3] /= factor
    for op in GRADE:
        wanted = op.reference(wanted)  # type: ignore[attr-defined]
    wanted[..., :3] *= factor
    assert_close(after, wanted, chain=True)
    assert np.array_equal(before[..., 3], after[..., 3])
    export_image(shot, shot.with_name("c.exr"), GRADE, replace(CPU, alpha="stored"))
    stored = read_image(shot.with_name("c.exr")).pixels
    solid = before[..., 3] == 1.0
    assert_close(after[solid], stored[solid], chain=True)
    assert np.abs(after - stored)[before[..., 3] == 0.3].max() > 0.01


def test_the_header_records_it_and_it_is_not_done_twice(shot: Path) -> None:
    export_image(shot, shot.with_name("b.exr"), GRADE, CPU)
    grade = grade_from_file(shot.with_name("b.exr"))
    assert grade.entries == (DIVIDE, *GRADE.entries, MULTIPLY)
    export_image(shot, shot.with_name("c.exr"), grade, CPU)
    once, twice = (read_image(shot.with_name(name)).pixels for name in ("b.exr", "c.exr"))
    assert np.array_equal(once, twice)


def test_filters_work_on_premultiplied_colours() -> None:
    blur, off = Blur(2.0), Layer(Contrast(1.1), enabled=False)
    look = FileLook("a.cc", (Exposure(1.0),))
    before: list[Entry] = [Exposure(1.0), look, blur, Layer(Saturation(1.2), mix=0.5)]
    after: list[Entry] = [DIVIDE, *before[:2], MULTIPLY, blur, DIVIDE, before[3], MULTIPLY]
    assert unpremultiplied(Grade(before)) == Grade(after)
    assert unpremultiplied(Grade([blur, off])) == Grade([blur, off])
    assert unpremultiplied(Grade([off])) == Grade([off])
    group = Group((Exposure(1.0), blur), "soft", mix=0.5)
    assert unpremultiplied(Grade([group])) == Grade([replace(group, entries=(DIVIDE, Exposure(1.0), MULTIPLY, blur))])
    solo = Grade([Exposure(1.0), Layer(Saturation(1.2), solo=True)])
    bypassed = Layer(Exposure(1.0), enabled=False)
    assert unpremultiplied(solo) == Grade([DIVIDE, bypassed, Saturation(1.2), MULTIPLY])
