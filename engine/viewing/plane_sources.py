"""What planes of an image are read from: the readers of files, as `engine.io.planes` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.mattes.planes import Plane

Floats = NDArray[np.float32]


class Missing(Protocol):
    """A plane that a file lacks: `engine.io.planes.MissingPlane`."""

    @property
    def plane(self) -> Plane: ...
    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...


class Reader(Protocol):
    """Reads planes: `engine.io.planes.PlaneReader`."""

    @property
    def used(self) -> int: ...
    def read(self, planes: Sequence[Plane], rect: Rect, level: int = 0) -> Floats: ...
    def prepare(
        self,
        planes: Sequence[Plane],
        rect: Rect | None = None,
        level: int = 0,
        progress: Callable[[int, int], None] = ...,
        stop: Callable[[], bool] = ...,
    ) -> None: ...
    def close(self) -> None: ...


class PlaneFile(NamedTuple):
    """Where the planes of an image come from. `missing` returns which of some planes the file lacks."""

    reader: Reader
    missing: Callable[[Sequence[Plane]], Iterable[Missing]]


@dataclass(frozen=True)
class PlaneNeed:
    """A plane in a rectangle of a mip level."""

    plane: Plane
    level: int
    rect: Rect

    @property
    def nbytes(self) -> int:
        """The bytes of its values."""
        return 4 * self.rect.width * self.rect.height


class Unreadable(NamedTuple):
    """A plane that the file has but that can't be read."""

    plane: Plane
    text: str
    kind: str = "file"
