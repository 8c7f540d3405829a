"""A value is made once for each object, and goes with it."""

from __future__ import annotations

import gc
import weakref

from engine.core.kept_beside import KeptBeside


class Thing:
    """Equal to every other one, which must not matter."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_each_object_has_one_value():
    kept = KeptBeside(lambda owner: object())
    first, second = Thing(), Thing()
    assert kept.get(first) is kept.get(first)
    assert kept.get(first) is not kept.get(second)


def test_a_value_goes_with_its_object():
    kept = KeptBeside(lambda owner: Thing())
    owner = Thing()
    value = weakref.ref(kept.get(owner))
    del owner
    gc.collect()
    assert value() is None
