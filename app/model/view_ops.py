"""Converts a grade and a view to bare ops, between the image's colour spaces. Runs on the preview's thread."""

from __future__ import annotations

from app.model.data_view import ShownData
from engine import Grade, ops
from engine.color.management import Managed
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.kernel.op import Op
from engine.viewing.viewer_ops import FalseColour

CHANNELS = ("red", "green", "blue", "alpha")
UNMANAGED = Managed(ColourSetup(), InputSpace())
"""For an image of unknown colour space: it is graded without conversion and shown as scene-linear Rec.709."""


def grade_ops(managed: Managed, grade: Grade) -> tuple[Op, ...]:
    """Return the ops from the image's values to graded values in the output space; GradeError if there are none."""
    return managed.expanded(grade)


def data_ops(data: ShownData, channel: str = "") -> tuple[Op, ...]:
    """Return the ops from the values of a layer of data to screen values, 0..1; `channel` is that of `view_ops`."""
    return (*data.ops, *_picked(channel))


def view_ops(managed: Managed, viewing: Viewing, channel: str = "", false_colour: bool = False) -> tuple[Op, ...]:
    """Return the ops from graded values to screen values, 0..1, which follow the grade and never reach an export.

    `channel` is '' for colour, one of CHANNELS, or 'luma' (Rec.709 weights). Alpha ignores the exposure and the view.
    False colour replaces all of this: it shows the stops of scene-linear values, including the view's exposure.
    Raises GradeError if the config has no such display, view or look.
    """
    if false_colour:
        return (*managed.to_scene_linear(), FalseColour(viewing.exposure))
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
