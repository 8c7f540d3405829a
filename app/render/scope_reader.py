"""When scopes are read, on the preview's thread: after a frame, and only while nothing newer waits."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.kernel.op import ColorOp
from engine.viewing import FrameMaker
from engine.viewing.scopes import read_scopes

if TYPE_CHECKING:
    from app.render.preview import Preview
    from app.render.requests import Request

APART_SECONDS = 0.060
"""Readings while something moves are so far apart at least."""
OVERDUE_SECONDS = 0.150
"""After so long a quick reading, which takes a few thousandths, is made although a newer frame waits."""


class ScopeReader:
    """Reads the scopes that the preview's `scopes` options ask for."""

    def __init__(self, preview: Preview) -> None:
        self._preview = preview
        self._last = 0.0

    def after_quick(self, maker: FrameMaker, request: Request) -> None:
        """Something moves: read of fewer pixels, now and then."""
        since = time.monotonic() - self._last
        waits = self._preview.waits()
        if since >= OVERDUE_SECONDS or (since >= APART_SECONDS and not waits):
            self._read(maker, request, True)

    def after_exact(self, maker: FrameMaker, request: Request) -> None:
        """Read it all, unless something newer comes or is about to."""
        if self._preview.scopes is not None and self._preview.settled():
            self._read(maker, request, False)
        else:
            self.after_quick(maker, request)

    def _read(self, maker: FrameMaker, request: Request, quick: bool) -> None:
        preview, view = self._preview, request.view
        options = preview.scopes
        if options is None:
            return
        shown = tuple(op for op in replace(view, overlays=()).ops if isinstance(op, ColorOp))
        ops = (view.grade_ops(request.grade), shown)
        stop = (lambda: False) if quick else preview.waits
        reading = read_scopes(maker, options, (view.region, view.width, view.height), ops, quick, stop)
        if reading is not None:
            preview.answer(request.serial, preview.scoped, reading)
        self._last = time.monotonic()
