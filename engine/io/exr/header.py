"""Parsing and writing of EXR headers, byte for byte.

OpenEXR and OpenImageIO convert attributes when they read and write them; attributes that a grade leaves untouched are
passed through from here as raw bytes. The parser also checks a file's claims against its size before any library
allocates memory for them.

The layout follows the OpenEXR file layout document (magic, version, headers, offset tables, chunks).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from engine.core.file_errors import printable
from engine.core.records import dataclass
from engine.core.small_files import stored_bytes
from engine.errors import TesseraError, UnreadableFile
from engine.io.exr.attribute_lengths import has_sound_length
from engine.io.exr.level_sizes import level_sizes

MAGIC = b"\x76\x2f\x31\x01"
TILED_FLAG, LONG_NAMES_FLAG, DEEP_FLAG, MULTIPART_FLAG = 0x200, 0x400, 0x800, 0x1000
KNOWN_FLAGS = TILED_FLAG | LONG_NAMES_FLAG | DEEP_FLAG | MULTIPART_FLAG

CHANNEL_TYPES = ("uint", "half", "float")
TYPE_SIZE = {"uint": 4, "half": 2, "float": 4}
COMPRESSIONS = (
    *("none", "rle", "zips", "zip", "piz", "pxr24", "b44", "b44a", "dwaa", "dwab"),
    *("htj2k256", "htj2k32", "lj2k", "zstd"),
)
"""Compression names, indexed by their number in the file."""
CHUNK_ROWS = {"zip": 16, "piz": 32, "pxr24": 16, "b44": 32, "b44a": 32, "dwaa": 32, "dwab": 256}
CHUNK_ROWS |= {"htj2k256": 256, "htj2k32": 32, "lj2k": 256}
"""Scanlines per chunk of a scanline part; 1 for compressions not listed."""
EXPANSION = {"none": 1, "rle": 64, "zips": 1040, "zip": 1040, "pxr24": 1400, "b44": 16, "b44a": 16, "piz": 1 << 13}
"""The largest compression ratio of each compression; 2**18 for those not listed."""
LINE_ORDERS = ("increasing", "decreasing", "random")
MAX_NAME = 255
MAX_PARTS = 1 << 16
LARGE_CHUNK_BYTES = 1 << 28
"""A chunk, or the chunk offset table, may take this many bytes, or 64 times the file's size on disk."""
LARGEST_HEADER = 1 << 25
"""The largest size of all headers of a file in bytes; a grade may take half of it."""
LARGEST_LIST, LISTS = 1 << 20, ("chlist", "stringvector", "floatvector")
"""The largest size in bytes of attributes whose values become objects in the libraries, and their types."""


class Attribute(NamedTuple):
    """An attribute as stored in the file: the name of its type, and its bytes."""

    type: str
    data: bytes


class RawChannel(NamedTuple):
    """An entry of a channel list."""

    name: str
    type: str
    x_sampling: int = 1
    y_sampling: int = 1
    linear: int = 0

    @property
    def size(self) -> int:
        """Bytes of one sample."""
        return TYPE_SIZE[self.type]


@dataclass(frozen=True)
class RawHeader:
    """The attributes of one part, in file order. The methods `with_...` and `without` return changed copies."""

    attributes: Mapping[str, Attribute] = field(default_factory=dict)

    def with_attributes(self, attributes: Mapping[str, Attribute]) -> RawHeader:
        return RawHeader({**self.attributes, **attributes})

    def without(self, *names: str) -> RawHeader:
        return RawHeader({name: value for name, value in self.attributes.items() if name not in names})

    def text(self, name: str) -> str:
        """Return the value of a string attribute, or ''."""
        found = self.attributes.get(name)
        return found.data.decode("utf-8", "replace") if found and found.type == "string" else ""

    def with_text(self, name: str, value: str) -> RawHeader:
        return self.with_attributes({name: Attribute("string", value.encode())})

    def box(self, name: str) -> tuple[int, int, int, int]:
        """Return a window as (x0, y0, x1, y1), inclusive."""
        x0, y0, x1, y1 = struct.unpack("<4i", self.attributes[name].data)
        return x0, y0, x1, y1

    def with_box(self, name: str, box: tuple[int, int, int, int]) -> RawHeader:
        return self.with_attributes({name: Attribute("box2i", struct.pack("<4i", *box))})

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the data window."""
        x0, y0, x1, y1 = self.box("dataWindow")
        return x1 - x0 + 1, y1 - y0 + 1

    @property
    def channels(self) -> tuple[RawChannel, ...]:
        return tuple(_channels(self.attributes["channels"].data))

    def with_channels(self, channels: Iterable[RawChannel]) -> RawHeader:
        """Return a copy with these channels, given in any order; the file stores them sorted by name."""
        entries = b"".join(
            entry.name.encode()
            + b"\0"
            + struct.pack("<iB3xii", CHANNEL_TYPES.index(entry.type), entry.linear, entry.x_sampling, entry.y_sampling)
            for entry in sorted(channels, key=lambda entry: entry.name.encode())
        )
        return self.with_attributes({"channels": Attribute("chlist", entries + b"\0")})

    @property
    def compression(self) -> str:
        return COMPRESSIONS[self.attributes["compression"].data[0]]

    def with_compression(self, name: str) -> RawHeader:
        return self.with_attributes({"compression": Attribute("compression", bytes([COMPRESSIONS.index(name)]))})

    @property
    def line_order(self) -> str:
        found = self.attributes.get("lineOrder")
        return LINE_ORDERS[found.data[0]] if found else LINE_ORDERS[0]

    @property
    def tiles(self) -> tuple[int, int, int, int] | None:
        """Tile width, tile height, level mode (0 one, 1 mip, 2 rip) and rounding (0 down, 1 up); None for scanlines."""
        found = self.attributes.get("tiles")
        if found is None or self.storage in ("scanlineimage", "deepscanline"):
            return None
        width, height, mode = struct.unpack("<IIB", found.data)
        return width, height, mode & 15, mode >> 4

    def with_tiles(self, tiles: tuple[int, int, int, int]) -> RawHeader:
        packed = struct.pack("<IIB", tiles[0], tiles[1], tiles[2] | tiles[3] << 4)
        return self.with_attributes({"tiles": Attribute("tiledesc", packed)})

    @property
    def storage(self) -> str:
        """scanlineimage, tiledimage, deepscanline or deeptile; '' in single-part files without a type."""
        return self.text("type")

    @property
    def is_deep(self) -> bool:
        return self.storage.startswith("deep")

    @property
    def pixel_bytes(self) -> int:
        """Bytes of one pixel in all channels."""
        return sum(channel.size for channel in self.channels)

    @property
    def chunk_rows(self) -> int:
        """The number of rows that are encoded together."""
        tiles = self.tiles
        if tiles:
            return tiles[1]
        return 1 if self.is_deep else CHUNK_ROWS.get(self.compression, 1)

    def level_sizes(self) -> list[tuple[int, int]]:
        """Return width and height of every mip or rip level; rip levels with x fastest."""
        mode, rounding = self.tiles[2:] if self.tiles else (0, 0)
        return level_sizes(*self.size, mode, rounding)

    def chunk_count(self) -> int:
        """Return the number of chunks, computed from the windows, tiles and levels."""
        tiles = self.tiles
        if tiles:
            return sum(-(-w // tiles[0]) * -(-h // tiles[1]) for w, h in self.level_sizes())
        return -(-self.size[1] // self.chunk_rows)

    def with_chunk_count(self) -> RawHeader:
        """Return a copy whose attribute `chunkCount`, if there is one, is that of its windows, tiles and levels."""
        if "chunkCount" not in self.attributes:
            return self
        return self.with_attributes({"chunkCount": Attribute("int", struct.pack("<i", self.chunk_count()))})

    def to_bytes(self) -> bytes:
        """Return the header as stored in a file, including its closing zero."""
        parts = []
        for name, attribute in self.attributes.items():
            parts += [name.encode(), b"\0", attribute.type.encode(), b"\0", struct.pack("<i", len(attribute.data))]
            parts.append(attribute.data)
        return b"".join(parts) + b"\0"


@dataclass
class RawFile:
    """Everything before the chunks of a file: flags, headers, and the position of each part's chunk offset table."""

    path: Path
    flags: int
    headers: list[RawHeader]
    tables: list[int]
    file_size: int

    @property
    def is_multipart(self) -> bool:
        return bool(self.flags & MULTIPART_FLAG)


def is_exr(path: Path) -> bool:
    """Return whether the file begins like an EXR. Raises OSError if it can't be read."""
    with path.open("rb") as file:
        return file.read(4) == MAGIC


def parse(path: Path, cut_off: bool = False) -> RawFile:
    """Read all headers and check their claims against the file's size.

    With `cut_off` the file may be shorter than its headers claim. Raises UnreadableFile if a claim can't be true.
    """
    about = path.stat()
    size, stored = about.st_size, stored_bytes(about)
    with path.open("rb") as file:
        try:
            raw = _parse(path, file, size, size * 256 if cut_off else size, stored)
        except (TesseraError, OSError, MemoryError):
            raise
        except Exception as problem:  # unpacking malformed bytes raises many types
            raise _damaged(path, f"its header is damaged ({_reason(problem)})") from problem
    return raw


def _reason(problem: Exception) -> str:
    if isinstance(problem, KeyError):
        return f"no attribute {problem.args[0]}"
    return "a name that is not text" if isinstance(problem, UnicodeDecodeError) else "an invalid value"


def _damaged(path: Path, what: str) -> UnreadableFile:
    return UnreadableFile(path, what, "write or copy the file again")


def _parse(path: Path, file: BinaryIO, size: int, believed: int, stored: int) -> RawFile:
    if file.read(4) != MAGIC:
        raise UnreadableFile(path, "is not an EXR", "give it the suffix of its own format")
    (version,) = struct.unpack("<I", file.read(4))
    flags = version & ~0xFF
    if version & 0xFF != 2 or flags & ~KNOWN_FLAGS:
        raise _damaged(path, "has an EXR version that does not exist")
    headers = list(_headers(path, file, size, flags))
    if not headers:
        raise _damaged(path, "has no image in it")
    tables, position = [], file.tell()
    for header in headers:
        _check_claims(path, header, believed - position, stored)
        tables.append(position)
        position += 8 * header.chunk_count()
    if position > size:
        raise _damaged(path, f"is cut off: {size} bytes don't even hold the list of its parts")
    return RawFile(path, flags, headers, tables, size)


def _headers(path: Path, file: BinaryIO, size: int, flags: int) -> Iterator[RawHeader]:
    for _ in range(MAX_PARTS):
        attributes: dict[str, Attribute] = {}
        while name := _name(path, file):
            kind = _name(path, file)
            (length,) = struct.unpack("<i", file.read(4))
            is_there = 0 <= length <= size - file.tell()
            if is_there and ((length > LARGEST_LIST and kind in LISTS) or file.tell() + length > LARGEST_HEADER):
                raise _damaged(path, f"its header is too large: {length >> 20} MB in the attribute {printable(name)}")
            if not kind:  # OpenEXR would look for the pixels in the wrong place
                raise _damaged(path, f"its header is damaged: the attribute {printable(name)} has no type")
            if not is_there or not has_sound_length(kind, value := file.read(length)):
                raise _damaged(path, f"its header is cut off or damaged at the attribute {printable(name)}")
            attributes[name] = Attribute(kind, value)
        if not attributes and flags & MULTIPART_FLAG:
            return
        header = RawHeader(attributes)
        if not flags & MULTIPART_FLAG and flags & TILED_FLAG and not header.is_deep:
            _ = attributes["tiles"]  # raises KeyError if there is none
            header = header if "type" in attributes else header.with_text("type", "tiledimage")
        yield header
        if not flags & MULTIPART_FLAG:
            return
    raise _damaged(path, f"has more than {MAX_PARTS} parts")


def _name(path: Path, file: BinaryIO) -> str:
    """Read a name up to its closing zero."""
    collected = bytearray()
    while (byte := file.read(1)) != b"\0":
        if not byte or len(collected) == MAX_NAME:
            raise _damaged(path, "is cut off in its header" if not byte else "its header is damaged (a name too long)")
        collected += byte
    return collected.decode()


def _channels(data: bytes) -> Iterator[RawChannel]:
    position = 0
    while data[position]:
        end = data.index(b"\0", position)
        kind, linear, x, y = struct.unpack_from("<iB3xii", data, end + 1)
        if kind < 0:
            raise IndexError
        yield RawChannel(data[position:end].decode(), CHANNEL_TYPES[kind], x, y, linear)
        position = end + 17


def _check_claims(path: Path, header: RawHeader, available: int, stored: int) -> None:
    """Refuse windows, tiles and channels that `available` bytes can't hold, before memory is allocated for them.

    `stored` is the file's size on disk, which is less than its length if the file is sparse.
    """
    (x0, y0, x1, y1), (width, height) = header.box("dataWindow"), header.size
    header.box("displayWindow")
    if width < 1 or height < 1 or max(abs(v) for v in (x0, y0, x1, y1)) >= 1 << 30:
        raise _damaged(path, f"its header is damaged (an image of {width} x {height} pixels)")
    channels = header.channels
    if any(c.x_sampling < 1 or c.y_sampling < 1 for c in channels):
        raise _damaged(path, "its header is damaged (channels with a sampling below 1)")
    if not channels:
        raise UnreadableFile(path, "has no channels", "write the file again")
    _ = header.line_order  # raises IndexError if it is invalid
    tiles = header.tiles
    if tiles and (min(tiles[:2]) < 1 or tiles[2] > 2 or tiles[3] > 1 or max(tiles[:2]) >= 1 << 30):
        raise _damaged(path, f"its header is damaged (tiles of {tiles[0]} x {tiles[1]} pixels)")
    claim = f"its header claims {width} x {height} pixels of {len(channels)} channels"
    most = max(LARGE_CHUNK_BYTES, 64 * min(available, stored))
    if 16 * header.chunk_count() > min(available, most):
        raise _damaged(path, f"{claim}, but the file is far too short")
    if header.is_deep:
        return
    dense = sum(c.size * -(-width // c.x_sampling) * -(-height // c.y_sampling) for c in channels)
    if dense > available * EXPANSION.get(header.compression, 1 << 18):
        raise _damaged(path, f"{claim}, more than {available} bytes can hold")
    chunk = header.pixel_bytes * (tiles[0] * tiles[1] if tiles else width * min(header.chunk_rows, height))
    if chunk > most:
        raise _damaged(path, f"{claim} in chunks of {chunk >> 20} MB")
