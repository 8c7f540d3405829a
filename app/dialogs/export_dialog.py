"""The export dialog: choose source, target and options, and add the export to the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
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

from app.canvas.stage import Stage
from app.dialogs.export_buttons import ExportButtons
from app.dialogs.export_form import ExportForm
from app.dialogs.previewed_lut_choice import PreviewedLutChoice
from app.model.document import Document
from app.render.preview import Preview
from app.services.colour_manager import Colour
from app.services.export_header import HeaderView
from app.services.export_options import COMPRESSIONS, PRESETS, YES, ExportOrder, check
from app.services.export_targets import Targets, find_targets
from app.services.jobs import Jobs
from app.services.settings import Settings
from app.widgets.fields import ChoiceBox
from app.widgets.showing import ask, ask_target, push_button
from engine import Grade
from engine.errors import TesseraError

LAST, OWN = "export_last", "export_presets"
"""Settings: the options of the last export, and the user's presets."""
_LAST_USED = "Last used"
"""Name of the preset with the options of the last export."""
TARGETS = (
    "All supported images (*.exr *.tif *.tiff *.png *.dpx *.jpg *.jpeg);;OpenEXR (*.exr);;TIFF (*.tif *.tiff);;"
    "PNG (*.png);;DPX (*.dpx);;JPEG (*.jpg *.jpeg)"
)
OF_DISPLAYS = (".png", ".jpg", ".jpeg")
"""Suffixes of display-referred files. The dialog proposes the window's display and view for them."""


class ExportDialog(QDialog):
    """Asks for the options of an export, checks them, shows the resulting header, and orders the export."""

    ordered = Signal(object)  # the ExportOrder to add to the queue

    def __init__(
        self,
        document: Document,
        colour: Colour,
        stage: Stage,
        preview: Preview,
        settings: Settings,
        jobs: Jobs,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export image")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._document, self._colour, self._preview, self._settings = document, colour, preview, settings
        colour.request_names()
        source = self._document.image_path or Path()
        self.source = self._line(str(source), "Source file", "The image, or a sequence such as shot.####.exr")
        self.source.textChanged.connect(self._withdraw)
        target = source.with_name(f"{source.stem}_graded.exr")
        self.target = self._line(str(target), "Target file", "The file to write; its suffix selects the format")
        self.target.textChanged.connect(self._withdraw)
        self.browse = push_button("Browse…", "Choose where to write the image", self._browse)
        self.form = ExportForm(self._known())
        self.form.set_values(settings.get(LAST, dict[str, str](), str) | self._here())
        self.form.edited.connect(self._withdraw)
        self.previewed_lut = PreviewedLutChoice(stage)
        self.previewed_lut.currentIndexChanged.connect(self._withdraw)
        self.buttons = ExportButtons(jobs, "the graded image", self.reject, self._export)
        self.line = QLabel("The grade is applied at full resolution; view exposure and view gamma are not.")
        self.line.setWordWrap(True)
        self.line.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.line.setAccessibleName("Export status")
        self.header = HeaderView(jobs)
        self.header.said.connect(self.line.setText)
        self.buttons.said.connect(self.line.setText)
        self.buttons.renamed.connect(lambda path: self._choose(str(path)))
        self._lay_out()

    def done(self, result: int) -> None:
        """Close the dialog and cancel its jobs."""
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
        files.addWidget(self.previewed_lut.label, 3, 0)
        files.addWidget(self.previewed_lut, 3, 1, 1, 2)
        self.show_header = push_button(
            "Show the header", "Compare the header of the source with the one that will be written", self._show_header
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
        self.presets = ChoiceBox((_LAST_USED,), "Preset", "Saved sets of options")
        self._fill_presets()
        self.presets.activated.connect(self._take_preset)
        save = push_button("Save…", "Save these options as a preset", self._save_preset)
        save.setAccessibleName("Save preset")
        self.forget = push_button("Delete", "Delete this preset", self._delete_preset)
        self.forget.setAccessibleName("Delete preset")
        self.forget.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.presets, 1)
        row.addWidget(save)
        row.addWidget(self.forget)
        return row

    def _fill_presets(self, chosen: str = _LAST_USED) -> None:
        own = self._settings.entries(OWN, dict[str, dict[str, str]](), dict[str, str])
        self.presets.clear()
        self.presets.addItems([_LAST_USED, *PRESETS, *own])
        self.presets.setCurrentText(chosen)

    def _take_preset(self) -> None:
        name = self.presets.currentText()
        own = self._settings.entries(OWN, dict[str, dict[str, str]](), dict[str, str])
        last = self._settings.get(LAST, dict[str, str](), str)
        self.forget.setEnabled(name in own)
        self.form.set_values({_LAST_USED: last, **PRESETS, **own}[name] | self._here())

    def _save_preset(self) -> None:
        dialog = QInputDialog(self)
        dialog.setWindowTitle("Save preset")
        dialog.setLabelText("Name of the preset")
        dialog.textValueSelected.connect(self._keep_preset)
        ask(dialog)

    def _keep_preset(self, name: str) -> None:
        name = name.strip()
        if not name or name in PRESETS or name == _LAST_USED:
            self.line.setText("Give the preset a unique name.")
            return
        values = {key: value for key, value in self.form.values.items() if key not in ("part", "layer")}
        self._settings.put(OWN, name, values)
        self._fill_presets(name)
        self.forget.setEnabled(True)

    def _delete_preset(self) -> None:
        self._settings.remove(OWN, self.presets.currentText())
        self._fill_presets()
        self.forget.setEnabled(False)

    def _here(self) -> dict[str, str]:
        """Return the window's device, and the part and layer that it shows if the file has several."""
        image = self._document.image
        found = {} if self._preview.backend == "auto" else {"backend": self._preview.backend}
        if image is not None and (len(image.info.parts) > 1 or len(image.part.layers) > 1):
            found["part"] = str(image.part.index)
            found |= {"layer": image.layer.name} if image.layer.name else {}
        return found

    def _known(self) -> dict[str, Callable[[], Sequence[str]]]:
        image, colour = self._document.image, self._colour
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
        """Return the export that the dialog describes; None if it is not valid, with the reason in the status line."""
        source, target = self.source.text().strip(), self.target.text().strip()
        if not source or not target or self.previewed_lut.question:
            self.line.setText(self.previewed_lut.question or "Give the file a name.")
            return None
        try:
            check(self.form.values)
        except TesseraError as error:
            message = str(error)
            self.line.setText(message[:1].upper() + message[1:])
            return None
        grade = self.previewed_lut.applied(self._document.grade)
        grade = Grade(grade.entries, self._colour.setup_for(grade))
        beside = Path(source).parent / Path(target).expanduser()  # a bare name is in the image's folder
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
            more = " if they are incomplete, outdated or made with other options" if resumes else ""
            self.buttons.look(partial(find_targets, order), self._put, more)

    def _put(self, targets: Targets, existing: str) -> None:
        """Order the export; it may only do with the existing files in `targets` what the user agreed to."""
        order = self._order()
        if order is None:
            return
        kept = {key: value for key, value in order.options.items() if key not in ("part", "layer", "frames")}
        self._settings.set(LAST, kept)
        self.ordered.emit(replace(order, existing=existing, sequence=targets.sequence))
        self.accept()

    def _browse(self) -> None:
        ask_target(self, "Export image to", self.target.text(), TARGETS, "exr", self._choose)

    def _choose(self, path: str) -> None:
        self.target.setText(path)

    def _withdraw(self) -> None:
        """Withdraw the question about existing files, since target or options have changed."""
        if self.buttons.asking:
            self.line.clear()
        self.buttons.withdraw()
        of_display = Path(self.target.text()).suffix.lower() in OF_DISPLAYS
        if of_display and "display" not in self.form.values and self._colour.managed.converts:
            display, view = self._colour.shown
            self.form.set_values(self.form.values | {"display": display, "view": view})
            self.line.setText(f"Uses the window's view: {view} on {display}.")

    @staticmethod
    def _line(text: str, name: str, tip: str) -> QLineEdit:
        line = QLineEdit(text)
        line.setAccessibleName(name)
        line.setToolTip(tip)
        return line
