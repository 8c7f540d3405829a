"""The body of ops that change tones by a curve."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from app.panels.bodies import FieldsBody
from app.widgets.stops_plot import ToneCurvePlot
from engine.core.colorimetry import MID_GREY
from engine.kernel.op import ColorOp, Op


class ToneCurveBody(FieldsBody):
    """A plot of what the op makes of greys, and an editor for each field."""

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.plot = ToneCurvePlot(op.title())

    def _build(self) -> Iterator[None]:
        self._column.addWidget(self.plot)
        self._show_curve()
        yield
        yield from super()._build()

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        self._show_curve()

    def _show_curve(self) -> None:
        op = self.op
        assert isinstance(op, ColorOp)

        def curve(stops: NDArray[np.float64]) -> NDArray[np.float64]:
            grey = np.repeat((MID_GREY * np.exp2(stops))[:, None], 4, axis=1)
            return np.asarray(np.log2(np.maximum(op.reference(grey)[:, 0], 1e-30) / MID_GREY))

        self.plot.show_curve(curve)
