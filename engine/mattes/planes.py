"""Planes: per-pixel numbers that a matte reads besides the image, such as depth or the coverage of Cryptomatte objects.

A plane is a frozen description; `engine.io` reads its values. All values are float32. Planes are read at mip level 0:
`ChannelPlane` and `FilePlane` are averaged down with the image; for `CoveragePlane` and `IdPlane` the IDs are compared
as bits at level 0, and the coverage is averaged.
"""

from __future__ import annotations

from typing import TypeAlias

from engine.core.records import dataclass


@dataclass(frozen=True)
class ChannelPlane:
    """The values of a channel, by its full name in the file. `part` is the name of a part; "" is any that has it."""

    channel: str
    part: str = ""


@dataclass(frozen=True)
class CoveragePlane:
    """The coverage, 0..1, of objects of a Cryptomatte layer.

    `layer` is the name of a typed layer such as `CryptoObject`. `names` are names or wildcards (`*`, `?`), `ids` are
    uint32 hashes, for objects without a name.
    """

    layer: str
    names: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class IdPlane:
    """1 where the integer value of a channel is one of `ids`, else 0."""

    channel: str
    ids: tuple[int, ...]
    part: str = ""


@dataclass(frozen=True)
class FilePlane:
    """A channel of another image file (or of a sequence, with a frame pattern), fitted to the display window.

    `channel` is a full name; "" is the first of Y, A, R that the file has.
    """

    path: str
    channel: str = ""


Plane: TypeAlias = ChannelPlane | CoveragePlane | IdPlane | FilePlane
