"""Reads an image with its colour spaces and the grade that it was exported with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from app.model.view_ops import UNMANAGED
from app.services.engine_calls import Services
from engine import Grade
from engine.color.management import Managed
from engine.errors import TesseraError
from engine.grade.colour_settings import ColourSetup, InputSpace


class ReadImage(NamedTuple):
    """An image, its colour spaces for a setup, and the grade in its header. `problem` says why it has no spaces."""

    image: Any
    setup: ColourSetup
    managed: Managed
    problem: str
    grade: Grade | None


def read_image(
    services: Services,
    path: Path,
    part: int | None,
    layer: str | None,
    setup: ColourSetup,
    assumed: InputSpace,
    frame: int | None = None,
) -> ReadImage:
    """Read an image, on a thread; FileError if that fails. Unresolved colour spaces don't prevent reading.

    `assumed` is the space of an image that states none, `frame` that of a movie, by default the first.
    """
    image = services.read_image(path, part, layer, *(() if frame is None else (frame,)))
    grade = services.recorded_grade(image)
    try:
        return ReadImage(image, setup, services.manage(setup, path, image.part.metadata, assumed), "", grade)
    except TesseraError as error:
        return ReadImage(image, setup, replace(UNMANAGED, assumed=assumed), str(error), grade)
