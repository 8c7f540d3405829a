"""Reads scopes on the preview's thread: after a frame, and only while no newer request is pending."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from app.render.plane_gate import there
from app.render.requests import Request, View
from engine.errors import GradeError
from engine.grade.masking import planes_read
from engine.kernel.op import ColorOp
from engine.viewing import FrameMaker
from engine.viewing.plane_store import SCOPES

if TYPE_CHECKING:
    from app.render.answers import Answers
    from engine.viewing.scopes import Gamuts, ScopeOptions

APART_SECONDS = 0.060
"""Minimum time between quick readings."""
WORKING, DISPLAY = "working", "display"
"""Names of gamuts in a reading."""
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
        from engine.viewing.scopes import counted, read_ops, read_scopes, scopes_prepared

        shown = tuple(op for op in replace(view, overlays=()).ops if isinstance(op, ColorOp))
        ops = (view.grade_ops(request.grade), shown)
        read, to_xyz, gamuts = _colorimetry(view, options)
        if not quick and not scopes_prepared(maker, read, ops, to_xyz):
            preview.say("Preparing the scopes…")
        stop = (lambda: False) if quick else preview.waits
        where, inside = (view.region, view.width, view.height), view.inside_ops(request.grade)
        planes = planes_read((*read_ops(read, ops)[0], *inside))
        if planes and not there(maker, SCOPES, counted(maker, read, where, quick), planes):
            return
        reading = read_scopes(maker, read, where, ops, quick, stop, inside, to_xyz)
        if reading is not None:
            of, assumed = (view.viewing.display, view.viewing.view), not view.colours.converts
            reading = replace(reading, options=options, view=of, gamuts=gamuts, assumed=assumed)
            preview.answer(request.serial, preview.scoped, reading)
        self._last = time.monotonic()


def _colorimetry(view: View, options: ScopeOptions) -> tuple[ScopeOptions, tuple[ColorOp, ...], Gamuts]:
    """Return what to read, the ops to XYZ, and the gamuts of a view; without a conversion nothing that needs XYZ."""
    if not options.needs_xyz:
        return options, (), ()
    from engine.color.xyz import display_gamut, working_gamut, xyz_ops
    from engine.viewing.scopes import XYZ_KINDS

    managed = view.colours
    try:
        ops = xyz_ops(managed, options.values, view.viewing)
        gamuts = ((WORKING, working_gamut(managed)), (DISPLAY, display_gamut(managed, view.viewing)))
    except GradeError:
        return replace(options, kinds=tuple(set(options.kinds) - XYZ_KINDS), gamut=""), (), ()
    return options, ops, tuple((name, gamut) for name, gamut in gamuts if gamut)
