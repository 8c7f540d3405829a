"""The Match panel: the colours of the image matched to a reference, or to the ColorChecker in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QWidget

from app.canvas.chart_tool import HINT, ChartTool
from app.canvas.mattes.place import CanvasPlace
from app.panels.match.chart_page import ChartPage
from app.panels.match.image_page import ImagePage
from app.services.chart_matching import ChartMatching
from app.services.match_references import MatchReferences
from app.services.matching import Matching
from app.services.messages import Messages
from app.widgets.scrolling import scrolling_column
from app.widgets.segments import add_segment, segment

PAGES = (
    ("Reference", "Match the colours of the image to another image"),
    ("ColorChecker", "Fit the image to the ColorChecker in it"),
)
REFERENCE, CHART = 0, 1


class MatchPanel(QWidget):
    """Shows one of the two pages; the match is on the image only while its page is visible."""

    def __init__(
        self,
        matching: Matching,
        chart: ChartMatching,
        references: MatchReferences,
        place: CanvasPlace,
        watch: Callable[[], object],
        messages: Messages,
    ) -> None:
        """`place` is where the image is on the canvas; `watch` has the stills listed."""
        super().__init__()
        self.setObjectName("colourPanel")
        self.setMinimumWidth(280)
        self._matching, self._chart, self._watch, self._messages = matching, chart, watch, messages
        self.tool = ChartTool(place, chart, self._ended)
        self.reference, self.chart = ImagePage(matching, references), ChartPage(chart, self.tool)
        self.chart.place.clicked.connect(lambda: messages.note(HINT))
        self.pages = QStackedWidget()
        self.segments = QButtonGroup(self)
        row = QHBoxLayout()
        row.setSpacing(1)
        for number, (text, tip) in enumerate(PAGES):
            button = segment(text, tip, f"Match: {text}")
            self.segments.addButton(button, number)
            add_segment(row, button)
        for page in (self.reference, self.chart):
            self.pages.addWidget(page)
        column = scrolling_column(self)
        column.addLayout(row)
        column.addWidget(self.pages, 1)
        chart.changed.connect(self._follow_chart)
        self.segments.idClicked.connect(self.show_page)
        self.segments.button(REFERENCE).setChecked(True)

    @property
    def page(self) -> int:
        """REFERENCE or CHART."""
        return self.pages.currentIndex()

    def show_page(self, page: int) -> None:
        """Show a page, and what it does on the image."""
        self.segments.button(page).setChecked(True)
        if page != self.page:
            self._stop()
            self.pages.setCurrentIndex(page)
            self._start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._start)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._stop()

    def _start(self) -> None:
        if not self.isVisible():
            return
        if self.page == REFERENCE:
            self._watch()
            self._matching.start()
        else:
            self._chart.start()

    def _stop(self) -> None:
        if self._chart.active:
            self.tool.end()
            self._chart.stop()
        if self._matching.active:
            self._matching.stop()

    def _follow_chart(self) -> None:
        """Take the tool away with its chart."""
        if self._chart.corners is None and self.tool.is_there:
            self.tool.end()

    def _ended(self) -> None:
        """Follow the tool, which Esc has removed: the chart stays in the panel."""
        self.chart.place.setFocus(Qt.FocusReason.OtherFocusReason)
