"""The export dialog: what is written, where to, and how; the queue does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.dialogs.export_buttons import ExportButtons
from app.dialogs.export_form import ExportForm
from app.dialogs.showing import ask, ask_target, push_button
from app.dialogs.tried_choice import TriedChoice
from app.services.export_header import HeaderView
from app.services.export_options import COMPRESSIONS, PRESETS, YES, ExportOrder, check
from app.services.export_targets import Targets, find_targets
from app.shell.workspace import Workspace
from app.widgets.fields import ChoiceBox
from engine import Grade
from engine.errors import TesseraError

LAST, OWN = "export_last", "export_presets"
"""Settings: the options of the last export, and named ones."""
TARGETS = (
    "All that can be written (*.exr *.tif *.tiff *.png *.dpx *.jpg *.jpeg);;OpenEXR (*.exr);;TIFF (*.tif *.tiff);;"
    "PNG (*.png);;DPX (*.dpx);;JPEG (*.jpg *.jpeg)"
)
OF_DISPLAYS = (".png", ".jpg", ".jpeg")
"""Files that are looked at without a view: they are offered the one of the window."""


class ExportDialog(QDialog):
    """Asks, checks what was asked, shows what it makes of the header, and puts it into the queue."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export image")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._workspace, self._document = workspace, workspace.document
        workspace.colour.want_names()
        source = self._document.image_path or Path()
        self.source = self._line(str(source), "Source file", "The image, or a sequence such as shot.####.exr")
        self.source.textChanged.connect(self._withdraw)
        target = source.with_name(f"{source.stem}_graded.exr")
        self.target = self._line(str(target), "Target file", "The file to write; its suffix says the format")
        self.target.textChanged.connect(self._withdraw)
        self.browse = push_button("Browse…", "Choose where to write the image", self._browse)
        self.form = ExportForm(self._known())
        self.form.set_values(workspace.settings.get(LAST, dict[str, str](), str) | self._here())
        self.form.edited.connect(self._withdraw)
        self.tried = TriedChoice(workspace.stage)
        self.tried.currentIndexChanged.connect(self._withdraw)
        self.buttons = ExportButtons(workspace.jobs, "the graded image", self.reject, self._export)
        self.line = QLabel("The grade is applied at full resolution; exposure and gamma of the viewer are not.")
        self.line.setWordWrap(True)
        self.line.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.line.setAccessibleName("Export status")
        self.header = HeaderView(workspace.jobs)
        self.header.said.connect(self.line.setText)
        self.buttons.said.connect(self.line.setText)
        self.buttons.renamed.connect(lambda path: self._choose(str(path)))
        self._lay_out()

    def done(self, result: int) -> None:
        """Close, leaving nothing behind."""
        self.header.stop()
        self.buttons.withdraw()
        super().done(result)

    def _lay_out(self) -> None:
        files = QGridLayout()
        files.setHorizontalSpacing(8)
        files.setVerticalSpacing(6)
        for row, (text, editor) in enumerate((("&Image", self.source), ("&File", self.target))):
            label = QLabel(text)
            label.setBuddy(editor)
            files.addWidget(label, row, 0)
            files.addWidget(editor, row, 1)
        files.addWidget(self.browse, 1, 2)
        files.addLayout(self._presets(), 2, 1, 1, 2)
        label = QLabel("P&reset")
        label.setBuddy(self.presets)
        files.addWidget(label, 2, 0)
        files.addWidget(self.tried.label, 3, 0)
        files.addWidget(self.tried, 3, 1, 1, 2)
        self.show_header = push_button(
            "Show the header", "What is written into the header, beside what is there now", self._show_header
        )
        buttons = QHBoxLayout()
        buttons.addWidget(self.show_header)
        buttons.addStretch(1)
        buttons.addWidget(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(files)
        column.addWidget(self.form)
        column.addWidget(self.header, 1)
        column.addWidget(self.line)
        column.addLayout(buttons)
        self.resize(620, self.sizeHint().height())

    def _presets(self) -> QHBoxLayout:
        self.presets = ChoiceBox(("As last time",), "Preset", "Options that are kept under a name")
        self._fill_presets()
        self.presets.activated.connect(self._take_preset)
        save = push_button("Save…", "Keep these options under a name", self._save_preset)
        save.setAccessibleName("Save preset")
        self.forget = push_button("Forget", "Remove this preset", self._forget_preset)
        self.forget.setAccessibleName("Forget preset")
        self.forget.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.presets, 1)
        row.addWidget(save)
        row.addWidget(self.forget)
        return row

    def _fill_presets(self, chosen: str = "As last time") -> None:
        own = self._workspace.settings.entries(OWN, dict[str, dict[str, str]](), dict[str, str])
        self.presets.clear()
        self.presets.addItems(["As last time", *PRESETS, *own])
        self.presets.setCurrentText(chosen)

    def _take_preset(self) -> None:
        name = self.presets.currentText()
        own = self._workspace.settings.entries(OWN, dict[str, dict[str, str]](), dict[str, str])
        last = self._workspace.settings.get(LAST, dict[str, str](), str)
        self.forget.setEnabled(name in own)
        self.form.set_values({"As last time": last, **PRESETS, **own}[name] | self._here())

    def _save_preset(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Save preset")
        dialog.setLabelText("Keep these options under the name")
        dialog.textValueSelected.connect(self._keep_preset)
        ask(dialog)

    def _keep_preset(self, name: str) -> None:
        name = name.strip()
        if not name or name in PRESETS or name == "As last time":
            self.line.setText("Give the preset a name of its own.")
            return
        values = {key: value for key, value in self.form.values.items() if key not in ("part", "layer")}
        self._workspace.settings.put(OWN, name, values)
        self._fill_presets(name)
        self.forget.setEnabled(True)

    def _forget_preset(self) -> None:
        self._workspace.settings.remove(OWN, self.presets.currentText())
        self._fill_presets()
        self.forget.setEnabled(False)

    def _here(self) -> dict[str, str]:
        """Part and layer that the window shows, where there is a choice, and its device."""
        image = self._document.image
        found = {} if self._workspace.backend == "auto" else {"backend": self._workspace.backend}
        if image is not None and (len(image.info.parts) > 1 or len(image.part.layers) > 1):
            found["part"] = str(image.part.index)
            found |= {"layer": image.layer.name} if image.layer.name else {}
        return found

    def _known(self) -> dict[str, Callable[[], Sequence[str]]]:
        image, colour = self._document.image, self._workspace.colour
        names = colour.names
        info = image.info if image is not None else None
        return {
            "compressions": lambda: COMPRESSIONS,
            "parts": lambda: [part.name or str(part.index) for part in info.parts] if info else [],
            "layers": lambda: [layer.name for layer in image.part.layers if layer.name] if image else [],
            "spaces": lambda: [space.name for space in names.config.spaces()] if names else [],
            "displays": lambda: list(names.displays) if names else [],
            "views": lambda: [view.name for view in names.displays.get(colour.shown[0], ())] if names else [],
            "looks": lambda: ["none", *(look.name for look in names.looks)] if names else [],
            "backends": lambda: ("auto", "cpu", "wgpu", "cuda"),
        }

    def _order(self) -> ExportOrder | None:
        """What the dialog says now; None, and a line that says why, where it can't be."""
        source, target = self.source.text().strip(), self.target.text().strip()
        if not source or not target or self.tried.question:
            self.line.setText(self.tried.question or "Give the file a name.")
            return None
        try:
            check(self.form.values)
        except TesseraError as error:
            words = str(error)
            self.line.setText(words[:1].upper() + words[1:])
            return None
        grade = self.tried.applied(self._document.grade)
        grade = Grade(grade.entries, self._workspace.colour.setup_for(grade))
        beside = Path(source).parent / Path(target).expanduser()  # a bare name is one in the folder of the image
        return ExportOrder(Path(source), beside, grade, self.form.values)

    def _show_header(self) -> None:
        order = self._order()
        if order is not None:
            self.header.show_changes(order)
            self.resize(max(self.width(), 760), max(self.height(), 640))

    def _export(self) -> None:
        order = self._order()
        if order is not None:
            resumes = order.options.get("resume") == YES
            more = " where they are incomplete, old or made otherwise" if resumes else ""
            self.buttons.look(partial(find_targets, order), self._put, more)

    def _put(self, targets: Targets, existing: str) -> None:
        """Put an export into the queue that does with existing files what was agreed to, and with those files alone."""
        order = self._order()
        if order is None:
            return
        kept = {key: value for key, value in order.options.items() if key not in ("part", "layer", "frames")}
        self._workspace.settings.set(LAST, kept)
        self._workspace.exports.add(replace(order, existing=existing, sequence=targets.sequence))
        self._workspace.show_panel("exports")
        self.accept()

    def _browse(self) -> None:
        ask_target(self, "Export image to", self.target.text(), TARGETS, "exr", self._choose)

    def _choose(self, path: str) -> None:
        self.target.setText(path)

    def _withdraw(self) -> None:
        """Something else: what was asked about the last does not count."""
        if self.buttons.asking:
            self.line.clear()
        self.buttons.withdraw()
        of_display = Path(self.target.text()).suffix.lower() in OF_DISPLAYS
        if of_display and "display" not in self.form.values and self._workspace.colour.managed.converts:
            display, view = self._workspace.colour.shown
            self.form.set_values(self.form.values | {"display": display, "view": view})
            self.line.setText(f"Through the view of the window: {view} on {display}.")

    @staticmethod
    def _line(text: str, name: str, tip: str) -> QLineEdit:
        line = QLineEdit(text)
        line.setAccessibleName(name)
        line.setToolTip(tip)
        return line
