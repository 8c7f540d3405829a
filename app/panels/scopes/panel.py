"""The Scopes panel: choose the scopes, their values, region and scale."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from app.panels.bodies import segment
from app.panels.picker import Picker, add_choice
from app.panels.scopes.plots import HistogramPlot, ParadePlot, ScopePlot, VectorscopePlot, WaveformPlot
from app.render.preview import Preview
from app.services.open_documents import OpenDocuments
from app.services.settings import Settings
from app.widgets.elided import ElidedLabel
from engine.viewing.scopes import KINDS, SCENE_AXES, VALUES, ScopeOptions, ScopeReading

SETTING = "scopes"
EMPTY = "Open an image to see its scopes."
WIDE = 1.25
"""Aspect ratio of the panel from which on the scopes are side by side."""
BUTTONS = {
    "luma": ("Luma", "Waveform of luma: image columns to the right, values upwards"),
    "rgb": ("RGB", "Waveforms of R, G and B, overlaid"),
    "parade": ("Parade", "Waveforms of R, G and B side by side"),
    "vectorscope": ("Vector", "Vectorscope: Cb to the right, Cr upwards, targets at 75 and 100 %, skin tone line"),
    "histogram": ("Histo", "Histogram: values to the right, number of pixels upwards"),
}
NAMES = {"luma": "Luma", "rgb": "RGB", "parade": "Parade", "vectorscope": "Vectorscope", "histogram": "Histogram"}
OF = {
    "source": ("Source", "Values in the file"),
    "graded": ("Graded", "Values after the grade, before the view"),
    "display": ("Display", "Values sent to the display, 0 to 100 %"),
}
WHERE = {False: ("Viewport", "The visible part of the image"), True: ("Full frame", "The whole image")}
SCALES = {
    "stops": ("Stops", "Eight stops on either side of mid grey (0.18)"),
    "0-1": ("0 to 1", "Scene-linear values from 0 to 1"),
    "0-4": ("0 to 4", "Scene-linear values from 0 to 4"),
    "0-16": ("0 to 16", "Scene-linear values from 0 to 16"),
}


class ScopesPanel(QWidget):
    """Shows the scopes. They are computed only while the panel is visible."""

    def __init__(self, documents: OpenDocuments, preview: Preview, settings: Settings) -> None:
        super().__init__()
        self.setObjectName("scopesPanel")
        self.setMinimumWidth(280)
        self._documents, self._preview, self._settings = documents, preview, settings
        self.options = _remembered(settings.get(SETTING, dict[str, Any]()))
        self.buttons: dict[str, QToolButton] = {}
        for kind, (text, tip) in BUTTONS.items():
            self.buttons[kind] = button = segment(text, tip, f"Scope: {NAMES[kind]}")
            button.clicked.connect(partial(self._toggle, kind))
        self.of = Picker("Values of the scopes", "The values that the scopes show", self._fill_of)
        self.where = Picker("Region of the scopes", "The region that the scopes cover", self._fill_where)
        self.scale = Picker("Scale of the scopes", "The scale of scene-linear values", self._fill_scale)
        self.plots: dict[str, ScopePlot] = {
            "luma": WaveformPlot(NAMES["luma"], BUTTONS["luma"][1], (3,)),
            "rgb": WaveformPlot(NAMES["rgb"], BUTTONS["rgb"][1], (0, 1, 2)),
            "parade": ParadePlot(NAMES["parade"], BUTTONS["parade"][1]),
            "vectorscope": VectorscopePlot(NAMES["vectorscope"], BUTTONS["vectorscope"][1]),
            "histogram": HistogramPlot(NAMES["histogram"], BUTTONS["histogram"][1]),
        }
        self.counted = ElidedLabel("")
        self.counted.setObjectName("note")
        self._bar, self._row = (
            QBoxLayout(QBoxLayout.Direction.LeftToRight),
            QBoxLayout(QBoxLayout.Direction.LeftToRight),
        )
        self._lay_out()
        self._clear()
        preview.scoped.connect(self.show_reading)
        documents.image_changed.connect(self._clear)
        self._show()

    def _lay_out(self) -> None:
        kinds, choices = QHBoxLayout(), QHBoxLayout()
        kinds.setSpacing(1)
        for button in self.buttons.values():
            kinds.addWidget(button, 1)
        choices.setSpacing(4)
        for picker in (self.of, self.where, self.scale):
            choices.addWidget(picker, 1)
        self._bar.setSpacing(6)
        self._bar.addLayout(kinds, 1)
        self._bar.addLayout(choices, 1)
        self._row.setSpacing(4)
        for plot in self.plots.values():
            self._row.addWidget(plot, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(4)
        column.addLayout(self._bar)
        column.addLayout(self._row, 1)
        column.addWidget(self.counted)

    def sizeHint(self) -> QSize:
        return QSize(640, 220)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._preview.set_scopes(self.options)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._preview.set_scopes(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._bar.setDirection(across if self.width() > 600 else down)
        self._row.setDirection(across if self.width() > WIDE * self.height() else down)

    def choose(self, **changes: Any) -> None:
        """Change the options and save them."""
        self.options = replace(self.options, **changes)
        kept = {"kinds": list(self.options.kinds), "values": self.options.values, "scale": self.options.scale}
        self._settings.set(SETTING, kept | {"whole": self.options.whole})
        self._show()
        if self.isVisible():
            self._preview.set_scopes(self.options)

    def show_reading(self, reading: ScopeReading) -> None:
        """Draw a reading, unless its options are outdated."""
        if reading.options != self.options:
            return
        for kind in self.options.kinds:
            self.plots[kind].show_reading(reading)
        self.counted.show_text(_summary(reading))

    def _toggle(self, kind: str) -> None:
        """Show or hide a scope; at least one stays."""
        shown = set(self.options.kinds) ^ {kind}
        self.choose(kinds=tuple(each for each in KINDS if each in shown) or (kind,))

    def _show(self) -> None:
        for kind, plot in self.plots.items():
            shown = kind in self.options.kinds
            plot.setVisible(shown)
            self.buttons[kind].setChecked(shown)
        self.of.show_choice(*OF[self.options.values])
        self.where.show_choice(*WHERE[self.options.whole])
        display = self.options.values == "display"
        self.scale.show_choice(
            *(("0 to 100 %", "Display values have one scale") if display else SCALES[self.options.scale])
        )
        self.scale.setEnabled(not display)

    def _clear(self) -> None:
        for plot in self.plots.values():
            plot.show_reading(None)
        self.counted.show_text(EMPTY if self._documents.current.image is None else "")

    def _fill_of(self, menu: QMenu) -> None:
        for value, (text, tip) in OF.items():
            add_choice(menu, text, tip, value == self.options.values, partial(self.choose, values=value))

    def _fill_where(self, menu: QMenu) -> None:
        for whole, (text, tip) in WHERE.items():
            add_choice(menu, text, tip, whole == self.options.whole, partial(self.choose, whole=whole))

    def _fill_scale(self, menu: QMenu) -> None:
        for scale, (text, tip) in SCALES.items():
            add_choice(menu, text, tip, scale == self.options.scale, partial(self.choose, scale=scale))


def _remembered(kept: dict[str, Any]) -> ScopeOptions:
    """Return the saved options; unknown values fall back to their defaults."""
    options = ScopeOptions(("rgb", "vectorscope", "histogram"))
    kinds = kept.get("kinds")
    known = tuple(kind for kind in KINDS if isinstance(kinds, list) and kind in kinds)
    values, scale = str(kept.get("values")), str(kept.get("scale"))
    return replace(
        options,
        kinds=known or options.kinds,
        values=values if values in VALUES else options.values,
        scale=scale if scale in SCENE_AXES else options.scale,
        whole=kept.get("whole") is True,
    )


def _summary(reading: ScopeReading) -> str:
    """Return the region and the number of pixels of a reading."""
    region = "full frame" if reading.options.whole else "viewport"
    means = f", each the mean of {reading.shrink:.3g} × {reading.shrink:.3g}" if reading.shrink > 1.01 else ""
    return f"{reading.width} × {reading.height} pixels of the {region}{means}"
