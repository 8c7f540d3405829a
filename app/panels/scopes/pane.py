"""A pane of the Scopes panel: a scope, the menu of its type and the button that closes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.panels.picker import Picker, add_choice
from app.panels.scopes.chromaticity_plot import ChromaticityPlot
from app.panels.scopes.plots import HistogramPlot, ParadePlot, ScopePlot, VectorscopePlot, WaveformPlot
from app.panels.scopes.scatter_plot import ScatterPlot
from app.panels.scopes.scope_menus import fill_options
from app.panels.scopes.scope_settings import ORDER, PaneChoices
from app.services.jobs import Jobs
from app.widgets.small_buttons import icon_button
from engine.viewing.scopes import ScopeReading

TYPES = {
    "parade": ("Parade", "Waveforms of R, G and B side by side: image columns to the right, values upwards"),
    "luma": ("Luma", "Waveform of luma: image columns to the right, values upwards"),
    "rgb": ("RGB", "Waveforms of R, G and B, overlaid: image columns to the right, values upwards"),
    "vectorscope": ("Vectorscope", "Cb to the right, Cr upwards, targets at 75 and 100 %, skin tone line"),
    "histogram": ("Histogram", "Values to the right, number of pixels upwards"),
    "chromaticity": ("Chromaticity", "Chromaticity diagram with the spectral locus and gamuts; black is not counted"),
    "scatter": ("3D", "Colours as points in a solid, from a sample of the pixels; nearer ones are brighter"),
}
"""Name and tip of each type of scope."""
_PLOTS: dict[str, Callable[[str, str], ScopePlot]] = {
    "parade": ParadePlot,
    "luma": partial(WaveformPlot, channels=(3,)),
    "rgb": partial(WaveformPlot, channels=(0, 1, 2)),
    "vectorscope": VectorscopePlot,
    "histogram": HistogramPlot,
    "chromaticity": ChromaticityPlot,
}
MENU_WIDTH = 118


class Pane(QWidget):
    """Shows a scope of one type, which its menu changes."""

    chosen = Signal(str)  # another type
    changed = Signal(object)  # changes of PaneChoices
    closed = Signal()

    def __init__(self, choices: PaneChoices, jobs: Jobs) -> None:
        super().__init__()
        self.choices, self._gamut, self._jobs = choices, "", jobs
        self.plot = self._new_plot()
        self.types = Picker("Type of this scope", "The type of this scope", self._fill)
        self.types.setFixedWidth(MENU_WIDTH)
        self.options = icon_button("more", "What this scope shows", "What this scope shows")
        self.options.clicked.connect(self._open_options)
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.close_button = icon_button("remove", "Close this scope", "Close this scope")
        self.close_button.clicked.connect(self.closed)
        head = QHBoxLayout()
        head.setSpacing(2)
        head.addWidget(self.types)
        head.addWidget(self.options)
        head.addStretch(1)
        head.addWidget(self.close_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2)
        self._column.addLayout(head)
        self._column.addWidget(self.plot, 1)
        self._show_kind()

    @property
    def kind(self) -> str:
        """The type of scope."""
        return self.choices.kind

    def set_choices(self, choices: PaneChoices, gamut: str) -> None:
        """Take other choices; another type of scope is empty until its next reading."""
        before, self.choices, self._gamut = self.kind, choices, gamut
        if self.kind == before:
            return
        self.plot.hide()
        self.plot.deleteLater()
        self.plot = self._new_plot()
        self._column.addWidget(self.plot, 1)
        self._show_kind()

    def show_reading(self, reading: ScopeReading | None, transfer: str) -> None:
        """Draw a reading, with a scale in nits if `transfer` is PQ or HLG."""
        self.plot.show_reading(reading, self.choices, self._gamut, transfer)

    def _show_kind(self) -> None:
        self.types.show_choice(*TYPES[self.kind])

    def _new_plot(self) -> ScopePlot:
        if self.kind != "scatter":
            return _PLOTS[self.kind](*TYPES[self.kind])
        plot = ScatterPlot(*TYPES[self.kind], self._jobs)
        plot.turned.connect(lambda scatter: self.changed.emit({"scatter": scatter}))
        return plot

    def _fill(self, menu: QMenu) -> None:
        for kind in ORDER:
            text, tip = TYPES[kind]
            add_choice(menu, text, tip, kind == self.kind, partial(self.chosen.emit, kind))

    def _open_options(self) -> None:
        self.menu.clear()
        fill_options(self.menu, self.choices, self._gamut, lambda **changes: self.changed.emit(changes))
        above = QPoint(0, self.menu.sizeHint().height())  # so that the trace stays visible while it is changed
        self.menu.popup(self.options.mapToGlobal(self.options.rect().topLeft()) - above)
