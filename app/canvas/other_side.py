"""The other side of a comparison, as frames of the displayed image need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.model.comparison_target import EyeTarget, StillTarget
from app.model.key_edits import grade_at
from app.render.comparison import Comparison
from app.services.comparing import (
    SIDES,
    STEREO,
    Others,
    document_compared,
    labels_compared,
    missing_reason,
    name_compared,
    still_compared,
    version_compared,
)
from app.services.other_eye import OtherEye, is_second_eye
from engine import FileLook, Grade
from engine.color.management import Managed
from engine.viewing import Levels, levels_of

if TYPE_CHECKING:
    from app.model.still import Still
    from app.services.side_images import SideImages, Wanted
    from app.services.stills import Stills

USER = "comparison"
"""The name under which stills are read for comparisons."""
Side = tuple[Grade, Managed, Levels | None, tuple[int, int]]
"""The grade, the spaces, the levels if they are not those of the displayed image, and the offset to that."""


class OtherSide:
    """Finds what the current document is compared with, and has it read."""

    def __init__(
        self,
        others: Callable[[], Others],
        eyes: OtherEye,
        stills: Callable[[], Stills],
        images: Callable[[], SideImages],
        wanted: Callable[[Still, Managed], Wanted],
        settled: Callable[[Any], bool],
        image_wanted: Callable[[Any], None],
    ) -> None:
        """`others` returns what there is to compare with; `stills` and `images` are made when a still is compared.

        `wanted` says how a still is read to be compared with an image of some spaces, `settled` whether the spaces of
        a document are known, and `image_wanted` has its image read.
        """
        self._others, self._eyes, self._stills, self._images = others, eyes, stills, images
        self._wanted, self._settled, self._image_wanted = wanted, settled, image_wanted
        self._reads = False  # whether a still is wanted

    @property
    def still(self) -> Still | None:
        """The still that can be chosen to compare with: the selected one, else the one that is compared."""
        others = self._others()
        return others.chosen or still_compared(others.shown, others)

    def name(self, previewed: FileLook | None) -> str:
        """Return a label of the other side for the Compare panel; `previewed` is the LUT or CDL that is tried."""
        others = self._others()
        return name_compared(others.shown, others, previewed)

    def labels(self, previewed: FileLook | None) -> tuple[str, str]:
        """Return short labels of both sides."""
        others = self._others()
        return labels_compared(others.shown, others, previewed)

    def missing(self, previewed: FileLook | None) -> str:
        """Return why the other side can't be shown; '' if it can, also once it is read."""
        others = self._others()
        return missing_reason(others.shown, others, previewed)

    def forget(self) -> None:
        """Release the other image."""
        self._read_none()

    def comparison(self, grade: Grade, previewed: FileLook | None) -> Comparison | None:
        """Return the other side for a displayed grade; None to show the image alone, also until the other is read."""
        document, eye = self._others().shown, self._eye(previewed)
        state = document.view
        self._rest()
        if state.compare not in SIDES or self.missing(previewed):
            return None
        side = self._side(eye, grade, previewed)
        if side is None:
            return None
        shown, managed, levels, offset = side
        place = (state.wipe_x, state.wipe_y, state.wipe_angle, state.gain)
        swapped = eye is not None and is_second_eye(document.image)
        names = self.labels(previewed)
        return Comparison(state.compare, shown, managed, levels, *place, offset, state.difference, names, swapped)

    def _side(self, eye: Any, grade: Grade, previewed: FileLook | None) -> Side | None:
        others = self._others()
        document, state, managed = others.shown, others.shown.view, others.shown.managed
        version, other = version_compared(document), document_compared(document, others.documents)
        still = still_compared(document, others)
        if eye is not None:
            return grade, managed, levels_of(eye), self._offset_to(eye)
        if isinstance(state.against, EyeTarget) and (previewed is None or state.compare in STEREO):
            return None  # until it is read
        if previewed is not None:
            return (
                document.grade_at_frame,
                managed,
                None,
                (0, 0),
            )  # compare with and without the look that is being tried
        if version is not None:
            return grade_at(version.grade, document.frame)[0], managed, None, (0, 0)
        if still is not None:
            return self._still(still, managed)
        if isinstance(state.against, StillTarget):
            return None  # until the folder of stills is read
        if other is None:
            return Grade((), document.grade.colour), managed, None, (0, 0)
        self._image_wanted(other)
        if other.image is None or not self._settled(other):
            return None
        return other.grade_at_frame, other.managed, levels_of(other.image), self._offset_to(other.image)

    def _still(self, still: Still, managed: Managed) -> Side | None:
        """Return a still, whose pixels are graded already; None until it is read."""
        wanted = self._wanted(still, managed)
        self._reads = True
        self._images().want(USER, [wanted])
        found = self._images().get(wanted)
        if found is None:
            return None
        return Grade(), found.managed, levels_of(found.image), self._offset_to(found.image)

    def _rest(self) -> None:
        """Release what is not compared any more, and have the folder of stills read if one is."""
        state = self._others().shown.view
        if state.compare in SIDES and isinstance(state.against, StillTarget):
            self._stills().watch()
        else:
            self._read_none()

    def _read_none(self) -> None:
        """Release the still that was compared."""
        if self._reads:
            self._reads = False
            self._images().want(USER, ())

    def _eye(self, previewed: FileLook | None) -> Any:
        """Return the image of the other eye if it is shown; None if it is not, and until it is read."""
        state = self._others().shown.view
        tried = previewed is not None and state.compare not in STEREO  # with and without it are compared
        if isinstance(state.against, EyeTarget) and state.compare in SIDES and not tried:
            return self._eyes.image()
        self._eyes.rest()
        return None

    def _offset_to(self, other: Any) -> tuple[int, int]:
        """Return the distance from the data window of the other image to that of the displayed one."""
        ours, theirs = self._others().shown.image.part.data_window, other.part.data_window
        return ours[0] - theirs[0], ours[1] - theirs[1]
