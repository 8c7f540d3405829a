"""Records of grades in the headers of the images that were made with them.

`tessera:grade` is the JSON of the grade, `tessera:cdl` the numbers of its CDLs, `tessera:layers` the graded layers,
`tessera:view` the display and view applied after it. An image that is graded again records both grades, one after the
other, if they work in the same colour spaces and no matte of the later one reads the image before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from engine.core.attribute_names import CDL, GRADE, LAYERS, SOFTWARE, VERSION, VIEW
from engine.errors import GradeError, UnreadableFile
from engine.grade.blending import Mix
from engine.grade.grade import Grade, load_grade
from engine.grade.masking import Blend, Masked, keys_source
from engine.io.description import describe
from engine.io.info import PartInfo
from engine.kernel.op import Op, Table
from engine.ops import Cdl

MOST_BYTES = 1 << 24
"""The largest grade that is written to a header."""


@cache
def tessera_version() -> str:
    """Return the version of the installed package; '0' if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # opening an image does not need it

    try:
        return version("tessera")
    except PackageNotFoundError:
        return "0"


def record_of(
    grade: Grade, part: PartInfo, layers: tuple[str, ...], view: str = ""
) -> tuple[list[tuple[str, str]], list[str]]:
    """Return text attributes that record a grade of a part's layers, and notes about what they can't record.

    `view` is the display and view applied after the grade.
    """
    notes: list[str] = []
    grade = grade.settled
    named = ", ".join(name or "main" for name in layers)
    before = recorded(part) if part.metadata.get(LAYERS) == named else None
    whole = grade
    if before is not None:
        keyed = keys_source(grade)
        joined = None if keyed or part.metadata.get(VIEW) else _joined(before, grade)
        whole = joined or grade
        why = "a matte reads the image before it" if keyed else "the previous one was made in other colour spaces"
        notes += [] if joined else [f"The header records only this grade: {why}."]
    text = _text(whole)
    found = [(LAYERS, named), (SOFTWARE, "Tessera"), (VERSION, tessera_version())]
    found += [(VIEW, view)] if view else []
    if len(text) > MOST_BYTES:
        notes.append("The grade is not written to the header: its tables are too large. Save it as a file.")
        return found, notes
    found.append((GRADE, text))
    if cdl := _cdl_text(whole):
        found.append((CDL, cdl))
    return found, notes


def digest_of(*about: Any) -> str:
    """Return a hash of values: numbers, texts, tables and ops, in lists and dictionaries."""
    return hashlib.sha256(json.dumps(about, sort_keys=True, default=_plain).encode()).hexdigest()[:32]


def _plain(value: Any) -> Any:
    """Return a table as the hash of its content, an op as its fields, anything else as its `repr`."""
    if isinstance(value, Table):
        return value.name
    if isinstance(value, Op):
        shown = (each.name for each in fields(cast(Any, value)) if each.repr)
        return [type(value).__name__, *(value.own_source or ()), {name: getattr(value, name) for name in shown}]
    return repr(value)


@lru_cache(maxsize=16)
def _text(grade: Grade) -> str:
    """Return the JSON text of a grade, cached for the next frame of a sequence."""
    return json.dumps(grade.to_json(), separators=(",", ":"))


def _joined(before: Grade, grade: Grade) -> Grade | None:
    """Return two consecutive grades as one, or None if they work in different spaces."""
    one, two = before.colour, grade.colour
    moved = two.input and two.input != (one.output or one.input)
    if moved or (one.config, one.working, one.context) != (two.config, two.working, two.context):
        return None
    colour = replace(two, input=one.input, output=two.output or one.output)
    return Grade([*before.without_solo().entries, *grade.without_solo().entries], colour)


def grade_from_image(path: str | Path, part: int | None = None) -> Grade | None:
    """Return the grade recorded in an image's header: that of `part`, or of the first part with one; None without.

    Raises FileError if the file can't be read, GradeError if the record is damaged or of a later version.
    """
    parts = describe(path).parts
    asked = parts if part is None else parts[part : part + 1]
    return next((found for each in asked if (found := _parsed(each)) is not None), None)


def grade_from_file(path: str | Path) -> Grade:
    """Load a saved grade, or the one recorded in an EXR's header. Raises UnreadableFile if there is none."""
    if Path(path).suffix.lower() != ".exr":
        return load_grade(path)
    try:
        found = grade_from_image(path)
    except GradeError as error:
        raise UnreadableFile(path, error.what, error.do) from error
    if found is None:
        raise UnreadableFile(path, "has no grade in its header", "choose a grade (.json) or an EXR exported by Tessera")
    return found


def recorded(part: PartInfo) -> Grade | None:
    """Return the grade recorded in a part, or None if there is none that can be read."""
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
    """Return the numbers of the grade's CDLs, in order; '' if it has none."""
    words = []
    for op, mix in _in_part(grade):
        if isinstance(op, Cdl):
            rows = (("slope", op.slope), ("offset", op.offset), ("power", op.power), ("saturation", (op.saturation,)))
            style = {"asc": " clamped"}.get(op.style, "") + {"reverse": " reversed"}.get(op.direction, "")
            words.append(" ".join(f"{name} {_numbers(values)}" for name, values in rows) + style + mix)
    return "; ".join(words)


def _in_part(grade: Grade) -> Iterator[tuple[Op, str]]:
    """Yield the effective ops; those that are blended with their input with a description of how."""
    for op in grade.effective:
        yield from _parts_of(op, "")


def _parts_of(op: Op, outer: str) -> Iterator[tuple[Op, str]]:
    if not isinstance(op, Mix | Masked | Blend):
        yield op, outer
        return
    together = " of several ops" if len(op.ops) > 1 else ""
    mix = f" mix {op.amount:.9g}{together}" if op.amount != 1.0 else ""
    matte = "" if isinstance(op, Mix) or op.cover is None else f" in a matte{together}"
    for each in op.ops:
        yield from _parts_of(each, mix + matte + outer)


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.9g}" for value in values)
