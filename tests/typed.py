"""Values whose kind a test knows, where annotations leave it open."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def expect(kind: type[T], value: object) -> T:
    """Return the value, which must be of this kind."""
    assert isinstance(value, kind), f"{value!r} is not of {kind}"
    return value
