"""A form of export options, made from their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QLineEdit, QTabWidget, QWidget

from app.export_options import OPTIONS, YES, Option
from app.panels.fields import ChoiceBox


class ExportForm(QTabWidget):
    """A page for each group of options. `values` are those that are not at their defaults."""

    edited = Signal()

    def __init__(self, known: Mapping[str, Callable[[], Sequence[str]]]) -> None:
        """`known` gives the names that a text may have, for those options that name such a list."""
        super().__init__()
        self.setAccessibleName("Export options")
        self.setDocumentMode(True)
        self._known = known
        self.editors: dict[str, QWidget] = {}
        pages: dict[str, QFormLayout] = {}
        for option in OPTIONS:
            if option.page not in pages:
                pages[option.page] = self._page(option.page)
            editor = self.editors[option.name] = self._editor(option)
            editor.setAccessibleName(option.label)
            editor.setToolTip(f"{option.tip} (--{option.name})")
            pages[option.page].addRow("" if option.switch else option.label, editor)

    @property
    def values(self) -> dict[str, str]:
        found = {option.name: self._value(option) for option in OPTIONS}
        return {name: value for name, value in found.items() if value}

    def set_values(self, values: Mapping[str, str]) -> None:
        """Show these options, the others at their defaults."""
        blocked = self.blockSignals(True)
        for option in OPTIONS:
            editor, value = self.editors[option.name], values.get(option.name, "")
            if isinstance(editor, QCheckBox):
                editor.setChecked(value == YES)
            elif isinstance(editor, QLineEdit):
                editor.setText(value)
            elif isinstance(editor, QComboBox) and editor.isEditable():
                editor.setEditText(value)
            elif isinstance(editor, QComboBox):
                words = [word for word, _ in option.choices]
                editor.setCurrentIndex(words.index(value) if value in words else 0)
        self.blockSignals(blocked)
        self.edited.emit()

    def _value(self, option: Option) -> str:
        editor = self.editors[option.name]
        if isinstance(editor, QCheckBox):
            return YES if editor.isChecked() else ""
        if isinstance(editor, QLineEdit):
            return editor.text().strip()
        assert isinstance(editor, QComboBox)
        return editor.currentText().strip() if editor.isEditable() else option.choices[editor.currentIndex()][0]

    def _page(self, name: str) -> QFormLayout:
        page = QWidget()
        form = QFormLayout(page)
        form.setContentsMargins(12, 12, 12, 12)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.addTab(page, name)
        return form

    def _editor(self, option: Option) -> QWidget:
        if option.switch:
            box = QCheckBox(option.label)
            box.toggled.connect(lambda _: self.edited.emit())
            return box
        if option.choices:
            choice = ChoiceBox(tuple(label for _, label in option.choices), option.label, option.tip)
            choice.currentIndexChanged.connect(lambda _: self.edited.emit())
            return choice
        if option.known:
            known = ChoiceBox(("", *self._known[option.known]()), option.label, option.tip)
            known.setEditable(True)
            known.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            known.editTextChanged.connect(lambda _: self.edited.emit())
            line = known.lineEdit()
            assert line is not None
            line.setPlaceholderText(option.example)
            return known
        text = QLineEdit()
        text.setPlaceholderText(option.example)
        text.textEdited.connect(lambda _: self.edited.emit())
        return text
