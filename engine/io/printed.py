"""Capture of errors that OpenEXR's Python module prints to sys.stdout instead of raising."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Split(io.TextIOBase):
    """Replaces sys.stdout: text from capturing threads is collected, text from other threads is passed through."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.captured = dict[int, list[str]]()

    def write(self, text: str) -> int:
        captured = self.captured.get(threading.get_ident())
        if captured is not None:
            captured.append(text)
        elif self.stream is not None:
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        if self.stream is not None:
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


_LOCK = threading.Lock()


@contextmanager
def printed() -> Iterator[list[str]]:
    """Capture what this thread prints in the yielded list; other threads print as usual. Must not be nested."""
    found = list[str]()
    with _LOCK:
        split = sys.stdout if isinstance(sys.stdout, _Split) else _Split(sys.stdout)
        split.captured[threading.get_ident()] = found
        sys.stdout = split
    try:
        yield found
    finally:
        with _LOCK:
            del split.captured[threading.get_ident()]
            if not split.captured and sys.stdout is split:
                sys.stdout = split.stream
