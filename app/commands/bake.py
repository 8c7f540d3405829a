"""`tessera bake`: a grade as a LUT."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.commands.arguments import light, positive
from app.commands.stop import Stop
from engine.errors import GradeError, TargetExists


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="tessera bake", description="Write a grade as a 3D LUT.")
    options.add_argument("grade", metavar="GRADE", help="a grade (.json), a CDL or a LUT")
    options.add_argument("target", metavar="OUT.cube")
    options.add_argument("--size", type=positive, default=33, metavar="N", help="entries along each axis; 33 if not")
    options.add_argument(
        "--highest", type=light, default=1.0, metavar="LIGHT", help="largest input that it answers; 1 if not"
    )
    options.add_argument("--force", action="store_true", help="replace OUT if it is there")
    return options


def run(asked: argparse.Namespace) -> None:
    """A grade, CDL or LUT as a 3D LUT."""
    from engine.bake import bake as bake_cube
    from engine.grade import Grade, load_grade

    target = Path(asked.target)
    if target.suffix.lower() != ".cube":
        raise GradeError(f"{target}: a LUT is written as .cube only", "end its name in .cube")
    if target.exists() and not asked.force:
        raise TargetExists(target)
    if asked.grade.lower().endswith(".json"):
        grade = load_grade(asked.grade)
    else:
        from engine.ocio import look_from_file, split_cdl_id

        path, cdl_id = split_cdl_id(asked.grade)
        grade = Grade([look_from_file(path, cdl_id=cdl_id)])
    with Stop():
        report = bake_cube(grade, target, asked.size, highest=asked.highest)
    print(
        f"{target}: {report.size} entries along each axis, for light of 0..{report.highest:g}; "
        f"error {report.mean_error:.1g} on average, {report.max_error:.1g} at most"
    )
