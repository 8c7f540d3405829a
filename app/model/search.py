"""Ranks texts by how well they match typed words: exact, prefix, starts of words, parts of words, scattered letters."""

from __future__ import annotations

Rank = tuple[int, int]
"""How well a text matches, the smaller the better: the kind of match, and a measure within the kind."""
EXACT, PREFIX, WORDS, PARTS, LETTERS, DESCRIPTION = range(6)
_WIDEST = 5
"""The stretch of a text over which letters are scattered is at most this many times their number."""


def rank(typed: str, text: str, description: str = "") -> Rank | None:
    """Return how well a text matches, else how well its description does; None if neither does."""
    typed, text = " ".join(typed.lower().split()), text.lower()
    if not typed or typed == text:
        return EXACT, 0
    if text.startswith(typed):
        return PREFIX, len(text)
    places = [_place(word, text) for word in typed.split()]
    found = [place for place in places if place is not None]
    if len(found) == len(places):
        return (WORDS if all(_starts_word(text, at) for at in found) else PARTS), sum(found)
    stretch = _stretch(typed.replace(" ", ""), text)
    if stretch is not None:
        return LETTERS, stretch
    both = f"{text} {description.lower()}"
    starts = [_word_start(word, both) for word in typed.split()]
    return (DESCRIPTION, sum(at or 0 for at in starts)) if None not in starts else None


def has_words(typed: str, text: str) -> bool:
    """Return whether all typed words occur in a text, in any order."""
    return all(word in text.lower() for word in typed.lower().split())


def _starts_word(text: str, at: int) -> bool:
    return at == 0 or not text[at - 1].isalnum()


def _word_start(word: str, text: str) -> int | None:
    """Return where a word of the text begins with `word`."""
    at = text.find(word)
    while at >= 0 and not _starts_word(text, at):
        at = text.find(word, at + 1)
    return at if at >= 0 else None


def _place(word: str, text: str) -> int | None:
    """Return where `word` begins a word of the text, else where it occurs."""
    start = _word_start(word, text)
    at = text.find(word)
    return start if start is not None else at if at >= 0 else None


def _stretch(letters: str, text: str) -> int | None:
    """Return the length of the shortest part of a text, from the start of a word, with these letters in order."""
    best: int | None = None
    for start in range(len(text)):
        if text[start] != letters[0] or not _starts_word(text, start):
            continue
        at = start
        for letter in letters[1:]:
            at = text.find(letter, at + 1)
            if at < 0:
                break
        if at >= 0:
            best = min(at - start + 1, best or len(text))
    return best if best is not None and best <= _WIDEST * len(letters) else None
