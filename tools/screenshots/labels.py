"""Measures the labels of the windows on the screen, and the graticules of scopes: clipped, overlapping, or with too
little contrast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.canvas.canvas import Canvas
from app.panels.scopes.plots import ScopePlot
from app.widgets import curve_plot
from app.widgets.elided import ElidedLabel

LEAST_CONTRAST = 4.5
"""The contrast of text that WCAG 2 asks for, as a ratio of luminances."""
LEAST_OF_LINES = 3.0
"""The contrast of lines that WCAG 2 asks for."""
LEAST_HEIGHT = 12
"""Height of the visible part of a label from which its contrast is measured: less may show no text. So may less than
half of its width."""
SLACK = 1
"""Pixels by which a label may be smaller than its text."""


@dataclass
class Measured:
    """What was found: a line for each problem, and the contrast of each label and graticule that was measured."""

    problems: list[str] = field(default_factory=list)
    texts: list[float] = field(default_factory=list)
    lines: list[float] = field(default_factory=list)

    def add(self, other: Measured) -> None:
        """Add what was found elsewhere."""
        self.problems += other.problems
        self.texts += other.texts
        self.lines += other.lines

    def __str__(self) -> str:
        texts, lines = (f"{min(each, default=0.0):.2f} of {len(each)}" for each in (self.texts, self.lines))
        return f"{len(self.problems)} problems; least contrast of labels {texts}, of graticules {lines}"


def measure() -> Measured:
    """Measure the labels and graticules of the visible windows."""
    found = Measured()
    for top in QApplication.topLevelWidgets():
        if top.isVisible() and top.width() > 1:
            image = top.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
            labels = list(_labels(top))
            found.problems += [f"clipped: {_name(each)}" for each in labels if _is_clipped(each)]
            found.problems += [f"overlap: {_name(one)} and {_name(other)}" for one, other in _overlaps(labels)]
            for each in labels:
                ratio = _contrast(image, each, top)
                found.texts += [ratio] if ratio is not None else []
                if ratio is not None and ratio < LEAST_CONTRAST:
                    found.problems.append(f"contrast {ratio:.1f}: {_name(each)}")
            for plot in top.findChildren(QWidget):
                lines = _lines_of(plot)
                if lines and plot.visibleRegion().boundingRect().size() == plot.size():
                    found.lines.append(_contrast_of_lines(image, plot, lines, top))
                    if found.lines[-1] < LEAST_OF_LINES:
                        found.problems.append(f"contrast {found.lines[-1]:.1f}: graticule of {plot.accessibleName()}")
    return found


def contrast(one: QColor, other: QColor) -> float:
    """Return the ratio of the luminances of two colours, 1..21, as WCAG 2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _labels(top: QWidget) -> Iterator[QWidget]:
    """Iterate over the visible widgets of a window that show text."""
    for widget in top.findChildren(QWidget):
        if widget.window() is top and widget.isVisible() and _text(widget) and not widget.visibleRegion().isEmpty():
            yield widget


def _text(widget: QWidget) -> str:
    if isinstance(widget, QToolButton) and widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly:
        return "" if not widget.icon().isNull() else widget.text()
    if isinstance(widget, QLabel | QAbstractButton | QLineEdit):
        return widget.text()
    return widget.currentText() if isinstance(widget, QComboBox) else ""


def _is_clipped(widget: QWidget) -> bool:
    """Return whether a label is smaller than its text, unless it elides it, or is cut off outside a scroll area."""
    if isinstance(widget, QLineEdit | QComboBox):
        return False  # they scroll or elide
    whole = widget.sizeHint()
    if isinstance(widget, QLabel) and not isinstance(widget, ElidedLabel):
        if widget.hasHeightForWidth():
            if widget.heightForWidth(widget.width()) > widget.height() + SLACK:
                return True
        elif whole.width() > widget.width() + SLACK or whole.height() > widget.height() + SLACK:
            return True
    elif isinstance(widget, QAbstractButton) and widget.metaObject().className() in ("QPushButton", "QToolButton"):
        needed = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
        if needed > widget.width() and "…" not in widget.text():
            return True
    return not _scrolls(widget) and widget.visibleRegion().boundingRect() != widget.rect()


def _scrolls(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea | QTabBar | QAbstractSpinBox | Canvas):
            return True
        parent = parent.parentWidget()
    return False


def _overlaps(labels: list[QWidget]) -> Iterator[tuple[QWidget, QWidget]]:
    """Iterate over pairs of labels of the same parent that lie over each other."""
    for place, one in enumerate(labels):
        for other in labels[place + 1 :]:
            if one.parent() is other.parent() and one.geometry().intersects(other.geometry()):
                yield one, other


def _contrast(image: QImage, widget: QWidget, top: QWidget) -> float | None:
    """Return the contrast of a label's text with the colour behind it; None if it is disabled or scrolled away."""
    if not widget.isEnabled():
        return None
    shown = widget.visibleRegion().boundingRect()
    if shown.height() < LEAST_HEIGHT or shown.width() < widget.width() // 2:
        return None
    place = QRect(widget.mapTo(top, QPoint(0, 0)) + shown.topLeft(), shown.size()).adjusted(2, 2, -2, -2)
    colours, counts = _colours(image, place)
    if not len(colours):
        return None
    behind = QColor(int(colours[counts.argmax()]))
    return max(contrast(behind, QColor(int(each))) for each in colours)


def _lines_of(plot: QWidget) -> tuple[QColor, ...]:
    """Return the colours of the lines of a graticule; () if a widget has none."""
    if isinstance(plot, ScopePlot):
        return plot.LINES if plot.reading is not None else ()
    return (curve_plot.LINE,) if isinstance(plot, curve_plot.CurvePlot) else ()


def _contrast_of_lines(image: QImage, plot: QWidget, lines: tuple[QColor, ...], top: QWidget) -> float:
    """Return the contrast of the lines of a graticule, as long as half a side, with the commonest colour; 1 without."""
    place = QRect(plot.mapTo(top, QPoint(0, 0)), plot.size())
    colours, counts = _colours(image, place)
    behind = QColor(int(colours[counts.argmax()]))
    long = image.devicePixelRatio() * min(place.width(), place.height()) / 2
    drawn = [each for each in lines if counts[colours == each.rgb()].sum() >= long]
    return min((contrast(behind, each) for each in drawn), default=1.0)


def _colours(image: QImage, place: QRect) -> tuple[Any, Any]:
    """Return the colours in a part of a grab, as 32-bit numbers, and how many pixels have each."""
    ratio = image.devicePixelRatio()
    left, top, across, down = (round(each * ratio) for each in (place.x(), place.y(), place.width(), place.height()))
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return np.unique(words[max(top, 0) : top + down, max(left, 0) : left + across] | 0xFF000000, return_counts=True)


def _luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _name(widget: QWidget) -> str:
    """Return the type of a widget, its text, and the class of what holds it."""
    holder = widget.parentWidget()
    inside = type(holder).__name__ if holder is not None else "nothing"
    return f"{type(widget).__name__} {_text(widget)[:40]!r} in {inside}"
