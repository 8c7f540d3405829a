"""The planes that mattes need of the next frames of a sequence: those that the displayed frame needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from engine.viewing import Levels
from engine.viewing.levels import planes_of
from engine.viewing.plane_store import kept_arrays

if TYPE_CHECKING:
    from engine.viewing.plane_sources import PlaneNeed


class PlanesAhead(NamedTuple):
    """What frames of a size need of their planes. A value, which threads may use as well."""

    size: tuple[int, int] = (0, 0)
    needs: tuple[PlaneNeed, ...] = ()

    def following(self, levels: Levels | None) -> PlanesAhead:
        """Return what frames like a displayed one need, these needs until it has been requested.

        That is nothing if the planes of two frames can't be kept: reading them ahead would be in vain.
        """
        store = levels.planes if levels is not None else None
        if store is None or store.frame_needs is None:
            return self
        found = PlanesAhead(store.size, store.frame_needs)
        return found if found.most is None or found.most else PlanesAhead()

    @property
    def nbytes(self) -> int:
        """The bytes of the planes of a frame."""
        return sum(need.nbytes for need in self.needs)

    @property
    def most(self) -> int | None:
        """The most frames whose planes are kept beside those of the displayed one; None for any number."""
        return max(kept_arrays().budget // self.nbytes - 1, 0) if self.needs else None

    def there(self, image: Any) -> bool:
        """Return whether the planes of an image have been read, as far as it has them."""
        store = planes_of(image) if self.needs else None
        return store is None or store.size != self.size or all(store.has(need) for need in self.needs)

    def read(self, image: Any) -> None:
        """Read the planes of an image, now."""
        store = planes_of(image) if self.needs else None
        if store is not None and store.size == self.size:
            store.read_ahead(self.needs)
