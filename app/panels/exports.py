"""The Exports panel: the progress and log of all queued exports."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDesktopServices
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.services.export_queue import Export, ExportQueue, State
from app.services.files import Files
from app.widgets.context_menu import show_menu
from app.widgets.elided import ElidedLabel
from app.widgets.scrolling import scroll_area
from app.widgets.small_buttons import icon_button


class ExportRow(QFrame):
    """One export: target, progress, status line and buttons."""

    def __init__(self, export: Export, exports: ExportQueue, files: Files) -> None:
        super().__init__()
        self.setObjectName("exportRow")
        self.export = export
        name = export.order.target.name
        title = ElidedLabel(name)
        title.setToolTip(f"{export.order.source}\n→ {export.order.target}")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(f"Progress of {name}")
        self.bar.setToolTip("Progress of the export")
        self.line = ElidedLabel("")
        self.line.setObjectName("note")
        self.stop = icon_button("stop", f"Stop the export of {name}; incomplete files are deleted", f"Stop {name}")
        self.stop.clicked.connect(export.cancel)
        self.again = icon_button("redo", f"Export {name} again", f"Export {name} again")
        self.again.clicked.connect(export.again)
        self.edit = icon_button("sliders", f"Edit the options of {name} and export again", f"Edit the export of {name}")
        self.edit.clicked.connect(self._edit)
        self.open = icon_button("open", f"Open {name} in a tab", f"Open {name}")
        self.open.clicked.connect(lambda: files.open_image(export.order.target))
        self.folder = icon_button("folder", f"Show the folder of {name}", f"Show the folder of {name}")
        self.folder.clicked.connect(self._show_folder)
        self.log = icon_button("log", f"Show the log of {name}", f"Log of {name}")
        self.log.setCheckable(True)
        self.log.toggled.connect(self._show_log)
        self.remove = icon_button("remove", f"Remove {name} from the list; keeps the file", f"Remove {name}")
        self.remove.clicked.connect(lambda: exports.remove(export))
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setObjectName("numbers")
        self.text.setAccessibleName(f"Log of {name}")
        self.text.setToolTip("Messages and report of the export")
        self.text.setMinimumHeight(110)
        self.text.hide()
        self._lay_out(title)
        export.changed.connect(self._show)
        self._show()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        entries = self.open, self.folder, self.log, None, self.edit, self.again, self.stop, self.remove
        show_menu(self, entries, event.globalPos())

    def _lay_out(self, title: QWidget) -> None:
        head = QHBoxLayout()
        head.setSpacing(2)
        title.setMinimumWidth(160)
        head.addWidget(title, 2)
        head.addWidget(self.bar, 3)
        for button in (self.stop, self.edit, self.again, self.open, self.folder, self.log, self.remove):
            head.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 6, 6)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self.line)
        column.addWidget(self.text)

    def _show(self) -> None:
        export = self.export
        starting = export.state == State.RUNNING and export.done == 0.0
        self.bar.setRange(0, 0 if starting else 1000)
        self.bar.setValue(round(export.done * 1000))
        self.line.show_text(export.line)
        self.line.setToolTip(export.line)
        self.stop.setVisible(not export.over)
        ended_early = export.state in (State.FAILED, State.CANCELLED)
        self.again.setVisible(ended_early)
        self.edit.setVisible(ended_early and export.edit is not None)
        self.open.setVisible(export.state == State.DONE)
        self.remove.setEnabled(export.over)
        if self.text.isVisible():
            self.text.setPlainText("\n".join(export.log))

    def _edit(self) -> None:
        if self.export.edit is not None:
            self.export.edit(self.export.line)

    def _show_log(self, shown: bool) -> None:
        self.text.setVisible(shown)
        self._show()

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.export.order.target.absolute().parent)))


class ExportsPanel(QWidget):
    """A row for each export, newest last."""

    def __init__(self, exports: ExportQueue, files: Files) -> None:
        super().__init__()
        self.setObjectName("exportsPanel")
        self._exports, self._files = exports, files
        self.rows: list[ExportRow] = []
        self._empty = QLabel("No exports. Press Ctrl+E to export the image; exports run in the background.")
        self._empty.setObjectName("hint")
        self._empty.setWordWrap(True)
        self._stack = QVBoxLayout()
        self._stack.setContentsMargins(6, 6, 6, 6)
        self._stack.setSpacing(4)
        self._stack.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._stack.addWidget(self._empty)
        content = QWidget()
        content.setLayout(self._stack)
        self._area = scroll_area(content)
        self._newest: ExportRow | None = None  # the row to scroll to
        self._area.verticalScrollBar().rangeChanged.connect(self._show_newest)
        self.clear = self._button("Clear finished", "Remove all finished exports from the list; keeps the files")
        self.clear.clicked.connect(exports.clear)
        self.stop = self._button("Stop all", "Stop all running and queued exports")
        self.stop.clicked.connect(exports.cancel)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 6)
        row.addStretch(1)
        row.addWidget(self.stop)
        row.addWidget(self.clear)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._area, 1)
        column.addLayout(row)
        self.setMinimumHeight(120)
        exports.changed.connect(self._show)
        exports.ended.connect(self._show_buttons)
        self._show()

    def _show(self) -> None:
        exports = self._exports.exports
        for row in [each for each in self.rows if each.export not in exports]:
            self.rows.remove(row)
            row.hide()
            row.deleteLater()
        shown = [row.export for row in self.rows]
        for export in exports:
            if export not in shown:
                self.rows.append(ExportRow(export, self._exports, self._files))
                self._stack.addWidget(self.rows[-1])
                self._newest = self.rows[-1]
        self._empty.setVisible(not exports)
        self._show_buttons()

    def _show_newest(self) -> None:
        if self._newest is not None and self._newest in self.rows:
            self._area.ensureWidgetVisible(self._newest)
        self._newest = None

    def _show_buttons(self) -> None:
        exports = self._exports.exports
        self.clear.setEnabled(any(each.over for each in exports))
        self.stop.setEnabled(any(not each.over for each in exports))

    @staticmethod
    def _button(text: str, tip: str) -> QPushButton:
        button = QPushButton(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        return button
