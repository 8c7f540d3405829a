"""Objects of a Cryptomatte layer at a pixel, and all those in an image."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.planes import Band
from engine.core.records import dataclass
from engine.io.manifests import Manifest


@dataclass(frozen=True)
class PickedObject:
    """An object of a Cryptomatte layer at a pixel. `names` are all names with this ID; () if none is known."""

    id: int
    names: tuple[str, ...]
    coverage: float

    @property
    def name(self) -> str:
        """The first name, or the ID in hexadecimal digits."""
        return self.names[0] if self.names else f"{self.id:08x}"


def objects_at(band: Band, row: int, column: int, manifest: Manifest) -> tuple[PickedObject, ...]:
    """Return the objects at a pixel of a band, the one with the largest coverage first."""
    covered: dict[int, float] = {}
    for id, coverage in _ranks_at(band, row, column):
        covered[id] = covered.get(id, 0.0) + coverage
    found = [PickedObject(id, manifest.names_of(id), share) for id, share in covered.items() if id and share > 0.0]
    return tuple(sorted(found, key=lambda each: -each.coverage))


def ids_of(band: Band) -> list[NDArray[np.uint32]]:
    """Return the IDs of a band that have coverage; an ID may be repeated."""
    if band.ids is None:
        return []
    ids = band.ids[band.values != 0.0]
    begins = np.ones(len(ids), bool)
    np.not_equal(ids[1:], ids[:-1], out=begins[1:])
    more = [] if band.more_ids is None else [np.unique(band.more_ids)]
    return [np.unique(ids[begins]), *more]


def _ranks_at(band: Band, row: int, column: int) -> Iterator[tuple[int, float]]:
    """Yield ID and coverage of each rank of a pixel that has coverage."""
    if band.ids is not None:
        yield int(band.ids[row, column]), float(band.values[row, column])
    if band.starts is not None and band.columns is not None:
        assert band.more_ids is not None and band.more_values is not None
        start, end = int(band.starts[row]), int(band.starts[row + 1])
        for n in start + np.flatnonzero(band.columns[start:end] == column):
            yield int(band.more_ids[n]), float(band.more_values[n])
