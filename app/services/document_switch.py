"""The moments when another document becomes the current one, and when its signals for one change are over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.services.event_loop import turn_queue


class DocumentSwitch(QObject):
    """Lets those who follow several signals of the current document do their work once: when another one is shown, and
    for one change of it."""

    announced = Signal()  # after all signals for the other document, with those of its view options
    shown = Signal()  # after `announced`, and all that services emit then

    def __init__(self, is_changing: Callable[[], bool], parent: QObject) -> None:
        """`is_changing` returns whether the current document is announcing a change; `end_change` follows then."""
        super().__init__(parent)
        self._is_changing = is_changing
        self._after: dict[Callable[[], object], None] = {}  # what is to be done after the change, in order
        self._goes_on = False  # in a later turn
        self.announcing = False
        """Whether another document is being announced; `announced` follows."""
        self.switching = False
        """The same; `shown` follows."""

    def run(self, announce: Callable[[], object]) -> None:
        """Emit the signals of another document by `announce`, then `announced` and `shown`; the last one in the next
        turn of the event loop, or before the next input, if this turn is busy."""
        self.announcing = self.switching = True
        self._after.clear()  # `shown` has all of them done
        announce()
        self.announcing = False
        self.announced.emit()
        if not turn_queue().put_off(self, self._show, before_input=True):
            self._show()

    def _show(self) -> None:
        if self.switching:  # else it was done for a later switch
            self.switching = False
            self.shown.emit()

    def once(self, act: Callable[[], object], *signals: Any) -> None:
        """Call `act` after each of `signals`, but only once for another document: for services."""
        for signal in (*signals, self.announced):
            signal.connect(partial(self._act_unless_announcing, act))

    def at_last(self, act: Callable[[], object], *signals: Any) -> None:
        """The same after all services have followed, and once for a change of the document: for what shows them."""
        for signal in (*signals, self.shown):
            signal.connect(partial(self._act_at_last, act))

    def end_change(self) -> None:
        """Do what waits for the end of a change; what a busy turn of the event loop leaves, in the next one or before
        the next input."""
        while self._after:
            if turn_queue().is_busy:
                self._go_on_later()
                return
            self._act_next()

    def _go_on_later(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            turn_queue().put(self, self._go_on, before_input=True)

    def _go_on(self) -> None:
        self._goes_on = False
        while self._after and not self._is_changing():
            self._act_next()

    def _act_next(self) -> None:
        act = next(iter(self._after))
        del self._after[act]
        act()

    def _act_unless_announcing(self, act: Callable[[], object], *_values: object) -> None:
        if not self.announcing:
            act()

    def _act_at_last(self, act: Callable[[], object], *_values: object) -> None:
        changing = self._is_changing()
        if changing or not self.switching:
            self._after[act] = None
        if not changing:
            self.end_change()
