"""The card of a LUT or CDL file."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.panels.cards import Card
from app.widgets.choice_box import ChoiceBox
from app.widgets.elided import ElidedLabel
from app.widgets.fields import label_width_for
from engine import FileLook, Layer
from engine.kernel.op import Choice

INTERPOLATIONS = ("file", "linear", "tetrahedral")
_INTERPOLATION = Choice(
    "file", INTERPOLATIONS, "How to interpolate between the entries of the LUT; file: as the file states"
)


class FileCard(Card):
    """The card of a LUT or CDL file: what is in it, and its interpolation unless that is the file's own."""

    def __init__(self, layer: Layer, opened: bool) -> None:
        assert isinstance(layer.entry, FileLook)
        super().__init__(layer, opened)
        self.body = QWidget()
        look = layer.entry
        inside = ", ".join(op.title() for op in look.ops) or "no operations"
        self.title.setToolTip(f"{look.path}\n{inside}\n{self.title.toolTip()}")
        note = ElidedLabel(inside)
        note.setObjectName("note")
        note.setToolTip(f"{look.path}\n{inside}")
        self._box: ChoiceBox | None = None
        self._body_column = QVBoxLayout(self.body)
        self._body_column.setContentsMargins(10, 2, 8, 8)
        self._body_column.setSpacing(4)
        self._body_column.addWidget(note)
        self._column.insertWidget(1, self.body)
        self.body.setVisible(opened)
        self.refresh()

    @property
    def box(self) -> ChoiceBox:
        """The choice of the interpolation; it is made when it is first needed, which for most files is never."""
        if self._box is None:
            self._box = self._make_box()
        return self._box

    def _make_box(self) -> ChoiceBox:
        row = self._interpolation = QWidget(self.body)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        caption = QLabel("Interpolation", row)
        caption.setFixedWidth(label_width_for(["interpolation"]))
        line.addWidget(caption)
        box = ChoiceBox(INTERPOLATIONS, f"Interpolation of {self.name}", f"{_INTERPOLATION.help}.")
        box.textActivated.connect(lambda word: self.choose("interpolation", word))
        caption.setBuddy(box)
        line.addWidget(box, 1)
        self._body_column.addWidget(row)
        return box

    @property
    def look(self) -> FileLook:
        assert isinstance(self.layer.entry, FileLook)
        return self.layer.entry

    @property
    def options(self) -> dict[str, Choice]:
        return {"interpolation": _INTERPOLATION}

    def option(self, field: str) -> str:
        return self.look.interpolation

    def choose(self, field: str, value: str) -> None:
        self.edited.emit({field: value}, field)

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, runs)
        self.refresh()

    def refresh(self) -> None:
        changed = self.look.interpolation != _INTERPOLATION.default
        if changed or self._box is not None:
            box = self.box
            box.setCurrentText(self.look.interpolation)
            self._interpolation.setVisible(changed or box.hasFocus())

    def _fold(self, shown: bool) -> None:
        self.body.setVisible(shown)
