"""Where the planes of mattes are stored: in which file, part and channels; or what is missing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from pathlib import Path

import numpy as np

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.backends.cpu.planes import NO_IDS, IdSet
from engine.core.file_errors import check_name, exists
from engine.core.records import dataclass
from engine.errors import FileError, UnreadableFile, UnsupportedFile
from engine.io.cryptomatte import cryptomatte_layer
from engine.io.description import describe
from engine.io.info import Channels, ImageInfo, PartInfo, colour_of
from engine.io.manifests import Manifest, manifest_of, sidecar_of
from engine.io.plane_bands import Bands, FittedBands, RankBands, ValueBands
from engine.io.wildcards import has_wildcards
from engine.mattes.planes import ChannelPlane, CoveragePlane, FilePlane, IdPlane, Plane

CHANNEL, LAYER, OBJECT, FILE = "channel", "layer", "object", "file"
_PLACE = re.compile(r"#+|@+|%0?\d*d|\$F\d*")
_LAST_NUMBER = re.compile(r".*?(-?\d+)\D*", re.DOTALL)
_LISTED = 8
"""The most names that a message lists."""
MOST_DIGITS = 16
"""The most digits to which a frame pattern fills up a number."""
MOST_WILDCARDS = 1000
"""The most names with wildcards of a matte: each is compared with every name of a manifest."""


@dataclass(frozen=True)
class MissingPlane:
    """A plane that a file lacks, or objects of a layer that its manifest does not list.

    `kind` is channel, layer, object or file; `error` has the line for the user. Planes of the kind `object` can be
    read all the same, as `note` says: names are found by their hashes.
    """

    plane: Plane
    kind: str
    error: FileError
    note: str = ""

    @property
    def path(self) -> Path:
        """The file that lacks it."""
        return self.error.path

    @property
    def text(self) -> str:
        """One line: the file, what is missing, and what to do."""
        return str(self.error)


@dataclass(frozen=True, eq=False)
class Located:
    """The source of a plane, and for coverages the IDs that count and the names that the manifest does not list."""

    bands: Bands
    ids: IdSet = NO_IDS
    unlisted: tuple[str, ...] = ()
    manifest: Manifest | None = None


@dataclass(frozen=True)
class Shot:
    """The image that is graded: its file, its part, and its frame number; None is that of a movie, else the last number
    in its name."""

    info: ImageInfo
    part: PartInfo
    frame: int | None = None

    def file(self, text: str) -> Path:
        """Return the path of another file: relative to the folder of the image, with its frame number.

        Raises UnsupportedFile if the name needs a number and the image has none, or if there is no name, and
        UnreadableFile if it can't be the name of a file.
        """
        if not text:
            raise UnsupportedFile(self.info.path, "an image matte has no file", "choose an image for it")
        path = self.info.path.parent / text
        check_name(path)
        place = _PLACE.search(path.name)
        if place is None or exists(path):
            return path
        given = self.frame if self.frame is not None else self.info.frame
        frame = given if given is not None else number_in(self.info.path.name)
        if frame is None:
            what = "is a sequence, but the image that is graded has no frame number"
            raise UnsupportedFile(path, what, "choose one frame of it, or number the image")
        number = str(frame).zfill(_digits(place[0]))
        return path.with_name(path.name[: place.start()] + number + path.name[place.end() :])


def number_in(name: str) -> int | None:
    """Return the last number in the name of a file, without its suffix; None if it has none."""
    found = _LAST_NUMBER.fullmatch(Path(name).stem)
    numbers = re.findall(r"\d+", Path(name).stem) if found else []
    return int(numbers[-1]) if numbers else None


def _digits(place: str) -> int:
    """Return the fewest digits of the number that replaces a placeholder: a single # stands for four."""
    if place[0] in "#@":
        return 4 if place == "#" else min(len(place), MOST_DIGITS)
    digits = re.search(r"\d+", place)
    return min(int(digits[0].lstrip("0")[:3] or 0), MOST_DIGITS) if digits else 1


def locate(shot: Shot, plane: Plane, cpu: Callable[[], CpuPrimitives]) -> Located | MissingPlane:
    """Return the source of a plane, or what is missing."""
    kind = CHANNEL
    try:
        if isinstance(plane, CoveragePlane):
            kind = LAYER
            return _coverage(shot, plane)
        if isinstance(plane, FilePlane):
            kind = FILE
            return Located(_other_file(shot, plane, cpu))
        channels = _channel(shot.info, shot.part, plane)
        if isinstance(plane, IdPlane):
            ids = np.array([each & 0xFFFFFFFF for each in plane.ids], np.uint32)
            return Located(ValueBands(channels, ids=True), IdSet.of(ids))
        return Located(ValueBands(channels))
    except (UnreadableFile, UnsupportedFile) as error:
        return MissingPlane(plane, kind, copy(error))  # without the frames that it came through


def missing(
    info: ImageInfo, planes: Iterable[Plane], part: PartInfo | None = None, frame: int | None = None
) -> list[MissingPlane]:
    """Return what a file lacks of these planes, and which objects the manifests of its layers do not list.

    `part` is the one that is graded. Only headers and manifests are read.
    """
    shot = Shot(info, part or info.parts[0], frame)
    found = []
    for plane in dict.fromkeys(planes):
        located = locate(shot, plane, CpuPrimitives)
        if isinstance(located, MissingPlane):
            found.append(located)
        elif located.unlisted and isinstance(plane, CoveragePlane):
            error = _unlisted(shot.info, plane, located)
            found.append(MissingPlane(plane, OBJECT, error, _note(plane, located)))
    return found


def files_read(info: ImageInfo, planes: Iterable[Plane], part: PartInfo) -> list[Path]:
    """Return the other files that planes are read from, in order: images, and manifests of Cryptomatte layers."""
    shot, found = Shot(info, part), list[Path]()
    for plane in planes:
        try:
            if isinstance(plane, FilePlane):
                found.append(shot.file(plane.path))
            elif isinstance(plane, CoveragePlane):
                sidecar = sidecar_of(info.path, cryptomatte_layer(info, plane.layer, part))
                found += [sidecar] if sidecar is not None else []
        except (UnreadableFile, UnsupportedFile):
            continue  # what is missing is said when it is read
    return list(dict.fromkeys(found))


def _coverage(shot: Shot, plane: CoveragePlane) -> Located:
    layer = cryptomatte_layer(shot.info, plane.layer, shot.part)
    if (count := sum(map(has_wildcards, plane.names))) > MOST_WILDCARDS:
        what = f"a matte of the Cryptomatte layer '{plane.layer}' has {count:,} wildcards, more than {MOST_WILDCARDS:,}"
        raise UnsupportedFile(shot.info.path, what, "choose objects by their names")
    manifest = manifest_of(shot.info.path, layer)
    ids, unlisted = manifest.selected(plane.names, plane.ids)
    if manifest.hashed and not len(manifest):
        unlisted = [name for name in unlisted if has_wildcards(name)]
    return Located(RankBands(shot.info, layer), IdSet.of(ids), tuple(unlisted), manifest)


def _note(plane: CoveragePlane, located: Located) -> str:
    """Return a sentence about names that a manifest does not list: what a matte has of them."""
    plain = [name for name in located.unlisted if not has_wildcards(name)]
    wild = [name for name in located.unlisted if has_wildcards(name)]
    where, said = f"in the Cryptomatte layer '{plane.layer}'", list[str]()
    if plain:
        hashed = located.manifest is not None and located.manifest.hashed
        are, it = ("is", "its hash") if len(plain) == 1 else ("are", "their hashes")
        known = f"found by {it}" if hashed else "not found"
        said.append(f"{listed(map(repr, plain))} {are} not listed {where}; {known}.")
    if wild:
        said.append(f"{listed(map(repr, wild))} {'matches' if len(wild) == 1 else 'match'} no object {where}.")
    return " ".join(said)


def _unlisted(info: ImageInfo, plane: CoveragePlane, located: Located) -> FileError:
    """Return the error for names that a manifest does not list; without a manifest only wildcards are missing."""
    manifest = located.manifest
    several = len(located.unlisted) > 1
    names = ", ".join(f"'{name}'" for name in located.unlisted[:_LISTED])
    what = f"lists no object{'s' if several else ''} {names} in the Cryptomatte layer '{plane.layer}'"
    if manifest is None or not len(manifest):
        reason = (manifest.problem if manifest else "") or "it has no manifest"
        return UnsupportedFile(info.path, f"{what}: {reason}", "choose objects by clicking on them")
    return UnsupportedFile(info.path, what, f"its objects are: {listed(manifest.names)}")


def _channel(info: ImageInfo, part: PartInfo, plane: ChannelPlane | IdPlane) -> Channels:
    """Return the channel of a plane: of its part, else of the graded part, else of the first part that has it."""
    if info.frame is not None:
        what = f"has no channel '{plane.channel}' that a matte can read"
        raise UnsupportedFile(info.path, what, "movies have none: choose another file, or a window")
    if plane.part:
        parts: Sequence[PartInfo] = [each for each in info.parts if each.name == plane.part]
        if not parts:
            there = listed([each.name for each in info.parts if each.name]) or "without names"
            raise UnsupportedFile(info.path, f"has no part '{plane.part}'", f"its parts are: {there}")
    else:
        parts = sorted(info.parts, key=lambda each: (each.index != part.index, each.view != part.view))
    found = next((each for each in parts if any(c.name == plane.channel for c in each.channels)), None)
    if found is None:
        there = listed(dict.fromkeys(c.name for each in parts for c in each.channels))
        where = f" in the part '{plane.part}'" if plane.part else ""
        raise UnsupportedFile(info.path, f"has no channel '{plane.channel}'{where}", f"its channels are: {there}")
    return Channels(info, found, (plane.channel,))


def _other_file(shot: Shot, plane: FilePlane, cpu: Callable[[], CpuPrimitives]) -> Bands:
    path = shot.file(plane.path)
    info = describe(path)
    name = plane.channel or _main_channel(info)
    channels = _channel(info, info.parts[0], ChannelPlane(name))
    mine, other = shot.part.display_window, channels.part.display_window
    shift = mine[0] - other[0], mine[1] - other[1]
    if (mine[2] - mine[0], mine[3] - mine[1]) == (other[2] - other[0], other[3] - other[1]):
        return ValueBands(channels, shift=shift)
    return FittedBands(ValueBands(channels), mine, cpu)


def _main_channel(info: ImageInfo) -> str:
    """Return the first of Y, A, R in the main layer of a file, else in any layer, else its only channel."""
    names = [channel.name for part in info.parts for channel in part.channels]
    for among in ([name for name in names if "." not in name], names):
        for colour in "YAR":
            if found := next((name for name in among if colour_of(name) == colour), None):
                return found
    if len(names) == 1:
        return names[0]
    raise UnsupportedFile(info.path, "has no channel Y, A or R", f"name one of its channels: {listed(names)}")


def listed(names: Iterable[str]) -> str:
    """Return names for a message, the first few of many."""
    several = list(names)
    more = f" and {len(several) - _LISTED} more" if len(several) > _LISTED else ""
    return ", ".join(several[:_LISTED]) + more
