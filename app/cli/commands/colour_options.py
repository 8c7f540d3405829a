"""Read the colour options, which several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from app.model.option_table import COLOUR

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup, Viewing


def read_setup(asked: argparse.Namespace) -> ColourSetup:
    """Return the colour settings that the options name.

    Raises GradeError if an option names something of the config `raw`, which has nothing.
    """
    from engine.errors import GradeError
    from engine.grade.colour_settings import RAW, ColourSetup

    given = [option.flag for option in COLOUR.without("config").options if getattr(asked, option.attribute)]
    if asked.config == RAW and given:
        raise GradeError(f"{given[0]} has no effect with --config {RAW}, which converts nothing", "leave out one")
    return ColourSetup(asked.config, asked.input, asked.working, asked.output, tuple(asked.context))


def read_viewing(asked: argparse.Namespace) -> Viewing | None:
    """Return the display and view that the options name; None if they name none."""
    from engine.errors import GradeError
    from engine.grade.colour_settings import Viewing

    if asked.looks is not None and asked.display is None and asked.view is None:
        raise GradeError("--looks belong to a view", "give --display or --view")
    if asked.display is None and asked.view is None:
        return None
    return Viewing(asked.display or "", asked.view or "", asked.looks or "")
