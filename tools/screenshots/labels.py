"""Measures the labels of the windows on the screen: clipped, overlapping, or with too little contrast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

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
from app.widgets.elided import ElidedLabel

LEAST_CONTRAST = 4.5
"""The contrast of text that WCAG 2 asks for, as a ratio of luminances."""
LEAST_HEIGHT = 12
"""Height of the visible part of a label from which its contrast is measured: less may show no text."""
SLACK = 1
"""Pixels by which a label may be smaller than its text."""


def problems() -> list[str]:
    """Return a line for each label of the visible windows that can't be read as a whole."""
    found: list[str] = []
    for top in QApplication.topLevelWidgets():
        if top.isVisible() and top.width() > 1:
            image = top.grab().toImage()
            labels = list(_labels(top))
            found += [f"clipped: {_name(each)}" for each in labels if _is_clipped(each)]
            found += [f"overlap: {_name(one)} and {_name(other)}" for one, other in _overlaps(labels)]
            for each in labels:
                ratio = _contrast(image, each, top)
                if ratio is not None and ratio < LEAST_CONTRAST:
                    found.append(f"contrast {ratio:.1f}: {_name(each)}")
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
    if shown.height() < LEAST_HEIGHT:
        return None
    place = QRect(widget.mapTo(top, QPoint(0, 0)) + shown.topLeft(), shown.size()).adjusted(2, 2, -2, -2)
    ratio = image.devicePixelRatio()
    left, top_row = round(place.left() * ratio), round(place.top() * ratio)
    part = image.copy(left, top_row, round(place.width() * ratio), round(place.height() * ratio))
    colours = Counter(part.pixel(x, y) for y in range(part.height()) for x in range(part.width()))
    if not colours:
        return None
    behind = QColor(colours.most_common(1)[0][0])
    return max(contrast(behind, QColor(each)) for each in colours)


def _luminance(colour: QColor) -> float:
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _name(widget: QWidget) -> str:
    """Return the type of a widget, its text, and the class of what holds it."""
    holder = widget.parentWidget()
    inside = type(holder).__name__ if holder is not None else "nothing"
    return f"{type(widget).__name__} {_text(widget)[:40]!r} in {inside}"
