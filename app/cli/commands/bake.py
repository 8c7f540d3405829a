"""`tessera bake`: a grade as a look file for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.commands.arguments import Parser, finite, positive
from app.cli.commands.colour_options import add_colour, read_setup, read_viewing
from app.cli.commands.stop import Stop


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera bake",
        description="Write a grade as a look file for other programs, and tell how exact that is. OUT's suffix says the"
        " format: .clf .ctf (exact), .cube .csp .spi3d .3dl (a 3D LUT), .cc .ccc .cdl .amf (one CDL)",
    )
    options.add_argument("grade", metavar="GRADE", help="a grade (.json), a CDL or a LUT")
    options.add_argument("target", metavar="OUT")
    add_colour(options)
    lut = options.add_argument_group("3D LUTs")
    lut.add_argument(
        "--size", type=positive, metavar="N", help="entries along each axis; 65 behind a shaper and 33 elsewhere if not"
    )
    lut.add_argument(
        "--domain",
        type=finite,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="light that it answers; 0 64 for scene-linear light in .cube and .csp, else 0 1 if not",
    )
    lut.add_argument("--no-shaper", action="store_true", help="entries evenly over the domain, for programs without")
    lut.add_argument(
        "--interpolation",
        choices=("linear", "tetrahedral"),
        default="linear",
        help="what the other program does, for the error that is told",
    )
    options.add_argument("--force", action="store_true", help="replace OUT if it is there")
    return options


def run(asked: argparse.Namespace) -> None:
    """A grade, CDL or LUT as a look file."""
    from engine.color.management import manage
    from engine.core.atomic import checked_target
    from engine.grade.grade import Grade, load_grade
    from engine.luts.look_files import LookOptions, write_look

    target = Path(asked.target)
    checked_target(target, asked.force)
    if asked.grade.lower().endswith(".json"):
        grade = load_grade(asked.grade)
    else:
        from engine.ocio import look_from_file, split_cdl_id

        path, cdl_id = split_cdl_id(asked.grade)
        grade = Grade([look_from_file(path, cdl_id=cdl_id)])
    domain = tuple(asked.domain) if asked.domain else None
    managed = manage(read_setup(asked).over(grade.colour), viewing=read_viewing(asked))
    with Stop():
        report = write_look(
            grade,
            target,
            managed,
            LookOptions(asked.size, domain, not asked.no_shaper, asked.interpolation),
            asked.force,
        )
    print(f"{target}: {report.text}")
