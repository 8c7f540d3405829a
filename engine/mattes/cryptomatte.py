"""Cryptomatte: objects by name or ID as a source. Its layers and manifests are read in `engine.io.cryptomatte`."""

from __future__ import annotations

from engine.kernel.pixel import Pixel, Scalar, clamp
from engine.mattes import checks
from engine.mattes.planes import CoveragePlane, Plane
from engine.mattes.source import MatteSource


class Cryptomatte(MatteSource):
    """The coverage of objects, materials or assets of a Cryptomatte layer: the sum over all chosen ones.

    `layer` is the name of a typed layer such as `CryptoObject`. `names` may have wildcards (`*`, `?`); `ids` are the
    hashes of objects without a name. Source: Psyop, "Cryptomatte Specification", version 1.2.
    """

    family = "Cryptomatte"

    layer: str = "CryptoObject"
    names: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()

    def check(self) -> None:
        checks.text(self, "layer")
        checks.texts(self, "names")
        checks.ids(self, "ids")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return (CoveragePlane(self.layer, self.names, self.ids),)

    def coverage(self, px: Pixel) -> Scalar:
        return clamp(px.planes[0], 0.0, 1.0)
