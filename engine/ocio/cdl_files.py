"""ASC CDL files: listing their corrections, and writing a grade as one."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import PyOpenColorIO as ocio

from engine.core.atomic import write_text
from engine.core.file_errors import exists, is_file
from engine.core.small_files import TRIES, changing
from engine.errors import GradeError, UnreadableFile, UnsupportedFile
from engine.grade.blending import Mix
from engine.grade.grade import Grade
from engine.grade.masking import matted_name
from engine.kernel.op import Op
from engine.ocio.inspection import check_files, unchanged
from engine.ocio.reasons import FAILURES, one_line
from engine.ops import Cdl, Exposure, Saturation
from engine.ops.exposure import gain_of

CDL_SUFFIXES = {".cc": "ColorCorrection", ".ccc": "ColorCorrectionCollection", ".cdl": "ColorDecisionList"}
"""Suffixes of ASC CDL files, and OpenColorIO's names for their formats."""

NEUTRAL = Cdl((1.0,) * 3, (0.0,) * 3, (1.0,) * 3, 1.0, "noclamp", "forward")


def split_cdl_id(text: str) -> tuple[Path, str | None]:
    """Split `FILE#ID` into a path and an id, after the longest name of an existing file.

    If a file has the whole text as its name, there is no id. If no file exists, the text is split at the last #.
    """
    if "#" not in text or exists(text):
        return Path(text), None
    marks = [i for i, letter in enumerate(text) if letter == "#"]
    mark = next((i for i in reversed(marks) if is_file(text[:i])), marks[-1])
    return (Path(text[:mark]), text[mark + 1 :] or None) if mark else (Path(text), None)


def list_cdl_ids(path: str | Path) -> list[dict[str, Any]]:
    """Return the corrections of a .cc, .ccc or .cdl file in order, each with its `id` and `descriptions`.

    Raises UnreadableFile if it is not a CDL file.
    """
    path = Path(path)
    for _ in range(TRIES):
        before = check_files(path, [path], ocio.Context())
        ocio.ClearAllCaches()
        try:
            group = ocio.CDLTransform.CreateGroupFromFile(str(path))
        except FAILURES as error:
            if unchanged(before):
                raise UnreadableFile(path, "is not a CDL file", "choose a .cc, .ccc or .cdl file") from error
        else:
            if unchanged(before):
                return [{"id": cdl.getID(), "descriptions": _descriptions(cdl)} for cdl in group]
    raise changing(path)


def _descriptions(cdl: ocio.CDLTransform) -> list[str]:
    elements = cdl.getFormatMetadata().getChildElements()
    return [str(element.getElementValue()) for element in elements if "Description" in element.getElementName()]


def write_cdl(grade: Grade, path: str | Path, *, id: str = "", description: str = "", force: bool = True) -> None:
    """Write a grade as .cc, .ccc or .cdl, whole or not at all.

    The grade must be equivalent to one CDL: see `as_one_cdl`, whose GradeError names the op that can't be included. The
    files do not store the style: a CDL that clamps must be read back as `asc`. `id` defaults to the file's name. Raises
    UnsupportedFile for another suffix, TargetExists for an existing file without `force`, WriteFailed if the file can't
    be written.
    """
    path = Path(path)
    name = CDL_SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise UnsupportedFile(path, "is not the name of a CDL file", "end it in .cc, .ccc or .cdl")
    cdl = as_one_cdl(grade)
    transform = ocio.CDLTransform()
    transform.setSOP([*cdl.slope, *cdl.offset, *cdl.power])
    transform.setSat(cdl.saturation)
    transform.setID(one_line(id or path.stem))  # required by the schema
    if description:
        transform.setFirstSOPDescription(one_line(description))
    text = ocio.GroupTransform([transform]).write(formatName=name, config=ocio.Config.CreateRaw())
    write_text(path, _escaped_once(text), force)


def _escaped_once(text: str) -> str:
    """Undo one of the two escapes that OpenColorIO applies to the text of descriptions."""
    inner = r"(?<=<Description>).*(?=</Description>)"
    return re.sub(inner, lambda match: html.unescape(match[0]), text)


def as_one_cdl(grade: Grade) -> Cdl:
    """Return the forward CDL that is equivalent to the whole grade, for every finite pixel.

    Exposure before a CDL is folded into its slope, and saturation after a no-clamp CDL into its saturation; exposure
    after a CDL can be folded in only if the CDL has no power. Raises GradeError, which names the first op that can't be
    folded in, or the first entry with a matte.
    """
    one = NEUTRAL
    for op in grade.effective:
        if name := matted_name(op):
            raise GradeError(f"{name} has a matte, which a CDL can't store", "export the image, or bypass the entry")
        folded = _then(one, op)
        if folded is None:
            raise GradeError(
                f"a CDL can't store {_describe(op)} here",
                "write a .cube, or keep only exposure, one CDL and saturation, in that order",
            )
        one = folded
    return one


def _describe(op: Op) -> str:
    if isinstance(op, Mix):
        return f"a mix of {100 * op.amount:g} %"
    return f"a reversed {op.title()}" if isinstance(op, Cdl) and op.direction == "reverse" else op.title()


def _then(one: Cdl, op: Op) -> Cdl | None:
    """Return `one` followed by `op` as one CDL; None if there is none."""
    if one.style == "asc":
        return None  # nothing can be folded in after a clamp
    if isinstance(op, Saturation):
        return one.replace(saturation=one.saturation * op.saturation)
    straight = one.power == (1.0, 1.0, 1.0)
    if isinstance(op, Exposure) and straight:
        gain = gain_of(op.stops)
        return one.replace(slope=_times(one.slope, gain), offset=_times(one.offset, gain))
    if not isinstance(op, Cdl) or op.direction == "reverse":
        return None
    if op.style == "noclamp" and op.replace(saturation=1.0) == NEUTRAL:
        return one.replace(saturation=one.saturation * op.saturation)
    if straight and one.saturation == 1.0:
        offset = tuple(b * s + o for b, s, o in zip(one.offset, op.slope, op.offset, strict=True))
        slope = tuple(a * b for a, b in zip(one.slope, op.slope, strict=True))
        return op.replace(slope=slope, offset=offset)
    return None


def _times(values: tuple[float, ...], gain: float) -> tuple[float, ...]:
    return tuple(value * gain for value in values)
