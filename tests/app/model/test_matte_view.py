"""The ops that show the matte of an entry: what it reads is what it reads in the grade."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.model.matte_view import matte_at
from app.model.view_ops import UNMANAGED, grade_ops
from engine import Grade, Group, Layer, ops
from engine.color.management import Managed, manage
from engine.color.matte_ops import ShowMatte, matte_ops
from engine.grade.colour_settings import ColourSetup
from engine.mattes.qualifiers import HslQualifier
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Ellipse

PIXELS = np.array([[[0.25, 0.25, 0.25, 1.0], [0.01, 0.01, 0.01, 1.0], [0.8, 0.5, 0.2, 1.0]]])
MANAGED = manage(ColourSetup(config="ocio://studio-config-latest", input="ACEScg"))


def bright(reads: str) -> Matte:
    return Matte(Leaf(HslQualifier(input=reads, luma=(0.6, 1.5, 0.1, 0.1))))


def coverage(grade: Grade, path: tuple[int, ...], managed: Managed = UNMANAGED) -> list[float]:
    """The coverage of the matte of an entry, as the view shows it."""
    matte = matte_at(grade, path)
    assert matte is not None
    found = PIXELS
    for op in matte_ops(managed, grade, path, matte):
        found = op.reference(found, planes=PIXELS if "source" in matte.reads else None)  # type: ignore[attr-defined]
    return [float(value) for value in found[0, :, 0]]


def applied(grade: Grade, managed: Managed = UNMANAGED) -> Any:
    found = PIXELS
    for op in grade_ops(managed, grade):
        found = op.reference(found)  # type: ignore[attr-defined]
    return found[0, :, 0]


@pytest.mark.parametrize("managed", [UNMANAGED, MANAGED], ids=["unmanaged", "ACEScg"])
def test_it_is_the_coverage_of_the_entry_in_the_grade(managed: Managed):
    """Where an entry multiplies by 2, the coverage is what the result exceeds its input by."""
    above = ops.Exposure(1.5)
    grade = Grade([above, Layer(ops.Exposure(1.0), matte=bright("entry"))])
    before, after = applied(Grade([above]), managed), applied(grade, managed)
    assert coverage(grade, (1,), managed) == pytest.approx(list(after / before - 1.0), abs=1e-6)
    assert coverage(grade, (1,), managed)[2] > 0.0


def test_a_qualifier_reads_the_entries_above_or_the_source():
    grade = Grade([ops.Exposure(-6.0), Layer(ops.Saturation(0.0), matte=bright("entry"))])
    assert max(coverage(grade, (1,))) == 0.0
    assert max(coverage(grade.with_entry(1, Layer(ops.Saturation(0.0), matte=bright("source"))), (1,))) > 0.0


def test_muted_and_bypassed_entries_are_not_read_but_the_matte_of_one_is_shown():
    dark = Layer(ops.Exposure(-6.0), enabled=False)
    grade = Grade([dark, Layer(ops.Exposure(1.0), matte=bright("entry"), enabled=False), Layer(ops.Exposure(0.1))])
    shown = coverage(grade, (1,))
    assert max(shown) > 0.0
    solo = Grade([ops.Exposure(-6.0), *grade.entries[1:2], Layer(ops.Exposure(0.1), solo=True)])
    assert coverage(solo, (1,)) == shown


def test_an_entry_in_a_group_reads_what_enters_it():
    inner = (ops.Exposure(-6.0), Layer(ops.Exposure(1.0), matte=bright("entry")))
    assert max(coverage(Grade([Group(inner)]), (0, 1))) == 0.0
    assert max(coverage(Grade([Group(inner[1:])]), (0, 0))) > 0.0


def test_a_matte_that_reads_no_image_needs_no_other_op():
    grade = Grade([ops.Exposure(1.0), Layer(ops.Exposure(1.0), matte=Matte(Leaf(Ellipse())))])
    matte = matte_at(grade, (1,))
    assert matte is not None
    assert [type(op) for op in matte_ops(MANAGED, grade, (1,), matte)] == [ShowMatte]


def test_there_is_no_matte_without_an_entry():
    grade = Grade([ops.Exposure(1.0)])
    assert [matte_at(grade, path) for path in ((), (0,), (3,), (0, 1))] == [None] * 4
