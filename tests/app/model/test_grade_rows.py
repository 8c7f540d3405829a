"""Entries of a grade as rows: groups, moves in and out of them, and the row that stays selected."""

from __future__ import annotations

import random
from typing import Any

import pytest

from app.model import grade_rows as rows
from app.model.document import Document
from app.model.entries import index_after
from engine import Grade, ops
from engine.grade.entries import Group, Layer, bare
from tests.app.conftest import begin_with

E, S, C, W = ops.Exposure(0.5), ops.Saturation(1.2), ops.Contrast(1.3), ops.WhiteBalance()
NESTED = Grade([E, Group((S, Group((C,), "inner")), "outer"), W])


def shape(grade: Grade) -> str:
    """Initials of the entries, groups in brackets."""

    def written(entry: Any) -> str:
        inner = bare(entry)
        return f"[{''.join(map(written, inner.entries))}]" if isinstance(inner, Group) else type(inner).__name__[0]

    return "".join(map(written, grade.entries))


def test_a_group_is_a_row_and_its_entries_follow():
    assert [row.path for row in rows.rows_of(NESTED)] == [(0,), (1,), (1, 0), (1, 1), (1, 1, 0), (2,)]
    assert rows.entries_of(NESTED)[4] == C
    assert rows.entry_at(NESTED, (1, 1, 0)) == C
    assert rows.index_of(NESTED, (1, 1, 0)) == 4 and rows.index_of(NESTED, (3,)) == -1
    assert rows.path_of(NESTED, 9) == ()
    with pytest.raises(IndexError):
        rows.entry_at(NESTED, (0, 0))


@pytest.mark.parametrize(
    ("grade", "runs"),
    [
        (NESTED, [True] * 6),
        (Grade([E, Group((S, C), enabled=False)]), [True, False, False, False]),
        (Grade([E, Group((Layer(S, solo=True), C))]), [False, True, True, False]),
        (Grade([E, Group((Layer(S, enabled=False), C), solo=True)]), [False, True, False, True]),
    ],
)
def test_rows_say_what_runs(grade: Grade, runs: list[bool]):
    assert [row.runs for row in rows.rows_of(grade)] == runs
    kept = [entry for entry, run in zip(rows.entries_of(grade), runs, strict=True) if run]
    assert len(list(grade)) == sum(not isinstance(bare(entry), Group) for entry in kept)


@pytest.mark.parametrize(
    ("path", "place", "expected", "at"),
    [
        ((0,), (1, 0), "[ES[C]]W", (0, 0)),
        ((0,), (3,), "[S[C]]WE", (2,)),
        ((1, 0), (0,), "SE[[C]]W", (0,)),
        ((1, 1, 0), (1, 0), "E[CS[]]W", (1, 0)),
        ((1,), (0,), "[S[C]]EW", (0,)),
        ((1,), (1, 1), "E[S[C]]W", (1,)),  # into itself
    ],
)
def test_entries_are_moved_into_groups_and_out(path: Any, place: Any, expected: str, at: Any):
    grade, found = rows.moved(NESTED, path, place)
    assert (shape(grade), found) == (expected, at)


def test_steps_lead_into_open_groups_past_folded_ones_and_out():
    opened = [(1,), (1, 1)]
    assert rows.place_beside(NESTED, (0,), 1, opened) == (1, 0)
    assert rows.place_beside(NESTED, (0,), 1, []) == (2,)
    assert rows.place_beside(NESTED, (2,), -1, opened) == (1, 2)
    assert rows.place_beside(NESTED, (1, 0), -1, opened) == (1,)
    assert rows.place_beside(NESTED, (1, 1), 1, opened) == (2,)
    assert rows.place_beside(NESTED, (0,), -1, opened) is None and rows.place_beside(NESTED, (2,), 1, opened) is None


def test_drops_go_to_the_ends_of_groups():
    assert rows.places_at(NESTED, 0) == [(0,)]
    assert rows.places_at(NESTED, 2) == [(1, 0)]
    assert rows.places_at(NESTED, 5) == [(2,), (1, 2), (1, 1, 1)]
    assert rows.places_at(NESTED, 6) == [(3,)]
    assert rows.places_at(Grade(), 0) == [(0,)]


def test_neighbours_are_grouped_and_ungrouped():
    grade, path = rows.grouped(NESTED, 0, 2, "both")
    assert (shape(grade), path) == ("[E[S[C]]]W", (0,))
    assert shape(rows.ungrouped(grade, path)) == shape(NESTED)
    inner, path = rows.grouped(NESTED, 2, 2, "one")
    assert (shape(inner), path) == ("E[[S][C]]W", (1, 0))
    assert rows.new_group_name(Grade([Group((), "Group"), Group((), "Group 2")])) == "Group 3"


def test_entries_before_one_in_a_group_are_those_that_enter_it():
    assert rows.entries_before(NESTED, (1, 1, 0)) == (E, S)
    assert rows.entries_before(NESTED, (2,)) == NESTED.entries[:2]


def test_the_selection_follows_an_entry_in_a_group():
    grade = rows.removed(NESTED, (0,))
    assert index_after(4, NESTED, grade) == 3
    edited = rows.with_entry(NESTED, (1, 1, 0), ops.Contrast(2.0))
    assert [index_after(at, NESTED, edited) for at in range(6)] == list(range(6))
    grouped, _ = rows.grouped(NESTED, 0, 0, "one")
    assert index_after(5, NESTED, grouped) == 6
    assert index_after(1, NESTED, rows.with_entry(NESTED, (1,), Group(NESTED.entries[1].entries, "new"))) == 1  # type: ignore[union-attr]


def test_a_document_edits_entries_in_groups():
    document = Document()
    begin_with(document, NESTED)
    document.edit_entry(4, ops.Contrast(2.0), "contrast")
    document.switch(1, "mix", 0.5)
    document.switch(4, "enabled", False)
    outer = document.entries[1]
    assert isinstance(outer, Group) and outer.mix == 0.5
    assert document.entries[4] == Layer(ops.Contrast(2.0), enabled=False)
    assert document.insert(5, [E], "adding") == 5 and shape(document.grade) == "E[S[CE]]W"
    document.remove(1, "removal")
    assert shape(document.grade) == "EW"
    document.undo()
    assert document.entries[1] == rows.entry_at(document.grade, (1,))


@pytest.mark.parametrize("seed", range(20))
def test_random_moves_lose_no_entry(seed: int):
    chance = random.Random(seed)
    grade = NESTED
    for _ in range(30):
        places = [place for gap in range(len(rows.rows_of(grade)) + 1) for place in rows.places_at(grade, gap)]
        row = chance.choice(rows.rows_of(grade))
        new, path = rows.moved(grade, row.path, chance.choice(places))
        assert rows.entry_at(new, path) == row.entry
        assert sorted(shape(new)) == sorted(shape(grade))
        grade = new
