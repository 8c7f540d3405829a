"""Requests for frames of the preview: immutable values, so that threads can share them without locks."""

from __future__ import annotations

from dataclasses import dataclass

from app.model.data_view import ShownData
from app.model.view_ops import UNMANAGED, data_ops, grade_ops, view_ops
from engine import Grade
from engine.color.management import Managed
from engine.grade.colour_settings import Viewing
from engine.kernel.op import Op
from engine.viewing import Levels, Region

FALSE_COLOUR = "false colour"
PASSES = ("nan", "negative")
"""Overlays computed from graded values, not from the frame."""


@dataclass(frozen=True)
class Comparison:
    """The other side of a comparison: a grade, in its colour spaces, of the displayed image or of another, `levels`.

    `mode` is wipe, split, difference, side by side or anaglyph. `x`, `y` (0..1 of the frame) and `angle` (degrees)
    place a wipe; `gain` multiplies a difference of graded values, and `difference` is how it is shown: absolute, signed
    or heat. `offset` is added to the column and row of a pixel of the displayed image to give the matching pixel of the
    other image, whose data window may have another origin. `names` are the labels of the displayed image and of the
    other side. `swapped` puts the other image on the left, as a displayed right eye needs.
    """

    mode: str
    grade: Grade
    managed: Managed
    levels: Levels | None = None
    x: float = 0.5
    y: float = 0.5
    angle: float = 90.0
    gain: float = 1.0
    offset: tuple[int, int] = (0, 0)
    difference: str = "absolute"
    names: tuple[str, str] = ("", "")
    swapped: bool = False


PLAIN = Viewing()
"""The default view of the default display."""


@dataclass(frozen=True)
class View:
    """The displayed part of the image and its view options: `region` on `width` x `height` device pixels.

    `managed` holds the image's colour spaces; `viewing` and `channel` select display, view and channel. `graded` False
    shows the source. `backdrop` lies behind transparent pixels: '' for black, grey or checker. `comparison` is the
    other side of a comparison, `overlays` are drawn over the image, and `zebra` is the luma, 0..1, from which the zebra
    overlay marks pixels. With `data`, the layer holds data, which is shown without grade, conversions and view.
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
    data: ShownData | None = None

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops of the view, which never affect an export. Read them on the preview's thread."""
        if self.data is not None:
            return data_ops(self.data, self.channel)
        return view_ops(self.managed, self.viewing, self.channel, FALSE_COLOUR in self.overlays)

    @property
    def picks(self) -> bool:
        """Whether pixels are picked, never averaged, as for IDs."""
        return self.data is not None and self.data.picks

    def grade_ops(self, grade: Grade) -> tuple[Op, ...]:
        """Return the ops before the view: the grade, with the conversions between its colour spaces."""
        if self.data is not None:
            return ()
        return grade_ops(self.managed, grade if self.graded else Grade((), grade.colour))


@dataclass(frozen=True)
class Request:
    """A request for a frame; it also accompanies the finished frame, with `view.region` set to the region it covers.

    `exact` is False for a quick frame, which has fewer pixels or uses a baked view and is followed by the exact one.
    `view_error` is the largest error of that baked view in display values 0..1; 0 without one.
    """

    serial: int
    grade: Grade
    view: View
    exact: bool = True
    view_error: float = 0.0


@dataclass(frozen=True)
class ScopeRequest:
    """Requests scopes of a frame that is already displayed."""

    serial: int
    frame: Request


@dataclass(frozen=True)
class AccuracyRequest:
    """Requests the measured error of the grade of a frame that is already displayed."""

    serial: int
    frame: Request
