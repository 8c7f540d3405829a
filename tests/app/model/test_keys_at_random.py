"""Random edits of grades with keys: what is edited at a frame is what is shown there, and grades stay valid."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as FilePath

import pytest

from app.model import grade_rows as rows
from app.model import matte_edit
from app.model.document import Document
from app.model.key_edits import with_key
from engine import Grade, ops
from engine.grade.entries import Group, bare, layer_of
from engine.grade.keys import keys_of, numbers_of
from engine.kernel.op import Op, Slider
from engine.mattes import SOURCES, Leaf, Matte, Path
from engine.mattes.tree import Node
from tests.thorough import examples

STEPS = 120
WIDTH, HEIGHT = 200, 100


class Use:
    """A document that is edited by chance."""

    def __init__(self, seed: int) -> None:
        self.chance, self.document = random.Random(seed), Document()
        kinds = (ops.Exposure, ops.Cdl, ops.GradingPrimary, ops.GradingTone, ops.WhiteBalance)
        self.document.open_grade(Grade(kind() for kind in kinds), None)
        self.frame()

    @property
    def at(self) -> int:
        return self.chance.randrange(len(self.document.entries))

    def frame(self) -> None:
        self.document.update(image_path=FilePath(f"s.{self.chance.randrange(1, 20):04}.exr"))

    def key(self) -> None:
        at = self.at
        numbers, curves = numbers_of(self.document.entries_at_frame[at]), keys_of(self.document.entries[at])
        path = self.chance.choice(sorted(numbers))
        made = with_key(curves.get(path), self.document.frame, numbers[path])
        self.document.edit_keys({at: {path: made}}, "key")

    def clear(self) -> None:
        at = self.at
        self.document.edit_keys({at: dict.fromkeys(keys_of(self.document.entries[at]))}, "no keys")

    def field(self) -> None:
        at = self.at
        op = bare(self.document.entries_at_frame[at])
        if isinstance(op, Op):
            name = self.chance.choice([name for name, kind in op.kinds().items() if isinstance(kind, Slider)])
            value = getattr(op, name)
            more = self.chance.uniform(0.0, 0.2)
            made = op.replace(**{name: tuple(n + more for n in value) if isinstance(value, tuple) else value + more})
            self.document.edit_entry(at, made, "edit", name)
            assert bare(self.document.entries_at_frame[at]) == made

    def mix(self) -> None:
        at, mix = self.at, self.chance.random()
        self.document.switch(at, "mix", mix)
        assert layer_of(self.document.entries_at_frame[at]).mix == mix

    def source(self) -> None:
        name = self.chance.choice(("Ellipse", "Rectangle", "Path", "HslQualifier"))
        leaf = Leaf(SOURCES[name].for_frame(WIDTH, HEIGHT))
        self.matte(lambda root: matte_edit.added(root, self.chance.choice(matte_edit.paths(root)), leaf)[0], leaf)

    def tree(self) -> None:
        chance = self.chance

        def edited(root: Node) -> Node | None:
            path = chance.choice(matte_edit.paths(root))
            places = [place for gap in range(5) for place in matte_edit.places_at(root, gap)]
            there = [place for place in places if matte_edit.can_move(root, path, place)]
            if there and chance.random() < 0.4:
                return matte_edit.moved(root, path, chance.choice(there))[0]
            edits: tuple[Callable[[], Node | None], ...] = (
                lambda: matte_edit.duplicated(root, path)[0],
                lambda: matte_edit.removed(root, path),
                lambda: matte_edit.wrapped(root, path, "union"),
                lambda: matte_edit.with_values(root, path, opacity=chance.random()),
            )
            return chance.choice(edits)()

        self.matte(edited)

    def vertex(self) -> None:
        def edited(root: Node) -> Node:
            found = [path for path in matte_edit.paths(root) if isinstance(matte_edit.source_at(root, path), Path)]
            if not found:
                return root
            source, at = matte_edit.source_at(root, found[0]), self.chance.randrange(3)
            assert isinstance(source, Path)
            new = (self.chance.uniform(0.0, WIDTH), self.chance.uniform(0.0, HEIGHT), 0.0, 0.0, 0.0, 0.0)
            points = list(source.points)
            points[at : at + self.chance.randrange(2)] = [new] * (self.chance.random() < 0.7)
            kept = tuple(points) if len(points) >= 3 else source.points
            return matte_edit.with_values(root, found[0], source=source.replace(points=kept))

        self.matte(edited)

    def matte(self, change: Callable[[Node], Node | None], first: Leaf | None = None) -> None:
        """Change the tree of a matte; an entry without one gets the source `first`."""
        at = self.at
        shown = self.document.entries_at_frame[at]
        before = layer_of(shown).matte
        root = change(before.root) if before is not None else first
        made = None if root is None else replace(before or Matte(root, frame=(WIDTH, HEIGHT)), root=root)
        self.document.edit_entry(at, rows.switched(shown, matte=made), "matte")
        assert layer_of(self.document.entries_at_frame[at]).matte == made

    def order(self) -> None:
        document, at = self.document, self.at
        if self.chance.random() < 0.5:
            document.move_to(at, self.chance.choice(rows.places_at(document.grade, self.at)), "move")
        elif isinstance(bare(document.entries[at]), Group):
            document.edit(rows.ungrouped(document.grade, rows.path_of(document.grade, at)), "ungroup")
        else:
            document.edit(rows.grouped(document.grade, at, at, "one")[0], "group")
        if not document.entries:
            document.undo()

    def history(self) -> None:
        self.document.undo() if self.chance.random() < 0.6 else self.document.redo()


CHANGES = (Use.key, Use.key, Use.clear, Use.field, Use.mix, Use.source, Use.tree, Use.vertex, Use.order)
MOVES = (*CHANGES, Use.frame, Use.history)


@pytest.mark.parametrize("seed", range(examples(3)))
def test_edits_at_frames(seed: int) -> None:
    use = Use(seed)
    for _ in range(STEPS):
        use.chance.choice(MOVES)(use)
        assert not use.document.grade_at_frame.is_animated
    grade = use.document.grade
    assert Grade.from_json(json.loads(json.dumps(grade.to_json()))) == grade
