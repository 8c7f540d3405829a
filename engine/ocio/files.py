"""LUT and CDL files -> ops, in every format that OpenColorIO reads."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import PyOpenColorIO as ocio

from engine.core.file_watch import state_of
from engine.core.small_files import TRIES, changing, check_small, read_small
from engine.errors import GradeError, UnreadableFile, UnsupportedTransform
from engine.grade.grade import FileLook
from engine.kernel.op import Op, Table
from engine.ocio.cdl_files import CDL_SUFFIXES, list_cdl_ids
from engine.ocio.inspection import check_files, unchanged
from engine.ocio.plain_cube import read_plain_cube
from engine.ocio.reasons import FAILURES, message_of, why_unsound
from engine.ocio.transforms import name_of, ops_from_processor, transforms_of
from engine.ops import Lut3d

_INTERPOLATIONS = {"file": "", "linear": "trilinear", "tetrahedral": "tetrahedral"}
"""Interpolations of the caller -> those of Lut3d."""
_DIRECTIONS = {"forward": ocio.TRANSFORM_DIR_FORWARD, "reverse": ocio.TRANSFORM_DIR_INVERSE}
_CDL_STYLES = {"noclamp": ocio.CDL_NO_CLAMP, "asc": ocio.CDL_ASC}

ocio.SetLoggingLevel(ocio.LOGGING_LEVEL_NONE)  # else it warns on stderr about every unknown element


def ops_from_file(
    path: str | Path,
    *,
    cdl_id: str | None = None,
    interpolation: str = "file",
    direction: str = "forward",
    cdl_style: str = "noclamp",
) -> list[Op]:
    """Return the ops of a LUT or CDL file, first to last.

    `cdl_id` selects a correction of a .ccc or .cdl by its id, or by its index from 0; the default is the first.
    `interpolation` of 3D LUTs: `file` (what the file asks for, else trilinear), `linear` or `tetrahedral`.
    `cdl_style`, for .cc, .ccc and .cdl, which do not state it: `noclamp` or `asc`. Raises UnreadableFile if
    OpenColorIO can't read the file, UnsupportedTransform if Tessera has no op for a transform in it.
    """
    path = Path(path)
    asked = _pick(_INTERPOLATIONS, "interpolation", interpolation)
    if path.suffix.lower() == ".cube" and direction == "forward" and (plain := read_plain_cube(path)):
        return [plain.replace(interpolation=asked) if asked else plain]
    ops = _ops(path, _processor(path, cdl_id, direction, cdl_style))
    return [op.replace(interpolation=asked) if asked and isinstance(op, Lut3d) else op for op in ops]


def _ops(path: Path, processor: ocio.Processor) -> list[Op]:
    """Return the ops of a file's processor. Raises UnsupportedTransform, which names the file."""
    try:
        return ops_from_processor(processor)
    except UnsupportedTransform as error:
        raise UnsupportedTransform(error.transform, f"{path}: {error.what}", error.do) from error


def look_from_file(
    path: str | Path, interpolation: str = "file", cdl_id: str | None = None, cdl_style: str = "noclamp"
) -> FileLook:
    """Return the file as one entry of a grade; arguments and errors are those of `ops_from_file`."""
    stamp = state_of(Path(path))
    ops = ops_from_file(path, cdl_id=cdl_id, interpolation=interpolation, cdl_style=cdl_style)
    return FileLook(str(path) if cdl_id is None else f"{path}#{cdl_id}", tuple(ops), interpolation, stamp)


def describe_look(path: str | Path) -> dict[str, Any]:
    """Describe the content of a LUT or CDL file as plain JSON; for a file that can't be used, `error` says why."""
    path = Path(path)
    about: dict[str, Any] = {"file": str(path), "format": format_name(path)}
    try:
        processor = _processor(path, None, "forward", "noclamp")
        about["transforms"] = [name_of(transform) for transform in transforms_of(processor)]
        about["ops"] = [_describe_op(op) for op in _ops(path, processor)]
        if path.suffix.lower() in CDL_SUFFIXES:
            about["corrections"] = list_cdl_ids(path)
    except (UnreadableFile, UnsupportedTransform) as error:
        about["error"] = str(error)
    return about


def format_name(path: Path) -> str:
    """Return OpenColorIO's names for the formats with the file's suffix; `unknown` if there are none."""
    suffix = path.suffix.lower().removeprefix(".")
    return (
        " or ".join(name for name, extension in ocio.FileTransform().getFormats() if extension == suffix) or "unknown"
    )


def _describe_op(op: Op) -> dict[str, Any]:
    values = {name: getattr(op, name) for name in op.kinds()}
    return {"op": type(op).__name__} | {
        name: _describe_table(value) if isinstance(value, Table) else value for name, value in values.items()
    }


def _describe_table(table: Table) -> dict[str, Any]:
    return {
        "size": table.size,
        "channels": table.channels,
        "least": float(table.array.min()),
        "greatest": float(table.array.max()),
    }


def _processor(path: Path, cdl_id: str | None, direction: str, style: str) -> ocio.Processor:
    """Return OpenColorIO's processor of a file, read again: its caches identify a file only by name."""
    way = _pick(_DIRECTIONS, "direction", direction)
    clamping = _pick(_CDL_STYLES, "style of CDL", style)
    check_small(path)
    if cdl_id and path.suffix.lower() == ".cc" and cdl_id not in ("0", *(cdl["id"] for cdl in list_cdl_ids(path))):
        raise _not_named(path, cdl_id)  # OpenColorIO would use the only one
    with _plain_name(path) as plain:
        transform = ocio.FileTransform(str(plain), cdl_id or "", ocio.INTERP_DEFAULT, way)
        transform.setCDLStyle(clamping)
        for _ in range(TRIES):
            config = ocio.Config.CreateRaw()
            config.setWorkingDir(str(plain.parent))
            config.addSearchPath(".")
            before = check_files(plain, [plain], config.getCurrentContext())
            ocio.ClearAllCaches()
            try:
                processor = config.getProcessor(transform)
            except FAILURES as error:
                if unchanged(before):
                    raise _unreadable(path, plain, message_of(error), cdl_id) from error
            else:
                if unchanged(before):
                    return processor
    raise changing(path)


def _pick(choices: dict[str, Any], what: str, word: str) -> Any:
    if word not in choices:
        raise GradeError(f"there is no {what} named {word!r}", f"choose {', '.join(choices)}")
    return choices[word]


@contextmanager
def _plain_name(path: Path) -> Iterator[Path]:
    """Yield the file's absolute name, or that of a copy if OpenColorIO would read part of the name as a variable."""
    absolute = path.absolute()
    if not set(str(absolute)) & set("$%"):
        yield absolute
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"look{path.suffix}"
        copy.write_bytes(read_small(absolute))
        yield copy


def _unreadable(path: Path, plain: Path, message: str, cdl_id: str | None) -> UnreadableFile:
    """Return the error for a file that OpenColorIO rejected with `message`."""
    if cdl_id and ("cccid" in message or "cccindex" in message):
        ids = [entry["id"] for entry in list_cdl_ids(path) if entry["id"]]
        return UnreadableFile(path, f"has no correction named {cdl_id!r}", f"it has: {', '.join(ids) or 'no ids'}")
    if missing := re.search(r"file reference '(.+?)' could not be located", message):
        return UnreadableFile(path, f"needs the file {missing[1]!r}, which is missing", "put it beside this file")
    if not message:  # some releases of Python drop a message that quotes invalid text
        return UnreadableFile(path, f"is not a valid {path.suffix.lower()} file", "export it again")
    reason = why_unsound(message, plain)
    if not reason:
        return UnreadableFile(path, "is not a file that OpenColorIO reads", "choose a LUT, CDL or ICC file")
    return UnreadableFile(path, f"is not a valid {path.suffix.lower()} file: {reason}", "export it again")


def _not_named(path: Path, cdl_id: str) -> UnreadableFile:
    ids = [entry["id"] for entry in list_cdl_ids(path) if entry["id"]]
    return UnreadableFile(path, f"has no correction named {cdl_id!r}", f"it has: {', '.join(ids) or 'no ids'}")
