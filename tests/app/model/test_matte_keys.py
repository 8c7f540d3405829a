"""Qualifiers made from picked colours."""

from __future__ import annotations

import numpy as np
import pytest

from app.model.matte_keys import hsl_of, ops_to_key, with_ranges, with_samples
from app.model.view_ops import UNMANAGED
from engine import Grade, ops
from engine.grade.entries import Group, Layer
from engine.mattes.qualifiers import MOST_SAMPLES, NEUTRAL, HslQualifier, Key3d

REDS = np.array([[0.8, 0.1, 0.12], [0.7, 0.12, 0.1], [0.9, 0.2, 0.1]])


def covers(qualifier: HslQualifier | Key3d, colours: np.ndarray) -> np.ndarray:
    return qualifier.reference(np.concatenate([colours, np.ones((len(colours), 1))], -1))[:, 0]


@pytest.mark.parametrize("encoding", ["log", "linear"])
def test_ranges_cover_the_picked_colours_and_hardly_more(encoding: str):
    qualifier = with_ranges(HslQualifier(encoding=encoding), REDS)
    assert covers(qualifier, REDS).tolist() == [1.0] * 3
    assert covers(qualifier, REDS[:, [1, 0, 2]]).tolist() == [0.0] * 3, "other hues"
    assert qualifier.hue[1] < 60.0 and (qualifier.hue[0] < 20.0 or qualifier.hue[0] > 340.0), "around 0 degrees"


@pytest.mark.parametrize("encoding", ["log", "linear"])
def test_ranges_of_any_colours_cover_them(encoding: str):
    numbers = np.random.default_rng(5)
    for _ in range(40):
        colours = numbers.uniform(0.0, 4.0, (numbers.integers(1, 6), 3)) ** 2
        first = with_ranges(HslQualifier(encoding=encoding), colours)
        saturated = colours[hsl_of(colours, encoding)[1] > NEUTRAL]  # the hue of others is not defined
        assert covers(first, saturated).min(initial=1.0) == pytest.approx(1.0, abs=1e-9)
        more = numbers.uniform(0.0, 1.0, (2, 3))
        together = np.concatenate([colours, more])
        together = together[hsl_of(together, encoding)[1] > NEUTRAL]
        assert covers(with_ranges(first, more, extends=True), together).min() == pytest.approx(1.0, abs=1e-9)


def test_neutral_colours_leave_the_hue_open():
    qualifier = with_ranges(HslQualifier(), np.array([[0.4, 0.4, 0.4]]))
    assert qualifier.hue[1] == 360.0
    assert with_ranges(qualifier, np.array([[np.nan, 0.0, 0.0]])) == qualifier, "NaN is no colour"


def test_samples_are_spread_and_at_most_as_many_as_fit():
    colours = np.random.default_rng(1).uniform(0.0, 1.0, (500, 3))
    key = with_samples(Key3d(), colours)
    assert len(key.added) == 8 and key.removed == ()
    for _ in range(6):
        key = with_samples(key, colours, removes=True)
    assert len(key.added) + len(key.removed) == MOST_SAMPLES
    assert with_samples(key, colours) == key


def test_the_ops_before_a_key_are_those_of_entries_that_run():
    first, muted, inner = ops.Exposure(1.0), Layer(ops.Exposure(2.0), enabled=False), ops.Exposure(4.0)
    group = Group((inner, ops.Exposure(5.0)), "group")
    grade = Grade((first, muted, group, ops.Exposure(8.0)))
    assert ops_to_key(UNMANAGED, grade, (2, 1), Key3d(input="entry")) == (first, inner)
    assert ops_to_key(UNMANAGED, grade, (0,), Key3d(input="entry")) == ()
    assert ops_to_key(UNMANAGED, grade, (3,), Key3d(input="source")) == ()
