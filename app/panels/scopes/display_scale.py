"""The scale of display values: percent, or nits where the display is known to use PQ or HLG."""

from __future__ import annotations

from app.model.document import Document
from app.services.colour_manager import Colour
from engine.errors import TesseraError
from engine.viewing.nits import transfer_of


def transfer_shown(document: Document, colour: Colour, shown: tuple[str, str]) -> str:
    """Return PQ or HLG if a document is shown in a view that ends in such a space of the config; else ''.

    `shown` names the display and the view.
    An image of unknown colour space is shown without a config, so its display values are plain.
    """
    names = colour.names
    if document.image is None or names is None or not document.managed.converts:
        return ""
    try:
        space = names.config.space(names.config.space_of_view(*shown))
    except TesseraError:
        return ""
    return transfer_of((space.name, *space.aliases), space.encoding)
