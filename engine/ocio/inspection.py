"""Inspection of files before OpenColorIO opens them: each must be a regular file whose claimed sizes fit its content.

OpenColorIO opens whatever a file refers to, waits for pipes, reads devices without end, and allocates the memory that
an ICC profile claims. So Tessera follows the references from file to file first, and rejects files that would do harm.
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO
from xml.parsers import expat

import PyOpenColorIO as ocio

from engine.core.file_errors import exists, is_dir, reading
from engine.core.small_files import State, check_small, open_regular, state_of
from engine.errors import UnreadableFile

HEAD_BYTES = 1 << 13
"""OpenColorIO looks for <ProcessList in the first 5120 characters of a file."""
PIECE_BYTES = 1 << 20
MOST_FILES = 10_000
LARGEST_PROFILE = 1 << 26
MOST_TAGS = 100
"""Tags of an ICC profile; OpenColorIO rejects more."""
LARGEST_MEMBER = 1 << 28
"""Bytes of an unpacked file of an archive."""
LARGEST_DIRECTORY = 1 << 24
"""Bytes of an archive's directory."""
LARGEST_CONFIG = 1 << 23
PROFILE, LIST_OF_OPS = b"acsp", b"<ProcessList"
STYLED = ("gradingrgbcurve", "gradinghuecurve")
"""Elements that crash OpenColorIO 2.6 if they have no attribute `style`."""
POINTS = "controlpoints"
"""Elements of curves; if a point is NaN, OpenColorIO 2.6 writes beyond its allocated memory."""
ELEMENTS = tuple(f"<{name}".encode() for name in ("reference", *STYLED))
CSP = b"CSPLUTV100"
"""The beginning of a Cinespace LUT. OpenColorIO 2.6 never stops looking for the end of its metadata."""
_BEGIN = re.compile(rb"BEGIN METADATA", re.IGNORECASE)
_END = re.compile(rb"^[^\S\n]*END METADATA", re.IGNORECASE | re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_YAML_NAN = re.compile(r"(?<![^\s\[{,:\"'-])\.(?:nan|NaN|NAN)(?![^\s\]},\"'#])")
"""NaN, as a whole word of YAML."""


def check_files(owner: Path, paths: Iterable[Path], context: ocio.Context) -> dict[Path, State]:
    """Return the states of files to be read, and of the files that they refer to; folders are left out.

    `owner` is the file that names `paths`, or the only one of them. Raises UnreadableFile, about the referring file, if
    a file can't be read safely.
    """
    found = dict[Path, State]()
    waiting = [(path, owner) for path in paths]
    while waiting:
        path, named_by = waiting.pop()
        if path in found or is_dir(path):
            continue
        if len(found) == MOST_FILES:
            raise UnreadableFile(owner, f"refers to more than {MOST_FILES} files", "choose another")
        try:
            found[path] = state = check_small(path)
            names = _names_in_file(path, state)
        except UnreadableFile as error:
            raise error if path == named_by else _refers_to(named_by, error) from None
        waiting += [(place, path) for name in names for place in places_of(name, context)]
    return found


def unchanged(states: dict[Path, State]) -> bool:
    """Return whether all files are unchanged."""
    return all(state_of(path) == state for path, state in states.items())


def _refers_to(path: Path, error: UnreadableFile) -> UnreadableFile:
    """Return the error for a file that refers to another file with an error."""
    return UnreadableFile(path, f"refers to {error.path}, which {error.problem}", "correct it, or choose another")


def places_of(name: str, context: ocio.Context) -> list[Path]:
    """Return the existing files that OpenColorIO may open for a name in a config or a file.

    OpenColorIO itself is not asked, since it would remember missing files. Names in a config's archive are left out.
    """
    folder, name = context.getWorkingDir(), context.resolveStringVar(name)
    folders = [Path(folder, context.resolveStringVar(path)) for path in context.getSearchPaths()] or [Path(folder)]
    places = dict.fromkeys(Path(os.path.normpath(Path(each, name))) for each in folders)
    return [place for place in places if place.is_absolute() and exists(place)]


@lru_cache(maxsize=4096)
def _names_in_file(path: Path, state: State) -> tuple[str, ...]:
    with reading(path), open_regular(path) as file:
        return _names_in(file, path)


def names_in_archive(path: Path) -> tuple[str, ...]:
    """Return the names that files in an .ocioz archive refer to. Raises UnreadableFile if one can't be read safely."""
    found = list[str]()
    with _archive(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as inner:
                found += _names_in(inner, path)
    return tuple(found)


def check_config_in_archive(path: Path) -> None:
    """Raise UnreadableFile if an archive has no config, or one that is too long or not text."""
    with _archive(path) as archive:
        configs = [member for member in archive.infolist() if member.filename.lower().endswith(".ocio")]
        for member in configs:
            check_config_size(path, member.file_size)
            check_text(path, archive.read(member))
    if not configs:
        raise UnreadableFile(path, "has no config in it", "choose another")


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive, none of whose files is too large when unpacked."""
    with reading(path, "is not a valid config archive"), open_regular(path) as file:
        _check_directory(file, path)
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if member.file_size > LARGEST_MEMBER:
                    what = f"holds {member.filename!r}, which unpacks to {member.file_size >> 20} MB"
                    raise UnreadableFile(path, what, "choose another")
            yield archive


def is_archive(path: Path) -> bool:
    """Return whether OpenColorIO reads a config as an archive."""
    with reading(path), open_regular(path) as file:
        return file.read(2) == b"PK"


def check_config_size(path: Path, size: int) -> None:
    """Raise UnreadableFile if the text of a config is too long: parsing takes 250 times its length in memory."""
    if size > LARGEST_CONFIG:
        raise UnreadableFile(path, f"is too large for a config ({size >> 20} MB)", "choose another")


def check_text(path: Path, content: bytes) -> str:
    """Return the text of a config. Raises UnreadableFile if it is not UTF-8, in which case its names can't be decoded,
    or if it contains NaN, which in a curve crashes the process or worse, and has no meaning elsewhere."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(path, f"is not text in UTF-8 (line {line})", "save it as UTF-8") from error
    if found := _YAML_NAN.search(plain := _ESCAPE.sub(_unescaped, text)):
        line = plain.count("\n", 0, found.start()) + 1
        raise UnreadableFile(path, f"contains NaN (line {line})", "correct it")
    return text


def _unescaped(found: re.Match[str]) -> str:
    """Return the character of a YAML escape; a letter for escapes that are no character or that break lines."""
    code = int(found[1] or found[2] or found[3], 16)
    return chr(code) if 32 <= code < 0xD800 else "x"


def _check_directory(file: IO[bytes], path: Path) -> None:
    """Raise UnreadableFile if an archive's directory is too long to be read. Layout: PKWARE's APPNOTE, 4.3.16."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 0xFFFF - 22))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    length = struct.unpack_from("<I", tail, at + 12)[0] if 0 <= at <= len(tail) - 22 else 0
    if length > LARGEST_DIRECTORY:  # or its fields are in a 64-bit record
        raise UnreadableFile(path, "has too many files for a config archive", "choose another")
    file.seek(0)


def _names_in(file: IO[bytes], path: Path) -> tuple[str, ...]:
    """Return the names of other files in a file of any format; only a list of ops (.ctf, .clf) has them."""
    head = file.read(HEAD_BYTES)
    if head[36:40] == PROFILE:
        check_profile(head + file.read(LARGEST_PROFILE), path)
        return ()
    beginning = head.lstrip()[: len(CSP)].upper()
    if not beginning or beginning == CSP:
        _check_metadata(head + file.read(), path)
        return ()
    wide = b"\0" in head  # UTF-16, perhaps
    if not wide and not (LIST_OF_OPS in head and _has_elements(head, file)):
        return ()
    file.seek(0)
    return _references(file, path)


def _check_metadata(content: bytes, path: Path) -> None:
    """Raise UnreadableFile if the metadata of a Cinespace LUT begins but does not end."""
    begin = _BEGIN.search(content)
    if begin and not _END.search(content, begin.end()):
        raise UnreadableFile(path, "is cut off: its metadata has no end", "export it again")


def _has_elements(head: bytes, file: IO[bytes]) -> bool:
    """Return whether a text has an element that must be checked, found much faster than by parsing it."""
    piece = head
    while True:
        low = piece.lower()
        if any(element in low for element in ELEMENTS):
            return True
        more = file.read(PIECE_BYTES)
        if not more:
            return False
        piece = piece[-len(max(ELEMENTS, key=len)) :] + more


def _references(file: IO[bytes], path: Path) -> tuple[str, ...]:
    """Return the paths of all elements `Reference`, up to where the text stops being XML. Case does not matter.

    Raises UnreadableFile if an element of a curve has no style, or a point that is NaN.
    """
    found, points = list[str](), list[str]()
    reading_points = False

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal reading_points
        element, given = name.lower(), {key.lower(): value for key, value in attributes.items()}
        reading_points = reading_points or element == POINTS
        if element == "reference":
            found.append(given.get("path", ""))
        elif element in STYLED and "style" not in given:
            raise UnreadableFile(path, f"has an element {name} without a style", "export it again")

    def text(data: str) -> None:
        if reading_points:
            points.append(data)

    def end(name: str) -> None:
        nonlocal reading_points
        if name.lower() == POINTS:
            reading_points = False
            if "nan" in "".join(points).lower():
                raise UnreadableFile(path, "is damaged: a curve has a point that is not a number", "export it again")
            points.clear()

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, text
    try:
        while piece := file.read(PIECE_BYTES):
            parser.Parse(piece, False)
        parser.Parse(b"", True)  # newer parsers defer what follows a long comment until then
    except (expat.ExpatError, LookupError, ValueError):
        pass  # no longer XML, or in an unknown encoding: OpenColorIO rejects such a file
    return tuple(found)


def check_profile(content: bytes, path: Path) -> None:
    """Raise UnreadableFile if a tag of an ICC profile claims more entries than fit into the profile.

    Layout: ICC.1:2022, 7.3 (tag table), 10.6 (curves), 10.15 (text in several languages); ICC.1:2001-04, 6.5.17 (text).
    """
    count = _number(content, 128)
    for tag in range(min(count, MOST_TAGS)):
        at, size = _number(content, 136 + 12 * tag), _number(content, 140 + 12 * tag)
        if _claimed(content, at, size) > len(content):
            raise UnreadableFile(path, "is damaged: its tags claim more than it contains", "export it again")


def _claimed(content: bytes, at: int, size: int) -> int:
    """Return the bytes that the tag at an offset claims by its own counts; 0 for types without counts."""
    kind = content[at : at + 4]
    if kind == b"desc":
        return _number(content, at + 8)
    if kind == b"curv":
        return 2 * _number(content, at + 8)
    if kind == b"mluc":
        records = min(_number(content, at + 8), size // 12, len(content) // 12)
        ends = (_number(content, at + 20 + 12 * n) + _number(content, at + 24 + 12 * n) for n in range(records))
        return max(ends, default=0)
    return 0


def _number(content: bytes, at: int) -> int:
    """Return the 32-bit number at an offset; 0 beyond the end."""
    return int.from_bytes(content[at : at + 4], "big") if at + 4 <= len(content) else 0
