"""The fields of a source of a matte, and the button that picks it in the image."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton

from app.panels.bodies import Body
from app.panels.mattes.plain_fields import plain_editor
from app.services.matte_editor import PICKED
from app.services.matte_files import MatteFiles
from app.widgets.field_labels import components_of, label_of
from app.widgets.fields import label_width_for
from app.widgets.gradual import Gradual
from app.widgets.vector_field import VectorField
from app.widgets.word_chips import WordChips
from engine.kernel.op import Kind, Op, Slider
from engine.mattes.source import MatteSource

SUB_INDENT = 18
"""Pixels that the names of rows below the name of a field need more than those of fields."""
IN_A_ROW = 3
"""The most numbers of a field that are edited in one row."""
PICK_TIPS = {
    "Cryptomatte": "Click objects in the image: a click adds or removes one; Shift only adds, Ctrl and Alt only remove",
    "HslQualifier": "Click or draw over a colour in the image: the ranges are set around it; Shift extends them",
    "Key3d": "Click or draw over colours in the image: they are included, or excluded with Alt",
}


class SourceBody(Body):
    """An editor for each field of a source, in their order. They are built bit by bit."""

    pick_wanted = Signal()

    def __init__(self, source: MatteSource, files: MatteFiles, frame: tuple[int, int]) -> None:
        """`frame` is the size of the display window; sliders of positions show that range."""
        super().__init__(source)
        self._files, self._frame = files, frame
        self._options = {}
        rows = self._names_of_rows()
        self._label_width = max(label_width_for(self._fields), label_width_for(rows) + SUB_INDENT if rows else 0)
        self.pick: QToolButton | None = None
        self._picking = False
        Gradual(self.advance, self).start()
        files.changed.connect(self._check_words)

    @property
    def source(self) -> MatteSource:
        assert isinstance(self.op, MatteSource)
        return self.op

    @property
    def _fields(self) -> list[str]:
        return [field.name for field in dataclasses.fields(self.op)]  # type: ignore[arg-type]

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        self._show_part()
        self._check_words()

    def set_picking(self, picking: bool) -> None:
        """Show whether clicks on the image pick for this source."""
        self._picking = picking
        if self.pick is not None:
            self.pick.setChecked(picking)

    def _build(self) -> Iterator[None]:
        kinds, title = self.op.kinds(), self.op.title()
        for field in self._fields:
            kind = kinds.get(field)
            if kind is None:
                editor = plain_editor(field, title, self._label_width, self._files, lambda: self.source)
                self._column.addWidget(self._take(field, editor))
            elif isinstance(kind, Slider) and self._is_vector(field, kind):
                vector = VectorField(label_of(field), self._kind(field), self._name(field), self._label_width)
                self._column.addWidget(self._take(field, vector))
            else:
                self._column.addWidget(self._new_editor(field))
            yield
        if type(self.op).__name__ in PICKED:
            self._add_pick()
        self._show_part()

    def _names_of_rows(self) -> list[str]:
        """Return the names of the numbers that have a row each."""
        kinds = self.op.kinds().items()
        in_rows = [kind for field, kind in kinds if isinstance(kind, Slider) and not self._is_vector(field, kind)]
        return [name for kind in in_rows if kind.size for name in components_of(kind)]

    @staticmethod
    def _is_vector(field: str, kind: Slider) -> bool:
        """Return whether the numbers of a field are edited in one row."""
        return kind.size in (2, IN_A_ROW) and field != "hue"

    def _check_words(self) -> None:
        """Mark names that no object of the layer has, and IDs that no pixel has."""
        for editor in self.editors.values():
            if isinstance(editor, WordChips):
                editor.check()

    def _show_part(self) -> None:
        """Show the part only where there is one to choose."""
        if "part" in self.editors:
            self.editors["part"].setHidden(not getattr(self.op, "part", "") and len(self._files.parts) < 2)

    def _kind(self, field: str) -> Any:
        """Return the kind of a field; positions in pixels show the range of the display window."""
        kind: Kind = super()._kind(field)
        if isinstance(kind, Slider) and kind.unit == "px" and kind.size and max(self._frame):
            return replace(kind, visible=(0.0, float(max(self._frame))))
        return kind

    def _add_pick(self) -> None:
        name = type(self.op).__name__
        self.pick = QToolButton()
        self.pick.setObjectName("wide")
        self.pick.setText("Pick in the image")
        self.pick.setCheckable(True)
        self.pick.setChecked(self._picking)
        self.pick.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.pick.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pick.setToolTip(f"{PICK_TIPS[name]}. Esc ends it")
        self.pick.setAccessibleName(f"{self.op.title()}: pick in the image")
        self.pick.clicked.connect(self.pick_wanted)
        self._column.addWidget(self.pick)
