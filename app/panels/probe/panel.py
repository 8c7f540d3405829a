"""The Probe panel: values of the pixel under the cursor, the area and the pins, at three stages."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFont, QFontMetrics, QGuiApplication, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.panels.probe.formats import FORMATS, row_of
from app.panels.probe.probes import Probe, Probes
from app.render.probe_samples import Box, Sample
from app.services.messages import Messages
from app.services.settings import Settings
from app.widgets.hint import paint_hint
from app.widgets.segments import segment
from app.widgets.small_buttons import action_button
from engine.io.id_pixels import id_of

SETTING = "probe"
SIZES = {
    1: ("1 × 1", "A single pixel"),
    5: ("5 × 5", "Mean of 5 × 5 pixels"),
    15: ("15 × 15", "Mean of 15 × 15 pixels"),
}
HINT = "Move over the image to see its values.\nCtrl+click to pin a pixel,\nCtrl+drag to measure an area."
HEAD, ROW = 26, 20
"""Heights of a probe's heading and of each of its rows, in pixels."""
STAGES = ("source", "graded", "display")
TIP = (
    "R, G, B and alpha in the file, after the grade, and as sent to the display. Shift+P or Ctrl+click pins a pixel, "
    "Ctrl+drag sets the area, Del removes the selected row"
)


class ProbePanel(QWidget):
    """Shows probe values. They are read only while the panel is visible."""

    def __init__(self, probes: Probes, settings: Settings, messages: Messages, inside: QAction) -> None:
        """`probes` becomes a child of the panel; `inside` limits them to the matte of the current entry."""
        super().__init__()
        self.setObjectName("probePanel")
        self.setMinimumWidth(280)
        probes.setParent(self)
        self._probes, self._settings, self._messages = probes, settings, messages
        kept = settings.get(SETTING, dict[str, Any]())
        across = kept.get("size")
        self.across = across if isinstance(across, int) and across in SIZES else 1
        form = str(kept.get("form"))
        self.form = form if form in FORMATS else "float"
        self.samples: dict[Box, Sample] = {}
        self._copying = False
        self.sizes, self.forms = QButtonGroup(self), QButtonGroup(self)
        self.tree = ProbeTree(self._remove)
        self.copy_button = QPushButton("Copy")
        self.copy_button.setToolTip("Copy all listed values as a text table")
        self.copy_button.setAccessibleName("Copy the probes")
        self.copy_button.clicked.connect(self.copy)
        self.clear_button = QPushButton("Clear")
        self.clear_button.setToolTip("Remove the area and every pin")
        self.clear_button.setAccessibleName("Clear the probes")
        self.clear_button.clicked.connect(probes.clear)
        self.inside_button = action_button(inside)
        self._lay_out()
        probes.changed.connect(self.ask)
        probes.sampled.connect(self._take)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 8)
        column.setSpacing(6)
        size = self._segments(self.sizes, "Probe size", SIZES, self.across, lambda value: self._choose(size=value))
        form = self._segments(
            self.forms,
            "Probe values as",
            {name: number_text[:2] for name, number_text in FORMATS.items()},
            self.form,
            lambda value: self._choose(form=value),
        )
        for text, row in (("Size", size), ("Values", form)):
            line = QHBoxLayout()
            label = QLabel(text)
            label.setFixedWidth(44)
            line.addWidget(label)
            line.addLayout(row, 1)
            column.addLayout(line)
        column.addWidget(self.tree, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.copy_button, 1)
        foot.addWidget(self.clear_button, 1)
        foot.addWidget(self.inside_button)
        column.addLayout(foot)

    @staticmethod
    def _segments(group: QButtonGroup, name: str, choices: Any, chosen: Any, choose: Any) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(1)
        for value, (text, tip) in choices.items():
            button = segment(text, tip, f"{name}: {text}")
            button.setChecked(value == chosen)
            button.clicked.connect(partial(choose, value))
            group.addButton(button)
            row.addWidget(button, 1)
        return row

    def sizeHint(self) -> QSize:
        return QSize(300, 320)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.ask()

    def ask(self) -> None:
        """Request the values of all rows."""
        if not self.isVisible() or not self._probes.has_image:
            self.samples = {}
            self._show()
            return
        probes = self._listed()
        if probes:
            self._probes.request(probes)
        else:
            self._take([])

    def copy(self) -> None:
        """Request the current values and copy them to the clipboard when they arrive."""
        self._copying = True
        self.ask()

    @property
    def text(self) -> str:
        """All rows as text, with tab-separated columns."""
        lines = ["probe\tstage\tR\tG\tB\tA"]
        for probe in self._listed():
            texts = zip(STAGES, self._texts(probe), strict=True)
            lines += ["\t".join([probe.name, stage, *row]) for stage, row in texts if row]
        return "\n".join(lines) + "\n"

    def _choose(self, size: int = 0, form: str = "") -> None:
        self.across, self.form = size or self.across, form or self.form
        self._settings.set(SETTING, {"size": self.across, "form": self.form})
        self._show()
        self.ask()

    def _listed(self) -> list[Probe]:
        return self._probes.listed(self.across)

    def _take(self, samples: list[Sample]) -> None:
        self.samples = {sample.box: sample for sample in samples}
        self._show()
        if self._copying:
            self._copying = False
            QGuiApplication.clipboard().setText(self.text)
            self._messages.note(f"Copied {len(samples)} probe{'s' * (len(samples) != 1)}")

    def _show(self) -> None:
        probes = self._listed()
        self.tree.show_rows([(self._title(probe), self._texts(probe)) for probe in probes])
        self.copy_button.setEnabled(bool(probes))
        self.clear_button.setEnabled(self._probes.can_clear)

    def _title(self, probe: Probe) -> str:
        """Return the name of a probe, and whether it has no pixel inside the matte."""
        sample = self.samples.get(probe.box)
        return probe.name if sample is None or sample.source else f"{probe.name}  outside the matte"

    def _texts(self, probe: Probe) -> list[list[str]]:
        """Return the formatted channels for each stage."""
        sample = self.samples.get(probe.box)
        if sample is None:
            return [[], [], []]
        if self._probes.holds_ids:
            alone = probe.box[2:] == (1, 1)  # IDs have no mean
            return [[str(id_of(sample.source))] if alone else [], [], []]
        return [row_of(getattr(sample, stage), self.form, stage != "display") for stage in STAGES]

    def _remove(self, row: int) -> None:
        """Remove the pin or the area of a row."""
        self._probes.remove(self._listed()[row])


class ProbeTree(QTreeWidget):
    """A block of three rows for each probe. Del calls `remove` with the number of the selected probe."""

    def __init__(self, remove: Any) -> None:
        super().__init__()
        self._remove = remove
        self.setAccessibleName("Probes")
        self.setToolTip(TIP)
        self.setColumnCount(5)
        self.setHeaderLabels(["", "R", "G", "B", "A"])
        self.setRootIsDecorated(False)
        self.setIndentation(8)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._numbers = QFont("DejaVu Sans Mono")
        self._numbers.setStyleHint(QFont.StyleHint.Monospace)
        self._numbers.setPixelSize(11)
        header = self.header()
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(24)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, QFontMetrics(self.font()).horizontalAdvance("graded") + 24)
        for column in range(1, 5):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def show_rows(self, rows: list[tuple[str, list[list[str]]]]) -> None:
        """Show the name of each probe and the texts of its three stages; update only what differs."""
        while self.topLevelItemCount() > len(rows):
            self.takeTopLevelItem(self.topLevelItemCount() - 1)
        for at, (name, stages) in enumerate(rows):
            item = self.topLevelItem(at) if at < self.topLevelItemCount() else self._new_item()
            assert item is not None
            if item.text(0) != name:
                item.setText(0, name)
            for number, texts in enumerate(stages):
                child = item.child(number)
                assert child is not None
                for column in range(1, 5):
                    text = texts[column - 1] if column <= len(texts) else ""
                    if child.text(column) != text:
                        child.setText(column, text)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.topLevelItemCount() == 0:
            paint_hint(self, HINT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and item is not None:
            self._remove(self.indexOfTopLevelItem(item.parent() or item))
        else:
            super().keyPressEvent(event)

    def _new_item(self) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self)
        for stage in STAGES:
            child = QTreeWidgetItem(item, [stage])
            child.setSizeHint(0, QSize(0, ROW))
            for column in range(1, 5):
                child.setFont(column, self._numbers)
                child.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setSizeHint(0, QSize(0, HEAD))
        item.setFirstColumnSpanned(True)
        item.setExpanded(True)
        return item
