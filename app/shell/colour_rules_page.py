"""The page of the Preferences with the user's rules for the colour spaces of images that state none."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from app.services.colour_rules import RULES, Rule, remove_rule, rules_of
from app.services.settings import Settings
from app.widgets.showing import push_button

ROW = 20
"""Height of a row, in pixels."""
ABOUT = (
    "Images that state no colour space have that of the first rule that matches: names before folders, inner folders "
    "before outer ones. The bar above an image adds rules. Exports from the window follow them; the command line does "
    "not."
)


class ColourRulesPage(QWidget):
    """Lists the rules in the order in which they apply, and removes them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.list = QTreeWidget()
        self.list.setAccessibleName("Rules for colour spaces")
        self.list.setToolTip("The images of each rule and their colour space; Del removes a rule")
        self.list.setColumnCount(2)
        self.list.setHeaderLabels(["Images", "Colour space"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.currentItemChanged.connect(self._show_current)
        self.remove = push_button(
            "Remove", "Remove the rule (Del); images that it matches have an unknown colour space again", self._remove
        )
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove)
        self.note = QLabel(ABOUT)
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.list, 1)
        column.addWidget(self.remove, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.note)
        self._rules: tuple[Rule, ...] = ()
        settings.changed.connect(self._follow)
        self._fill()

    def _follow(self, setting: str) -> None:
        if setting == RULES:
            self._fill()

    def _fill(self) -> None:
        """List the rules; the row of the selected one stays selected."""
        row = max(self.list.currentIndex().row(), 0)
        self._rules = rules_of(self._settings)
        self.list.clear()
        for rule in self._rules:
            item = QTreeWidgetItem([rule.key, rule.space])
            item.setToolTip(0, f"Images {rule.where}" if rule.pattern else f"Images in {rule.folder} and its folders")
            item.setSizeHint(0, QSize(0, ROW))
            self.list.addTopLevelItem(item)
        self.list.setCurrentIndex(self.list.model().index(min(row, len(self._rules) - 1), 0))
        self._show_current()

    def _show_current(self) -> None:
        self.remove.setEnabled(self.list.currentIndex().isValid())

    def _remove(self) -> None:
        if self.list.currentIndex().isValid():
            remove_rule(self._settings, self._rules[self.list.currentIndex().row()])
