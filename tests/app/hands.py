"""What a user's hands and eyes do to a window, as events and grabs."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent, QPointingDevice, QTabletEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.canvas.canvas import Canvas
from app.panels.cards import OpCard
from app.shell.main_window import MainWindow
from app.widgets.fields import NumberField
from app.widgets.number_row import NumberRow

LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def row(window: MainWindow, field: str = "stops", card: int = 0) -> NumberRow:
    shown = window.panel.cards[card]
    assert isinstance(shown, OpCard)
    editor = shown.editors[field]
    assert isinstance(editor, NumberField)
    return editor.row


def drag(qtbot: Any, widget: QWidget, dx: int, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    start = QPoint(widget.width() // 2, widget.height() // 2)
    qtbot.mousePress(widget, LEFT, modifier, start)
    for step in range(1, 11):
        move(widget, start + QPoint(dx * step // 10, 0), LEFT, modifier)
    qtbot.mouseRelease(widget, LEFT, modifier, start + QPoint(dx, 0))


def move(widget: QWidget, to: QPoint, buttons: Any = Qt.MouseButton.NoButton, modifier: Any = None) -> None:
    modifier = modifier or Qt.KeyboardModifier.NoModifier
    place = QPointF(to)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, QPointF(widget.mapToGlobal(to)), Qt.MouseButton.NoButton, buttons, modifier
    )
    QApplication.sendEvent(widget, event)


def drop(widget: QWidget, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the only constructor there is, and Qt 6.12 wants it gone
        enter = QDragEnterEvent(QPoint(50, 50), copy, data, LEFT, none)
    QApplication.sendEvent(widget, enter)
    QApplication.sendEvent(widget, QDropEvent(QPointF(50, 50), copy, data, LEFT, none))


def wheel(widget: QWidget, at: QPoint, notches: int) -> None:
    none = Qt.KeyboardModifier.NoModifier
    spot, where = QPointF(at), QPointF(widget.mapToGlobal(at))
    phase = Qt.ScrollPhase.NoScrollPhase
    delta = QPoint(0, 120 * notches)
    QApplication.sendEvent(
        widget, QWheelEvent(spot, where, QPoint(), delta, Qt.MouseButton.NoButton, none, phase, False)
    )


def pen(widget: QWidget, pointer: QPointingDevice.PointerType) -> list[bool]:
    """A stroke with one end of a pen; whether the widget took each event, so that no mouse event would follow."""
    stylus, pressure = QPointingDevice.DeviceType.Stylus, QPointingDevice.Capability.Pressure
    device = QPointingDevice("pen", 7, stylus, pointer, pressure, 1, 3)
    kinds = (QEvent.Type.TabletPress, 40.0, 0.01), (QEvent.Type.TabletMove, 90.0, 0.9)
    taken = []
    for kind, x, force in (*kinds, (QEvent.Type.TabletRelease, 20.0, 0.0)):
        place = QPointF(x, 10.0)
        where, none = QPointF(widget.mapToGlobal(place)), Qt.KeyboardModifier.NoModifier
        event = QTabletEvent(kind, device, place, where, force, 12.0, -8.0, 0.3, 40.0, 0.0, none, LEFT, LEFT)
        event.ignore()
        QApplication.sendEvent(widget, event)
        taken.append(event.isAccepted())
    return taken


def shown_colour(window: MainWindow) -> tuple[int, int, int]:
    """The middle of the image as it is on the screen."""
    canvas: Canvas = window.canvas
    colour = canvas.grab().toImage().pixelColor(canvas.rect().center())
    return colour.red(), colour.green(), colour.blue()


def file_dialog(window: MainWindow) -> QFileDialog:
    return next(d for d in window.findChildren(QFileDialog) if d.isVisible())


def centre(widget: QWidget) -> tuple[int, int]:
    return widget.rect().center().x(), widget.rect().center().y()


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()[1:]]
