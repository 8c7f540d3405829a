"""The dialog of Export look: which kind of file, under which name, and whether a view is in it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.export_buttons import ExportButtons
from app.dialogs.showing import ask_target, push_button
from app.dialogs.tried_choice import TriedChoice
from app.model.file_kinds import EXPORTED_LOOKS
from app.panels.picker import Picker, add_choice
from app.services.export_targets import Targets, find_file
from app.shell.workspace import Workspace
from app.widgets.fields import ChoiceBox
from engine.grade.colour_settings import Viewing
from engine.luts.look_files import LOOK_FORMATS, ONE_CDL

NONE, WINDOW = "", "window"
"""Choices of a view beside those of a display: none at all, and that of the window, with its looks."""
UNKNOWN = (
    "Nobody knows the image's colour space: the look takes values as they are, and ends in no view. "
    "Say the input space in the Colour panel to have one."
)
CDL = "A CDL can't hold a view: it is one correction in the working space, seen through the view of the other program."
PLAIN = "The look is the grade alone: the other program shows it through a view of its own, as this window does."
VIEWED = (
    "The look ends in the values of a display: for programs and monitors that show them as they are. Behind another "
    "view the image would be seen through two. Exposure and gamma of the viewer stay out."
)


class LookDialog(QDialog):
    """Asks for all that a look file needs, and says what the choice of a view means; a thread writes."""

    def __init__(self, workspace: Workspace, target: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export look")
        self._workspace, self._colour = workspace, workspace.colour
        self._document = workspace.document
        self._view: str | tuple[str, str] = NONE
        self._colour.want_names()
        self.kind = ChoiceBox(tuple(EXPORTED_LOOKS), "Kind of file", "What is written; the name's suffix follows")
        self._folder = target.parent
        self.target = QLineEdit(str(target))
        self.target.setAccessibleName("Look file")
        self.target.setToolTip("The file to write; its suffix says the format")
        self.browse = push_button("Browse…", "Choose where to write the look", self._browse)
        self.view = Picker("View in the look", "Whether the look ends in the values of a display", self._fill_views)
        self.meaning = QLabel()
        self.meaning.setObjectName("note")
        self.meaning.setWordWrap(True)
        self.meaning.setMinimumHeight(4 * self.fontMetrics().lineSpacing())
        self.meaning.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.meaning.setAccessibleName("What the choices mean")
        self.tried = TriedChoice(workspace.stage)
        self.tried.currentIndexChanged.connect(self._edited)
        self.buttons = ExportButtons(workspace.jobs, "the look", self.reject, self._export)
        self.buttons.said.connect(self.meaning.setText)
        self.buttons.renamed.connect(lambda path: self._choose(str(path)))
        self.kind.currentTextChanged.connect(self._suit)
        self.target.textEdited.connect(self._follow)
        self._colour.changed.connect(self._show)
        self._lay_out()
        self._suit(self.kind.currentText())

    @property
    def viewing(self) -> Viewing | None:
        """The view that will be in the look; None for none."""
        if self._view == NONE or not self._can_have_view:
            return None
        if isinstance(self._view, tuple):
            return Viewing(*self._view)
        display, view = self._colour.shown
        return Viewing(display, view, self._workspace.view.looks)

    def done(self, result: int) -> None:
        """Close; what is being looked at on the disk does not matter any more."""
        self.buttons.withdraw()
        super().done(result)

    def choose_view(self, view: str | tuple[str, str]) -> None:
        """NONE, WINDOW, or a display and one of its views."""
        self._view = view
        self._edited()

    # -- inside

    @property
    def _suffix(self) -> str:
        return Path(self.target.text().strip()).suffix.lower()

    @property
    def _can_have_view(self) -> bool:
        return self._colour.managed.converts and self._suffix not in ONE_CDL

    def _suit(self, kind: str) -> None:
        """Give the name the suffix of the kind that was chosen."""
        suffix = kind.rpartition("*")[2].rstrip(")")
        name = self.target.text().strip()
        self.target.setText(str(Path(name).with_suffix(suffix)) if Path(name).name else name)
        self._edited()

    def _follow(self) -> None:
        """Show the kind that the name's suffix says."""
        ending = f"*{self._suffix})"
        if self._suffix in LOOK_FORMATS and not self.kind.currentText().endswith(ending):
            self.kind.setCurrentText(next(kind for kind in EXPORTED_LOOKS if kind.endswith(ending)))
        self._edited()

    def _edited(self, *_: object) -> None:
        """Something else: what was asked about the last does not count."""
        self.buttons.withdraw()
        self._show()

    def _show(self) -> None:
        """What the choices mean, unless a question is there."""
        managed, viewing = self._colour.managed, self.viewing
        self.view.setEnabled(self._can_have_view)
        self.view.show_choice(self._text(viewing))
        if self.buttons.asking:
            return
        if not managed.converts:
            words = UNKNOWN
        elif self._suffix in ONE_CDL:
            words = CDL
        elif viewing is None:
            words = f"From {managed.input} to {managed.output}. {PLAIN}"
        else:
            words = f"From {managed.input} to {viewing.display} / {viewing.view}. {VIEWED}"
        self.meaning.setText(words)

    def _text(self, viewing: Viewing | None) -> str:
        if viewing is None:
            return "None: the grade alone"
        whose = "The window's: " if self._view == WINDOW else ""
        return f"{whose}{viewing.view} on {viewing.display}"

    def _fill_views(self, menu: QMenu) -> None:
        """None, the window's, and every view of every display in a menu of its own."""
        add_choice(menu, "None: the grade alone", "", self._view == NONE, partial(self.choose_view, NONE))
        names = self._colour.names
        if names is None:
            menu.addAction("Reading the config…").setEnabled(False)
            return
        display, view = self._colour.shown
        tip = "With the looks of the window; its exposure and gamma stay out"
        text = f"The window's: {view} on {display}"
        add_choice(menu, text, tip, self._view == WINDOW, partial(self.choose_view, WINDOW))
        menu.addSeparator()
        for name, views in names.displays.items():
            inner = menu.addMenu(name.replace("&", "&&"))
            inner.setToolTipsVisible(True)
            for each in views:
                chosen = (name, each.name)
                choose = partial(self.choose_view, chosen)
                add_choice(inner, each.name, each.description, self._view == chosen, choose)

    @property
    def _path(self) -> Path:
        """The file to write: a bare name is one in the folder that was proposed."""
        return self._folder / Path(self.target.text().strip()).expanduser()

    def _export(self) -> None:
        if not self.target.text().strip():
            self.meaning.setText("Give the file a name.")
        elif self._suffix not in LOOK_FORMATS:
            words = f"is not the name of a look file; end it in {', '.join(LOOK_FORMATS)}."
            self.meaning.setText(f"{self._path.name} {words}")
        elif self.tried.question:
            self.meaning.setText(self.tried.question)
        else:
            self.buttons.look(partial(find_file, self._path), self._write)

    def _write(self, _targets: Targets, existing: str) -> None:
        """Have the look written, over a file that is there only if that was agreed to."""
        kind = self.kind.currentText()
        domain = EXPORTED_LOOKS[kind] if kind.endswith(f"*{self._suffix})") else None
        grade = self.tried.applied(self._document.grade)
        self._workspace.files.export_look(
            self._path, domain, self.viewing, self._document, grade, existing == "replace"
        )
        self.accept()

    def _browse(self) -> None:
        kind, suffix = self.kind.currentText(), self._suffix.removeprefix(".")
        ask_target(self, "Export look to", self.target.text(), kind, suffix, self._choose)

    def _choose(self, path: str) -> None:
        self.target.setText(path)
        self._follow()

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        for row, (text, editor) in enumerate((("&Kind", self.kind), ("&File", self.target), ("&View", self.view))):
            label = QLabel(text)
            label.setBuddy(editor)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1, 1, 1 if editor is self.target else 2)
        grid.addWidget(self.browse, 1, 2)
        grid.addWidget(self.tried.label, 3, 0)
        grid.addWidget(self.tried, 3, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(grid)
        column.addWidget(self.meaning, 1)
        column.addLayout(buttons)
        self.resize(620, self.sizeHint().height())
