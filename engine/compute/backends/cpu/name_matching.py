"""Matching of many names with a pattern of wildcards."""

import numpy as np

from engine.compute.backends.cpu.intrinsics import addresses_at, inlined, ints_at
from engine.compute.backends.cpu.layout import ANY_CHARACTER, ANY_TEXT


@inlined
def _matches(text, at, end, pattern, length):
    """Return whether the characters at..end match; after a mismatch the last `*` takes one character more."""
    p, again, resume = np.int64(0), np.int64(-1), np.int64(0)
    while at < end:
        if p < length and pattern[p] == ANY_TEXT:
            p += 1
            if p == length:
                return True
            again, resume = p, at
        elif p < length and (pattern[p] == ANY_CHARACTER or pattern[p] == text[at]):
            p, at = p + 1, at + 1
        elif again < 0:
            return False
        else:
            p, resume = again, resume + 1
            first = pattern[p]
            while first != ANY_CHARACTER and resume < end and text[resume] != first:
                resume += 1
            at = resume
    while p < length and pattern[p] == ANY_TEXT:
        p += 1
    return p == length


def match_names(text, ends, count, pattern, length, found):
    """Set `found` to 1 for the names that match, else to 0. All arguments but `count` and `length` are addresses.

    `text`: int32, the characters of all names. `ends`: int64, where each of `count` names ends. `pattern`: int32,
    characters, ANY_TEXT or ANY_CHARACTER. `found`: int64.
    """
    text, ends, pattern, found = ints_at(text), addresses_at(ends), ints_at(pattern), addresses_at(found)
    start = np.int64(0)
    for n in range(count):
        found[n] = np.int64(_matches(text, start, ends[n], pattern, length))
        start = ends[n]
