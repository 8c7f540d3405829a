"""A field of words, each a chip that can be removed, with a search over the words that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice

from PySide6.QtCore import QEvent, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QFrame, QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from app.widgets.fields import FieldEditor
from app.widgets.flow_layout import FlowLayout
from app.widgets.style import icon

MOST_CHIPS = 60
"""The most chips that are shown; a line counts the rest."""
MOST_MATCHES = 200
"""The most words that the search lists."""
SEARCH_MS = 60
"""How long the text must rest before it is searched, so that a long list never delays typing."""
LONGEST = 24
"""The most characters of a word in a chip."""


class WordSearch:
    """Finds words; each list of words is folded to lower case once."""

    def __init__(self) -> None:
        self._words: Sequence[str] = ()
        self._small: list[str] = []

    def matches(self, words: Sequence[str], text: str, most: int = MOST_MATCHES) -> list[str]:
        """Return the first words that contain each part of a text, in any case; those that begin with it come first."""
        if words is not self._words:
            self._words, self._small = words, [word.lower() for word in words]
        first, *others = text.lower().split() or [""]
        found: list[str] = []
        for begins in (True, False):
            some = (
                word
                for small, word in zip(self._small, words, strict=True)
                if first in small and small.startswith(first) is begins and all(part in small for part in others)
            )
            found += islice(some, most - len(found))
        return found


class Chip(QFrame):
    """A word with a button that removes it."""

    removed = Signal()

    def __init__(self, word: str) -> None:
        super().__init__()
        self.setObjectName("wordChip")
        self.word = word
        shown = word if len(word) <= LONGEST else f"{word[: LONGEST // 2]}…{word[1 - LONGEST // 2 :]}"
        self.label = QLabel(shown)
        self.label.setToolTip(word)
        self.button = QToolButton()
        self.button.setIcon(icon("remove"))
        self.button.setFixedSize(16, 16)
        self.button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.button.setToolTip(f"Remove {word} (Delete)")
        self.button.setAccessibleName(f"Remove {word}")
        self.button.clicked.connect(self.removed)
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 0, 1, 0)
        row.setSpacing(2)
        row.addWidget(self.label)
        row.addWidget(self.button)

    def show_problem(self, why: str) -> None:
        """Mark the word as one that means nothing, and say why; '' ends that."""
        self.label.setToolTip(f"{self.word}\n{why}".rstrip())
        self.setAccessibleDescription(why)
        for widget in (self, self.label):
            _mark(widget, bool(why))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and not event.modifiers():
            self.removed.emit()
        else:
            super().keyPressEvent(event)


class WordField(QLineEdit):
    """The field that words are typed into. Backspace in the empty field removes the last chip."""

    emptied = Signal()

    def event(self, event: QEvent) -> bool:
        """Keep Escape from commands while there is text to clear."""
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent)
        if asked and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Backspace and not self.text():
            self.emptied.emit()
        else:
            super().keyPressEvent(event)


class WordChips(FieldEditor):
    """Edits a tuple of words. `known` returns the words that the search finds; others can be typed, too.

    `meant` returns what is added for a word that was found, and `doubts` why some words mean nothing: they are marked.
    """

    invalid = ""
    """Why a typed text that means no word is refused."""

    def __init__(
        self,
        label: str,
        name: str,
        tip: str,
        known: Callable[[], Sequence[str]],
        meant: Callable[[str], str] = str,
        doubts: Callable[[Sequence[str]], Mapping[str, str]] = lambda words: {},
    ) -> None:
        super().__init__()
        self._words: tuple[str, ...] = ()
        self._known, self._doubts, self._finder = known, doubts, WordSearch()
        self.chips: list[Chip] = []
        self.field = WordField()
        self.field.setAccessibleName(name)
        self.field.setPlaceholderText("Type or search")
        self._tip = f"{tip}\nReturn adds what is typed; Backspace in the empty field removes the last one."
        self.field.setToolTip(self._tip)
        self._resting = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._resting.timeout.connect(self._search)
        self._model = QStringListModel(self)
        self._completer = QCompleter(self._model, self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(12)
        self._completer.activated.connect(lambda word: self._add(meant(word)))
        self.field.setCompleter(self._completer)
        self.field.textEdited.connect(self._search_soon)
        self.field.returnPressed.connect(self._enter)
        self.field.editingFinished.connect(self._leave)
        self.field.emptied.connect(lambda: self._remove(len(self._words) - 1))
        self.caption = QLabel(label)
        self.caption.setToolTip(tip)
        self.caption.setBuddy(self.field)
        self.count = QLabel()
        self.count.setObjectName("note")
        self.count.hide()
        self._box = QWidget()
        self._flow = FlowLayout(self._box, filling=110)
        self._flow.addWidget(self.field)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        for widget in (self.caption, self._box, self.count):
            column.addWidget(widget)

    @property
    def words(self) -> tuple[str, ...]:
        return self._words

    def set_value(self, value: tuple[str, ...]) -> None:
        words = tuple(map(str, value))
        shown = words[:MOST_CHIPS]
        if shown != tuple(chip.word for chip in self.chips):
            self._show_chips(shown)
        self._words = words
        self.count.setText(f"and {len(words) - len(shown)} more")
        self.count.setVisible(len(words) > len(shown))
        self.check()

    def check(self) -> None:
        """Mark the words that mean nothing: call it when that may have changed."""
        why = self._doubts([chip.word for chip in self.chips])
        for chip in self.chips:
            chip.show_problem(why.get(chip.word, ""))

    def first_control(self) -> QWidget:
        return self.field

    def _show_chips(self, words: tuple[str, ...]) -> None:
        focused = next((at for at, chip in enumerate(self.chips) if chip.button.hasFocus()), -1)
        for chip in self.chips:
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = []
        for at, word in enumerate(words):
            chip = Chip(word)
            chip.removed.connect(partial(self._remove, at))
            self._flow.insert(at, chip)
            chip.show()
            self.chips.append(chip)
        if focused >= 0:
            (self.chips[min(focused, len(words) - 1)].button if words else self.field).setFocus()
        self._box.updateGeometry()

    def _search_soon(self, text: str) -> None:
        """Search once the text has rested; end the list of an empty one at once."""
        self._show_refusal("")
        self._resting.start()
        if not text.strip():
            self._resting.stop()
            self._model.setStringList([])

    def _search(self) -> None:
        self._model.setStringList(self._finder.matches(self._known(), self.field.text()))
        self._completer.complete()

    def _show_refusal(self, why: str) -> None:
        """Mark the typed text as one that means no word, and say why; '' ends that."""
        self.field.setToolTip(why or self._tip)
        _mark(self.field, bool(why))

    def _enter(self) -> None:
        popup = self._completer.popup()
        if popup is None or not popup.isVisible() or not popup.currentIndex().isValid():
            self._add(self.field.text())

    def _leave(self) -> None:
        """Add what was typed when the focus goes elsewhere, but for the list of words that were found."""
        popup = self._completer.popup()
        if self.field.text().strip() and (popup is None or not popup.isVisible()):
            self._add(self.field.text())

    def _add(self, text: str) -> None:
        self._resting.stop()
        word = self._read(text.strip())
        if word and word not in self._words:
            self._announce((*self._words, word))
        if word or not text.strip():
            self.field.clear()
            self._model.setStringList([])  # what was found does not belong to the next word
            QTimer.singleShot(0, self.field, self.field.clear)  # the completer writes its word after this signal
        else:
            self._show_refusal(f"{text.strip()}: {self.invalid}")

    def _read(self, text: str) -> str:
        """Return the word that a typed text means; '' if it means none."""
        return text

    def _remove(self, at: int) -> None:
        if 0 <= at < len(self._words):
            self._announce((*self._words[:at], *self._words[at + 1 :]))

    def _announce(self, words: tuple[str, ...]) -> None:
        self.set_value(words)
        self.edited.emit(words)


class NumberChips(WordChips):
    """Edits a tuple of whole numbers from 0 to 2**32 - 1, such as IDs; typed as decimals, or as 0x and hexadecimals."""

    invalid = "type a whole number from 0 to 4294967295, decimal, or hexadecimal with 0x"

    def __init__(
        self,
        label: str,
        name: str,
        tip: str,
        doubts: Callable[[Sequence[str]], Mapping[str, str]] = lambda words: {},
    ) -> None:
        super().__init__(label, name, tip, lambda: (), doubts=doubts)
        self.field.setPlaceholderText("Type a number")

    def set_value(self, value: tuple[int | str, ...]) -> None:
        super().set_value(tuple(map(str, value)))

    def _read(self, text: str) -> str:
        try:
            number = int(text, 0)
        except ValueError:
            return ""
        return str(number) if 0 <= number < 1 << 32 else ""

    def _announce(self, words: tuple[str, ...]) -> None:
        self.set_value(words)
        self.edited.emit(tuple(int(word) for word in words))


def _mark(widget: QWidget, failed: bool) -> None:
    """Show a widget in the colour of warnings, or as usual."""
    if bool(widget.property("failed")) != failed:
        widget.setProperty("failed", failed)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
