"""The destination of an export: folder and name with tokens, and the path that they stand for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from app.model.frame_names import may_be_pattern
from app.model.movie_options import is_movie_name
from app.services.export_names import DEFAULT, TOKENS, NameParts, expand, parts_of, propose, remembered
from app.services.export_options import ExportOrder
from app.services.settings import Settings
from app.widgets.choice_box import ChoiceBox
from app.widgets.elided import ElidedLabel
from app.widgets.showing import ask_target, push_button
from engine.movies.movie_files import is_movie

DESTINATION = "export_destination"
"""The setting with the folder, '' for that of the image, and the name of the last export."""
TARGETS = (
    "All supported files (*.exr *.tif *.tiff *.png *.dpx *.jpg *.jpeg *.mov *.mp4 *.mkv *.webm);;OpenEXR (*.exr);;"
    "TIFF (*.tif *.tiff);;PNG (*.png);;DPX (*.dpx);;JPEG (*.jpg *.jpeg);;QuickTime movie (*.mov);;MP4 movie (*.mp4);;"
    "Matroska movie (*.mkv);;WebM movie (*.webm)"
)
FORMATS = {
    ".exr": "OpenEXR",
    ".tif": "TIFF",
    ".png": "PNG",
    ".dpx": "DPX",
    ".jpg": "JPEG",
    ".mov": "QuickTime",
    ".mp4": "MP4",
    ".mkv": "Matroska",
    ".webm": "WebM",
}
"""The formats that the dialog offers, by their suffix."""
_SAME = {".tiff": ".tif", ".jpeg": ".jpg"}


class ExportDestination(QWidget):
    """A field for the target, buttons to insert tokens and to browse, and the expanded path below."""

    def __init__(self, settings: Settings, source: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._parts = NameParts("")
        self._versioned = False  # whether the user asked for a new version
        self.line = QLineEdit()
        self.line.setAccessibleName("Target file")
        self.line.setToolTip("The file to write; its suffix selects the format. Tokens in braces are replaced")
        self.tokens = QToolButton()
        self.tokens.setText("{ }")
        self.tokens.setAccessibleName("Insert a token")
        self.tokens.setToolTip("Insert a token such as {name} or {version} at the cursor (Space)")
        self.tokens.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tokens.setObjectName("tokens")
        menu = QMenu(self.tokens)
        for token, meaning in TOKENS.items():
            menu.addAction(f"{token}\t{meaning}", partial(self._insert, token))
        self.tokens.setMenu(menu)
        self.format = ChoiceBox(tuple(FORMATS.values()), "Format", "The format of the file: changes its suffix")
        self.format.setMinimumContentsLength(9)
        self.format.activated.connect(self._choose_format)
        self.line.textChanged.connect(self._show_format)
        self.browse = push_button("Browse…", "Choose where to write the image", self._browse)
        self.path = ElidedLabel("")
        self.path.setObjectName("note")
        self.path.setAccessibleName("Path of the target")
        row = QHBoxLayout()
        row.setSpacing(6)
        for widget in (self.line, self.tokens, self.format, self.browse):
            row.addWidget(widget, 1 if widget is self.line else 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.path)
        self.propose(source)

    def propose(self, source: Path) -> None:
        """Propose a target for a source: where and how the last one was written."""
        kept = self._settings.get(DESTINATION, ["", DEFAULT], str)
        folder, name = kept if len(kept) == 2 and kept[1] else ("", DEFAULT)
        self.set_text(propose(folder, name, source, may_be_pattern(source) or is_movie(source)))

    def set_text(self, text: str) -> None:
        """Show another target."""
        self._versioned = False
        self.line.setText(text)

    def use_version(self, path: Path) -> None:
        """Show the target with the next version of its name."""
        self.set_text(str(path))
        self._versioned = True

    def expand(self, source: Path, layer: str, space: str, frames: str) -> Path:
        """Return the target without its tokens, except {version}. Raises TesseraError if it has an unknown token.

        `frames` are those of a movie that are exported, '' for all of them.
        """
        self._parts = parts_of(source, layer, space, frames)
        if is_movie_name(self.line.text().strip()):
            self._parts = replace(self._parts, frame="")  # a movie is one file
        return source.parent / Path(expand(self.line.text().strip(), self._parts)).expanduser()

    def show_path(self, order: ExportOrder) -> None:
        """Show the path that an order writes."""
        self.path.show_text(f"→ {order.target}")
        self.path.setToolTip(str(order.target))

    def remember(self, source: Path) -> None:
        """Remember folder and name for the next export."""
        kept = remembered(self.line.text().strip(), source, self._parts, self._versioned)
        self._settings.set(DESTINATION, [*kept])

    def _show_format(self, text: str) -> None:
        """Show the format of a name; none for a suffix that is not known."""
        suffix = Path(text.strip()).suffix.lower()
        found = [*FORMATS].index(known) if (known := _SAME.get(suffix, suffix)) in FORMATS else -1
        self.format.setCurrentIndex(found)

    def _choose_format(self, chosen: int) -> None:
        """Give the name the suffix of a format."""
        text = self.line.text().strip()
        end = len(Path(text).suffix)
        self.set_text(f"{text[: len(text) - end]}{[*FORMATS][chosen]}")

    def _insert(self, token: str) -> None:
        self.line.insert(token)
        self.line.setFocus()

    def _browse(self) -> None:
        ask_target(self, "Export image to", str(self.path.toolTip() or self.line.text()), TARGETS, "exr", self.set_text)
