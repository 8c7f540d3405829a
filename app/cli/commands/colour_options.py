"""Options about colour that several commands have."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup, Viewing

_NAMES = ("input", "working", "output", "display", "view", "looks", "context")


def add_config(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """`--config`."""
    parser.add_argument(
        "--config",
        default="",
        metavar="NAME",
        help="an OpenColorIO config: .ocio, .ocioz, a folder, a built-in one, or raw; $OCIO or the newest studio"
        " config if not",
    )


def add_colour(parser: argparse.ArgumentParser) -> None:
    """The colour spaces of a grade, and a display and view behind it."""
    about = "names, roles, aliases or named transforms of the config; see `tessera colorspaces`"
    colour = parser.add_argument_group("colour", about)
    add_config(colour)
    colour.add_argument("--input", default="", metavar="SPACE", help="of the image; what the image says if not")
    colour.add_argument(
        "--working", default="", metavar="SPACE", help="of CDLs and LUTs; ACEScct or the config's log if not"
    )
    colour.add_argument("--output", default="", metavar="SPACE", help="of the result; the input space if not")
    colour.add_argument("--display", metavar="NAME", help="end in this display")
    colour.add_argument("--view", metavar="NAME", help="through this view; the display's default if not")
    colour.add_argument(
        "--looks", metavar="NAMES", help="before the view: A or A,-B (B undone) or none; the view's if not"
    )
    colour.add_argument(
        "--context",
        action="append",
        default=[],
        type=_variable,
        metavar="K=V",
        help="a context variable; again for more",
    )


def read_setup(asked: argparse.Namespace) -> ColourSetup:
    """The colour spaces that the options name. GradeError for names of the config that has none."""
    from engine.errors import GradeError
    from engine.grade.colour_settings import RAW, ColourSetup

    named = [option for option in _NAMES if getattr(asked, option)]
    if asked.config == RAW and named:
        raise GradeError(f"--{named[0]} means nothing with --config {RAW}, which converts nothing", "leave out one")
    return ColourSetup(asked.config, asked.input, asked.working, asked.output, tuple(asked.context))


def read_viewing(asked: argparse.Namespace) -> Viewing | None:
    """The display and view that the options name; None where they name none."""
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
        raise argparse.ArgumentTypeError(f"{text!r} is no variable; give one such as SHOT=sc010")
    return name, value
