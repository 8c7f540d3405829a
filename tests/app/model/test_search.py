"""Typed words find texts: exact, prefix, starts of words, parts of words, letters, description."""

from __future__ import annotations

import pytest

from app.model.search import has_words, rank

TITLES = ("Exposure", "Exponent", "White balance", "Primary grading", "Tone grading", "RGB curves", "CDL", "Contrast")


def found(typed: str) -> list[str]:
    ranked = [(rank(typed, title), title) for title in TITLES]
    return [title for _, title in sorted((at, title) for at, title in ranked if at is not None)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("cdl", "CDL"),
        ("expos", "Exposure"),
        ("grading", "Tone grading"),
        ("gra pri", "Primary grading"),
        ("wb", "White balance"),
        ("prigra", "Primary grading"),
        ("osure", "Exposure"),
        ("CuRv", "RGB curves"),
    ],
)
def test_the_best_is_first(typed: str, first: str):
    assert found(typed)[0] == first


def test_kinds_of_matches_come_in_this_order():
    texts = ("wipe", "wipe angle", "turn the wipe", "unwiped", "white paper", "colour")
    ranks = [rank("wipe", text) for text in texts[:-1]]
    assert None not in ranks
    assert sorted(ranks, key=lambda at: at or (9, 9)) == ranks
    assert len({at[0] for at in ranks if at}) == len(ranks)
    assert rank("wipe", "colour") is None
    described = rank("wipe", "colour", "leaves the wipe")
    assert described is not None and described > max(at for at in ranks if at)
    assert rank("wipe", "colour", "unwiped") is None, "a description is matched by its words alone"


def test_words_are_found_in_any_order():
    assert has_words("scr full", "Full screen")
    assert not has_words("xyz", "Full screen")
    assert rank("", "Anything") == (0, 0)
