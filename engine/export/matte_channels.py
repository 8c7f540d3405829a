"""Mattes that an export writes as channels of the EXR: checks, and the ops that give their coverage."""

from __future__ import annotations

from pathlib import Path

from engine.color.management import Managed
from engine.color.matte_ops import matte_ops
from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.export.alpha import unpremultiplied
from engine.export.mattes import lacking_of, missing_error
from engine.export.options import ExportOptions
from engine.grade.grade import Grade, layer_of, name_of, ops_of
from engine.grade.masking import keeps_size
from engine.grade.paths import entry_at, path_from
from engine.io.exr.part_channels import channel_names
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.output_options import OutputOptions
from engine.kernel.op import Op
from engine.mattes.tree import Matte

MOST_BYTES = 255
"""The longest name of a channel of an EXR."""
_NUMBERS = "number entries from 1, those in a group as 2.1"


@dataclass(frozen=True)
class MatteChannel:
    """A channel of the result, and the ops from the image to its values."""

    name: str
    ops: tuple[Op, ...]


def resolved_channels(
    options: ExportOptions, target: Path, grade: Grade, managed: Managed, info: ImageInfo, part: PartInfo
) -> tuple[tuple[MatteChannel, ...], tuple[str, ...]]:
    """Return the channels of mattes that the options name, and notes about those that are left out.

    Raises UnsupportedFile if the grade has no such mattes, or if the file can't have them.
    """
    found, notes = list[MatteChannel](), list[str]()
    if not options.matte_channels:
        return (), ()
    _check_output(target, part)
    if any(not keeps_size(op) for entry in grade.active for op in ops_of(entry)):
        raise UnsupportedFile(target, "can't have mattes as channels: the grade resizes the image", "use --resize")
    change = unpremultiplied if options.alpha == "unpremultiplied" else _unchanged
    for name, entry in options.matte_channels:
        path, matte = _matte_at(target, grade, name, entry)
        lacking, _ = lacking_of(info, matte.planes, part)
        if lacking and not options.skip_missing:
            raise missing_error(lacking)
        if lacking:
            notes.append(f"Left out the channel '{name}', a matte: {lacking[0].text}.")
        else:
            found.append(MatteChannel(name, matte_ops(managed, grade, path, matte, change)))
    return tuple(found), tuple(notes)


def check_names(output: OutputOptions, info: ImageInfo, part: PartInfo, layers: tuple[LayerInfo, ...]) -> None:
    """Raise UnsupportedFile if the names of mattes can't be those of channels, or if channels have them already."""
    taken = channel_names(output, part, layers) if info.format == "openexr" else set("RGBA")
    for name in output.mattes:
        if not (name.strip() == name and name.isprintable() and 0 < len(name.encode()) <= MOST_BYTES):
            raise UnsupportedFile(output.target, f"can't have a channel named {name!r}", "choose another name")
        if name in taken:
            what = f"has a channel '{name}' already, so no matte can be written as that"
            raise UnsupportedFile(output.target, what, "choose another name")
        taken.add(name)


def _check_output(target: Path, part: PartInfo) -> None:
    if target.suffix.lower() != ".exr":
        kind = target.suffix[1:].upper()
        raise UnsupportedFile(target, f"is {kind}, which can't hold mattes as channels", "write an EXR")
    if part.is_deep:
        raise UnsupportedFile(target, "would hold deep pixels, and mattes as channels are flat", "leave them out")


def _matte_at(target: Path, grade: Grade, name: str, entry: str) -> tuple[tuple[int, ...], Matte]:
    """Return the path of an entry and its matte."""
    path = path_from(entry)
    try:
        found = entry_at(grade, path) if path else None
    except IndexError:
        found = None
    if path is None or found is None:
        what = f"can't have the channel '{name}': the grade has no entry {entry}"
        raise UnsupportedFile(target, what, _NUMBERS)
    matte = layer_of(found).matte
    if matte is None:
        what = f"can't have the channel '{name}': entry {entry}, {name_of(found)}, has no matte"
        raise UnsupportedFile(target, what, _NUMBERS)
    return path, matte


def _unchanged(grade: Grade) -> Grade:
    return grade
