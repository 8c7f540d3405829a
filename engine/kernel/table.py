"""Look-up tables: immutable arrays compared by content, and their JSON form in a saved grade."""

from __future__ import annotations

import base64
import hashlib
import math
import zlib
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import GradeError

MOST_BYTES = 1 << 27
"""Largest table in bytes; a 3D LUT of 129 entries per axis has 26 million."""
DAMAGED = "a table of the grade is damaged"


class Table:
    """An immutable float32 array, compared by content and named by its hash."""

    def __init__(self, array: ArrayLike) -> None:
        copy = np.array(array, np.float32, order="C")
        self.array: NDArray[np.float32] = copy[:, None] if copy.ndim == 1 else copy
        self.array.setflags(write=False)

    @cached_property
    def name(self) -> str:
        """The hash of shape and content."""
        return hashlib.sha256(repr(self.array.shape).encode() + self.array.tobytes()).hexdigest()[:32]

    @property
    def size(self) -> int:
        """Entries along one axis."""
        return int(self.array.shape[0])

    @property
    def channels(self) -> int:
        return int(self.array.shape[-1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and (self is other or self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"Table({'x'.join(map(str, self.array.shape))}, {self.name[:8]})"

    def to_json(self) -> dict[str, Any]:
        return {"shape": list(self.array.shape), "float32": self._packed}

    @cached_property
    def _packed(self) -> str:
        """The values as text, kept for the next frame whose grade is recorded."""
        return base64.b64encode(zlib.compress(self.array.astype("<f4").tobytes(), 6)).decode("ascii")

    @classmethod
    def from_json(cls, data: Any) -> Table:
        """Return the table that `to_json` described; unpack only what its shape says. Raises GradeError if invalid."""
        size = table_bytes(data)
        try:
            text = data["float32"]
            key = f"{data['shape']}{hashlib.sha256(text.encode()).hexdigest()}"
            if (known := _UNPACKED.get(key)) is not None:
                return known  # for instance from another step of the undo history
            unpacking = zlib.decompressobj()
            raw = unpacking.decompress(base64.b64decode(text), size + 1)
            if len(raw) != size or not unpacking.eof:
                raise ValueError
            table = _UNPACKED[key] = cls(np.frombuffer(raw, "<f4").reshape(data["shape"]))
            return table
        except (AttributeError, KeyError, TypeError, ValueError, zlib.error):
            raise GradeError(DAMAGED) from None


_UNPACKED: WeakValueDictionary[str, Table] = WeakValueDictionary()
"""Unpacked tables in use, by their JSON form."""


def table_bytes(data: Any) -> int:
    """Return the bytes that a table in a grade's JSON claims by its shape. Raises GradeError if that is too large."""
    shape = data.get("shape") if isinstance(data, dict) else None
    if not isinstance(shape, list) or len(shape) > 4 or not all(type(side) is int and side > 0 for side in shape):
        raise GradeError(DAMAGED)
    size = 4 * math.prod(shape)
    if size > MOST_BYTES:
        raise GradeError(f"a table of the grade claims {size >> 20} MB; {MOST_BYTES >> 20} MB is the most")
    return size
