"""A body that takes colours from the image and, while the mouse is dragged on, changes what it made of them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal

from app.panels.bodies import Colour as Colour
from app.panels.bodies import PickingBody
from engine.kernel.op import Op


class DraggingBody(PickingBody):
    """A body that picks with each press on the image, until Esc. A drag from there pulls what was picked.

    The colour of a press arrives later, from a worker thread; press, drag and release are one undo step even so.
    """

    samples_wanted = Signal(object)  # this body

    def __init__(self, op: Op) -> None:
        super().__init__(op)
        self.pulled = (0.0, 0.0)
        """How far the mouse was dragged, right and up, in pixels."""
        self._held = self._open = self._arrived = False

    @abstractmethod
    def pull(self) -> None:
        """Change what was picked, by `pulled`; do nothing while nothing is."""

    @abstractmethod
    def drop_pick(self) -> None:
        """Forget what was picked: the drag is over."""

    @abstractmethod
    def show_samples(self, colours: NDArray[np.float64]) -> None:
        """Show colours (n, 3) of the image as they enter the op."""

    def begin_pick(self) -> None:
        """Begin a drag on the image."""
        self._close()
        self.pulled = (0.0, 0.0)
        self._held, self._open, self._arrived = True, True, False
        self.drag_started.emit()

    def pull_to(self, across: float, up: float) -> None:
        """Follow the mouse."""
        self.pulled = (across, up)
        self.pull()

    def end_pick(self) -> None:
        """End the drag once its colour is there."""
        self._held = False
        if self._arrived:
            self._close()

    def arrive(self) -> None:
        """Note that the colour of the press was taken."""
        self._arrived = True
        if not self._held:
            self._close()

    def fail(self) -> None:
        """End the drag: its colour can't be used."""
        self._close()

    def _close(self) -> None:
        if self._open:
            self._held = self._open = False
            self.drop_pick()
            self.drag_ended.emit()
