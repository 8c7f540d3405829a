"""The body of the op that reduces noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numpy.typing import NDArray

from app.panels.bodies import PickingBody
from engine import ops
from engine.compute.noise import Noise, measure_noise
from engine.kernel.op import Op


class DenoiseBody(PickingBody):
    """The fields, and a picker for an area of the image whose noise is measured."""

    wanted = "Drag over an even area of the image, without detail, or click in it"
    reach = 20
    most_side = 512

    def _build(self) -> Iterator[None]:
        yield from self._add_fields(self.op.kinds())
        side = 2 * self.reach + 1
        self.pick.setText("Measure noise in area")
        self.pick.setToolTip(
            f"{self.wanted}: sets dark and shot to the noise there. A click takes {side} × {side} pixels.\n"
            "Return picks the centre, Esc cancels"
        )
        self.pick.setAccessibleName("Measure noise in area")
        self._column.addWidget(self.pick)

    def mark(self) -> Op:
        return ops.Denoise(1.0, 1.0)

    def reduced(self, values: NDArray[Any]) -> NDArray[Any]:
        return values

    def finder(self) -> Callable[[Any], Noise]:
        return measure_noise

    def take(self, found: Noise) -> None:
        """Set the noise; without a strength, also the usual ones, so that it is reduced."""
        changes: dict[str, Any] = found._asdict()
        if self.op.is_identity():
            changes |= {"luma": 1.0, "chroma": 1.0}
        self.edited.emit(changes, "from a measured area")
