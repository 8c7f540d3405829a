"""Picking colours on the canvas for the qualifiers of mattes."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.canvas.mattes.stroke_tool import StrokeTool
from engine import ops
from engine.grade.entries import Layer, layer_of
from engine.mattes.qualifiers import MOST_SAMPLES, HslQualifier, Key3d
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import click, go, press, release, source_of
from tests.app.canvas.test_matte_picking import HERO, begin, picked, wait
from tests.app.hands import ALT, SHIFT, Key


def source_colour(x: int, y: int) -> np.ndarray:
    """The ramp of `make_image`."""
    return np.array([x / 191.0, y / 107.0, 0.25])


def test_a_click_adds_a_sample_to_a_3d_key(bench: Bench, qtbot: Any):
    tool = begin(bench, Key3d())
    assert isinstance(tool, StrokeTool)
    key = picked(bench, qtbot, (100.5, 50.5))
    assert len(key.added) == 1 and np.allclose(key.added[0], source_colour(100, 50), atol=1e-3)
    key = picked(bench, qtbot, (20.5, 90.5), ALT)
    assert len(key.added) == 1 and np.allclose(key.removed[0], source_colour(20, 90), atol=1e-3)
    assert bench.document.steps == 2 and bench.document.undo_text == "Exposure matte: 3D key removed samples"


def test_a_stroke_adds_several_samples_as_one_step(bench: Bench, qtbot: Any):
    begin(bench, Key3d())
    press(qtbot, bench, 40.5, 50.5)
    for x in (60.5, 100.5, 140.5):
        go(bench, x, 50.5)
        bench.canvas.grab()
        bench.canvas.zoom_by(1.02)  # the stroke stays on the image
    release(qtbot, bench, 140.5, 50.5)
    wait(bench, qtbot)
    added = np.array(source_of(bench).added)
    assert 4 <= len(added) <= 8 and bench.document.steps == 1
    assert np.ptp(added[:, 0]) > 0.4 and np.allclose(added[:, 1], 50 / 107, atol=0.02)


def test_a_late_colour_is_not_given_to_another_key(bench: Bench, qtbot: Any):
    begin(bench, Key3d())
    selection = bench.workspace.matte_selection
    selection.set_matte(Matte(Branch("union", (Leaf(Key3d()), Leaf(Key3d())))), "keys")
    selection.select((0,))
    selection.pick(True)
    click(qtbot, bench, *HERO)
    selection.select((1,))
    wait(bench, qtbot)
    assert source_of(bench) == Key3d() and bench.document.steps == 1


def test_a_full_key_says_so(bench: Bench, qtbot: Any):
    full = Key3d(added=tuple((n / 40, 0.5, 0.5) for n in range(MOST_SAMPLES)))
    begin(bench, full)
    noted: list[str] = []
    bench.workspace.messages.noted.connect(noted.append)
    assert picked(bench, qtbot, HERO) == full and "32 samples" in noted[-1]


def test_return_picks_the_colour_in_the_centre(bench: Bench, qtbot: Any):
    begin(bench, Key3d())
    qtbot.keyClick(bench.canvas, Key.Key_Return)
    wait(bench, qtbot)
    assert len(source_of(bench).added) == 1
    qtbot.keyClick(bench.canvas, Key.Key_Escape)
    assert not bench.workspace.matte_selection.picking


def test_a_key_after_other_entries_reads_what_they_give_it(bench: Bench, qtbot: Any):
    begin(bench, Key3d(input="entry"))
    document = bench.document
    (entry,) = document.grade.entries
    document.edit(
        document.grade.with_entries((ops.Exposure(1.0), Layer(ops.Exposure(3.0), enabled=False), entry)), "more"
    )
    document.select(2)
    bench.workspace.matte_selection.select(())
    bench.workspace.matte_selection.pick(True)
    key = picked(bench, qtbot, (100.5, 50.5))
    assert np.allclose(key.added[0], 2.0 * source_colour(100, 50), atol=2e-3)
    assert layer_of(document.grade.entries[2]).matte is not None


def test_colours_after_a_matte_are_those_of_the_preview(bench: Bench, qtbot: Any, monkeypatch: Any):
    begin(bench, Key3d(input="entry"))
    document, preview = bench.document, bench.workspace.preview
    masked = Layer(ops.Exposure(1.0), matte=Matte(Leaf(Ellipse())))
    document.edit(document.grade.with_entries((masked, *document.grade.entries)), "more")
    document.select(1)
    bench.workspace.matte_selection.select(())
    bench.workspace.matte_selection.pick(True)
    asked: list[Any] = []
    monkeypatch.setattr(preview, "colours", lambda *wanted: asked.append(wanted))
    picked(bench, qtbot, (100.5, 50.5))
    ((pixels, before),) = asked
    assert pixels == tuple((x, y) for y in (49, 50, 51) for x in (99, 100, 101)) and len(before) == 1
    preview.coloured.emit(((0, 0),), np.zeros((1, 4)))
    assert source_of(bench).added == (), "the answer to another question"
    values = np.array([[n / 8, 0.5, 0.25, 1.0] for n in range(9)])
    preview.coloured.emit(pixels, values)
    assert source_of(bench).added == ((0.5, 0.5, 0.25),)
    preview.coloured.emit(pixels, values)
    assert document.steps == 2


def test_a_stroke_sets_the_ranges_of_a_qualifier_and_shift_extends_them(bench: Bench, qtbot: Any):
    begin(bench, HslQualifier())
    qualifier = picked(bench, qtbot, (180.5, 10.5))
    colour = source_colour(180, 10)
    assert covers(qualifier, colour) == 1.0 and covers(qualifier, source_colour(10, 100)) == 0.0
    qualifier = picked(bench, qtbot, (10.5, 100.5), SHIFT)
    assert covers(qualifier, colour) == 1.0 and covers(qualifier, source_colour(10, 100)) == 1.0
    assert bench.document.steps == 2


def covers(qualifier: HslQualifier, colour: np.ndarray) -> float:
    return float(qualifier.reference(np.array([*colour, 1.0])[None])[0, 0])
