"""A grade kept in the header of the image that was made with it.

`tessera:grade` is its JSON, `tessera:cdl` the numbers of its CDLs, `tessera:layers` the layers it was done to,
`tessera:view` the display and view that came after it. An image that is graded again tells of both grades, one after
the other, where they work in the same colour spaces.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from engine.errors import GradeError, UnreadableFile
from engine.grade.blending import Mix
from engine.grade.grade import Grade, load_grade
from engine.io import describe
from engine.io.info import PartInfo
from engine.kernel.op import Op, Table
from engine.ops import Cdl

GRADE, CDL, LAYERS = "tessera:grade", "tessera:cdl", "tessera:layers"
VIEW = "tessera:view"
EXPORT = "tessera:export"
"""A digest of what a frame of a sequence was made with: the options, the grade, and the ops that it came to."""
SOFTWARE, VERSION = "tessera:software", "tessera:version"
MOST_BYTES = 1 << 24
"""A header holds no longer grade than this."""


@cache
def tessera_version() -> str:
    """The version that is installed; '0' where none is."""
    try:
        return version("tessera")
    except PackageNotFoundError:
        return "0"


def record_of(
    grade: Grade, part: PartInfo, layers: tuple[str, ...], view: str = ""
) -> tuple[list[tuple[str, str]], list[str]]:
    """Text attributes that tell of a grade done to a part's layers, and sentences about what they can't tell.

    `view` is what came after the grade, a display and a view.
    """
    notes: list[str] = []
    named = ", ".join(name or "main" for name in layers)
    before = recorded(part) if part.metadata.get(LAYERS) == named else None
    whole = grade
    if before is not None:
        joined = None if part.metadata.get(VIEW) else _joined(before, grade)
        whole = joined or grade
        why = "The header tells of this grade alone: the one before was made in other colour spaces."
        notes += [] if joined else [why]
    text = _text(whole)
    found = [(LAYERS, named), (SOFTWARE, "Tessera"), (VERSION, tessera_version())]
    found += [(VIEW, view)] if view else []
    if len(text) > MOST_BYTES:
        notes.append("The grade is not written into the header: its tables are too large. Save it as a file.")
        return found, notes
    found.append((GRADE, text))
    if cdl := _cdl_text(whole):
        found.append((CDL, cdl))
    return found, notes


def digest_of(*about: Any) -> str:
    """A hash of values: numbers, texts, tables and ops, in lists and dictionaries."""
    return hashlib.sha256(json.dumps(about, sort_keys=True, default=_plain).encode()).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """A table by the hash of its content, an op by its fields, what is neither as Python writes it."""
    if isinstance(value, Table):
        return value.name
    if isinstance(value, Op):
        return [type(value).__name__, {each.name: getattr(value, each.name) for each in fields(cast(Any, value))}]
    return repr(value)


@lru_cache(maxsize=16)
def _text(grade: Grade) -> str:
    """The grade as it is kept; known again for the next frame of a sequence."""
    return json.dumps(grade.to_json(), separators=(",", ":"))


def _joined(before: Grade, grade: Grade) -> Grade | None:
    """Two grades, one after the other, as one; None where they work in different spaces."""
    one, two = before.colour, grade.colour
    moved = two.input and two.input != (one.output or one.input)
    if moved or (one.config, one.working, one.context) != (two.config, two.working, two.context):
        return None
    colour = replace(two, input=one.input, output=two.output or one.output)
    return Grade([*before.without_solo().entries, *grade.without_solo().entries], colour)


def grade_from_image(path: str | Path, part: int | None = None) -> Grade | None:
    """The grade that an image's header tells of: that of `part`, or of the first that has one. None if none has.

    FileError if the file can't be read, GradeError if what it tells is no grade or one of a later version.
    """
    parts = describe(path).parts
    asked = parts if part is None else parts[part : part + 1]
    return next((found for each in asked if (found := _parsed(each)) is not None), None)


def grade_from_file(path: str | Path) -> Grade:
    """A saved grade, or the one that the header of an EXR tells of. UnreadableFile where there is none."""
    if Path(path).suffix.lower() != ".exr":
        return load_grade(path)
    try:
        found = grade_from_image(path)
    except GradeError as error:
        raise UnreadableFile(path, error.what, error.do) from error
    if found is None:
        raise UnreadableFile(path, "tells of no grade", "choose a grade (.json) or an EXR that Tessera exported")
    return found


def recorded(part: PartInfo) -> Grade | None:
    """The grade that a part tells of; None if it is none that can be read."""
    try:
        return _parsed(part)
    except GradeError:
        return None


def _parsed(part: PartInfo) -> Grade | None:
    text = part.metadata.get(GRADE)
    if not isinstance(text, str):
        return None
    try:
        return Grade.from_json(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise GradeError("the grade in the image's header is damaged", "grade the original again") from error


def _cdl_text(grade: Grade) -> str:
    """The CDLs of the grade, in order, as numbers; '' if it has none."""
    words = []
    for op, mix in _in_part(grade):
        if isinstance(op, Cdl):
            rows = (("slope", op.slope), ("offset", op.offset), ("power", op.power), ("saturation", (op.saturation,)))
            style = {"asc": " clamped"}.get(op.style, "") + {"reverse": " reversed"}.get(op.direction, "")
            words.append(" ".join(f"{name} {_numbers(values)}" for name, values in rows) + style + mix)
    return "; ".join(words)


def _in_part(grade: Grade) -> Iterator[tuple[Op, str]]:
    """The ops that run, those inside a mix with the words for it."""
    for op in grade.effective:
        if isinstance(op, Mix):
            together = " of several ops" if len(op.ops) > 1 else ""
            yield from ((inner, f" mix {op.amount:.9g}{together}") for inner in op.ops)
        else:
            yield op, ""


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.9g}" for value in values)
