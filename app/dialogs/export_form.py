"""A form of export options, built from the table of options."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.model.movie_options import MOVIES
from app.model.option import Option
from app.model.option_table import PAGES
from app.model.sequence_options import SEQUENCES
from app.services.export_options import FIELDS, YES
from app.widgets.choice_box import ChoiceBox
from app.widgets.default_line import DefaultLine
from app.widgets.fold import Fold
from app.widgets.gradual import Gradual
from engine.core.records import dataclass

SPACING = 5
NO_BUTTONS: Mapping[str, Callable[[], QWidget]] = MappingProxyType({})
OF_SEQUENCES = frozenset(option.name for option in SEQUENCES.options)
"""The options that only sequences have."""
OF_MOVIES = frozenset(option.name for option in MOVIES.options)
"""The options that only movies have."""
NOT_OF_MOVIES = frozenset(
    ("type", "compression", "storage", "only-graded", "matte-channel", "salvage", "encoder", "watch")
)
"""The options that movies do not have."""


@dataclass(frozen=True)
class Kind:
    """The kind of an export: of a sequence or of one image, to a movie or to images."""

    sequence: bool = True
    movie: bool = False

    def has(self, name: str) -> bool:
        """Return whether the option of this name applies."""
        if not self.sequence and name in OF_SEQUENCES:
            return False
        return name not in (NOT_OF_MOVIES if self.movie else OF_MOVIES)


class ExportForm(QWidget):
    """A group for each page of options, filled when it is first unfolded. `values` holds the options that are not at
    their defaults."""

    edited = Signal()
    unfolded = Signal()  # a group was unfolded or folded

    def __init__(
        self,
        known: Mapping[str, Callable[[], Sequence[str]]],
        shown: Collection[str],
        parent: QWidget,
        beside: Mapping[str, Callable[[], QWidget]] = NO_BUTTONS,
    ) -> None:
        """`known` returns the suggestions for an option, by the list that it names; `shown` are the unfolded groups.
        `beside` makes the button beside the field of an option.

        A form that is created inside its `parent` is styled once, which is most of the time that it takes.
        """
        super().__init__(parent)
        self.setAccessibleName("Export options")
        self._known, self._beside = known, beside
        self._values: dict[str, str] = {}
        self._editors: dict[str, QWidget] = {}
        self._rows: dict[str, tuple[QFormLayout, QWidget]] = {}
        self._kind = Kind()
        self.groups = {name: Fold(name, self) for name in PAGES}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for name, group in self.groups.items():
            group.set_open(name in shown)
            group.toggled.connect(partial(self._fold, group))
            column.addWidget(group)
        self._filling = Gradual(self._fill_next, self)
        self._filling.start()

    @property
    def values(self) -> dict[str, str]:
        return dict(self._values)

    @property
    def editors(self) -> dict[str, QWidget]:
        """The editors of the groups that were ever unfolded, by the name of the option. Those of groups that are
        unfolded from the start are created in later turns of the event loop, or now."""
        self._filling.finish()
        return self._editors

    @property
    def unfolded_groups(self) -> list[str]:
        """The names of the groups that are unfolded."""
        return [name for name, group in self.groups.items() if group.is_open]

    def set_values(self, values: Mapping[str, str]) -> None:
        """Show these values; reset all other options to their defaults."""
        blocked = self.blockSignals(True)
        for option in FIELDS:
            value = values.get(option.name, "")
            self._keep(option, value if not option.choices or value in option.labelled else "")
            self._show(option)
        self.blockSignals(blocked)
        self._describe()
        self.edited.emit()

    def show_for(self, kind: Kind) -> None:
        """Show the options that a kind of export has, and hide the others."""
        self._kind = kind
        for name, group in self.groups.items():
            group.setVisible(any(kind.has(option.name) for option in FIELDS if option.field.page == name))
        for name, (form, row) in self._rows.items():
            form.setRowVisible(row, kind.has(name))
        self._describe()

    def given(self, kind: Kind) -> dict[str, str]:
        """Return the values of the options that a kind of export has."""
        return {name: value for name, value in self._values.items() if kind.has(name)}

    def set_value(self, name: str, value: str) -> None:
        """Show another value of one option."""
        self.set_values({**self._values, name: value})

    def suggest(self, name: str) -> None:
        """Fill the suggestions for an option again."""
        editor = self._editors.get(name)
        if isinstance(editor, QComboBox):
            option = next(each for each in FIELDS if each.name == name)
            blocked = editor.blockSignals(True)
            editor.clear()
            editor.addItems([option.field.default, *self._known[option.field.known]()])
            editor.blockSignals(blocked)
            self._show(option)

    def _keep(self, option: Option, value: str) -> None:
        self._values.pop(option.name, None)
        if value:
            self._values[option.name] = value

    def _edit(self, option: Option, value: str) -> None:
        self._keep(option, value.strip())
        self._describe()
        self.edited.emit()

    def _show(self, option: Option) -> None:
        """Show the value of an option in its editor, if the editor exists."""
        editor, value = self._editors.get(option.name), self._values.get(option.name, "")
        if isinstance(editor, QCheckBox):
            editor.setChecked(value == YES)
        elif isinstance(editor, DefaultLine):
            editor.set_value(value)
        elif isinstance(editor, QComboBox) and editor.isEditable():
            editor.setEditText(value or option.field.default)
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex([*option.labelled].index(value))

    def _describe(self) -> None:
        """Say beside the title of each folded group which of its options are not at their defaults."""
        for name, group in self.groups.items():
            given = self.given(self._kind)
            set_here = [option for option in FIELDS if option.field.page == name and option.name in given]
            group.set_note(", ".join(self._words(option) for option in set_here))

    def _words(self, option: Option) -> str:
        value, label = self._values[option.name], option.field.label
        return label if option.switch else f"{label}: {option.labelled[value] if option.choices else value}"

    # -- groups

    def _fold(self, group: Fold, shown: bool) -> None:
        if shown and group.content.layout() is None:
            self._fill(group)
        self.unfolded.emit()

    def _fill_next(self) -> bool:
        """Create the editors of the next unfolded group; return False if all have theirs."""
        empty = [group for group in self.groups.values() if group.is_open and group.content.layout() is None]
        if empty:
            self._fill(empty[0])
        return len(empty) > 1

    def _fill(self, group: Fold) -> None:
        """Create the editors of a group."""
        form = QFormLayout(group.content)
        form.setContentsMargins(20, 4, 2, 8)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(SPACING)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        before: QWidget = group.title
        blocked = self.blockSignals(True)  # nothing is edited
        for option in FIELDS:
            if option.field.page == group.name:
                editor = self._editors[option.name] = self._editor(option)
                editor.setAccessibleName(option.field.label)
                editor.setToolTip(option.tooltip)
                row = _with_example(self._with_button(option, editor), option.field.example)
                self._rows[option.name] = form, row
                label = QLabel("" if option.switch else option.field.label)
                label.setBuddy(editor)
                form.addRow(label, row)
                QWidget.setTabOrder(before, editor)
                before = editor
                self._show(option)
        self.blockSignals(blocked)
        self.show_for(self._kind)

    def _with_button(self, option: Option, editor: QWidget) -> QWidget:
        """Return a widget with an editor and the button beside it; the editor itself if there is none."""
        make = self._beside.get(option.name)
        if make is None:
            return editor
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(editor, 1)
        row.addWidget(make())
        return both

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
        line = DefaultLine(field.default)
        if not field.known:
            line.textEdited.connect(lambda text: edit(line.value_of(text)))
            return line
        known = ChoiceBox((field.default, *self._known[field.known]()), field.label, option.tooltip)
        known.setLineEdit(line)
        known.setEditable(True)
        known.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        known.editTextChanged.connect(lambda text: edit(line.value_of(text)))
        return known


def _with_example(editor: QWidget, example: str) -> QWidget:
    """Return a widget with an editor and an example below it; the editor itself if there is none."""
    if not example:
        return editor
    note = QLabel(f"such as {example}")
    note.setObjectName("note")
    both = QWidget()
    column = QVBoxLayout(both)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(editor)
    column.addWidget(note)
    return both
