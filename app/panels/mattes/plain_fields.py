"""Editors of the fields of a matte source that are neither sliders nor choices: channels, layers, names and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QLineEdit, QToolButton

from app.services.matte_files import MatteFiles
from app.widgets.choice_box import ChoiceBox
from app.widgets.field_labels import label_of
from app.widgets.fields import FieldEditor
from app.widgets.key_mark import KeySpot
from app.widgets.showing import ask
from app.widgets.style import icon
from app.widgets.word_chips import NumberChips, WordChips
from engine.io.wildcards import escaped_name
from engine.mattes import Cryptomatte
from engine.mattes.source import MatteSource

TIPS = {
    "channel": "The channel of the file that is read; type the name of one that this file lacks",
    "channels": "The three channels of the file that are read, such as those of a position",
    "part": "The part of the file that has the channel",
    "layer": "The layer of the file that is read; type the name of one that this file lacks",
    "names": "Names of objects; * and ? stand for any characters and any one character",
    "ids": "Whole numbers that identify objects; decimal, or hexadecimal with 0x",
    "path": "The image file; #### stands for the frame number of a sequence",
    "points": "The points of the path; drag them on the image",
    "added": "Colours that the key includes, picked in the image",
    "removed": "Colours that the key excludes, picked in the image",
}
EMPTY = {("", "part"): "Any part", ("", "layer"): "Main layer", ("Image", "channel"): "Y, A or R"}
"""What a field shows for the value ''."""
IMAGES = "Images (*.exr *.tif *.tiff *.png *.dpx *.jpg);;All files (*)"


class PlainField(FieldEditor):
    """A caption and a control beside it."""

    def __init__(self, field: str, title: str, label_width: int) -> None:
        super().__init__()
        self.name = f"{title} {label_of(field).lower()}"
        self.tip = f"{self.name}. {TIPS.get(field, label_of(field))}."
        self.caption = QLabel(label_of(field))
        self.caption.setFixedWidth(label_width)
        self.caption.setToolTip(self.tip)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addWidget(self.caption)


class NameField(PlainField):
    """A box of the names that the file has, in which another one can be typed. `shown_empty` stands for ''."""

    def __init__(
        self, field: str, title: str, label_width: int, known: Callable[[], Sequence[str]], shown_empty: str = ""
    ) -> None:
        super().__init__(field, title, label_width)
        self._known, self._empty, self._value = known, shown_empty, ""
        self.box = _NameBox(self._fill, self.name, self.tip)
        self.caption.setBuddy(self.box)
        self._row.addWidget(self.box, 1)
        self.box.activated.connect(lambda _at: self._take())
        line = self.box.lineEdit()
        assert line is not None
        line.setAccessibleName(self.name)
        line.editingFinished.connect(self._take)

    def set_value(self, value: Any) -> None:
        self._value = self._text(value)
        if self.box.currentText() != self._value:
            self.box.setCurrentText(self._value)

    def first_control(self) -> QComboBox:
        return self.box

    def _fill(self) -> None:
        """List the names when the box opens; the current one stays."""
        names = [self._text(each) for each in self._known()]
        if self._empty and self._empty not in names:
            names.insert(0, self._empty)
        now = self.box.currentText()
        blocked = self.box.blockSignals(True)
        self.box.clear()
        self.box.addItems(names)
        self.box.setCurrentText(now)
        self.box.blockSignals(blocked)

    def _take(self) -> None:
        text = self.box.currentText().strip()
        if text and text != self._value:
            self._value = text
            self.edited.emit(self._meant(text))
        else:
            self.box.setCurrentText(self._value)

    def _text(self, value: Any) -> str:
        return str(value) or self._empty

    def _meant(self, text: str) -> Any:
        return "" if text == self._empty else text


class NamesField(NameField):
    """A box of groups of three names, such as the channels of a position, separated by commas."""

    def _text(self, value: Any) -> str:
        return value if isinstance(value, str) else ", ".join(value)

    def _meant(self, text: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in text.split(","))


class _NameBox(ChoiceBox):
    """An editable box that is filled before it opens."""

    def __init__(self, fill: Callable[[], None], name: str, tip: str) -> None:
        super().__init__((), name, tip)
        self._fill = fill
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)

    def showPopup(self) -> None:
        self._fill()
        super().showPopup()


class FileField(PlainField):
    """The path of a file, typed or chosen."""

    def __init__(self, field: str, title: str, label_width: int) -> None:
        super().__init__(field, title, label_width)
        self._value = ""
        self.line = QLineEdit()
        self.line.setAccessibleName(self.name)
        self.line.setPlaceholderText("Choose an image")
        self.line.editingFinished.connect(lambda: self._take(self.line.text()))
        self.browse = QToolButton()
        self.browse.setIcon(icon("folder"))
        self.browse.setFixedSize(22, 22)
        self.browse.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.browse.setToolTip("Choose the image file of the matte")
        self.browse.setAccessibleName("Choose the image file of the matte")
        self.browse.clicked.connect(self._browse)
        self.caption.setBuddy(self.line)
        self._row.addWidget(self.line, 1)
        self._row.addWidget(self.browse)

    def set_value(self, value: str) -> None:
        self._value = value
        self.line.setText(value)
        self.line.setCursorPosition(len(value))  # the ends of paths differ
        self.line.setToolTip(f"{self.tip}\n{value}".rstrip())

    def first_control(self) -> QLineEdit:
        return self.line

    def _take(self, text: str) -> None:
        if text.strip() != self._value:
            self.set_value(text.strip())
            self.edited.emit(text.strip())

    def _browse(self) -> None:
        folder = str(Path(self._value).parent) if self._value else ""
        dialog = QFileDialog(self.window(), "Choose the image file of the matte", folder, IMAGES)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take)
        ask(dialog)


class CountField(PlainField):
    """Says how many points or colours there are; they are edited on the image. A button removes them where that is
    possible."""

    def __init__(self, field: str, title: str, label_width: int, clears: bool) -> None:
        super().__init__(field, title, label_width)
        self.text = QLabel()
        self.text.setToolTip(self.tip)
        self.clear = QToolButton()
        self.clear.setObjectName("wide")
        self.clear.setText("Clear")
        self.clear.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clear.setToolTip(f"Remove all of {self.name}")
        self.clear.setAccessibleName(f"Clear {self.name}")
        self.clear.clicked.connect(lambda: self.edited.emit(()))
        self._clears = clears
        self._row.addWidget(self.text, 1)
        self._row.addWidget(self.clear)

    def key_spots(self) -> Sequence[KeySpot]:
        if self._clears:
            return ()
        return (
            KeySpot(self, lambda: QPoint(self.text.x() - self._row.spacing() // 2, self.height() // 2), self.name, ()),
        )

    def set_value(self, value: Sequence[Any]) -> None:
        self.text.setText(str(len(value)) if value else "none")
        self.clear.setVisible(self._clears and bool(value))


def plain_editor(
    field: str, title: str, label_width: int, files: MatteFiles, source: Callable[[], MatteSource]
) -> FieldEditor:
    """Return an editor for a field of a source that is neither a slider nor a choice."""
    label = label_of(field)
    known: dict[str, Callable[[], Sequence[str]]] = {
        "channel": lambda: files.channels,
        "channels": lambda: [", ".join(each) for each in files.vectors],
        "part": lambda: files.parts,
        "layer": lambda: files.object_layers if title == Cryptomatte.title() else files.layers,
    }
    if field == "names":
        names = partial(_names, files, source)
        return WordChips(
            label, f"{title} names", f"{TIPS['names']}.", names, escaped_name, partial(_unlisted, files, source)
        )
    if field == "ids":
        return NumberChips(label, f"{title} IDs", f"{TIPS['ids']}.", partial(_absent, files, source))
    if field == "path":
        return FileField(field, title, label_width)
    if field == "channels":
        return NamesField(field, title, label_width, known[field])
    if field in known:
        empty = EMPTY.get((title, field), EMPTY.get(("", field), ""))
        return NameField(field, title, label_width, known[field], empty)
    return CountField(field, title, label_width, clears=field in ("added", "removed"))


def _names(files: MatteFiles, source: Callable[[], MatteSource]) -> Sequence[str]:
    """Return the names of the objects of the layer of a source."""
    return files.names(_layer(source()))


def _unlisted(files: MatteFiles, source: Callable[[], MatteSource], names: Sequence[str]) -> dict[str, str]:
    """Return why some names of objects mean nothing in the displayed file."""
    layer = _layer(source())
    why = f"No object of the Cryptomatte layer {layer} is listed with this name; choose one that the search finds."
    return dict.fromkeys(files.unlisted(layer, names), why)


def _absent(files: MatteFiles, source: Callable[[], MatteSource], words: Sequence[str]) -> dict[str, str]:
    """Return why some IDs cover nothing in the displayed file."""
    absent = files.absent(source())
    return {word: "No pixel of the image has this ID." for word in words if int(word) in absent}


def _layer(source: MatteSource) -> str:
    return str(getattr(source, "layer", ""))
