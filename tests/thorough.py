"""Whether tests run all their cases: `TESSERA_THOROUGH=1`. Otherwise they run those that stand for the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

THOROUGH = bool(os.environ.get("TESSERA_THOROUGH"))


def cases(few: Sequence[T], *more: T) -> list[T]:
    """The cases that are always run, and with TESSERA_THOROUGH those that are more of the same."""
    return [*few, *more] if THOROUGH else list(few)


def examples(few: int) -> int:
    """How many examples of hypothesis: `few`, or with TESSERA_THOROUGH twenty times as many."""
    return 20 * few if THOROUGH else few
