"""The Timeline panel: the frames of a sequence and the playback controls."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from app.panels.cards import icon_button
from app.services.player import RATES, Player
from app.widgets.elided import ElidedLabel
from app.widgets.style import icon
from app.widgets.timeline import Timeline

BUTTONS = ("first_frame", "previous_frame", "play", "next_frame", "last_frame")
MARKS = ("mark_in", "mark_out")


class TimelinePanel(QWidget):
    """Playback buttons, frame rate and achieved rate; below them the frames."""

    def __init__(self, player: Player, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("timelinePanel")
        self._player, self._actions = player, actions
        self.timeline = Timeline()
        self.timeline.sought.connect(self._player.go)
        self.timeline.stepped.connect(self._player.step)
        self.buttons = {name: self._button(name) for name in (*BUTTONS, *MARKS)}
        self.loop = icon_button("loop", "Restart playback at the end", "Loop")
        self.loop.setCheckable(True)
        self.loop.setChecked(self._player.loops)
        self.loop.toggled.connect(self._player.set_loops)
        self.rate = QComboBox()
        self.rate.setAccessibleName("Rate in frames per second")
        self.rate.setToolTip("Frames per second; frames that can't be shown in time are dropped and counted")
        for rate in RATES:
            self.rate.addItem(f"{rate:g} fps", rate)
        self.rate.setCurrentIndex(max(0, self.rate.findData(self._player.rate)))
        self.rate.currentIndexChanged.connect(lambda at: self._player.set_rate(self.rate.itemData(at)))
        self.name = ElidedLabel("")
        self.name.setMinimumWidth(80)
        self.kept = QLabel("")
        self.kept.setObjectName("note")
        self.kept.setToolTip("The achieved frame rate, and the frames dropped since playback started")
        self._lay_out()
        self._player.changed.connect(self._show)
        self._player.moved.connect(self.timeline.show_at)
        self._player.rate_changed.connect(self.kept.setText)
        self.timeline.show_at(self._player.frame)
        self._show()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(2)
        for name in BUTTONS:
            row.addWidget(self.buttons[name])
        row.addSpacing(8)
        for name in MARKS:
            row.addWidget(self.buttons[name])
        row.addWidget(self.loop)
        row.addSpacing(8)
        row.addWidget(self.rate)
        row.addSpacing(8)
        row.addWidget(self.kept)
        row.addStretch(1)
        row.addWidget(self.name, 2, Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.timeline)
        column.addStretch(1)

    def _button(self, name: str) -> QToolButton:
        """Return a button for a command, with its tooltip and keys."""
        button = QToolButton()
        button.setDefaultAction(self._actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(16, 16))
        button.setAccessibleName(self._actions[name].text().replace("&", ""))
        return button

    def _show(self) -> None:
        clip = self._player.clip
        self._actions["play"].setIcon(icon("pause" if self._player.playing else "play"))
        for widget in (self.loop, self.rate):
            widget.setEnabled(clip is not None)
        if clip is None:
            self.name.show_text("")
            self.timeline.show_frames([], 0, 0, frozenset(), frozenset())
            return
        self.name.show_text(clip.pattern.name)
        self.name.setToolTip(f"{clip.pattern.text}: {len(clip.frames)} frames")
        self.timeline.show_frames(clip.frames, clip.first, clip.last, frozenset(clip.decoded), frozenset(clip.bad))
