"""Colours of the image for the bodies of cards."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.panels.bodies import PickingBody
from app.panels.cards import OpCard
from app.panels.dragging_body import DraggingBody
from app.panels.entry_cards import EntryCard
from app.panels.picking import PixelPicker


class CardPicks:
    """Passes what the bodies of cards want of the image to the picker."""

    def __init__(self, picker: PixelPicker, index: Callable[[EntryCard], int]) -> None:
        """`index` returns the index of the entry of a card; -1 if it was removed."""
        self._picker, self._index = picker, index

    def connect_card(self, card: OpCard) -> None:
        """Follow a card."""
        card.pick_wanted.connect(partial(self._pick, card))
        card.samples_wanted.connect(partial(self._sample, card))

    def _pick(self, card: OpCard, wanted: bool) -> None:
        assert isinstance(card.body, PickingBody)
        self._picker.pick(card.body, wanted, partial(self._place, card))

    def _sample(self, card: OpCard, body: DraggingBody) -> None:
        self._picker.sample(body, partial(self._place, card))

    def _place(self, card: OpCard) -> int | None:
        at = self._index(card)
        return at if at >= 0 else None
