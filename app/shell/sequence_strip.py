"""Shows and hides the Timeline panel with the sequences that are open, unless the user has chosen otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction

from app.services.player import Player
from app.services.settings import Settings
from app.shell.docks import Docks

PANEL = "timeline"
SHOWN = "timeline_shown"
"""The setting that says when the panel is shown: AUTO, ALWAYS or NEVER."""
AUTO, ALWAYS, NEVER = "with sequences", "always", "never"


class SequenceStrip(QObject):
    """Shows the Timeline panel while an image of a sequence is open.

    Hiding it while a sequence is open hides it for all sequences, until it is shown again; showing it while none is
    open shows it always, until it is hidden.
    """

    def __init__(self, docks: Docks, player: Player, settings: Settings, clean: QAction, parent: QObject) -> None:
        """`clean` is checked while all panels are hidden."""
        super().__init__(parent)
        self._docks, self._player, self._settings, self._clean = docks, player, settings, clean
        self._dock = docks.docks[PANEL]
        self._dock.setFloating(False)  # a layout of an earlier version may have it so
        docks.actions[f"panel_{PANEL}"].triggered.connect(self._choose)
        self._dock.toggleViewAction().triggered.connect(self._choose)
        player.sequence_open.connect(self._follow)
        clean.toggled.connect(self._follow, Qt.ConnectionType.QueuedConnection)  # once the layout is restored
        self._follow()

    def reset(self) -> None:
        """Show the panel with sequences, as by default."""
        self._settings.set(SHOWN, AUTO)
        self._follow()

    def _choose(self) -> None:
        """Remember that the user has shown or hidden the panel."""
        shown, usual = not self._dock.isHidden(), self._player.has_sequence
        self._settings.set(SHOWN, AUTO if shown == usual else ALWAYS if shown else NEVER)

    def _follow(self, _: object = None) -> None:
        if self._clean.isChecked():
            return
        chosen = self._settings.get(SHOWN, AUTO)
        shown = chosen == ALWAYS or (chosen != NEVER and self._player.has_sequence)
        if shown == self._dock.isHidden():
            self._dock.setVisible(shown)
