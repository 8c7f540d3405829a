"""The buttons beside fields of movies in the export dialog: browse for audio, edit the burn-in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.dialogs.burn_in_dialog import BurnInDialog
from app.dialogs.export_form import ExportForm
from app.services.jobs import Jobs
from app.widgets.showing import ask, push_button

AUDIO = "Audio and movies (*.wav *.aif *.aiff *.flac *.mp3 *.m4a *.mov *.mp4 *.mkv *.mxf);;All files (*)"


class MovieButtons:
    """Makes the buttons, by the name of the option that they belong to; `form` must be set before one is clicked."""

    def __init__(self, parent: QWidget, jobs: Jobs, folder: Callable[[], Path]) -> None:
        """`folder` returns where to look for audio first."""
        self._parent, self._jobs, self._folder = parent, jobs, folder
        self.form: ExportForm | None = None

    @property
    def beside(self) -> Mapping[str, Callable[[], QWidget]]:
        return {
            "audio": lambda: push_button("Browse…", "Choose the file with the audio", self._browse),
            "burn-in": lambda: push_button("Edit…", "Edit the burn-in, and save it as a preset", self._edit),
        }

    def _browse(self) -> None:
        dialog = QFileDialog(self._parent, "Audio of the movie", str(self._folder()), AUDIO)
        dialog.fileSelected.connect(self._use_audio)
        ask(dialog)

    def _use_audio(self, name: str) -> None:
        if self.form is not None:
            self.form.set_value("audio", name)

    def _edit(self) -> None:
        if self.form is not None:
            dialog = BurnInDialog(self.form.values.get("burn-in", ""), self._jobs, self._parent)
            dialog.saved.connect(self._use_burn_in)
            ask(dialog)

    def _use_burn_in(self, name: str) -> None:
        if self.form is not None:
            self.form.suggest("burn-in")
            self.form.set_value("burn-in", name)
