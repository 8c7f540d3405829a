"""What is asked of the preview about frames: values that never change, so that threads need no locks for them."""

from __future__ import annotations

from dataclasses import dataclass

from app.render.frame_plan import FALSE_COLOUR, Comparison
from app.render.view_ops import ID_OPS, UNMANAGED, grade_ops, view_ops
from engine import Grade
from engine.color.management import Managed
from engine.grade.colour_settings import Viewing
from engine.kernel.op import Op
from engine.viewing import Region

PLAIN = Viewing()
"""The default view of the default display."""


@dataclass(frozen=True)
class View:
    """What of the image is shown and how: `region` on `width` x `height` device pixels.

    `managed` are the image's colour spaces, `viewing` and `channel` how they are shown. `graded` False shows the
    source. `backdrop` is what is seen where the image is transparent: '' for black, grey or checker. `comparison` is
    what the image is held against, and `overlays` what is drawn over it; `zebra` is the luma, 0..1, that one marks.
    With `ids` values are numbers of things, not light: no grade and no view transform, a colour for each.
    """

    region: Region
    width: int
    height: int
    managed: Managed = UNMANAGED
    viewing: Viewing = PLAIN
    channel: str = ""
    graded: bool = True
    backdrop: str = ""
    comparison: Comparison | None = None
    overlays: tuple[str, ...] = ()
    zebra: float = 0.95
    ids: bool = False

    @property
    def ops(self) -> tuple[Op, ...]:
        """The view transform, which never reaches an export. It is asked for on the preview's thread."""
        if self.ids:
            return ID_OPS
        return view_ops(self.managed, self.viewing, self.channel, FALSE_COLOUR in self.overlays)

    def grade_ops(self, grade: Grade) -> tuple[Op, ...]:
        """What comes before: the grade between its colour spaces."""
        if self.ids:
            return ()
        return grade_ops(self.managed, grade if self.graded else Grade((), grade.colour))


@dataclass(frozen=True)
class Request:
    """One frame to make, and on a frame what it shows: then `view.region` is the region that it covers.

    `exact` is False on a frame that stands in for one that is on its way: of fewer pixels, or through a baked view.
    """

    serial: int
    grade: Grade
    view: View
    exact: bool = True


@dataclass(frozen=True)
class ScopeRequest:
    """Scopes of a frame that is there already."""

    serial: int
    frame: Request
