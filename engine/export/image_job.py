"""The export of one image: as `engine.export.job` resolves it, and with the objects of its mattes looked for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.errors import UnsupportedFile
from engine.export.job import ExportJob, resolve
from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.grade.masking import planes_read
from engine.io.absent_objects import absent_objects
from engine.io.planes import PlaneOptions, PlaneReader
from engine.mattes.planes import CoveragePlane, IdPlane

ONE_BAND = 1
"""A budget of bytes in which only the last decoded band is kept."""


def resolve_image(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions,
    cancelled: Callable[[], bool] | None = None,
    of_sequence: bool = False,
    frame: int | None = None,
) -> ExportJob:
    """Return the export of an image, as `resolve` does. Raises Cancelled after `cancelled` returned True.

    Raises UnsupportedFile if nothing in the image is an object that a matte names. If missing mattes are skipped, that
    is a note; so it is for a frame of a sequence, which objects enter and leave.
    """
    job = resolve(source, target, grade, options, frame=frame)
    absent = _absent(job, cancelled or (lambda: False))
    if absent and not (options.skip_missing or of_sequence):
        do = "choose objects that it has, or go on without these (--skip-missing)"
        raise UnsupportedFile(job.info.path, "; ".join(absent), do)
    notes = (f"{job.info.path.name} {words}." for words in absent)
    return replace(job, notes=(*job.notes, *notes)) if absent else job


def _absent(job: ExportJob, stop: Callable[[], bool]) -> tuple[str, ...]:
    """Return words about objects of mattes that nothing in a flat image is. Decodes it where it must."""
    planes = [each for each in planes_read(job.all_ops) if isinstance(each, CoveragePlane | IdPlane)]
    if job.part.is_deep or not planes:
        return ()
    options = PlaneOptions(job.options.threads, budget=ONE_BAND, salvage=job.options.salvage)
    with closing(PlaneReader(job.info, job.part, options=options)) as reader:
        found = [absent_objects(reader, plane, stop) for plane in planes]
    return tuple(dict.fromkeys(words for words in found if words))
