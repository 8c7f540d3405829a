"""The menu of a row of the menu that adds operations and presets: favourites, and what can be done with a preset."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from app.model.preset import Preset
from app.panels.op_menu import Addition, KeptOffer
from app.services.presets import Presets
from app.widgets.showing import ask


def offer_menu(offer: Addition, presets: Presets, parent: QWidget) -> QMenu:
    """Return the menu of an offer; it deletes itself."""
    menu, starred, window = QMenu(parent), offer.key in presets.favourites, parent.parentWidget() or parent
    menu.setToolTipsVisible(True)
    star = menu.addAction("Remove from favourites" if starred else "Add to favourites")
    star.setToolTip("Remove it from the top of this menu" if starred else "List it at the top of this menu")
    star.triggered.connect(lambda: presets.star(offer.key, not starred))
    if isinstance(offer, KeptOffer):
        preset = offer.preset
        rename = menu.addAction("Rename…")
        rename.setToolTip("Give the preset and its file another name")
        rename.triggered.connect(lambda: ask_name(preset, presets, window.window()))
        delete = menu.addAction("Delete")
        delete.setToolTip("Move the preset to the folder of deleted presets; this can be undone")
        delete.triggered.connect(partial(presets.delete, preset))
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def ask_name(preset: Preset, presets: Presets, parent: QWidget) -> None:
    """Ask for another name of a preset."""
    dialog = QInputDialog(parent)
    dialog.setWindowTitle("Rename preset")
    dialog.setLabelText(f"Name of the preset, now {preset.name}")
    dialog.setTextValue(preset.name)
    dialog.textValueSelected.connect(partial(presets.rename, preset))
    ask(dialog)
