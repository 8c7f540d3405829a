"""A drag of the exposure in a grade with 100 sliders that have keys, and in the same grade without, by turns.

The sliders are the exposure and nine numbers of each of 11 CDLs, with ten smooth keys each. Both grades have the same
values at the frame that is shown, and the same ops, so that the difference is what keys cost. A drag in the grade with
keys sets a key at each event.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

ROUNDS = 3
CDLS, OF_EACH = 11, 9
FRAMES = range(0, 100, 10)


def keyed_grade() -> Any:
    """A grade with 100 sliders that have keys."""
    from engine import Grade, Layer, ops
    from engine.grade import Curve, Key
    from engine.grade.curves import Keys
    from engine.grade.keys import numbers_of

    def keyed(op: Any, count: int) -> Layer:
        numbers = list(numbers_of(op).items())[:count]
        curves = {path: Curve(Key(frame, value + (frame % 30) / 1000.0) for frame in FRAMES) for path, value in numbers}
        return Layer(op, keys=Keys(curves))

    cdls = (ops.Cdl((1.0 + n / 100.0, 1.0, 1.0 - n / 100.0)) for n in range(CDLS))
    return Grade([keyed(ops.Exposure(0.1), 1), *(keyed(cdl, OF_EACH) for cdl in cdls)])


def measure(window: Any, drag: Callable[[str], list[float]]) -> None:
    """Drag in both grades by turns, and print the medians and their ratio."""
    with_keys = keyed_grade()
    assert sum(len(entry.keys) for entry in with_keys.entries) == 100
    grades = {"without keys": with_keys.at(window.document.frame).settled, "100 keyed sliders": with_keys}
    found: dict[str, list[float]] = {name: [] for name in grades}
    for _ in range(ROUNDS):
        for name, grade in grades.items():
            window.document.open_grade(grade, None)
            found[name] += drag(name)
    plain, keyed = (statistics.median(each) for each in found.values())
    print(f"slider to frame, medians: {plain:.1f} ms without keys, {keyed:.1f} ms with: {keyed / plain:.2f} times")
