"""What stands for a card of the Grade panel that is not made yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.model.grade_rows import Path
from app.panels.entry_cards import EntryCard
from engine import Layer
from engine.grade.curves import Curve
from engine.grade.entries import Group


class AwaitedCard:
    """The state of a card until it is made, shown as a card shows it: see `Card`."""

    def __init__(self, layer: Layer, opened: bool, spare: EntryCard | None, toggled: Callable[[], object]) -> None:
        """`spare` is a card that is kept for it; `toggled` is called when it is opened or folded."""
        self.layer, self.is_open, self.spare = layer, opened, spare
        self.runs = True
        self.path: Path = ()
        self.keys: tuple[Mapping[str, Curve], int] = ({}, 0)
        self._is_current = False
        self._toggled = toggled

    @property
    def is_group(self) -> bool:
        """Whether other entries lie in this one."""
        return isinstance(self.layer.entry, Group)

    def open(self, opened: bool = True) -> None:
        """Open the card or fold it."""
        if opened != self.is_open:
            self.is_open = opened
            self._toggled()

    def set_layer(self, layer: Layer, runs: bool) -> None:
        """Take another state of the entry, and whether it is applied."""
        self.layer, self.runs = layer, runs

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        """Take the curves of the entry by the paths of their parameters, and the frame."""
        self.keys = curves, frame

    def set_path(self, path: Path) -> None:
        """Take the path of the entry."""
        self.path = path

    def set_current(self, current: bool) -> None:
        """Take whether commands on an entry apply to this one."""
        self._is_current = current

    def pass_to(self, card: EntryCard) -> None:
        """Show the state in the card that takes this place."""
        card.open(self.is_open)
        card.set_path(self.path)
        if (card.layer, card.runs) != (self.layer, self.runs):
            card.set_layer(self.layer, self.runs)
        card.show_keys(*self.keys)
        card.set_current(self._is_current)
