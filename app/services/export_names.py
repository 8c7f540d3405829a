"""Tokens in the names of exported files, such as {name}_graded.{frame}.exr."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from app.model.frame_names import may_be_pattern
from app.services.export_versions import SEPARATORS, VERSION, names_in
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.export.frame_patterns import parse_pattern
from engine.movies.movie_files import is_movie

DEFAULT = "{name}_graded.{frame}.exr"
"""The name that is proposed first."""
FRAME, NEXT_VERSION = "{frame}", "{version}"
TOKENS = {
    "{name}": "The name of the image, without its frame number and suffix",
    "{layer}": "The layer that is graded; rgba for the main one",
    NEXT_VERSION: "The next free version: v001, v002, …",
    FRAME: "The frame number, #### for several; nothing for an image without a number",
    "{colourspace}": "The colour space of the result, or its display",
}
"""What each token stands for."""
MAIN_LAYER = "rgba"
PLACE = "####"
"""The place for the number of a frame of a movie, or so many digits of one."""
_TOKEN = re.compile(r"([._-]?)\{(\w+)\}")
_PLACE = re.compile(r"#+|@+|%\d*d|\$F\d*")
_NUMBERED = re.compile(r"(.+)\.(-?\d+)")


@dataclass(frozen=True)
class NameParts:
    """The values of the tokens for an image; `frame` is '' if it has no number."""

    name: str
    frame: str = ""
    layer: str = MAIN_LAYER
    colourspace: str = ""

    @property
    def values(self) -> dict[str, str]:
        """The values by token, without braces; the version is not known here."""
        space = self.colourspace
        return {"name": self.name, "frame": self.frame, "layer": self.layer, "colourspace": space, "colorspace": space}


def parts_of(source: Path, layer: str, space: str, frames: str = "") -> NameParts:
    """Return the values of the tokens for an image, a sequence or `frames` of a movie, which need not exist."""
    name, frame = source.stem, ""
    numbered = _NUMBERED.fullmatch(source.stem)
    if is_movie(source):
        frame = frames.strip().zfill(len(PLACE)) if frames.strip().isdecimal() else PLACE
    elif numbered is not None:
        name, frame = numbered.groups()
    if may_be_pattern(source):
        try:
            pattern = parse_pattern(source)
        except TesseraError:
            pass  # the export reports it
        else:
            name = pattern.head.rstrip(SEPARATORS)
            frame = "#" * pattern.digits if pattern.digits > 1 else "@"
    return NameParts(name, frame, plain(layer) or MAIN_LAYER, plain(space))


def plain(text: str) -> str:
    """Return a text for a file name: only letters, digits and the characters . + - and _."""
    return re.sub(r"_*-_*", "-", re.sub(r"[^\w.+-]+", "_", text)).strip("_")


def expand(text: str, parts: NameParts) -> str:
    """Return a path with its tokens replaced, except {version}. An empty value takes the separator before it along.

    Raises TesseraError if the name, without its folder, has an unknown token.
    """
    folder, name = Path(text).parent, Path(text).name
    for _, token in _TOKEN.findall(name):
        if token not in parts.values and f"{{{token}}}" != NEXT_VERSION:
            raise TesseraError(f"{{{token}}} is not a token", f"use {', '.join(TOKENS)}")

    def value(match: re.Match[str]) -> str:
        found = parts.values.get(match[2])
        return match[0] if found is None else f"{match[1]}{found}" if found else ""

    return str(Path(_TOKEN.sub(value, str(folder))) / _TOKEN.sub(value, name)) if name else str(folder)


def with_version(path: Path, taken: Iterable[Path] = ()) -> Path:
    """Return the path with {version} replaced by the first free version, after the highest one in its folder.

    `taken` are paths that will be written soon. Looks on the disk, which may be slow.
    """
    at = next((n for n, part in enumerate(path.parts) if NEXT_VERSION in part), None)
    if at is None:
        return path
    folder = Path(*path.parts[:at])
    before, _, after = path.parts[at].partition(NEXT_VERSION)
    if at == len(path.parts) - 1:
        after = re.split(r"[.#@%$]", after)[0].rstrip(SEPARATORS)  # any frame, in any format
    similar = re.compile(rf"{re.escape(before)}v(\d{{1,9}}){re.escape(after)}(?![A-Za-z0-9])", re.IGNORECASE)
    soon = {each.parts[at] for each in taken if len(each.parts) > at and Path(*each.parts[:at]) == folder}
    numbers = [int(match[1]) for name in names_in(folder) | soon if (match := similar.match(name))]
    return Path(str(path).replace(NEXT_VERSION, f"v{max(numbers, default=0) + 1:03}"))


def propose(folder: str, name: str, source: Path, sequence: bool) -> str:
    """Return the text that is proposed for a target: in the folder of the source if `folder` is ''."""
    if sequence and FRAME not in name and not _PLACE.search(name):
        name = f"{Path(name).stem}.{FRAME}{Path(name).suffix}"
    return str(Path(folder) / name if folder else source.parent / name)


def remembered(text: str, source: Path, parts: NameParts, versioned: bool) -> tuple[str, str]:
    """Return folder and name to propose for the next image, from what was typed for this one.

    The folder is '' if it is that of the source. A name that says nothing of the image is not remembered, but its
    suffix is. With `versioned`, the version in the name becomes {version}.
    """
    path = source.parent / Path(text).expanduser()
    name = path.name
    if versioned and (found := [*VERSION.finditer(name)]):
        name = f"{name[: found[-1].start()]}{NEXT_VERSION}{name[found[-1].end() :]}"
    if "{name}" not in name and parts.name in name:
        name = name.replace(parts.name, "{name}", 1)
    name = _PLACE.sub(FRAME, name, count=1)
    if FRAME not in name and parts.frame:
        name = name.replace(f".{parts.frame}.", f".{FRAME}.", 1)
    if "{name}" not in name:
        name = str(Path(DEFAULT).with_suffix(path.suffix or ".exr"))
    return "" if path.parent == source.parent else str(path.parent), name
