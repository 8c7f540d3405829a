"""States of the filters of the category Texture: their cards."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest

from engine import ops
from tools.screenshots.window import Shown


def texture_detail(shown: Shown) -> None:
    """Sharpen and clarity."""
    shown.grade(ops.Sharpen(1.2, 6.0, 0.1, overshoot="limited"), ops.Clarity(0.5, 60.0))


def texture_glow(shown: Shown) -> None:
    """Bloom and halation."""
    shown.grade(ops.Bloom(0.3, 2.0, 0.5, 240.0), ops.Halation(0.6, 2.5, 0.5, 50.0))


def texture_noise(shown: Shown) -> None:
    """Denoise and grain."""
    shown.grade(ops.Denoise(1.0, 1.5, 0.1, (0.012, 0.01, 0.015), (0.03, 0.03, 0.04)), ops.Grain(0.12, 1.8))


def texture_area(shown: Shown) -> None:
    """A rectangle that is dragged on the image to measure its noise."""
    texture_noise(shown)
    canvas, body = shown.window.canvas, shown.window.panel.cards[0].body
    body.pick.click()
    start = QPoint(canvas.width() // 3, canvas.height() // 5)
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    end = QPointF(start + QPoint(canvas.width() // 5, canvas.height() // 6))
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    canvas.mouseMoveEvent(QMouseEvent(QEvent.Type.MouseMove, end, canvas.mapToGlobal(end), left, left, none))
    shown.spin(0.1)


def texture_lens(shown: Shown) -> None:
    """Vignette and chromatic aberration."""
    shown.grade(ops.Vignette(1.5, falloff="cosine"), ops.ChromaticAberration(0.3, -0.2))


STATES: dict[str, Callable[[Shown], None]] = {
    each.__name__: each for each in (texture_detail, texture_glow, texture_noise, texture_area, texture_lens)
}
