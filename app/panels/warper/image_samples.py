"""Samples of the image's colours for the editors of colour warps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer
from shiboken6 import isValid

from app.model.arriving import colours_after
from app.panels.dragging_body import DraggingBody
from app.services.jobs import Jobs
from app.services.messages import Messages
from engine.kernel.op import Op
from engine.viewing import Levels

SIDE = 96
"""Samples along each axis of the image, at most."""
WAIT_MS = 150
"""Delay after a change, so that a drag in another entry makes few samples."""
DECODING_MS = 700
"""Delay after which an image that is still being decoded is sampled again."""


class ImageSamples(QObject):
    """Shows visible bodies the colours that enter their ops, as the image and the grade before them change."""

    def __init__(
        self,
        before: Callable[[int, Op], tuple[object, tuple[Op, ...]]],
        levels: Callable[[], Levels | None],
        jobs: Jobs,
        messages: Messages,
    ) -> None:
        """`before` returns the current image, and the ops before the entry at an index, in the space of an op; `levels`
        returns the pixels of the image."""
        super().__init__()
        self._before, self._levels, self._jobs, self._messages = before, levels, jobs, messages
        self._served: dict[DraggingBody, Callable[[], int | None]] = {}
        self._shown: dict[DraggingBody, Any] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._update)

    def serve(self, body: DraggingBody, place: Callable[[], int | None]) -> None:
        """Show a body samples from now on. `place` returns the index of its entry, None once it is removed."""
        self._served[body] = place
        self.update_soon()

    def update_soon(self, _change: object = None) -> None:
        """Follow a change of the image or the grade."""
        self._timer.start(WAIT_MS)

    def _update(self) -> None:
        for body, place in list(self._served.items()):
            if not isValid(body) or place() is None:
                del self._served[body]
                self._shown.pop(body, None)
            elif body.isVisible():
                self._sample(body, place)

    def _sample(self, body: DraggingBody, place: Callable[[], int | None]) -> None:
        """Sample the image for a body, unless it shows these samples already."""
        levels, index = self._levels(), place()
        if levels is None or index is None:
            return
        image, ops = self._before(index, body.mark())
        about = (id(image), levels.generation, ops)
        if not levels.complete:
            self._timer.start(DECODING_MS)
        if about != self._shown.get(body):
            self._shown[body] = about
            self._jobs.latest(
                body, "samples", partial(samples, levels, ops), body.show_samples, self._messages.warn, about=about
            )


def samples(levels: Levels, ops: tuple[Op, ...]) -> NDArray[np.float64]:
    """Return colours (n, 3) from all over an image after ops; mattes and filters among these are left out."""
    pixels = levels.whole(levels.stored[-1])
    step = max(1, -(-max(pixels.shape[:2]) // SIDE))
    return colours_after(pixels[::step, ::step].reshape(-1, pixels.shape[-1]), ops)[:, :3]
