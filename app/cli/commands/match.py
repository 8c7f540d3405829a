"""`tessera match`: match the colours of an image to a reference or to a ColorChecker, as a grade."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.commands.own_ops import load_own_ops
from app.cli.commands.stop import Stop
from app.model.option import Parser
from app.model.option_table import JSON, named
from app.model.option_values import box, corners, share

if TYPE_CHECKING:
    from engine.grade.colour_settings import ColourSetup
    from engine.grade.entries import Group
    from engine.grade.grade import Grade
    from engine.matching import ChartFit
    from engine.viewing.matched_images import MatchSide

METHODS = ("balance", "linear", "curves", "smooth")
KEEPS = ("nothing", "exposure", "white")


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera match",
        description="Match the colours of an image to a reference image, or to the ColorChecker in it, and write the "
        "ops as a grade: --grade of `tessera export` applies it",
    )
    options.add_argument("image", metavar="IMAGE")
    options.add_argument("target", metavar="OUT", help="the grade to write (.json)")
    to = options.add_mutually_exclusive_group(required=True)
    to.add_argument("--reference", metavar="FILE", help="the image with the colours to match")
    to.add_argument(
        "--chart",
        type=corners,
        metavar="X,Y,...",
        help="the corners of the patches of a ColorChecker, clockwise from dark skin: x0,y0,x1,y1,x2,y2,x3,y3",
    )
    options.add_argument(
        "--method",
        choices=METHODS,
        default="smooth",
        help="balance: a gain for each channel; linear: mean and covariance; curves: histogram; smooth: a smooth 3D "
        "LUT (the default)",
    )
    options.add_argument("--strength", type=share, default=1.0, metavar="0..1", help="the mix of the match; default: 1")
    options.add_argument("--area", type=box, metavar="X,Y,W,H", help="the part of IMAGE that counts")
    options.add_argument("--reference-area", type=box, metavar="X,Y,W,H", help="the part of the reference that counts")
    options.add_argument(
        "--keep", choices=KEEPS, default="exposure", help="what a chart leaves as it is; default: exposure"
    )
    options.add_argument("--grade", metavar="FILE", help="a grade that is applied to IMAGE first, and kept in OUT")
    options.add_option(named("allow-op"))
    for name in ("config", "input", "working"):
        options.add_option(named(name))
    options.add_argument("--reference-input", metavar="SPACE", default="", help="the colour space of the reference")
    options.add_option(JSON)
    options.add_argument("--force", action="store_true", help="replace OUT if it exists")
    return options


def run(asked: argparse.Namespace) -> None:
    """Match an image, and write the grade."""
    from app.cli.match_text import match_json, match_lines
    from app.cli.report_text import show
    from engine.core.atomic import checked_target
    from engine.grade.colour_settings import ColourSetup
    from engine.grade.grade import Grade, load_grade, save_grade
    from engine.grade.renewal import check_known

    target = Path(asked.target)
    _check_target(target)
    checked_target(target, asked.force)
    load_own_ops(asked.allow_op)
    grade = load_grade(asked.grade).without_solo() if asked.grade else Grade()
    check_known(grade, "bypass it")
    setup = ColourSetup(asked.config, asked.input, asked.working).over(grade.colour)
    with Stop() as stop:
        image = _side(asked.image, setup, grade, asked.area)
        group, fit = _fitted(asked, image, stop) if asked.chart else (_matched(asked, image, stop), None)
    save_grade(Grade((*grade.entries, group), image.managed.kept), target)
    show(match_json(asked.target, group, image.managed.describe(), fit), match_lines, asked.json)


def _check_target(target: Path) -> None:
    from engine.errors import GradeError

    if target.suffix.lower() != ".json":
        raise GradeError(f"{target} is not the name of a grade", "end it in .json")


def _matched(asked: argparse.Namespace, image: MatchSide, stop: Stop) -> Group:
    from engine import create_executor
    from engine.grade.colour_settings import ColourSetup
    from engine.grade.grade import Grade
    from engine.matching import matched_group
    from engine.viewing.matched_images import matched

    setup = image.managed.setup
    other = ColourSetup(setup.config, asked.reference_input, context=setup.context)
    reference = _side(asked.reference, other, Grade(), asked.reference_area)
    ops = matched(create_executor("cpu"), image, reference, asked.method, stop.asked)
    return matched_group(ops, reference.name, asked.strength)


def _fitted(asked: argparse.Namespace, image: MatchSide, stop: Stop) -> tuple[Group, ChartFit]:
    from engine import create_executor
    from engine.matching import chart_place, matched_group
    from engine.viewing.matched_images import fitted_chart

    left, top = image.origin
    place = chart_place([value - (left, top)[n % 2] for n, value in enumerate(asked.chart)])
    fit = fitted_chart(create_executor("cpu"), image, place, asked.keep, stop.asked)
    return matched_group((fit.op,), "ColorChecker", asked.strength), fit


def _side(path: str, setup: ColourSetup, grade: Grade, area: tuple[int, int, int, int] | None) -> MatchSide:
    """Return an image with its colour spaces; an area is in the coordinates of the file."""
    from engine.color.management import manage
    from engine.core.frame_numbers import frame_number_of
    from engine.core.geometry import Rect
    from engine.viewing.levels import levels_of
    from engine.viewing.matched_images import MatchSide
    from engine.viewing.opening import open_image

    opened = open_image(path)
    managed = manage(setup, path, opened.part.metadata)
    left, top = opened.part.data_window[:2]
    rect = None if area is None else Rect(area[0] - left, area[1] - top, area[2], area[3])
    here = grade.at(frame_number_of(path))
    return MatchSide(levels_of(opened), managed, here, Path(path).name, rect, (left, top))
