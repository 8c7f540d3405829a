"""The export dialog: where to, as what, how far it has come."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.export_job import ExportJob, ExportOrder
from app.jobs import Jobs
from app.panels.fields import ChoiceBox

TYPES = {"As the source": "source", "Half, 16 bit": "half", "Float, 32 bit": "float"}
COMPRESSIONS = {
    "As the source": "source",
    "None": "none",
    "RLE": "rle",
    "ZIP, single lines": "zips",
    "ZIP": "zip",
    "PIZ": "piz",
    "PXR24 (lossy for float)": "pxr24",
    "B44 (lossy)": "b44",
    "B44A (lossy)": "b44a",
    "DWAA (lossy)": "dwaa",
    "DWAB (lossy)": "dwab",
}
WIDTH = 520


class ExportDialog(QDialog):
    """Asks, then shows the progress of the process that writes. The window stays usable meanwhile."""

    def __init__(self, order: ExportOrder, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export picture")
        self.setMinimumWidth(WIDTH)
        self._order, self._jobs = order, jobs
        self._job: ExportJob | None = None
        self._agreed: Path | None = None
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(self._form())
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Export progress")
        self.bar.setToolTip("How much of the picture has been written")
        self.line = QLabel()
        self.line.setWordWrap(True)
        self.line.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.line.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.line.setAccessibleName("Export status")
        column.addWidget(self.bar)
        column.addWidget(self.line)
        column.addLayout(self._buttons())
        self._show_idle("The grade is applied at full resolution; the view exposure is not.")

    @property
    def running(self) -> bool:
        return self._job is not None and self._job.running

    def cancel(self) -> None:
        """Stop the export, or close the dialog when none is running."""
        if self._job is not None and self._job.running:
            self.line.setText("Stopping…")
            self.cancel_button.setEnabled(False)
            self._job.cancel()
        else:
            super().reject()

    def reject(self) -> None:
        """Escape: as the Cancel button."""
        self.cancel()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.running:
            self.cancel()
            event.ignore()
        else:
            super().closeEvent(event)

    def _form(self) -> QFormLayout:
        self.target = QLineEdit(str(self._order.target))
        self.target.setAccessibleName("Target file")
        self.target.setToolTip("The EXR file to write")
        self.target.textEdited.connect(self._withdraw)
        self.browse = QPushButton("Browse…")
        self.browse.setToolTip("Choose where to write the picture")
        self.browse.setAccessibleName("Choose the target file")
        self.browse.setAutoDefault(False)
        self.browse.clicked.connect(self._browse)
        where = QHBoxLayout()
        where.setSpacing(6)
        where.addWidget(self.target, 1)
        where.addWidget(self.browse)
        self.type = ChoiceBox(tuple(TYPES), "Sample type", "Sample type of the graded channels; others keep theirs")
        self.compression = ChoiceBox(tuple(COMPRESSIONS), "Compression", "How the EXR is compressed")
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("&File", where)
        form.addRow("Sample &type", self.type)
        form.addRow("&Compression", self.compression)
        form.labelForField(where).setBuddy(self.target)  # type: ignore[attr-defined]
        return form

    def _buttons(self) -> QHBoxLayout:
        self.export_button = QPushButton("Export")
        self.export_button.setDefault(True)
        self.export_button.setToolTip("Write the picture")
        self.export_button.setAccessibleName("Export")
        self.export_button.clicked.connect(self._export)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setAutoDefault(False)
        self.cancel_button.setToolTip("Stop the export and leave no trace of it, or close this dialog (Esc)")
        self.cancel_button.setAccessibleName("Cancel")
        self.cancel_button.clicked.connect(self.cancel)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.export_button)
        return row

    def _browse(self) -> None:
        dialog = QFileDialog(self, "Export picture to", self.target.text(), "OpenEXR (*.exr)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("exr")
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # asked once, here
        dialog.fileSelected.connect(self._choose)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _choose(self, path: str) -> None:
        self.target.setText(path)
        self._withdraw()

    def _withdraw(self) -> None:
        """Another name: what was agreed to for the last one does not count."""
        self._agreed = None
        self.export_button.setText("Export")

    def _export(self) -> None:
        target = Path(self.target.text().strip()).expanduser()
        if not self.target.text().strip():
            self.line.setText("Give the file a name.")
        elif target.exists() and self._agreed != target:
            self._agreed = target
            self.export_button.setText("Replace")
            self.line.setText(f"{target.name} is there already. Press Replace to overwrite it, or choose another name.")
        else:
            self._start(target)

    def _start(self, target: Path) -> None:
        kind, compression = TYPES[self.type.currentText()], COMPRESSIONS[self.compression.currentText()]
        self._job = ExportJob(self._jobs, self)
        self._job.progress.connect(self._show_progress)
        self._job.finished.connect(self._show_report)
        self._job.failed.connect(self._show_idle)
        self._job.cancelled.connect(lambda: self._show_idle("Stopped. Nothing was written."))
        self._set_editable(False)
        self.bar.setRange(0, 0)
        self.line.setText("Starting…")
        self._job.start(replace(self._order, target=target, type=kind, compression=compression))

    def _show_progress(self, done: float, seconds: float) -> None:
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(done * 1000))
        left = f", about {seconds / done * (1 - done):.0f} s to go" if done > 0.05 and seconds > 1 else ""
        if self.cancel_button.isEnabled():
            self.line.setText(f"{done * 100:.0f} % after {seconds:.1f} s{left}")

    def _show_report(self, report: dict[str, Any]) -> None:
        seconds = report.get("seconds_total")
        took = f" in {seconds:.1f} s" if isinstance(seconds, int | float) else ""
        self._show_idle(" ".join([f"Wrote {self.target.text()}{took}.", *report.get("notes", ())]))
        self.bar.setValue(1000)
        self.cancel_button.setText("Close")

    def _show_idle(self, line: str) -> None:
        self._withdraw()
        self._set_editable(True)
        self.bar.setRange(0, 1000)
        self.bar.setValue(0)
        self.cancel_button.setText("Cancel")
        self.line.setText(line)

    def _set_editable(self, editable: bool) -> None:
        for widget in (self.target, self.browse, self.type, self.compression, self.export_button):
            widget.setEnabled(editable)
        self.cancel_button.setEnabled(True)
