"""ASC CDL files: the corrections in one, and a grade written as one."""

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
from engine.kernel.op import Op
from engine.ocio.inspection import check_files, unchanged
from engine.ocio.reasons import FAILURES, one_line
from engine.ops import Cdl, Exposure, Saturation
from engine.ops.exposure import gain_of

CDL_SUFFIXES = {".cc": "ColorCorrection", ".ccc": "ColorCorrectionCollection", ".cdl": "ColorDecisionList"}
"""Suffixes of ASC CDL files, and OpenColorIO's names of their formats."""

NEUTRAL = Cdl((1.0,) * 3, (0.0,) * 3, (1.0,) * 3, 1.0, "noclamp", "forward")


def split_cdl_id(text: str) -> tuple[Path, str | None]:
    """`FILE#ID` as a path and an id, split where the longest name of a file that exists ends.

    A file with the whole text as its name wins, and has no id. Where there is no such file, the last # splits.
    """
    if "#" not in text or exists(text):
        return Path(text), None
    marks = [i for i, letter in enumerate(text) if letter == "#"]
    mark = next((i for i in reversed(marks) if is_file(text[:i])), marks[-1])
    return (Path(text[:mark]), text[mark + 1 :] or None) if mark else (Path(text), None)


def list_cdl_ids(path: str | Path) -> list[dict[str, Any]]:
    """The corrections of a .cc, .ccc or .cdl file in their order, each with its `id` and `descriptions`.

    Raises UnreadableFile where it is none.
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

    The grade must be what one CDL says: see `as_one_cdl`, whose GradeError names the op that is too much. The files
    have no room for the style: one that clamps must be read back as `asc`. Raises UnsupportedFile for another suffix,
    TargetExists for a file that is there, without `force`, WriteFailed where the file can't be written. `id` is the
    file's name where none is given.
    """
    path = Path(path)
    name = CDL_SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise UnsupportedFile(path, "is not the name of a CDL file", "end it in .cc, .ccc or .cdl")
    cdl = as_one_cdl(grade)
    transform = ocio.CDLTransform()
    transform.setSOP([*cdl.slope, *cdl.offset, *cdl.power])
    transform.setSat(cdl.saturation)
    transform.setID(one_line(id or path.stem))  # which the schema wants
    if description:
        transform.setFirstSOPDescription(one_line(description))
    text = ocio.GroupTransform([transform]).write(formatName=name, config=ocio.Config.CreateRaw())
    write_text(path, _escaped_once(text), force)


def _escaped_once(text: str) -> str:
    """OpenColorIO escapes the text of descriptions twice: undo one."""
    inner = r"(?<=<Description>).*(?=</Description>)"
    return re.sub(inner, lambda match: html.unescape(match[0]), text)


def as_one_cdl(grade: Grade) -> Cdl:
    """The one forward CDL that does what the whole grade does, for every finite pixel.

    Exposure before a CDL goes into its slope, saturation after a no-clamp CDL multiplies its own; exposure after it
    does only where there is no power. GradeError names the first op that can't be folded in.
    """
    one = NEUTRAL
    for op in grade.effective:
        folded = _then(one, op)
        if folded is None:
            raise GradeError(
                f"a CDL can't say {_said(op)} here",
                "write a .cube, or leave exposure, one CDL and saturation, in that order",
            )
        one = folded
    return one


def _said(op: Op) -> str:
    if isinstance(op, Mix):
        return f"a mix of {100 * op.amount:g} %"
    return f"a reversed {op.title()}" if isinstance(op, Cdl) and op.direction == "reverse" else op.title()


def _then(one: Cdl, op: Op) -> Cdl | None:
    """`one`, then `op`, as one CDL; None where there is none."""
    if one.style == "asc":
        return None  # what follows a clamp stays apart
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
