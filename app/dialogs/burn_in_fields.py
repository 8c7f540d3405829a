"""The fields of a burn-in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets.choice_box import ChoiceBox
from app.widgets.default_line import DefaultLine
from app.widgets.showing import ask, push_button
from engine.errors import TesseraError
from engine.movies.burn_in import PLACES, TOKENS, BurnIn, Text

TEXT_HEIGHT = 44
"""The height of a field with two lines, in pixels."""
GRID = {
    "top left": (0, 0),
    "top": (0, 1),
    "top right": (0, 2),
    "center": (1, 1),
    "bottom left": (2, 0),
    "bottom": (2, 1),
    "bottom right": (2, 2),
}
"""Row and column of the texts, as they are in the frame."""
IMAGES = "Images (*.png *.tif *.tiff *.exr *.jpg *.jpeg)"
_TOKENS = "\n".join(f"{{{name}}}: {meaning}" for name, meaning in TOKENS.items())
_MORE = ", one line below the other. Tokens in braces are replaced:\n" + _TOKENS


class BurnInFields(QWidget):
    """Shows a burn-in and reads it back: `value` raises TesseraError if a field is not valid."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.texts = {place: self._lines(f"Texts at the {place}", f"Texts at the {place}{_MORE}") for place in GRID}
        self.numbers = {
            "size": self._text("Text height", "3", "Height of a line, in percent of the height of the frame"),
            "opacity": self._text("Opacity", "90", "Opacity of texts and logo, in percent"),
            "backing": self._text("Backing", "40", "How far the image is darkened behind a text, in percent"),
            "logo_size": self._text("Logo height", "8", "Height of the logo, in percent of the height of the frame"),
            "mask_opacity": self._text("Mask opacity", "100", "How far the image is darkened outside, in percent"),
        }
        self.logo = self._text("Logo", "None", "An image, best with alpha")
        self.browse = push_button("Browse…", "Choose the image of the logo", self._browse)
        self.logo_place = ChoiceBox(PLACES, "Place of the logo", "Where the logo is")
        self.logo_place.currentIndexChanged.connect(lambda _: self.edited.emit())
        self.aspect = self._text(
            "Aspect mask", "None", "An aspect ratio, such as 2.39, outside of which the image is dark"
        )
        self.safe = self._text("Safe areas", "None", "Percent of width and height, such as 93, 90 (SMPTE ST 2046-1)")
        self.slate = self._text("Slate frames", "None", "Frames before the first one that show the slate")
        self.slate_lines = self._lines("Slate", f"Lines of the slate{_MORE}")
        self._lay_out()

    @property
    def value(self) -> BurnIn:
        percents = {name: _number(line.accessibleName(), line.text()) / 100 for name, line in self.numbers.items()}
        texts = [Text(line, place) for place, field in self.texts.items() for line in _lines_of(field)]
        safe = tuple(_number("Safe areas", each) / 100 for each in self.safe.value.split(",") if each.strip())
        return BurnIn(
            tuple(texts),
            logo=self.logo.value,
            logo_place=self.logo_place.currentText(),
            mask=_number("Aspect mask", self.aspect.value or "0"),
            safe=safe,
            slate=_whole("Slate frames", self.slate.value or "0"),
            slate_lines=tuple(_lines_of(self.slate_lines)),
            **percents,
        )

    def set_value(self, burn_in: BurnIn) -> None:
        """Show a burn-in."""
        blocked = self.blockSignals(True)
        for place, field in self.texts.items():
            field.setPlainText("\n".join(text.text for text in burn_in.texts if text.place == place))
        for name, line in self.numbers.items():
            line.set_value(f"{100 * getattr(burn_in, name):g}")
        self.logo.set_value(burn_in.logo)
        self.logo_place.setCurrentText(burn_in.logo_place)
        self.aspect.set_value(f"{burn_in.mask:g}" if burn_in.mask else "")
        self.safe.set_value(", ".join(f"{100 * share:g}" for share in burn_in.safe))
        self.slate.set_value(str(burn_in.slate) if burn_in.slate else "")
        self.slate_lines.setPlainText("\n".join(burn_in.slate_lines))
        self.blockSignals(blocked)
        self.edited.emit()

    # -- layout

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(6)
        for place, (row, column) in GRID.items():
            grid.addWidget(self.texts[place], row, column)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(5)
        form.addRow(
            "Text height, opacity, backing (%)", _row(*(self.numbers[n] for n in ("size", "opacity", "backing")))
        )
        form.addRow("Logo", _row(self.logo, self.browse))
        form.addRow("Logo place, height (%)", _row(self.logo_place, self.numbers["logo_size"]))
        form.addRow("Aspect mask, opacity (%)", _row(self.aspect, self.numbers["mask_opacity"]))
        form.addRow("Safe areas (%)", self.safe)
        form.addRow("Slate frames", self.slate)
        form.addRow("Slate", self.slate_lines)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addWidget(QLabel("Texts, where they are in the frame"))
        whole.addLayout(grid)
        whole.addLayout(form)
        whole.addStretch(1)
        self.setMinimumWidth(480)

    def _lines(self, name: str, tip: str) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setAccessibleName(name)
        field.setToolTip(tip)
        field.setTabChangesFocus(True)
        field.setFixedHeight(TEXT_HEIGHT if name != "Slate" else 2 * TEXT_HEIGHT)
        field.textChanged.connect(self.edited)
        return field

    def _text(self, name: str, default: str, tip: str) -> DefaultLine:
        line = DefaultLine(default)
        line.setAccessibleName(name)
        line.setToolTip(tip)
        line.textEdited.connect(lambda _: self.edited.emit())
        return line

    def _browse(self) -> None:
        dialog = QFileDialog(self, "Logo of the burn-in", "", IMAGES)
        dialog.fileSelected.connect(self._use_logo)
        ask(dialog)

    def _use_logo(self, name: str) -> None:
        self.logo.set_value(name)
        self.edited.emit()


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget, 0 if isinstance(widget, QPushButton) else 1)
    return row


def _lines_of(field: QPlainTextEdit) -> list[str]:
    return [line for line in field.toPlainText().splitlines() if line.strip()]


def _number(name: str, text: str) -> float:
    try:
        return float(text.strip().rstrip("%"))
    except ValueError:
        raise TesseraError(f"{name}: '{text.strip()}' is not a number", "correct it") from None


def _whole(name: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise TesseraError(f"{name}: '{text.strip()}' is not a whole number", "correct it")
    return int(text)
