"""The bar above the image that asks for its colour space while that is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QImage, QKeySequence, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from app.panels.picker import add_choice, empty
from app.panels.space_menu import fill_inputs
from app.services.colour_manager import Colour
from app.services.colour_rules import Rule
from app.services.space_question import ASK, HEIGHT, SHOWN_AS, WIDTH, Choice, Question, SpaceQuestion
from app.widgets.style import icon

BAR_HEIGHT = 48
THUMBNAIL = QSize(WIDTH // 2, HEIGHT // 2)
"""Size of a thumbnail, in device-independent pixels."""
NAME_WIDTH, SPACE_WIDTH = 160, 170
"""Greatest widths of the image's name and of a choice's text, in pixels; longer ones are elided."""
TEXT_WIDTH = 260
"""Width that choices leave to the text; those without room are only in the menu."""
SPACING = 6


class ColourBar(QFrame):
    """A row between tabs and image: what is unknown, the likely spaces with thumbnails, and a menu of all spaces.

    Once a space is given, it offers to remember that for other images.
    """

    def __init__(
        self, question: SpaceQuestion, colour: Colour, actions: Mapping[str, QAction], canvas: QWidget
    ) -> None:
        """`canvas` gets the focus when the bar closes while it has the focus."""
        super().__init__()
        self.setObjectName("colourBar")
        self.setAccessibleName("Colour space of the image")
        self.setFixedHeight(BAR_HEIGHT)
        self._question, self._colour, self._actions, self._canvas = question, colour, actions, canvas
        self._shown = Question()
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.buttons: list[QToolButton] = []
        self._made: list[QToolButton] = []  # `buttons`, and others for longer questions
        self._choices = QWidget()  # holds the buttons, so that they come before the others for the keyboard
        choices = QHBoxLayout(self._choices)
        choices.setContentsMargins(0, 0, 0, 0)
        choices.setSpacing(SPACING)
        self.more = self._more_button()
        self.close_button = QToolButton()
        self.close_button.setIcon(icon("remove"))
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.close_button.clicked.connect(question.dismiss)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(10, 2, 4, 3)
        self._row.setSpacing(SPACING)
        self._row.addWidget(self.label, 1)
        self._row.addWidget(self._choices)
        self._row.addWidget(self.more)
        self._row.addWidget(self.close_button)
        question.changed.connect(self._show)
        colour.changed.connect(self._refill)
        actions["clean"].toggled.connect(self._show_or_hide)
        self.hide()
        self._show()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, BAR_HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        super().changeEvent(event)

    def _more_button(self) -> QToolButton:
        button = QToolButton()
        button.setObjectName("space")
        button.setText("More…")
        button.setToolTip("Choose another colour space of the config for this image")
        button.setAccessibleName("More colour spaces")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill_menu)
        button.setMenu(menu)
        return button

    def _fill_menu(self) -> None:
        self._colour.request_names()
        menu = self.more.menu()
        empty(menu)
        pairs = zip(self.buttons, self._shown.choices, strict=False)
        hidden = [choice for button, choice in pairs if button.isHidden()]
        for choice in hidden:
            add_choice(menu, choice.space, choice.reason, False, partial(self._question.use, choice.space))
        if hidden:
            menu.addSeparator()
        fill_inputs(self._colour.names, self._colour.setup.input, self._question.use, menu)

    def _refill(self) -> None:
        """Fill the open menu once the config has been read."""
        if self.more.menu().isVisible():
            self._fill_menu()

    def _show(self) -> None:
        """Show the current question."""
        question, before = self._question.current, self._shown
        self._shown = question
        if (question.state, question.choices, question.rules) != (before.state, before.choices, before.rules):
            self._make_buttons(question)
        asks = question.state == ASK
        self.more.setVisible(asks)
        name, tip = (
            ("Do not ask for this image", f"Do not ask for the colour space of this image; it stays {SHOWN_AS}")
            if asks
            else ("Do not remember", "Use the colour space for this image only")
        )
        self.close_button.setAccessibleName(name)
        self.close_button.setToolTip(tip)
        whole = " ".join(part for part in (question.line, question.detail) if part)
        self.label.setToolTip(whole)
        self.label.setAccessibleName(whole)
        self._show_or_hide()
        self._fit()

    def _show_or_hide(self) -> None:
        """Show the bar if it asks something and the clean view is off."""
        shown = bool(self._shown.state) and not self._actions["clean"].isChecked()
        if not shown and self.isAncestorOf(QApplication.focusWidget() or self._canvas):
            self._canvas.setFocus()
        self.setVisible(shown)

    def _make_buttons(self, question: Question) -> None:
        """Show the choices or rules of a question on the buttons; the focus stays."""
        focused = next((at for at, button in enumerate(self.buttons) if button.hasFocus()), -1)
        count = len(question.choices) or len(question.rules)
        while len(self._made) < count:
            self._add_button()
        self.buttons = self._made[:count]
        for button, choice in zip(self.buttons, question.choices, strict=False):
            self._show_choice(button, choice)
        named = next((rule for rule in question.rules if rule.pattern), None)
        for button, rule in zip(self.buttons, () if question.choices else question.rules, strict=False):
            self._show_rule(button, rule, rule is named)
        if focused >= 0:
            (self.buttons[min(focused, count - 1)] if self.buttons else self._canvas).setFocus()
        for at, button in enumerate(self._made):
            button.setVisible(at < count)

    def _add_button(self) -> None:
        at, row = len(self._made), self._choices.layout()
        assert row is not None
        button = QToolButton()
        button.setObjectName("space")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setIconSize(THUMBNAIL)
        button.clicked.connect(lambda: self._press(at))
        row.addWidget(button)
        self._made.append(button)
        for one, other in pairwise([self._canvas, *self._made, self.more, self.close_button]):
            QWidget.setTabOrder(one, other)

    def _press(self, at: int) -> None:
        if self._shown.choices:
            self._question.choose(at)
        else:
            self._question.remember(self._shown.rules[at])

    def _show_choice(self, button: QToolButton, choice: Choice) -> None:
        at = self._made.index(button)
        self._show_text(button, choice.space, f"Use {choice.space} for this image: {choice.reason}", f"space_{at + 1}")
        if choice.thumbnail is not None:
            button.setIcon(QIcon(_pixmap(choice.thumbnail)))
            button.setText(f" {button.text()}")  # the style leaves no gap after an icon of this size
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _show_rule(self, button: QToolButton, rule: Rule, has_key: bool) -> None:
        where = f"in {rule.folder} and the folders in it" if rule.folder else rule.where
        tip = f"Use {rule.space} for images {where}, if they state no colour space, from now on"
        command = "space_folder" if rule.folder else "space_name" if has_key else ""
        self._show_text(button, rule.pattern or rule.where, tip, command)

    def _show_text(self, button: QToolButton, text: str, tip: str, command: str) -> None:
        """Show the text of a button without an icon, for a command with a key, or for none."""
        keys = self._actions[command].shortcuts() if command else []
        shown = f" ({keys[0].toString(QKeySequence.SequenceFormat.NativeText)})" if keys else ""
        button.setIcon(QIcon())
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setText(self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, SPACE_WIDTH))
        button.setToolTip(f"{tip}{shown}")
        button.setAccessibleName(text)

    def _fit(self) -> None:
        """Hide the last choices if there is no room for them, and shorten the text to two lines."""
        margins = self._row.contentsMargins()
        others = [self.close_button, *([self.more] if self._shown.state == ASK else [])]
        room = self.width() - margins.left() - margins.right()
        room -= sum(each.sizeHint().width() + SPACING for each in others)
        used = 0
        for button in self.buttons:
            used += button.sizeHint().width() + SPACING
            button.setVisible(used <= room - TEXT_WIDTH)
            used = used if used <= room - TEXT_WIDTH else room  # none after the first that has no room
        kept = sum(b.sizeHint().width() + SPACING for b in self.buttons if not b.isHidden())
        self._choices.setVisible(kept > 0)
        self.label.setText(self._text(max(room - kept, 0)))

    def _text(self, width: int) -> str:
        """Return the longest form of the question that fits into two lines of this width."""
        metrics, question = self.label.fontMetrics(), self._shown
        name = question.name
        elided = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, NAME_WIDTH)
        unknown = [f"Colour space unknown, {SHOWN_AS}", "Colour space unknown", ""] if question.state == ASK else [""]
        for text in (question.line, question.line.replace(name, elided, 1), *unknown):
            needed = metrics.boundingRect(QRect(0, 0, width, 1000), Qt.TextFlag.TextWordWrap, text)
            if needed.height() <= 2 * metrics.lineSpacing() + 1 and needed.width() <= width:
                return text
        return ""


def _pixmap(thumbnail: NDArray[np.uint8]) -> QPixmap:
    """Return a thumbnail in the middle of a pixmap of the full size."""
    height, width = thumbnail.shape[:2]
    image = QImage(thumbnail.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    pixmap = QPixmap(WIDTH, HEIGHT)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.drawImage((WIDTH - width) // 2, (HEIGHT - height) // 2, image)
    return pixmap
