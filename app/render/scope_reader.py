"""Reads scopes on the preview's thread: after a frame, and only while no newer request is pending."""

from __future__ import annotations

import time
from dataclasses import replace

from app.render.answers import Answers
from app.render.plane_gate import there
from app.render.requests import Request
from engine.grade.masking import planes_read
from engine.kernel.op import ColorOp
from engine.viewing import FrameMaker
from engine.viewing.plane_store import SCOPES
from engine.viewing.scopes import counted, read_ops, read_scopes, scopes_prepared

APART_SECONDS = 0.060
"""Minimum time between quick readings."""
OVERDUE_SECONDS = 0.150
"""Time after which a quick reading, which takes a few milliseconds, is made even if a newer frame is pending."""


class ScopeReader:
    """Reads the scopes that the preview's `scopes` options ask for."""

    def __init__(self, preview: Answers) -> None:
        self._preview = preview
        self._last = 0.0

    def after_quick(self, maker: FrameMaker, request: Request) -> None:
        """Read the scopes of fewer pixels after a quick frame, at limited intervals."""
        since = time.monotonic() - self._last
        waits = self._preview.waits()
        if since >= OVERDUE_SECONDS or (since >= APART_SECONDS and not waits):
            self._read(maker, request, True)

    def after_exact(self, maker: FrameMaker, request: Request) -> None:
        """Read the scopes of all pixels after an exact frame, unless a newer request is pending or arrives."""
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
        if not quick and not scopes_prepared(maker, options, ops):
            preview.say("Preparing the scopes…")
        stop = (lambda: False) if quick else preview.waits
        where, inside = (view.region, view.width, view.height), view.inside_ops(request.grade)
        planes = planes_read((*read_ops(options, ops)[0], *inside))
        if planes and not there(maker, SCOPES, counted(maker, options, where, quick), planes):
            return
        reading = read_scopes(maker, options, where, ops, quick, stop, inside)
        if reading is not None:
            of = (view.viewing.display, view.viewing.view)
            preview.answer(request.serial, preview.scoped, replace(reading, view=of))
        self._last = time.monotonic()
