"""The presets of an export dialog: those that come with Tessera, the user's own, and the options used last."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QInputDialog, QWidget

from app.dialogs.export_form import ExportForm
from app.services.export_options import PRESETS
from app.services.settings import Settings
from app.widgets.choice_box import ChoiceBox
from app.widgets.showing import ask, push_button

LAST, OWN = "export_last", "export_presets"
"""Settings: the options of the last export, and the user's presets."""
LAST_USED = "Last used"
"""Name of the preset with the options of the last export."""


class ExportPresets(QWidget):
    """A choice of presets, and buttons to save and to delete the user's own."""

    chosen = Signal(object)  # the values of a preset
    said = Signal(str)

    def __init__(self, form: ExportForm, settings: Settings, parent: QWidget) -> None:
        super().__init__(parent)
        self._form, self._settings = form, settings
        self.box = ChoiceBox((LAST_USED,), "Preset", "Saved sets of options")
        self.fill()
        self.box.activated.connect(self._take)
        self.store = push_button("Save…", "Save these options as a preset", self.save)
        self.store.setAccessibleName("Save preset")
        self.forget = push_button("Delete", "Delete this preset", self._delete)
        self.forget.setAccessibleName("Delete preset")
        self.forget.setEnabled(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.box, 1)
        row.addWidget(self.store)
        row.addWidget(self.forget)

    @property
    def last(self) -> dict[str, str]:
        """The options of the last export."""
        return self._settings.get(LAST, dict[str, str](), str)

    def keep_last(self, values: dict[str, str]) -> None:
        """Remember the options of an export."""
        self._settings.set(LAST, values)

    def fill(self, chosen: str = LAST_USED) -> None:
        """List the presets, with this one chosen."""
        self.box.clear()
        self.box.addItems([LAST_USED, *PRESETS, *self._own])
        self.box.setCurrentText(chosen)

    def save(self) -> None:
        """Ask for a name, and save the options under it."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Save preset")
        dialog.setLabelText("Name of the preset")
        dialog.textValueSelected.connect(self._keep)
        ask(dialog)

    @property
    def _own(self) -> dict[str, dict[str, str]]:
        return self._settings.entries(OWN, dict[str, dict[str, str]](), dict[str, str])

    def _take(self) -> None:
        name, own = self.box.currentText(), self._own
        self.forget.setEnabled(name in own)
        self.chosen.emit({LAST_USED: self.last, **PRESETS, **own}[name])

    def _keep(self, name: str) -> None:
        name = name.strip()
        if not name or name in PRESETS or name == LAST_USED:
            self.said.emit("Give the preset a unique name.")
            return
        values = {key: value for key, value in self._form.values.items() if key not in ("part", "layer")}
        self._settings.put(OWN, name, values)
        self.fill(name)
        self.forget.setEnabled(True)

    def _delete(self) -> None:
        self._settings.remove(OWN, self.box.currentText())
        self.fill()
        self.forget.setEnabled(False)
