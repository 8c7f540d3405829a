"""`tessera info`: describe a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.model.option import Parser
from app.model.option_table import JSON, named
from engine.errors import TesseraError
from engine.movies.movie_files import MOVIE_SUFFIXES

IMAGES = (".exr", ".tif", ".tiff", ".png", ".dpx", ".jpg", ".jpeg", ".hdr", *MOVIE_SUFFIXES)
"""Suffixes that are never LUTs or CDLs, so that OpenColorIO need not be loaded."""


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera info",
        description="Describe an image (parts, channels, windows, metadata), a LUT, a CDL or a grade.",
    )
    options.add_argument("file", metavar="FILE")
    options.add_argument(
        "--objects",
        metavar="PATTERN",
        nargs="?",
        const="*",
        help="list the objects of Cryptomatte layers, by default all; PATTERN may have * and ?",
    )
    options.add_option(named("config"))
    options.add_option(JSON)
    return options


def run(asked: argparse.Namespace) -> None:
    """Describe a file."""
    from app.cli import report_text

    path = Path(asked.file)
    suffix = path.suffix.lower()
    if suffix == ".json":
        from engine.grade.grade import load_grade

        about = report_text.grade_json(path, load_grade(path))
        lines = report_text.grade_lines
    elif suffix not in IMAGES and _is_look(path):
        from engine.ocio import describe_look

        about = describe_look(path)
        if "error" in about:
            raise TesseraError(about["error"])
        lines = report_text.look_lines
    else:
        from app.cli.cryptomatte_text import cryptomatte_json
        from engine.color.management import manage
        from engine.grade.colour_settings import ColourSetup
        from engine.movies.images import describe

        image = describe(path)
        if image.frame is not None:
            from engine.movies.source import counted

            image = counted(image)
        colours = [manage(ColourSetup(asked.config), path, part.metadata).found for part in image.parts]
        about = report_text.image_json(image, colours, cryptomatte_json(image, asked.objects))
        lines = report_text.image_lines
    report_text.show(about, lines, asked.json)


def _is_look(path: Path) -> bool:
    from engine.ocio.files import format_name

    return format_name(path) != "unknown"
