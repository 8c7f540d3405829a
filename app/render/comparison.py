"""The other side of a comparison in requests for frames."""

from __future__ import annotations

from engine import Grade
from engine.color.management import Managed
from engine.core.records import dataclass
from engine.viewing import Levels


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
