"""A form of export options, built from the table of options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QTabWidget, QWidget

from app.model.option import Option
from app.services.export_options import FIELDS, YES
from app.widgets.fields import ChoiceBox

MARGIN, SPACING = 12, 8


class ExportForm(QTabWidget):
    """A tab for each group of options, filled when first shown. `values` holds the options that are not at their
    defaults."""

    edited = Signal()

    def __init__(self, known: Mapping[str, Callable[[], Sequence[str]]]) -> None:
        """Create the form; `known` returns the suggestions for an option, by the list that it names."""
        super().__init__()
        self.setAccessibleName("Export options")
        self.setDocumentMode(True)
        self._known = known
        self._values: dict[str, str] = {}
        self._editors: dict[str, QWidget] = {}
        rows = Counter(option.field.page for option in FIELDS)
        self._pages = {name: QWidget() for name in rows}
        for name, page in self._pages.items():
            self.addTab(page, name)
        self._fill(0)
        row = max(editor.sizeHint().height() for editor in self._editors.values()) + SPACING
        self._pages[self.tabText(0)].setMinimumHeight(
            max(rows.values()) * row - SPACING + 2 * MARGIN
        )  # as high as the longest
        self.currentChanged.connect(self._fill)

    @property
    def values(self) -> dict[str, str]:
        return dict(self._values)

    def set_values(self, values: Mapping[str, str]) -> None:
        """Show these values; reset all other options to their defaults."""
        blocked = self.blockSignals(True)
        for option in FIELDS:
            value = values.get(option.name, "")
            self._keep(option, value if not option.choices or value in option.labelled else "")
            self._show(option)
        self.blockSignals(blocked)
        self.edited.emit()

    def _keep(self, option: Option, value: str) -> None:
        self._values.pop(option.name, None)
        if value:
            self._values[option.name] = value

    def _edit(self, option: Option, value: str) -> None:
        self._keep(option, value.strip())
        self.edited.emit()

    def _show(self, option: Option) -> None:
        """Show the value of an option in its editor, if the editor exists."""
        editor, value = self._editors.get(option.name), self._values.get(option.name, "")
        if isinstance(editor, QCheckBox):
            editor.setChecked(value == YES)
        elif isinstance(editor, QLineEdit):
            editor.setText(value)
        elif isinstance(editor, QComboBox) and editor.isEditable():
            editor.setEditText(value)
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex([*option.labelled].index(value))

    def _fill(self, index: int) -> None:
        """Create the editors of a page if they do not exist yet."""
        page = self._pages[self.tabText(index)]
        if page.layout() is not None:
            return
        form = QFormLayout(page)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(SPACING)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for option in FIELDS:
            if option.field.page == self.tabText(index):
                editor = self._editors[option.name] = self._editor(option)
                editor.setAccessibleName(option.field.label)
                editor.setToolTip(option.tooltip)
                form.addRow("" if option.switch else option.field.label, editor)
                self._show(option)

    def _editor(self, option: Option) -> QWidget:
        edit, field = partial(self._edit, option), option.field
        if option.switch:
            box = QCheckBox(field.label)
            box.toggled.connect(lambda on: edit(YES if on else ""))
            return box
        if option.choices:
            words = [*option.labelled]
            choice = ChoiceBox(tuple(option.labelled.values()), field.label, option.tooltip)
            choice.currentIndexChanged.connect(lambda at: edit(words[at]))
            return choice
        if field.known:
            known = ChoiceBox(("", *self._known[field.known]()), field.label, option.tooltip)
            known.setEditable(True)
            known.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            known.editTextChanged.connect(edit)
            line = known.lineEdit()
            assert line is not None
            line.setPlaceholderText(field.example)
            return known
        text = QLineEdit()
        text.setPlaceholderText(field.example)
        text.textEdited.connect(edit)
        return text
