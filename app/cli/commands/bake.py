"""`tessera bake`: write a grade as a LUT or CDL file for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.cli.commands.colour_options import read_setup, read_viewing
from app.cli.commands.own_ops import load_own_ops
from app.cli.commands.stop import Stop
from app.model.option import Parser
from app.model.option_table import COLOUR, named
from app.model.option_values import finite, positive, whole


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera bake",
        description="Write a grade as a LUT or CDL file for other programs, and report how exact it is. The suffix of "
        "OUT selects the format: .clf .ctf (exact), .cube .csp .spi3d .3dl (a 3D LUT), .cc .ccc .cdl .amf (one CDL)",
    )
    options.add_argument("grade", metavar="GRADE", help="a grade (.json), a CDL or a LUT")
    options.add_argument("target", metavar="OUT")
    options.add_option(named("allow-op"))
    options.add_group(COLOUR)
    options.add_argument("--frame", type=whole, metavar="N", help="the frame of a grade with keys; OUT holds no others")
    lut = options.add_argument_group("3D LUTs")
    lut.add_argument(
        "--size", type=positive, metavar="N", help="entries along each axis; default: 65 with a shaper, else 33"
    )
    lut.add_argument(
        "--domain",
        type=finite,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="range of input values; default: 0 64 for scene-linear input of .cube and .csp, else 0 1",
    )
    lut.add_argument(
        "--no-shaper",
        action="store_true",
        help="space the entries evenly over the domain, for programs without shapers",
    )
    lut.add_argument(
        "--interpolation",
        choices=("linear", "tetrahedral"),
        default="linear",
        help="interpolation of the other program, used for the reported error",
    )
    options.add_argument("--force", action="store_true", help="replace OUT if it exists")
    return options


def run(asked: argparse.Namespace) -> None:
    """Write a grade, CDL or LUT as a LUT or CDL file."""
    from engine.color.management import manage
    from engine.core.atomic import checked_target
    from engine.grade.grade import Grade, load_grade
    from engine.luts.look_files import LookOptions, write_look

    target = Path(asked.target)
    checked_target(target, asked.force)
    load_own_ops(asked.allow_op)
    if asked.grade.lower().endswith(".json"):
        grade = load_grade(asked.grade)
    else:
        from engine.ocio import look_from_file, split_cdl_id

        path, cdl_id = split_cdl_id(asked.grade)
        grade = Grade([look_from_file(path, cdl_id=cdl_id)])
    if asked.frame is not None:
        grade = grade.at(asked.frame)
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
