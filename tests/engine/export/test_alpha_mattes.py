"""Mattes in exports that grade unpremultiplied colours: what qualifiers read, and that the window shows the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import ExportOptions, Grade, Group, create_executor, ops
from engine.color.management import manage
from engine.core.geometry import Place
from engine.export.alpha import unpremultiplied
from engine.export.image import export_image
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Layer
from engine.kernel.op import Op
from engine.mattes.qualifiers import HslQualifier
from engine.mattes.tree import Leaf, Matte
from engine.viewing import FrameMaker
from engine.viewing.levels import levels_of
from engine.viewing.opening import open_image
from tests.engine.export.test_export_mattes import DATA, channels_of, make, pixels
from tests.engine.matte_reference import matte_coverage

RAW, MANAGED = ColourSetup(config="raw"), ColourSetup(input="ACEScg", working="ACEScct")
LUMA = {"luma": (0.35, 0.5, 0.05, 0.05)}
GAIN = ops.Cdl(slope=(2.0, 0.5, 0.25))


def key(of: str, **more: Any) -> Matte:
    return Matte(Leaf(HslQualifier(input=of, **LUMA)), **more)


GRADE = Grade(
    [
        GAIN,
        Layer(ops.Exposure(1.0), matte=key("source")),
        Layer(ops.Exposure(-1.0), matte=key("entry", feather=2.0)),
        Layer(ops.Blur(radius=2.0), matte=key("entry")),
        Group((Layer(ops.Saturation(0.2), matte=key("source")), ops.Exposure(0.1)), "a group", matte=key("entry")),
    ]
)


def options(alpha: str = "unpremultiplied", setup: ColourSetup = RAW, **more: Any) -> ExportOptions:
    return ExportOptions(backend="cpu", type="float", colour=setup, alpha=alpha, **more)


def shown(path: Path, grade: Grade, setup: ColourSetup) -> np.ndarray:
    """The values of all pixels as the window computes them."""
    image = open_image(path)
    managed = manage(setup, path, image.part.metadata)
    found: tuple[Op, ...] = managed.expanded(replace(grade, colour=managed.kept))
    maker = FrameMaker(create_executor("cpu"))
    maker.show(levels_of(image))
    size = image.part.width, image.part.height
    return np.asarray(maker.graded((0.0, 0.0, float(size[0]), float(size[1])), *size, found)[0])


@pytest.mark.parametrize("setup", [RAW, MANAGED], ids=["raw", "managed"])
@pytest.mark.parametrize("alpha", ["stored", "unpremultiplied"])
def test_the_window_shows_the_values_of_the_export(tmp_path: Path, setup: ColourSetup, alpha: str) -> None:
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "out.exr", GRADE, options(alpha, setup))
    made = channels_of(tmp_path / "out.exr")
    seen = shown(source, GRADE if alpha == "stored" else unpremultiplied(GRADE), setup)
    for n, name in enumerate("RGB"):
        np.testing.assert_array_equal(made[name], seen[..., n], err_msg=name)


def test_a_source_is_read_as_stored_and_an_entry_divided_by_alpha(tmp_path: Path) -> None:
    source = make(tmp_path / "shot.exr")
    channels = ("source", "2"), ("entry", "3"), ("filter", "4")
    plain = Layer(ops.Exposure(-1.0), matte=key("entry"))
    grade = GRADE.with_entries((*GRADE.entries[:2], plain, *GRADE.entries[3:]))
    export_image(source, tmp_path / "out.exr", grade, options(matte_channels=channels))
    made = channels_of(tmp_path / "out.exr")
    image, place = np.asarray(pixels(), np.float64), Place(column=DATA[0], row=DATA[1])
    alpha = image[..., 3:]
    divided = np.concatenate([image[..., :3] / alpha, alpha], axis=2)
    gained = divided * np.array([2.0, 0.5, 0.25, 1.0])
    by_source = matte_coverage(key("source"), image, place, {})
    gained[..., :3] *= 1.0 + by_source[..., None]
    by_entry = matte_coverage(key("entry"), gained, place, {})
    darker = gained.copy()
    darker[..., :3] *= 1.0 - 0.5 * by_entry[..., None]
    darker[..., :3] *= alpha
    by_filter = matte_coverage(key("entry"), darker, place, {})  # filters work on premultiplied colours
    for name, wanted in (("source", by_source), ("entry", by_entry), ("filter", by_filter)):
        np.testing.assert_allclose(made[name], wanted, rtol=0, atol=2e-4, err_msg=name)
        assert wanted.max() > 0.9 and wanted.min() == 0.0


def test_only_a_whole_division_by_alpha_is_that_of_the_grade() -> None:
    divided = ops.Premultiply("reverse")
    assert unpremultiplied(Grade([divided, GAIN])) == Grade([divided, GAIN])
    for part in (Layer(divided, matte=key("source")), Layer(divided, mix=0.5)):
        assert unpremultiplied(Grade([part, GAIN])).entries == (divided, part, GAIN, ops.Premultiply())
