"""Requests for frames of the preview: immutable values, so that threads can share them without locks."""

from __future__ import annotations

from app.model.data_view import ShownData
from app.model.grade_rows import Path
from app.model.matte_view import matte_at
from app.model.view_ops import UNMANAGED, data_ops, grade_ops, view_ops
from app.render.comparison import Comparison
from engine import Grade
from engine.color.management import Managed
from engine.core.records import dataclass
from engine.grade.colour_settings import Viewing
from engine.kernel.op import Op
from engine.mattes.tree import Matte
from engine.viewing import Region

FALSE_COLOUR, PEAKING, GAMUT = "false colour", "focus peaking", "gamut"
PASSES = ("nan", "negative")
"""Overlays computed from graded values, not from the frame."""


PLAIN = Viewing()
"""The default view of the default display."""


@dataclass(frozen=True)
class View:
    """The displayed part of the image and its view options: `region` on `width` x `height` device pixels.

    `managed` holds the image's colour spaces; `viewing` and `channel` select display, view and channel. `graded` False
    shows the source. `backdrop` lies behind transparent pixels: '' for black, grey or checker. `comparison` is the
    other side of a comparison, `overlays` are drawn over the image, and `zebra` is the luma, 0..1, from which the zebra
    overlay marks pixels. `peaking` is the change of luma per pixel, 0..1, from which focus peaking marks edges, in one
    of COLOURS of `engine.viewing.peaking`. With `data`, the layer holds data, which is shown without grade, conversions
    and view. `matte` is how the matte of the entry at the path `entry` is shown: '', alone, overlay or cut-out. With
    `inside_matte`, scopes and probes count only what it covers. `gamut` is that of the gamut overlay.
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
    peaking: float = 0.1
    peaking_colour: str = "red"
    matte: str = ""
    entry: Path = ()
    inside_matte: bool = False
    gamut: str = "rec709"

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops of the view, which never affect an export. Read them on the preview's thread."""
        if self.data is not None:
            return data_ops(self.data, self.channel)
        return view_ops(self.managed, self.viewing, self.channel, FALSE_COLOUR in self.overlays)

    @property
    def colours(self) -> Managed:
        """The colour spaces of the displayed values; unknown ones for data."""
        return self.managed if self.data is None else UNMANAGED

    @property
    def gamut_ops(self) -> tuple[Op, ...]:
        """The ops from graded values to linear RGB of the gamut; () for data. Read them on the preview's thread."""
        return () if self.data is not None else self.managed.to_gamut(self.gamut)

    @property
    def picks(self) -> bool:
        """Whether pixels are picked, never averaged, as for IDs."""
        return self.data is not None and self.data.picks

    def matte_ops(self, grade: Grade) -> tuple[Op, ...]:
        """Return the ops to the coverage of the matte of the entry; () if it has none, and for data."""
        from engine.color.matte_ops import matte_ops

        matte = None if self.data is not None else matte_at(grade, self.entry)
        return () if matte is None else matte_ops(self.managed, grade, self.entry, matte)

    def inside_ops(self, grade: Grade) -> tuple[Op, ...]:
        """Return those of the matte that scopes and probes are limited to; () for all of the image."""
        return self.matte_ops(grade) if self.inside_matte else ()

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
class HighlightRequest:
    """Requests the coverage of any matte, over a frame that is already displayed."""

    serial: int
    frame: Request
    matte: Matte


@dataclass(frozen=True)
class ColoursRequest:
    """Requests the values of single pixels, columns and rows in the data window, after some ops."""

    serial: int
    pixels: tuple[tuple[int, int], ...]
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class ThumbnailRequest:
    """Requests thumbnails of the mattes of the entries at some paths, of at most `size` pixels; `key` comes back."""

    serial: int
    key: object
    grade: Grade
    managed: Managed
    paths: tuple[Path, ...]
    size: tuple[int, int]


@dataclass(frozen=True)
class AccuracyRequest:
    """Requests the measured error of the grade of a frame that is already displayed."""

    serial: int
    frame: Request


@dataclass(frozen=True)
class ExpectedImage:
    """An image that is displayed soon: what nearly all frames of it need is made."""

    serial: int
