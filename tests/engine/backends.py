"""The backends that this machine can test."""

from __future__ import annotations

from functools import lru_cache

from engine import create_executor, detect_backends
from engine.compute.executor import TiledExecutor

_FOUND = detect_backends()
USABLE = tuple(info.name for info in _FOUND if info.usable and ":" not in info.name)
"""The first device of each."""
LEFT_OUT = {info.name: info.reason for info in _FOUND if not info.usable}


@lru_cache(maxsize=8)
def executor_on(name: str) -> TiledExecutor:
    """One executor for each backend, as a program would have it."""
    return create_executor(name)
