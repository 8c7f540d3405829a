"""A grade as a look file for other programs: the formats, and what they can't store.

.clf .ctf               every op, exactly
.cc .ccc .cdl .amf      a grade that is equivalent to one CDL
.cube .csp .spi3d .3dl  baked, with the resulting error
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.color.management import Managed, manage
from engine.core.atomic import write_text
from engine.core.records import dataclass
from engine.errors import GradeError, UnsupportedFile
from engine.grade.grade import Entry, Grade, Group, bare, ops_of
from engine.grade.keys import frames_with_keys
from engine.grade.renewal import check_known
from engine.luts.baking import INTERPOLATIONS, UNIT, BakeReport, bake
from engine.luts.text_formats import LUT_FORMATS
from engine.ops import Cdl

LOOK_FORMATS = {
    ".clf": "Common LUT Format",
    ".ctf": "OpenColorIO Color Transform Format",
    ".cube": "3D LUT for Resolve and others",
    ".csp": "3D LUT for Cinespace",
    ".spi3d": "3D LUT for Sony Images Imageworks",
    ".3dl": "3D LUT for Lustre and Flame",
    ".cc": "ASC CDL, one correction",
    ".ccc": "ASC CDL, a collection",
    ".cdl": "ASC CDL, a decision list",
    ".amf": "ACES Metadata File",
}
"""Suffixes and their descriptions for the user."""
ONE_CDL = (".cc", ".ccc", ".cdl", ".amf")
"""Suffixes of formats that store one CDL."""


@dataclass(frozen=True)
class LookOptions:
    """How a LUT is baked; the defaults depend on the format. See `engine.luts.baking.bake`."""

    size: int | None = None
    domain: tuple[float, float] | None = None
    shaper: bool = True
    interpolation: str = next(iter(INTERPOLATIONS))


@dataclass(frozen=True)
class LookReport:
    """What was written, in one line; `baked` is set for a LUT."""

    text: str
    baked: BakeReport | None = None


def write_look(
    grade: Grade,
    path: str | Path,
    managed: Managed | None = None,
    options: LookOptions | None = None,
    force: bool = True,
) -> LookReport:
    """Write a grade as a look file, whole or not at all, and report what was written. A file holds one frame of keys.

    The suffix selects the format. `managed` are the colour spaces of the graded image; by default those of the grade. A
    look converts from the input space to the output space; a CDL works in its own space. Raises UnsupportedFile for
    another suffix, GradeError for what the format can't store (it names the op, or the frames that have keys) and for
    missing ops, TargetExists for an existing file without `force`, WriteFailed if the file can't be written.
    """
    path, options = Path(path), options or LookOptions()
    suffix, managed = path.suffix.lower(), managed or manage(grade.colour)
    if suffix not in LOOK_FORMATS:
        raise UnsupportedFile(path, "is not the name of a look file", f"end it in {', '.join(LOOK_FORMATS)}")
    if grade.is_animated:
        what = f"a {suffix} holds one frame, and the grade has keys {frames_with_keys(grade)}"
        raise GradeError(what, "choose a frame (--frame)")
    check_known(grade, "bypass it")
    grade = grade.settled
    if suffix in LUT_FORMATS:
        return _bake(grade, path, managed, options, force)
    if options != LookOptions():
        raise GradeError(f"a {suffix} is not baked, so it has no size, domain or interpolation", "leave them out")
    if suffix not in ONE_CDL:
        return LookReport(_write_exact(grade, path, managed, force))
    write = _write_amf if suffix == ".amf" else _write_cdl
    return LookReport(write(grade, path, managed, force))


def _bake(grade: Grade, path: Path, managed: Managed, options: LookOptions, force: bool) -> LookReport:
    """Bake a grade; the default domain of an encoded input is 0..1."""
    encoded = managed.converts and not managed.config.is_linear(managed.input)
    report = bake(
        managed.expanded(grade),
        path,
        options.size or 0,
        domain=options.domain or (UNIT if encoded else None),
        shaper=options.shaper,
        interpolation=options.interpolation,
        force=force,
    )
    return LookReport(report.text + _way(managed), report)


def _way(managed: Managed) -> str:
    return f", from {managed.input} to {managed.result}" if managed.converts else ""


def _write_exact(grade: Grade, path: Path, managed: Managed, force: bool) -> str:
    from engine.ocio.process_lists import process_list

    ops = managed.expanded(grade)
    write_text(path, process_list(ops, path.suffix.lower(), path.stem + _way(managed)), force)
    return f"exact{_way(managed)}"


def _write_cdl(grade: Grade, path: Path, managed: Managed, force: bool) -> str:
    from engine.ocio import write_cdl

    cdl, space = _one_cdl(grade, managed)
    write_cdl(grade, path, description=f"in {space}" if space else "", force=force)
    return _describe_cdl(cdl, space, managed)


def _describe_cdl(cdl: Cdl, space: str, managed: Managed) -> str:
    clamp = "; its clamp to 0..1 is not stored" if cdl.style == "asc" else ""
    if not space:
        return f"one CDL{clamp}"
    left_out = f"; the conversion to {managed.output} is not stored" if managed.output != managed.input else ""
    return f"one CDL that works in {space}{clamp}{left_out}"


def _write_amf(grade: Grade, path: Path, managed: Managed, force: bool) -> str:
    from engine.ocio.amf import amf_text, transform_ids

    cdl, space = _one_cdl(grade, managed)
    if not space:
        raise GradeError("an .amf needs the colour spaces of the image and of the CDL", "specify the input space")
    write_text(path, amf_text(cdl, managed.config, space, managed.input, path.stem), force)
    known = transform_ids(managed.config, managed.input).input
    named = known or managed.input == managed.config.role("aces_interchange")
    unnamed = "" if named else f"; an .amf has no name for {managed.input}, so the input transform is not stored"
    return _describe_cdl(cdl, space, managed) + unnamed


def _one_cdl(grade: Grade, managed: Managed) -> tuple[Cdl, str]:
    """Return the CDL that is equivalent to the grade, and the space that it works in, '' if unknown."""
    from engine.ocio.cdl_files import as_one_cdl

    if managed.viewing is not None:
        raise GradeError("one CDL can't store a display and a view", "write a .clf or a .cube")
    cdl, space, first = as_one_cdl(grade), "", ""
    if not managed.converts:
        return cdl, ""
    for entry in _single_entries(grade.active):
        effective = [op for op in ops_of(entry) if not op.is_identity()]
        if effective:
            place, name = managed.place(bare(entry), space or managed.input), effective[0].title()
            if space and place != space:
                what = f"{first} works in {space} and {name} in {place}, which one CDL can't store"
                raise GradeError(what, "write a .clf")
            space, first = place, name
    return cdl, space or managed.working


def _single_entries(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the entries, and instead of a group those in it."""
    for entry in entries:
        inner = bare(entry)
        if isinstance(inner, Group):
            yield from _single_entries(inner.entries)
        else:
            yield entry
