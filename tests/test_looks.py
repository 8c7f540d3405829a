"""The looks that come with Tessera: made by their script, the same as LUTs, and sane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import resources
from app.model.looks import looks
from engine import Grade
from engine.color.management import manage
from engine.compute.devices import create_executor
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import load_grade
from engine.kernel.op import ColorOp
from engine.ocio import ops_from_file
from resources.make_looks import CONFIG, MADE, file_name, look_of, write
from tests.thorough import cases

LOOKS = resources.path("looks")
ONLY_GRADES = {"Gentle film", "Old negative", "Instant film", "Small gauge", "Candlelight", "Neon", "Low key", "Noir"}
"""Looks with grain, glows, vignettes or the contrast of film."""
GREYS = 0.18 * 2.0 ** np.linspace(-6.0, 5.0, 45)
SKIN = np.array([[0.42, 0.27, 0.19], [0.25, 0.15, 0.1], [0.1, 0.055, 0.035]])
BLACK_AND_WHITE = {"Silver", "Red filter", "Noir", "Sepia", "Cyanotype"}
MANAGED = manage(ColourSetup(CONFIG, input="ACEScg", output="ACEScg"))


def colour_of(name: str, rgb: np.ndarray) -> np.ndarray:
    """ACEScg values after the colour ops of a look, by their references."""
    rgba = np.column_stack([rgb, np.ones(len(rgb))])
    for op in MANAGED.expanded(look_of(name)):
        if isinstance(op, ColorOp) and not op.placed:
            rgba = op.reference(rgba)
    return rgba[:, :3]


def test_there_are_thirty_and_all_are_offered() -> None:
    assert len(MADE) == 30
    assert {look.path for look in looks()} == {LOOKS / f"{file_name(name)}.json" for name in MADE}
    assert {look.title for look in looks()} == set(MADE)
    assert all(look.preset.grade == look_of(look.title) for look in looks())


def kinds_and_colours(path: Path) -> tuple[list[type], np.ndarray]:
    """The kinds of the ops of a LUT file, and random codes after them, by their references."""
    rgba, ops = np.random.default_rng(3).uniform(-0.1, 1.1, (2000, 4)), ops_from_file(path)
    for op in ops:
        assert isinstance(op, ColorOp)
        rgba = op.reference(rgba)
    return [type(op) for op in ops], rgba


def test_the_files_are_what_the_script_makes(tmp_path: Path) -> None:
    for name in MADE:
        grade, *exact = write(name, tmp_path)
        assert grade.read_bytes() == (LOOKS / grade.name).read_bytes(), "run python -m resources.make_looks"
        assert bool(exact) == (name not in ONLY_GRADES)
        for path in exact:
            (kinds, colours), (expected, others) = kinds_and_colours(path), kinds_and_colours(LOOKS / path.name)
            assert kinds == expected
            np.testing.assert_allclose(colours, others, rtol=1e-12, atol=1e-12)  # last digits differ between processors
    clfs = {path.stem for path in LOOKS.glob("*.clf")}
    assert clfs == {file_name(name) for name in set(MADE) - ONLY_GRADES}


@pytest.mark.parametrize("name", cases(["Sepia", "Bleach bypass", "Golden hour"], sorted(set(MADE) - ONLY_GRADES)))
def test_a_clf_is_the_same_look(name: str) -> None:
    codes = np.random.default_rng(5).uniform(0.1, 0.8, (16, 16, 4)).astype(np.float32)
    managed = manage(ColourSetup(CONFIG, input="ACEScct", output="ACEScct"))
    executor = create_executor("cpu", 1)
    grade = executor.execute_color(codes, managed.expanded(look_of(name)))
    lut = executor.execute_color(codes, ops_from_file(LOOKS / f"{file_name(name)}.clf"))
    assert np.abs(grade - lut).max() < 1e-4  # OpenColorIO writes and reads fifteen digits, and computes in float32


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_look_is_plausible(name: str) -> None:
    """Greys stay in order and near grey, skin keeps its hue and its order."""
    greys = colour_of(name, np.repeat(GREYS[:, None], 3, axis=1))
    assert np.isfinite(greys).all()
    assert (greys > 0.0).all()
    assert (np.diff(greys, axis=0) > 0.0).all()
    middle = greys[np.argmin(np.abs(GREYS - 0.18))]
    assert 0.04 < middle.mean() < 0.4
    if name not in BLACK_AND_WHITE:
        assert middle.max() / middle.min() < (1.6 if name == "Moonlight" else 1.45)
        skin = colour_of(name, SKIN)
        assert (np.diff(skin.sum(axis=1)) < 0.0).all()
        if name != "Moonlight":
            assert (skin[:, 0] > skin[:, 1]).all()
            assert (skin[:, 1] > 0.8 * skin[:, 2]).all()


def test_the_looks_can_be_read_as_any_grade() -> None:
    assert load_grade(LOOKS / "bleach_bypass.json") == look_of("Bleach bypass")
    assert isinstance(look_of("Noir"), Grade)
