"""Writes LUT and CDL files in a separate process: formatting text and OpenColorIO hold the interpreter's lock."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from engine import Grade
from engine.color.management import manage
from engine.errors import WriteFailed
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.luts.look_files import ONE_CDL, LookOptions, LookReport, write_look

Domain = tuple[float, float] | None


def write_lut_in_process(
    grade: Grade,
    path: Path,
    setup: ColourSetup,
    image: Path | None,
    metadata: Mapping[str, Any],
    domain: Domain = None,
    viewing: Viewing | None = None,
    force: bool = True,
) -> LookReport:
    """Call `engine.luts.look_files.write_look` in a separate process, for an image with this path and metadata.

    With a `viewing`, the file includes the conversion to its display. CDLs are written in this process: that is quick.
    """
    managed = manage(setup, image, metadata, viewing)
    if path.suffix.lower() in ONE_CDL:
        return write_look(grade, path, managed, force=force)
    setup = replace(managed.setup, input=managed.input) if managed.converts else managed.setup
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            return process.submit(_write, grade, path, setup, domain, viewing, force).result()
    except BrokenProcessPool as error:
        raise WriteFailed(path, "writing stopped halfway", "try again, or write a smaller file") from error


def _write(
    grade: Grade, path: Path, setup: ColourSetup, domain: Domain, viewing: Viewing | None, force: bool
) -> LookReport:
    return write_look(grade, path, manage(setup, viewing=viewing), LookOptions(domain=domain), force=force)
