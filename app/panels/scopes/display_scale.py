"""The scale of display values: percent, or nits where the display is known to use PQ or HLG."""

from __future__ import annotations

from app.services.config_names import Names
from engine.color.management import Managed
from engine.errors import TesseraError
from engine.viewing.nits import transfer_of


def transfer_shown(names: Names | None, managed: Managed, shown: tuple[str, str]) -> str:
    """Return PQ or HLG if an image is shown in a view that ends in such a space of the config; else ''.

    `names` are those in the config, None until it is read; `managed` are the spaces of the image; `shown` names the
    display and the view. An image of unknown colour space is shown without a config, so its display values are plain.
    """
    if names is None or not managed.converts:
        return ""
    try:
        space = names.config.space(names.config.space_of_view(*shown))
    except TesseraError:
        return ""
    return transfer_of((space.name, *space.aliases), space.encoding)
