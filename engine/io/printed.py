"""What OpenEXR's Python prints to sys.stdout instead of raising it."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Split(io.TextIOBase):
    """Stands in for sys.stdout: what some threads write is kept for them, what others write goes on."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.heard = dict[int, list[str]]()

    def write(self, text: str) -> int:
        heard = self.heard.get(threading.get_ident())
        if heard is not None:
            heard.append(text)
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
    """Within it, what this thread prints is added to the list; other threads print as ever. Not to be nested."""
    found = list[str]()
    with _LOCK:
        split = sys.stdout if isinstance(sys.stdout, _Split) else _Split(sys.stdout)
        split.heard[threading.get_ident()] = found
        sys.stdout = split
    try:
        yield found
    finally:
        with _LOCK:
            del split.heard[threading.get_ident()]
            if not split.heard and sys.stdout is split:
                sys.stdout = split.stream
