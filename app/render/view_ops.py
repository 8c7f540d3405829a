"""A grade and a view as bare ops, in the order of the image's colour spaces. Asked for on the preview's thread."""

from __future__ import annotations

from engine import Grade, ops
from engine.color.management import Managed
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.kernel.op import Op
from engine.viewing.looking import FalseColour, IdColours

CHANNELS = ("red", "green", "blue", "alpha")
UNMANAGED = Managed(ColourSetup(), InputSpace())
"""What holds for an image whose colour space nobody knows: it is graded as it is and shown as scene-linear Rec.709."""


def grade_ops(managed: Managed, grade: Grade) -> tuple[Op, ...]:
    """The ops from the image's values to the graded ones, in the output space; GradeError where they can't be."""
    return managed.expanded(grade)


ID_OPS = (IdColours(),)
"""The view of a layer of IDs."""


def view_ops(managed: Managed, viewing: Viewing, channel: str = "", false_colour: bool = False) -> tuple[Op, ...]:
    """The ops from graded values to the screen's, 0..1: they come after the grade and never reach an export.

    `channel` is '' for colour, one of CHANNELS, or 'luma' (Rec.709 weights). Alpha is shown whatever the exposure and
    the view. False colour takes the place of all that: it tells the stops of scene light, the view's exposure added.
    GradeError where the config has no such display, view or look.
    """
    if false_colour:
        return (*managed.to_light(), FalseColour(viewing.exposure))
    picked = _picked(channel)
    if managed.converts and channel != "alpha":
        return (*picked, *managed.displayed(viewing))
    srgb = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse")
    after = (ops.Exponent((1.0 / viewing.gamma,) * 3, negative="mirror"),) if viewing.gamma != 1.0 else ()
    return (ops.Exposure(viewing.exposure), *picked, srgb, *after)


def _picked(channel: str) -> tuple[Op, ...]:
    if channel == "luma":
        return (ops.Saturation(0.0),)
    if not channel:
        return ()
    row = tuple(float(name == channel) for name in CHANNELS)
    return (ops.Matrix((*row, *row, *row, 0.0, 0.0, 0.0, 1.0)),)
