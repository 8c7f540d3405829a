"""Edits of entries with keys at the frame of a document."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engine
from app.model import matte_edit
from app.model.document import Document
from engine import Grade, ops
from engine.errors import GradeError
from engine.grade.curves import Curve, Key
from engine.grade.entries import layer_of
from engine.grade.grade import bare
from engine.grade.keys import keys_of
from engine.mattes import Ellipse, Leaf, Matte, Rectangle
from engine.mattes.tree import Branch

Layer: Any = engine.Layer  # keys are also given as dictionaries
Group: Any = engine.grade.entries.Group
STOPS = Curve([Key(10, 0.0, "linear"), Key(20, 1.0, "linear")])


def document_at(frame: int, *entries: object) -> Document:
    """A document that shows this frame with a grade of these entries."""
    document = Document()
    document.open_grade(Grade(entries), None)  # type: ignore[arg-type]
    go(document, frame)
    return document


def go(document: Document, frame: int) -> None:
    document.update(image_path=Path(f"/shots/s.{frame:04}.exr"))


def exposure(frame: int = 15) -> Document:
    """An exposure that rises from 0 at 10 to 1 at 20, and a saturation."""
    return document_at(frame, Layer(ops.Exposure(0.25), keys={"stops": STOPS}), ops.Saturation())


def stops(document: Document) -> float:
    return bare(document.entries_at_frame[0]).stops  # type: ignore[union-attr]


def test_the_frame_is_that_of_the_name():
    document = exposure(12)
    assert document.frame == 12
    assert stops(document) == pytest.approx(0.2)
    go(document, 30)
    assert (document.frame, stops(document)) == (30, 1.0)
    document.update(image_path=Path("/shots/still.exr"))
    assert (document.frame, stops(document)) == (0, 0.0)
    document.update(image_path=None)
    assert document.frame == 0


def test_a_grade_without_keys_is_the_same_at_every_frame():
    document = document_at(5, ops.Exposure(1.0))
    assert document.grade_at_frame is document.grade


def test_grain_follows_the_frame_without_keys():
    """What is edited and saved knows nothing of the frame."""
    document = document_at(5, ops.Grain(0.2))
    first = document.grade_at_frame
    assert (first.frame, first.entries) == (5, document.grade.entries)
    go(document, 6)
    assert document.grade_at_frame.frame == 6 and document.grade_at_frame != first
    document.edit_entry(0, ops.Grain(0.3), "Grain amount")
    assert document.grade == document.grade.with_entries([ops.Grain(0.3)]) and document.grade.frame == 0


def test_the_grade_at_a_frame_is_found_once():
    document = exposure()
    assert document.grade_at_frame is document.grade_at_frame


def test_an_edit_of_an_animated_value_sets_a_key():
    document = exposure()
    shown = bare(document.entries_at_frame[0])
    document.edit_entry(0, shown.replace(stops=3.0), "Exposure stops")  # type: ignore[union-attr]
    curve = keys_of(document.entries[0])["stops"]
    assert curve.keys == (Key(10, 0.0, "linear"), Key(15, 3.0, "linear"), Key(20, 1.0, "linear"))
    assert document.undo_text == "key of Exposure stops at 15"
    assert stops(document) == 3.0
    document.undo()
    assert keys_of(document.entries[0])["stops"] is STOPS


def test_an_edit_of_another_value_sets_none():
    document = exposure()
    before = layer_of(document.entries[0])
    document.switch(0, "mix", 0.5)
    assert document.undo_text == "mix of Exposure"
    assert document.entries[0] == replace(before, mix=0.5)  # the value below the keys, too


def test_edits_at_several_frames_are_several_steps():
    document = exposure()
    for frame in (15, 15, 16):
        go(document, frame)
        op = bare(document.entries_at_frame[0])
        document.edit_entry(0, op.replace(stops=op.stops + 1.0), "stops", "0.stops")  # type: ignore[union-attr]
    assert [text for text in document.history if text.startswith("key")] == ["key of stops at 15", "key of stops at 16"]


def test_a_drag_over_frames_is_one_step():
    document = exposure()
    document.begin_drag()
    for frame in (15, 16):
        go(document, frame)
        op = bare(document.entries_at_frame[0])
        document.edit_entry(0, op.replace(stops=5.0), "stops", "0.stops")  # type: ignore[union-attr]
    document.end_drag()
    assert keys_of(document.entries[0])["stops"].frames == (10, 15, 16, 20)
    assert document.history[-1] == "key of stops at 16"
    document.undo()
    assert keys_of(document.entries[0])["stops"] is STOPS


def test_the_entries_of_a_group_keep_their_keys():
    group = Group(
        (Layer(ops.Exposure(), keys={"stops": STOPS}),), "one", keys={"mix": Curve([Key(1, 0.5), Key(9, 1.0)])}
    )
    document = document_at(15, group)
    document.switch(0, "mix", 0.75)
    made = document.entries[0]
    assert isinstance(made, Group)
    assert made.entries == group.entries
    assert keys_of(made)["mix"].frames == (1, 9, 15)


def test_the_last_key_leaves_the_value_of_the_frame():
    document = exposure()
    document.edit_keys({0: {"stops": None}}, "no keys")
    assert document.entries[0] == ops.Exposure(0.5)


def test_a_limit_that_is_switched_off_is_animated_no_more():
    document = document_at(5, Layer(ops.GradingPrimary(low=0.0), keys={"low": Curve([Key(1, 0.0), Key(9, 0.5)])}))
    shown: Any = bare(document.entries_at_frame[0])
    document.edit_entry(0, shown.replace(low=ops.GradingPrimary().low), "off")
    assert document.entries[0] == ops.GradingPrimary()


def test_keys_that_an_entry_cannot_have_are_refused():
    document = exposure()
    with pytest.raises(GradeError):
        document.edit_keys({0: {"mix": Curve([Key(1, 2.0)])}}, "too much")
    assert keys_of(document.entries[0]).keys() == {"stops"}


def test_an_entry_that_contradicts_itself_is_shown_without_its_keys():
    low, high = Curve([Key(1, 0.0, "linear"), Key(9, 1.0)]), Curve([Key(1, 0.5, "linear"), Key(9, 1.5)])
    entry = Layer(ops.GradingPrimary(low=0.0, high=1.0), keys={"low": low, "high": high})
    document = document_at(5, entry)
    assert document.contradiction == ""
    crossed = replace(entry, keys={"low": low, "high": Curve([Key(1, 1.5, "linear"), Key(9, 1.2), Key(5, 0.4)])})
    try:
        document = document_at(5, crossed)
    except GradeError:
        pytest.skip("such keys are refused at once")
    assert "at frame 5" in document.contradiction
    assert bare(document.entries_at_frame[0]) == entry.entry


# -- mattes


def ellipse(frame: int, root: object = None) -> Document:
    """An entry whose matte has an ellipse that moves by 10 pixels per frame, and whose feather grows."""
    keys = {
        "matte.tree.1.center.0": Curve([Key(10, 100.0, "linear"), Key(20, 200.0, "linear")]),
        "matte.feather": Curve([Key(10, 0.0, "linear"), Key(20, 10.0, "linear")]),
    }
    tree = Branch("union", (Leaf(Ellipse((0.0, 50.0), (20.0, 20.0))), Leaf(Ellipse((300.0, 50.0), (20.0, 20.0)))))
    return document_at(frame, Layer(ops.Exposure(1.0), matte=Matte(tree), keys=keys))


def matte_at_frame(document: Document) -> Matte:
    matte = layer_of(document.entries_at_frame[0]).matte
    assert matte is not None
    return matte


def with_root(document: Document, root: object, **changes: object) -> None:
    made = replace(matte_at_frame(document), root=root, **changes)  # type: ignore[arg-type]
    document.edit_entry(0, replace(layer_of(document.entries_at_frame[0]), matte=made), "matte")


def test_a_window_that_is_dragged_gets_a_key():
    document = ellipse(15)
    root = matte_at_frame(document).root
    assert root.nodes[0].source.center == (150.0, 50.0)  # type: ignore[union-attr]
    with_root(document, matte_edit.with_values(root, (0,), source=Ellipse((155.0, 60.0), (20.0, 20.0))))
    keys = keys_of(document.entries[0])
    assert keys["matte.tree.1.center.0"].key_at(15) == Key(15, 155.0, "linear")
    assert set(keys) == {"matte.tree.1.center.0", "matte.feather"}  # y is not animated
    assert matte_at_frame(document).root.nodes[0].source.center == (155.0, 60.0)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "paths"),
    [
        (lambda root: matte_edit.moved(root, (0,), (2,))[0], ["matte.tree.2.center.0"]),
        (lambda root: matte_edit.inserted(root, (0,), Leaf(Rectangle())), ["matte.tree.2.center.0"]),
        (lambda root: matte_edit.wrapped(root, (0,), "union"), ["matte.tree.2.center.0"]),
        (lambda root: matte_edit.removed(root, (0,)), []),
        (lambda root: matte_edit.duplicated(root, (0,))[0], ["matte.tree.1.center.0", "matte.tree.2.center.0"]),
    ],
    ids=["moved", "inserted", "wrapped", "removed", "duplicated"],
)
def test_keys_follow_their_node(change, paths):
    document = ellipse(15)
    with_root(document, change(matte_at_frame(document).root))
    keys = keys_of(document.entries[0])
    assert [path for path in keys if "tree" in path] == paths
    assert all(keys[path].frames == (10, 20) for path in paths)
    assert keys["matte.feather"].frames == (10, 20)
