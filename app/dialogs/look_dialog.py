"""The Export look dialog: choose the format, the file and whether to bake in a view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

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

from app.canvas.stage import Stage
from app.dialogs.export_buttons import ExportButtons
from app.dialogs.previewed_lut_choice import PreviewedLutChoice
from app.panels.picker import Picker, add_choice
from app.services.colour_manager import Colour
from app.services.export_targets import Targets, find_file
from app.services.jobs import Jobs
from app.widgets.choice_box import ChoiceBox
from app.widgets.frame_field import FrameField
from app.widgets.showing import ask_target, push_button
from engine import Grade
from engine.grade.colour_settings import Viewing
from engine.grade.keys import frames_with_keys
from engine.luts.baking import UNIT
from engine.luts.look_files import LOOK_FORMATS, ONE_CDL

EXPORTED_LOOKS: dict[str, tuple[float, float] | None] = {
    f"{name} (*{suffix})": None for suffix, name in LOOK_FORMATS.items()
}
EXPORTED_LOOKS |= {"3D LUT over 0 to 1, for programs without shapers (*.cube)": UNIT}
"""File dialog filters for the LUT and CDL formats that can be written, and their LUT domains; None for the default."""
NONE, WINDOW = "", "window"
"""Choices of a view besides the views of the displays: no view, and the window's view with its looks."""
UNKNOWN = (
    "The colour space of the image is unknown, so the look applies to its values as they are and includes no view. "
    "Set the input space in the Colour panel to include one."
)
CDL = "A CDL can't include a view: it is a correction in the working space. The other program applies its own view."
PLAIN = "The look contains only the grade. The other program applies its own view, as this window does."
VIEWED = (
    "The look outputs display values, for programs and monitors that show them without a view of their own; with one, "
    "the view would be applied twice. View exposure and view gamma are not included."
)


class WriteLook(Protocol):
    """Writes a look, on a thread."""

    def __call__(
        self,
        path: Path,
        domain: tuple[float, float] | None = None,
        viewing: Viewing | None = None,
        *,
        grade: Grade | None = None,
        force: bool = True,
    ) -> None:
        """Write a grade as `Files.export_look` does."""


class LookDialog(QDialog):
    """Asks for format, file and view of a look and explains the choice. A worker thread writes the file."""

    def __init__(
        self,
        grade: Callable[[], Grade],
        write: WriteLook,
        colour: Colour,
        stage: Stage,
        jobs: Jobs,
        target: Path,
        parent: QWidget | None = None,
        frame: int = 0,
    ) -> None:
        """`grade` returns the grade to write; the dialog proposes `target`, and `frame` for its keys."""
        super().__init__(parent)
        self.setWindowTitle("Export look")
        self._grade, self._write_look, self._colour = grade, write, colour
        self._view: str | tuple[str, str] = NONE
        self._colour.request_names()
        self.kind = ChoiceBox(tuple(EXPORTED_LOOKS), "Format", "The file format; changes the suffix of the name")
        self._folder = target.parent
        self.target = QLineEdit(str(target))
        self.target.setAccessibleName("Look file")
        self.target.setToolTip("The file to write; its suffix selects the format")
        self.browse = push_button("Browse…", "Choose where to write the look", self._browse)
        self.view = Picker(
            "View in the look", "The view to include; the look then outputs display values", self._fill_views
        )
        self.frame = FrameField("Frame of the keys", "The frame whose values the look has: a file holds one frame.")
        self.frame.show_frame(frame)
        self.frame.edited.connect(self._choose_frame)
        self.frame_label = QLabel("F&rame")
        self.frame_label.setBuddy(self.frame)
        self.meaning = QLabel()
        self.previewed_lut = PreviewedLutChoice(stage)
        self.previewed_lut.changed.connect(self._edited)
        self.buttons = ExportButtons(jobs, "the look", self.reject, self._export)
        self.buttons.said.connect(self.meaning.setText)
        self.buttons.renamed.connect(lambda path: self._choose(str(path)))
        self.kind.currentTextChanged.connect(self._suit)
        self.target.textEdited.connect(self._follow)
        self._colour.changed.connect(self._show)
        self._lay_out()
        self._suit(self.kind.currentText())

    @property
    def viewing(self) -> Viewing | None:
        """The view to include in the look; None for none."""
        if self._view == NONE or not self._can_have_view:
            return None
        if isinstance(self._view, tuple):
            return Viewing(*self._view)
        window = self._colour.viewing
        return Viewing(window.display, window.view, window.looks)

    def done(self, result: int) -> None:
        """Close the dialog and cancel the check for an existing file."""
        self.buttons.withdraw()
        super().done(result)

    def choose_view(self, view: str | tuple[str, str]) -> None:
        """Choose the view: NONE, WINDOW, or a display and one of its views."""
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
        """Change the suffix of the name to that of the chosen format."""
        suffix = kind.rpartition("*")[2].rstrip(")")
        name = self.target.text().strip()
        self.target.setText(str(Path(name).with_suffix(suffix)) if Path(name).name else name)
        self._edited()

    def _follow(self) -> None:
        """Select the format that the suffix of the name stands for."""
        ending = f"*{self._suffix})"
        if self._suffix in LOOK_FORMATS and not self.kind.currentText().endswith(ending):
            self.kind.setCurrentText(next(kind for kind in EXPORTED_LOOKS if kind.endswith(ending)))
        self._edited()

    def _edited(self, *_: object) -> None:
        """Withdraw the question about an existing file, since the choices have changed."""
        self.buttons.withdraw()
        self._show()

    def _show(self) -> None:
        """Explain the choices, unless the dialog asks about an existing file."""
        managed, viewing, grade = self._colour.managed, self.viewing, self._grade()
        for widget in (self.frame, self.frame_label):
            widget.setVisible(grade.is_animated)
        self.view.setEnabled(self._can_have_view)
        self.view.show_choice(self._text(viewing))
        if self.buttons.asking:
            return
        if not managed.converts:
            text = UNKNOWN
        elif self._suffix in ONE_CDL:
            text = CDL
        elif viewing is None:
            text = f"From {managed.input} to {managed.output}. {PLAIN}"
        else:
            text = f"From {managed.input} to {viewing.display} / {viewing.view}. {VIEWED}"
        if grade.is_animated:
            text += f" The grade has keys {frames_with_keys(grade)}; the look has those of frame {self.frame.frame}."
        self.meaning.setText(text)

    def _choose_frame(self, frame: int) -> None:
        self.frame.show_frame(frame)
        self._edited()

    def _text(self, viewing: Viewing | None) -> str:
        if viewing is None:
            return "None: only the grade"
        prefix = "Window: " if self._view == WINDOW else ""
        return f"{prefix}{viewing.view} on {viewing.display}"

    def _fill_views(self, menu: QMenu) -> None:
        """Fill the menu with no view, the window's view, and a submenu of views per display."""
        add_choice(menu, "None: only the grade", "", self._view == NONE, partial(self.choose_view, NONE))
        names = self._colour.names
        if names is None:
            menu.addAction("Reading the config…").setEnabled(False)
            return
        display, view = self._colour.shown
        tip = "Includes the window's looks, but not view exposure and view gamma"
        text = f"Window: {view} on {display}"
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
        """The file to write; a bare name is in the folder that was proposed."""
        return self._folder / Path(self.target.text().strip()).expanduser()

    def _export(self) -> None:
        if not self.target.text().strip():
            self.meaning.setText("Give the file a name.")
        elif self._suffix not in LOOK_FORMATS:
            problem = f"is not the name of a look file; end it in {', '.join(LOOK_FORMATS)}."
            self.meaning.setText(f"{self._path.name} {problem}")
        elif self.previewed_lut.question:
            self.meaning.setText(self.previewed_lut.question)
        else:
            self.buttons.look(partial(find_file, self._path), self._write)

    def _write(self, _targets: Targets, existing: str) -> None:
        """Write the look on a worker thread; replace an existing file only if the user agreed to."""
        kind = self.kind.currentText()
        domain = EXPORTED_LOOKS[kind] if kind.endswith(f"*{self._suffix})") else None
        grade, force = self.previewed_lut.applied(self._grade()).at(self.frame.frame), existing == "replace"
        self._write_look(self._path, domain, self.viewing, grade=grade, force=force)
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
        for row, (text, editor) in enumerate((("F&ormat", self.kind), ("&File", self.target), ("&View", self.view))):
            label = QLabel(text)
            label.setBuddy(editor)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1, 1, 1 if editor is self.target else 2)
        grid.addWidget(self.browse, 1, 2)
        grid.addWidget(self.frame_label, 3, 0)
        grid.addWidget(self.frame, 3, 1)
        grid.addWidget(self.previewed_lut.label, 4, 0)
        grid.addWidget(self.previewed_lut, 4, 1, 1, 2)
        grid.setColumnStretch(1, 1)
        self.meaning.setObjectName("note")
        self.meaning.setWordWrap(True)
        self.meaning.setMinimumHeight(4 * self.fontMetrics().lineSpacing())
        self.meaning.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.meaning.setAccessibleName("What the choices mean")
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
