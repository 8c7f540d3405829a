"""Colour options that several commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup, Viewing

_NAMES = ("input", "working", "output", "display", "view", "looks", "context")


def add_config(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--config`."""
    parser.add_argument(
        "--config",
        default="",
        metavar="NAME",
        help="an OpenColorIO config: .ocio, .ocioz, a folder, a built-in one, or raw; default: $OCIO, or the newest "
        "studio config",
    )


def add_colour(parser: argparse.ArgumentParser) -> None:
    """Add the options for the colour spaces of a grade, and for a display and view after it."""
    about = "names, roles, aliases or named transforms of the config; see `tessera colorspaces`"
    colour = parser.add_argument_group("colour", about)
    add_config(colour)
    colour.add_argument("--input", default="", metavar="SPACE", help="input space; default: detected")
    colour.add_argument(
        "--working",
        default="",
        metavar="SPACE",
        help="space of CDLs and LUTs; default: ACEScct, or the config's log space",
    )
    colour.add_argument("--output", default="", metavar="SPACE", help="space of the result; default: the input space")
    colour.add_argument("--display", metavar="NAME", help="convert the result to this display")
    colour.add_argument("--view", metavar="NAME", help="use this view; default: the display's default view")
    colour.add_argument(
        "--looks",
        metavar="NAMES",
        help="looks before the view: A, or A,-B (B inverted), or none; default: the view's looks",
    )
    colour.add_argument(
        "--context",
        action="append",
        default=[],
        type=_variable,
        metavar="K=V",
        help="a context variable; can be repeated",
    )


def read_setup(asked: argparse.Namespace) -> ColourSetup:
    """Return the colour settings that the options name.

    Raises GradeError if an option names something of the config `raw`, which has nothing.
    """
    from engine.errors import GradeError
    from engine.grade.colour_settings import RAW, ColourSetup

    named = [option for option in _NAMES if getattr(asked, option)]
    if asked.config == RAW and named:
        raise GradeError(f"--{named[0]} has no effect with --config {RAW}, which converts nothing", "leave out one")
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


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid variable; use a variable such as SHOT=sc010")
    return name, value
