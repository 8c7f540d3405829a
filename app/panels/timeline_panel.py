"""The Timeline panel: a strip with the frames of a sequence and the playback controls."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from app.model.achieved_rate import RATES
from app.panels.curve_editor import CurveEditor
from app.services.keyframes import Keyframes
from app.services.player import Player
from app.widgets.elided import ElidedLabel
from app.widgets.frame_field import FrameField
from app.widgets.small_buttons import action_button, icon_button
from app.widgets.strip import Strip
from app.widgets.style import icon
from app.widgets.timeline import Timeline

CLOSE = 1e-4
"""Rates that differ by less than this share are the same: 23.976 stands for 24000/1001."""
BUTTONS = ("first_frame", "previous_frame", "play", "next_frame", "last_frame")
CURVES = "curve_editor"
"""The command that shows the curve editor."""
EDITOR_HEIGHT = 200
HIDE = "panel_timeline"
"""The command that hides the panel."""


class TimelinePanel(Strip):
    """One row of controls: playback, frame and timecode, in and out, rate and drops; below it the scrub track."""

    def __init__(self, player: Player, keyframes: Keyframes, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self.setObjectName("timelinePanel")
        self._player, self._keyframes, self._actions = player, keyframes, actions
        self.timeline = Timeline()
        self.timeline.sought.connect(player.go)
        self.timeline.stepped.connect(player.step)
        self.timeline.marked.connect(self._mark)
        self.buttons = {name: self._button(name) for name in (*BUTTONS, "mark_in", "mark_out")}
        self.frame = self._field("Frame", "The current frame.", player.go)
        self.first = self._field("In point", "The first frame that is played and exported (I).", self._set_in)
        self.last = self._field("Out point", "The last frame that is played and exported (O).", self._set_out)
        self.loop = icon_button("loop", "Restart playback at the end", "Loop")
        self.loop.setCheckable(True)
        self.loop.setChecked(player.loops)
        self.loop.toggled.connect(player.set_loops)
        self.rate = self._rate_box()
        self._add_labels()
        self.hide_button = icon_button("remove", "Hide the timeline (Ctrl+T)", "Hide the timeline")
        self.hide_button.clicked.connect(lambda: actions[HIDE].trigger())
        self.curves_button = action_button(actions[CURVES])
        self.editor: CurveEditor | None = None  # made when it is first shown
        self._lay_out()
        actions[CURVES].toggled.connect(self.show_editor)
        player.changed.connect(self._show)
        player.moved.connect(self._show_frame)
        player.rate_changed.connect(self._show_rate)
        for signal in (keyframes.current.grade_changed, keyframes.current.selected_changed):
            signal.connect(self._show_keys)
        self._show()
        self._show_keys()

    def _add_labels(self) -> None:
        self.timecode = QLabel()
        self.timecode.setObjectName("numbers")
        self.timecode.setAccessibleName("Timecode")
        self.timecode.setToolTip(
            "Timecode of the frame, hours:minutes:seconds:frames: from the file if it has one, else counted from frame "
            "0 at the playback rate. A semicolon stands for drop-frame timecode."
        )
        self.achieved = QLabel()
        self.achieved.setObjectName("note")
        self.achieved.setToolTip("The frame rate that playback achieves, in frames per second")
        self.dropped = QLabel()
        self.dropped.setObjectName("drops")
        self.dropped.setToolTip("Frames that could not be shown in time since playback started")
        self.name = ElidedLabel("")

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(1)
        for name in BUTTONS:
            row.addWidget(self.buttons[name])
        for group in (
            (self.frame, self.timecode),
            (self.buttons["mark_in"], self.first, self.last, self.buttons["mark_out"]),
            (self.loop, self.rate),
            (self.achieved,),
            (self.dropped,),
        ):
            row.addSpacing(5)
            for widget in group:
                row.addWidget(widget)
        row.addSpacing(5)
        row.addWidget(self.name, 1)
        self.name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row.addSpacing(5)
        row.addWidget(self.curves_button)
        row.addWidget(self.hide_button)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(6, 2, 4, 3)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self.timeline)

    def _button(self, name: str) -> QToolButton:
        """Return a button for a command, with its tooltip and keys."""
        button = QToolButton()
        button.setDefaultAction(self._actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(14, 14))
        button.setFixedSize(20, 22)
        button.setAccessibleName(self._actions[name].text().replace("&", ""))
        return button

    def _field(self, name: str, tip: str, edited: object) -> FrameField:
        field = FrameField(name, tip)
        field.edited.connect(edited)
        field.done.connect(self.timeline.setFocus)
        return field

    def _rate_box(self) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName("Rate in frames per second")
        box.setToolTip(
            "Playback rate in frames per second: of this movie, or of all sequences of files. Frames that can't be "
            "shown in time are dropped and counted"
        )
        for rate in RATES:
            box.addItem(f"{rate:g} fps", rate)
        box.activated.connect(lambda at: self._player.set_rate(box.itemData(at)))
        return box

    def _choose_rate(self) -> None:
        """Show the rate of playback; that of a movie is added if it is not one of those offered."""
        box, rate = self.rate, self._player.rate
        near = [at for at in range(box.count()) if abs(box.itemData(at) - rate) < CLOSE * rate]
        if not near:
            box.addItem(f"{rate:.5g} fps", rate)
        box.setCurrentIndex(near[0] if near else box.count() - 1)

    def _mark(self, first: int, last: int) -> None:
        self._player.set_in(first)
        self._player.set_out(last)

    def _set_in(self, frame: int) -> None:
        if (clip := self._player.clip) is not None:
            self._player.set_in(min(max(frame, clip.frames[0]), clip.frames[-1]))

    def _set_out(self, frame: int) -> None:
        if (clip := self._player.clip) is not None:
            self._player.set_out(min(max(frame, clip.frames[0]), clip.frames[-1]))

    def _show(self) -> None:
        """Show the sequence, its in and out points, and the state of its frames."""
        player, clip = self._player, self._player.clip
        self._actions["play"].setIcon(icon("pause" if player.playing else "play"))
        for widget in (self.loop, self.rate):
            widget.setEnabled(clip is not None)
        self.first.show_frame(clip.first if clip else 0, clip is not None)
        self.last.show_frame(clip.last if clip else 0, clip is not None)
        self._choose_rate()
        self._show_frame(player.frame)
        if player.playing and not player.dropped:
            self.dropped.clear()
        if player.prerolls:
            self.achieved.setText("Pre-roll")
        if clip is None:
            self.name.show_text("")
            self.timeline.show_frames([], 0, 0, frozenset(), frozenset())
            return
        missing = clip.frames[-1] - clip.frames[0] + 1 - len(clip.frames)
        self.name.show_text(clip.pattern.name)
        self.name.setToolTip(f"{clip.pattern.text}: {len(clip.frames)} frames, {missing} missing between them")
        self.timeline.show_frames(clip.frames, clip.first, clip.last, frozenset(clip.decoded), frozenset(clip.bad))

    def show_editor(self, shown: bool) -> None:
        """Show the curve editor above the strip, or hide it."""
        if shown and self.editor is None:
            self.editor = CurveEditor(self._keyframes)
            self._column.insertWidget(0, self.editor, 1)
        if self.editor is not None and shown == self.editor.isHidden():
            self.editor.setVisible(shown)
        self.stretched.emit(EDITOR_HEIGHT if shown else 0)
        if shown and self.editor is not None:
            self.editor.plot.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_keys(self, _grade: object = None) -> None:
        """Show the frames that have keys."""
        self.timeline.show_keys(*self._keyframes.frames)

    def _show_frame(self, frame: int) -> None:
        """Show the frame that the timeline points at."""
        clip = self._player.clip
        self.timeline.show_at(frame)
        self.frame.show_frame(frame, clip is not None)
        self.timecode.setText(clip.timecode(frame, self._player.rate) if clip is not None else "--:--:--:--")

    def _show_rate(self, rate: float) -> None:
        """Show the rate that playback achieves; the number of dropped frames stays when it stops."""
        self.achieved.setText(f"{rate:.1f} fps" if rate else "")
        self.dropped.setText(f"{self._player.dropped} dropped" if self._player.dropped else "")
