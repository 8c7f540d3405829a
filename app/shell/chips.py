"""The chips in the corner of the canvas: what makes the screen differ from the export, each with a button to end it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QMouseEvent, QRegion
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from app.canvas.stage import Stage
from app.model.viewer_chips import LUT, MISSING, PROXY, TRIAL, Chip, data_chip, missing_chip, viewer_chips
from app.services.view_options import ViewOptions
from app.widgets.style import icon
from engine.grade.renewal import missing_of

EDGE, GAP, HEIGHT = 12, 6, 26
"""Distance from the corner of the canvas, between chips, and height of a chip, in pixels."""
PROXY_MS = 400
"""How long frames stay below full resolution before a chip says so."""
ADD = "add_tried_lut"
"""The command that adds the LUT that is being tried to the grade."""
_PRESSES = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ChipFrame(QFrame):
    """One chip: its text, and its buttons."""

    ended = Signal()
    added = Signal()

    def __init__(self, chip: Chip, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.chip, self._actions = chip, actions
        self.setObjectName("chip")
        self.setFixedHeight(HEIGHT)
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)  # it contains file names
        self.add, self.end = QToolButton(), QToolButton()
        self.add.setText("Add")
        self.add.clicked.connect(self.added)
        self.end.clicked.connect(self.ended)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 3, 0)
        row.setSpacing(4)
        row.addWidget(self.label)
        for button in (self.add, self.end):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        if chip.name == LUT:
            self.end.setText("Esc")
            for button in (self.add, self.end):
                button.setObjectName("chipWord")
        else:
            self.add.hide()
            self.end.setIcon(icon("remove"))
            self.end.setIconSize(QSize(12, 12))
        if chip.name in (PROXY, MISSING):
            self.end.hide()  # they end by themselves
            row.setContentsMargins(8, 0, 8, 0)

    def show_chip(self, chip: Chip, widest: int) -> None:
        """Show another text of the same chip, elided to a width in pixels."""
        self.chip = chip
        self.setAccessibleName(chip.text)
        others = sum(b.sizeHint().width() + 4 for b in (self.add, self.end) if not b.isHidden()) + 20
        shown = self.fontMetrics().elidedText(chip.text, Qt.TextElideMode.ElideMiddle, widest - others)
        self.label.setText(shown)
        self.setToolTip(chip.tip)
        self._name(self.end, f"End: {chip.text}", "Esc" if chip.name == LUT else self._key(chip.command))
        self._name(self.add, "Add the LUT to the end of the grade", self._key(ADD))
        self.resize(self.sizeHint())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep a press beside the buttons from the image below."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys that a button leaves: Delete ends the state, Return presses the button."""
        if event.key() not in _PRESSES or event.modifiers():
            super().keyPressEvent(event)
        elif self.add.hasFocus() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.add.click()
        else:
            self.end.click()

    def _key(self, command: str) -> str:
        """Return the key of a command, or that which presses a button."""
        keys = self._actions[command].shortcuts() if command else []
        return keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else "Space"

    @staticmethod
    def _name(button: QToolButton, what: str, key: str) -> None:
        button.setAccessibleName(what)
        button.setToolTip(f"{what} ({key})")


class Chips(QWidget):
    """A row of chips over the image; it wraps. Covers no more of the canvas than the chips themselves."""

    def __init__(self, view: ViewOptions, stage: Stage, canvas: QWidget, actions: Mapping[str, QAction]) -> None:
        super().__init__(canvas)
        self._view, self._stage, self._canvas, self._actions = view, stage, canvas, actions
        self.setObjectName("chips")
        self.setAccessibleName("State of the viewer")
        self.frames: list[ChipFrame] = []
        self._is_proxy = False
        self._proxy = QTimer(self, singleShot=True, interval=PROXY_MS)
        self._proxy.timeout.connect(self._show_proxy)
        stage.shown.connect(self.follow_frame)
        canvas.installEventFilter(self)
        self.hide()

    def refresh(self) -> None:
        """Show the chips of what is displayed now."""
        chips = self._chips()
        if chips == [frame.chip for frame in self.frames]:
            return
        names = [chip.name for chip in chips]
        kept = {frame.chip.name: frame for frame in self.frames if frame.chip.name in names}
        focused = next((n for n, frame in enumerate(self.frames) if _has_focus(frame)), None)
        for frame in self.frames:
            if frame.chip.name not in kept:
                frame.hide()
                frame.deleteLater()
        self.frames = [kept.get(chip.name) or self._made(chip) for chip in chips]
        self._place(chips)
        if focused is not None and not any(_has_focus(frame) for frame in self.frames):
            self._focus_on(focused)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place([frame.chip for frame in self.frames])
        return False

    # -- inside

    def _chips(self) -> list[Chip]:
        stage = self._stage
        if stage.image is None:
            return []
        lines = list(dict.fromkeys(op.line for op in missing_of(stage.grade)))
        found = [missing_chip(lines)] if lines else []
        text = stage.data.text
        data = [data_chip(text, stage.data.views_as_image)] if text else []
        return found + data + viewer_chips(self._view.state, stage.tried, stage.sides, self._is_proxy, stage.trial)

    def _made(self, chip: Chip) -> ChipFrame:
        frame = ChipFrame(chip, self._actions)
        frame.setParent(self)
        frame.added.connect(self._stage.add_previewed_lut)
        frame.ended.connect(lambda: self._end(frame.chip))
        return frame

    def _end(self, chip: Chip) -> None:
        if chip.name == LUT:
            self._stage.end_lut_preview()
        elif chip.name == TRIAL:
            self._stage.end_trial()
        elif chip.changes:
            self._view.set(**dict(chip.changes))

    def _place(self, chips: list[Chip]) -> None:
        """Place the chips in rows, from the upper left corner of the canvas."""
        widest = self._canvas.width() - 2 * EDGE
        x = y = right = 0
        mask = QRegion()
        for frame, chip in zip(self.frames, chips, strict=True):
            frame.show_chip(chip, widest)
            if x and x + frame.width() > widest:
                x, y = 0, y + HEIGHT + GAP
            frame.move(QPoint(x, y))
            frame.show()
            mask += frame.geometry()
            x += frame.width() + GAP
            right = max(right, x - GAP)
        self.setGeometry(EDGE, EDGE, right, y + HEIGHT)
        self.setMask(mask)
        if bool(chips) == self.isHidden():
            self.setVisible(bool(chips))
            self.raise_()

    def _focus_on(self, place: int) -> None:
        """Move the focus of a chip that is gone to the next one, or to the image."""
        left = [frame for frame in self.frames if not frame.end.isHidden()]
        target: QWidget = left[min(place, len(left) - 1)].end if left else self._canvas
        target.setFocus(Qt.FocusReason.TabFocusReason)

    def follow_frame(self) -> None:
        """Note whether the frame on the canvas is exact."""
        request = self._stage.shown_request
        if request is None or request.exact:
            self._proxy.stop()
            if self._is_proxy:
                self._is_proxy = False
                self.refresh()
        elif not self._is_proxy and not self._proxy.isActive():
            self._proxy.start()

    def _show_proxy(self) -> None:
        self._is_proxy = True
        self.refresh()


def _has_focus(frame: ChipFrame) -> bool:
    """Return whether a button of a chip has the keyboard focus."""
    focus = QApplication.focusWidget()
    return focus is not None and frame.isAncestorOf(focus)
