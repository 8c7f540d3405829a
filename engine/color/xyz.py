"""CIE XYZ of the values of an image, with D65 as neutral, and the gamuts of colour spaces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.color.management import Managed
from engine.core.colorimetry import CIE_XYZ, PRIMARIES, to_xyz
from engine.errors import GradeError
from engine.grade.colour_settings import Context, Viewing
from engine.kernel.op import ColorOp, Op
from engine.ocio.config import Config
from engine.ocio.primaries import primaries_name
from engine.ops import ExponentWithLinear, Matrix

DISPLAY_XYZ = "cie_xyz_d65_interchange"
"""The role of CIE XYZ of displays."""
CORNERS = np.array([[0, 0, 0, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1]], np.float64)
"""RGBA of black, red, green, blue and white."""


def xyz_ops(managed: Managed, values: str, viewing: Viewing) -> tuple[ColorOp, ...]:
    """Return the ops to XYZ from source, graded or display values, as `values` says; the display is that of a view.

    Values of unknown colour space are taken as scene-linear Rec.709, shown on sRGB. Raises GradeError if a config has
    no conversion to XYZ.
    """
    if not managed.converts:
        return ((_SRGB,) if values == "display" else ()) + (_REC709,)
    config = managed.config
    if values == "display":
        return _from_display(config, viewing, managed.context)
    return space_to_xyz(config, managed.input if values == "source" else managed.output, managed.context)


def space_to_xyz(config: Config, space: str, context: Context = ()) -> tuple[ColorOp, ...]:
    """Return the ops from a colour space to XYZ. Raises GradeError if the config has no conversion."""
    if config.space(space).is_display and (role := config.role(DISPLAY_XYZ)):
        return _colour_ops(config.ops_between(space, role, context))
    return _colour_ops(config.ops_between(space, primaries_name(CIE_XYZ), context))


def working_gamut(managed: Managed) -> tuple[float, ...]:
    """Return the gamut of the working space, as `gamut_of` does; () if the space is unknown."""
    return _gamut(managed, managed.working) if managed.converts else ()


def display_gamut(managed: Managed, viewing: Viewing) -> tuple[float, ...]:
    """Return the gamut of the space that a view ends in, as `gamut_of` does; () if the config does not state it."""
    if not managed.converts:
        return PRIMARIES["rec709"]
    space = managed.config.space_of_view(viewing.display, viewing.view)
    return _gamut(managed, space) if space and not managed.config.is_data(space) else ()


def gamut_of(ops: Sequence[ColorOp]) -> tuple[float, ...]:
    """Return x and y of the red, green, blue and white of a space under D65, whose ops to XYZ are given.

    Returns () if they have no chromaticities.
    """
    colours = CORNERS[None]
    for op in ops:
        colours = op.reference(colours)
    with np.errstate(all="ignore"):
        stimuli = colours[0, 1:, :3] - colours[0, 0, :3]  # black is not 0 in logarithmic spaces
        totals = stimuli.sum(axis=1, keepdims=True)
        found = stimuli[:, :2] / totals
    return tuple(found.ravel().tolist()) if np.isfinite(found).all() and (totals > 0.0).all() else ()


def _gamut(managed: Managed, space: str) -> tuple[float, ...]:
    try:
        return gamut_of(space_to_xyz(managed.config, space, managed.context))
    except GradeError:
        return ()


def _from_display(config: Config, viewing: Viewing, context: Context) -> tuple[ColorOp, ...]:
    """Return the ops from display values to XYZ; those of sRGB if the config does not state the space of the view."""
    space = config.space_of_view(viewing.display, viewing.view)
    if not space or config.is_data(space):
        return (_SRGB, _REC709)
    return space_to_xyz(config, space, context)


def _colour_ops(ops: Sequence[Op]) -> tuple[ColorOp, ...]:
    return tuple(op for op in ops if isinstance(op, ColorOp))


def _matrix(chromaticities: Sequence[float]) -> Matrix:
    whole = np.eye(4)
    whole[:3, :3] = to_xyz(chromaticities)
    return Matrix(tuple(whole.ravel().tolist()), form="rgb")


_SRGB = ExponentWithLinear((2.4,) * 3, (0.055,) * 3)
_REC709 = _matrix(PRIMARIES["rec709"])
