"""Reads the image that the window is started with, on a thread, while the window is made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


class ReadAhead:
    """Reads an image for the window before there is one. Does not import Qt, so that it can begin before that."""

    def __init__(self, path: Path) -> None:
        """Begin to read an image. What reads it is imported first: threads that import at once hold up each other."""
        from engine.viewing.opening import open_image

        self._open = open_image
        self._path = path.absolute()
        self._image: Any = None
        self._error: Exception | None = None
        self._waiting, self._lock = True, threading.Lock()
        self._then: Callable[[Any], None] | None = None
        self._thread = threading.Thread(target=self._read, name="tessera-ahead", daemon=True)
        self._thread.start()

    def wrapping(self, read: Callable[..., Any]) -> Callable[..., Any]:
        """Return `read`, but for the first call for the image: that returns, or raises, what came of reading it ahead.

        Any thread may call what is returned.
        """

        def read_image(path: Path, part: int | None = None, layer: str | None = None, frame: int | None = None) -> Any:
            ahead = (path, part, layer, frame) == (self._path, None, None, None)
            if ahead and self._first():
                return self._taken()
            return read(path, part, layer, *(() if frame is None else (frame,)))

        return read_image

    def then(self, call: Callable[[Any], None]) -> None:
        """Call this with the image once that is read, on any thread; not if it can't be read, or was taken already."""
        with self._lock:
            image = self._image
            self._then = call if image is None else None
        if image is not None:
            call(image)

    def _first(self) -> bool:
        """Return whether this call is the first for the image; later ones read it again: it may have changed."""
        with self._lock:
            first, self._waiting = self._waiting, False
            return first

    def _taken(self) -> Any:
        self._thread.join()
        image, error = self._image, self._error
        self._image = self._error = None
        if error is not None:
            raise error
        return image

    def _read(self) -> None:
        try:
            image = self._open(self._path)
        except Exception as error:  # noqa: BLE001 (raised by the call that wants the image, whatever it is)
            self._error = error
            return
        with self._lock:
            self._image, then = image, self._then
        if then is not None:
            then(image)
