"""Cards for all kinds of entries."""

from __future__ import annotations

from typing import Any

from app.panels.cards import OpCard
from app.panels.file_card import FileCard
from app.panels.group_card import GroupCard
from app.panels.missing_card import MissingCard
from engine import FileLook, Layer
from engine.grade.entries import Group
from engine.grade.missing import MissingOp
from engine.kernel.op import Op

EntryCard = OpCard | FileCard | GroupCard | MissingCard


def card_for(layer: Layer, wheels: bool, opened: bool) -> EntryCard:
    """Return a card for an entry of a grade; `wheels` is whether ops that have wheels show them."""
    if isinstance(layer.entry, Group):
        return GroupCard(layer, opened)
    if isinstance(layer.entry, MissingOp):
        return MissingCard(layer, opened)
    return FileCard(layer, opened) if isinstance(layer.entry, FileLook) else OpCard(layer, wheels, opened)


def shape_of(entry: Op | FileLook | Group) -> Any:
    """Return a key that is equal for entries that the same card can show."""
    if isinstance(entry, MissingOp):
        return entry, entry.line
    return entry.path if isinstance(entry, FileLook) else type(entry)
