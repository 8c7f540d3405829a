"""The dialog that lays out a contact sheet, shows it, and writes it as a PDF or a PNG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.model.contact_sheet import LABELS, LEAST_COLUMNS, MOST_COLUMNS, PAGES, PAPERS, SheetOptions
from app.services.contact_sheets import DPI, PDF, PNG, ContactSheets
from app.services.messages import Messages
from app.services.settings import Settings
from app.services.sheet_images import SheetItem
from app.widgets.choice_box import ChoiceBox
from app.widgets.showing import ask, push_button

CONTENTS = {"stills": "Stills", "images": "Open images", "layers": "Layers of the image", "versions": "Versions"}
LABEL_TEXTS = {
    "name": ("Name", "The name"),
    "about": ("Image, frame, date", "Where it is from"),
    "note": ("Note", "The note"),
}
SETTING = "contact_sheet"
"""The setting that holds the options of the last sheet."""
FORM_WIDTH = 250
NOTHING = {
    "stills": "There are no stills. Press S to grab one.",
    "images": "No image is open.",
    "layers": "The image has one layer.",
    "versions": "The grade has no versions. Press Ctrl+K to keep one.",
}


class SheetView(QWidget):
    """Shows one page of a sheet."""

    def __init__(self, sheets: ContactSheets, options: Callable[[], SheetOptions]) -> None:
        super().__init__()
        self._sheets, self._options = sheets, options
        self.page = 0
        self.hint = ""
        self.setMinimumSize(480, 360)
        self.setAccessibleName("Contact sheet")
        sheets.made.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self.hint:
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.hint)
                return
            options = self._options()
            width, height = options.size
            scale = min(self.width() / width, self.height() / height)
            painter.translate((self.width() - width * scale) / 2, (self.height() - height * scale) / 2)
            painter.scale(scale, scale)
            painter.fillRect(QRectF(0, 0, width, height), QColor(PAPERS[options.paper][0]))
            pages = self._sheets.pages(options)
            self._sheets.paint(painter, pages[min(self.page, len(pages) - 1)], options)


class ContactSheetDialog(QDialog):
    """Chooses what a contact sheet holds and how it looks. The choices are kept for the next one."""

    def __init__(
        self,
        items: Callable[[str], list[SheetItem]],
        sheets: ContactSheets,
        settings: Settings,
        messages: Messages,
        near: Path | None,
        parent: QWidget,
    ) -> None:
        """`items` returns what there is of each of CONTENTS; `near` is the image beside which a file is proposed."""
        super().__init__(parent)
        self.setWindowTitle("Contact sheet")
        self._items, self._sheets, self._settings, self._messages = items, sheets, settings, messages
        self._near = near
        self._make_fields()
        self.view = SheetView(sheets, lambda: self.options)
        self._lay_out()
        self._restore()
        sheets.made.connect(self._show_state)
        self.finished.connect(lambda _: sheets.stop())
        self.refresh()
        self.resize(960, 600)

    @property
    def options(self) -> SheetOptions:
        """How the sheet looks."""
        labels = tuple(name for name, box in self.labels.items() if box.isChecked())
        page, paper = self.page.currentText(), self.paper.currentText()
        return SheetOptions(page, self.columns.value(), self.title.text().strip(), labels, paper)

    @property
    def content(self) -> str:
        """What the sheet holds, one of CONTENTS."""
        return list(CONTENTS)[self.what.currentIndex()]

    def refresh(self) -> None:
        """Show what there is now."""
        items = self._items(self.content)
        self._sheets.show(items)
        self.view.page = 0
        self.view.hint = "" if items else NOTHING[self.content]
        self._show_state()

    # -- inside

    def _make_fields(self) -> None:
        self.what = ChoiceBox(tuple(CONTENTS.values()), "Content", "What the sheet holds")
        self.title = QLineEdit()
        self.title.setPlaceholderText("None")
        self.title.setAccessibleName("Title")
        self.title.setToolTip("The title at the top of the first page")
        self.page = ChoiceBox(tuple(PAGES), "Page", "The size of the paper; a PNG is as wide, and as high as it needs")
        self.columns = QSpinBox()
        self.columns.setRange(LEAST_COLUMNS, MOST_COLUMNS)
        self.columns.setAccessibleName("Columns")
        self.columns.setToolTip(f"Images in a row, {LEAST_COLUMNS} to {MOST_COLUMNS}")
        self.paper = ChoiceBox(tuple(PAPERS), "Paper", "The colour of the page")
        self.dpi = ChoiceBox(tuple(f"{dpi} dpi" for dpi in DPI), "Resolution", "Pixels per inch of the file")
        self.labels: dict[str, QCheckBox] = {}
        for name in LABELS:
            text, tip = LABEL_TEXTS[name]
            box = self.labels[name] = QCheckBox(text)
            box.setToolTip(f"{tip}, below each image")
            box.setAccessibleName(f"Label: {text}")
            box.toggled.connect(self._changed)
        self.what.activated.connect(lambda _: self.refresh())
        self.title.textChanged.connect(self._changed)
        for field in (self.page, self.paper):
            field.activated.connect(self._changed)
        self.columns.valueChanged.connect(self._changed)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setVerticalSpacing(8)
        named = (("&Content", self.what), ("&Title", self.title), ("&Page", self.page), ("C&olumns", self.columns))
        for text, field in (*named, ("P&aper", self.paper), ("&Resolution", self.dpi)):
            form.addRow(text, field)
        for number, box in enumerate(self.labels.values()):
            form.addRow("Labels" if number == 0 else "", box)
        self.status = QLabel()
        self.status.setObjectName("note")
        self.status.setWordWrap(True)
        self.back = push_button("Previous", "Show the page before", lambda: self._turn(-1))
        self.next = push_button("Next", "Show the page after this one", lambda: self._turn(1))
        self.number = QLabel()
        self.number.setObjectName("note")
        self.pdf = push_button("Save PDF…", "Write the pages as a PDF", lambda: self._choose(PDF))
        self.png = push_button("Save PNG…", "Write all rows as one PNG of 16 bits", lambda: self._choose(PNG))
        close = push_button("Close", "Close this dialog (Esc); a file that is being written is completed", self.reject)
        left = QVBoxLayout()
        left.addLayout(form)
        left.addWidget(self.status)
        left.addStretch(1)
        holder = QWidget()
        holder.setFixedWidth(FORM_WIDTH)
        holder.setLayout(left)
        left.setContentsMargins(0, 0, 0, 0)
        buttons = QHBoxLayout()
        for turn in (self.back, self.next, self.number):
            buttons.addWidget(turn)
        buttons.addStretch(1)
        for button in (self.pdf, self.png, close):
            buttons.addWidget(button)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(holder)
        row.addWidget(self.view, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(row, 1)
        column.addLayout(buttons)

    def _restore(self) -> None:
        """Show the choices of the last sheet."""
        kept = self._settings.get(SETTING, dict[str, object]())
        plain = SheetOptions()
        labels = kept.get("labels", list(plain.labels))
        for name, box in self.labels.items():
            box.setChecked(isinstance(labels, list) and name in labels)
        columns = kept.get("columns")
        self.columns.setValue(columns if isinstance(columns, int) else plain.columns)
        for name, field in (("what", self.what), ("page", self.page), ("paper", self.paper), ("dpi", self.dpi)):
            at = kept.get(name)
            field.setCurrentIndex(at if isinstance(at, int) and 0 <= at < field.count() else int(name == "dpi"))

    def _keep(self) -> None:
        boxes = {"what": self.what, "page": self.page, "paper": self.paper, "dpi": self.dpi}
        chosen = {name: box.currentIndex() for name, box in boxes.items()}
        options = self.options
        self._settings.set(SETTING, {**chosen, "columns": options.columns, "labels": list(options.labels)})

    def _changed(self, *_: object) -> None:
        self.view.update()
        self._show_state()

    def _turn(self, by: int) -> None:
        self.view.page += by
        self._changed()

    def _show_state(self) -> None:
        sheets = self._sheets
        pages = len(sheets.pages(self.options))
        self.view.page = min(self.view.page, pages - 1)
        self.number.setText(f"Page {self.view.page + 1} of {pages}" if sheets.items else "")
        self.back.setEnabled(self.view.page > 0)
        self.next.setEnabled(self.view.page < pages - 1)
        for button in (self.pdf, self.png):
            button.setEnabled(bool(sheets.items) and not sheets.missing and not sheets.problems)
        count, missing = len(sheets.items), sheets.missing
        problem = next((sheets.problems[item] for item in sheets.items if item in sheets.problems), "")
        text = f"{count} image{'s' * (count != 1)}" if count else ""
        self.status.setText(problem or (f"{count - missing} of {text} read" if missing else text))
        self.view.update()

    def _choose(self, suffix: str) -> None:
        """Ask for the file, and write it."""
        folder = self._near.parent if self._near is not None else Path()
        name = f"{self._near.stem if self._near is not None else 'tessera'}_contact{suffix}"
        dialog = QFileDialog(self, "Save contact sheet", str(folder / name), f"{suffix[1:].upper()} (*{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix[1:])
        dialog.fileSelected.connect(lambda chosen: self._save(Path(chosen).with_suffix(suffix)))
        ask(dialog)

    def _save(self, path: Path) -> None:
        self._keep()
        messages = self._messages

        def done(_: None) -> None:
            messages.note(f"Wrote {path.name}")

        self._sheets.save(path, self.options, DPI[self.dpi.currentIndex()], done, messages.warn)
