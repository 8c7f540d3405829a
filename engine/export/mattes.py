"""What the mattes of an exported grade read: planes of the source, and where its pixels lie in the display window."""

from __future__ import annotations

from collections.abc import Iterable

from engine.compute.mattes import MatteInputs
from engine.core.geometry import Place
from engine.errors import UnsupportedFile
from engine.grade.grade import Grade
from engine.grade.masking import planes_read
from engine.grade.matte_planes import planes_of, without_planes
from engine.io import FileSource, ImageInfo, PartInfo
from engine.io.plane_locations import OBJECT, files_read
from engine.io.planes import MissingPlane, PlaneOptions, missing
from engine.kernel.op import Op
from engine.mattes.planes import Plane

SKIP = "or skip entries whose matte can't be read (--skip-missing)"


def readable_grade(grade: Grade, info: ImageInfo, part: PartInfo, skip: bool) -> tuple[Grade, tuple[str, ...]]:
    """Return the grade without the entries whose matte names what the file lacks, and notes about mattes.

    Raises UnsupportedFile, which names everything that is missing, unless `skip` is True.
    """
    lacking, unlisted = lacking_of(info, planes_of(grade), part)
    if lacking and not skip:
        raise missing_error(lacking)
    notes = (*(f"Skipped an entry with a matte: {each.text}." for each in lacking), *unlisted)
    return without_planes(grade, {each.plane for each in lacking}), notes


def lacking_of(info: ImageInfo, planes: Iterable[Plane], part: PartInfo) -> tuple[list[MissingPlane], tuple[str, ...]]:
    """Return what a file lacks of planes, and notes about objects that no manifest lists, which can be read."""
    found = missing(info, planes, part)
    notes = (each.note for each in found if each.kind == OBJECT)
    return [each for each in found if each.kind != OBJECT], tuple(dict.fromkeys(notes))


def files_state(ops: Iterable[Op], info: ImageInfo, part: PartInfo) -> list[tuple[int, int]]:
    """Return size and time of change of the other files that mattes read: (-1, -1) for one that is not there."""
    states = []
    for path in files_read(info, planes_read(ops), part):
        try:
            found = path.stat()
            states.append((found.st_size, found.st_mtime_ns))
        except OSError:
            states.append((-1, -1))
    return states


def missing_error(lacking: list[MissingPlane]) -> UnsupportedFile:
    """Return the error that names everything that is missing."""
    first = lacking[0].error
    what = "; ".join(dict.fromkeys(each.error.problem for each in lacking))
    return UnsupportedFile(first.path, what, f"{first.do}, {SKIP}")


def matte_inputs(source: FileSource, ops: Iterable[Op], threads: int) -> MatteInputs:
    """Return what the mattes of ops read besides the image: the planes are read with each region of the source."""
    place, frame = placed(source.part)
    planes = tuple(planes_read(ops))
    return MatteInputs(place, source.plane_source(planes, PlaneOptions(threads)) if planes else None, frame)


def placed(part: PartInfo) -> tuple[Place, tuple[int, int]]:
    """Return the place of a part's data window in its display window, and the size of that."""
    data, display = part.data_window, part.display_window
    size = display[2] - display[0] + 1, display[3] - display[1] + 1
    return Place(column=data[0] - display[0], row=data[1] - display[1]), size
