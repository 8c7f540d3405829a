"""The look: one style sheet, one family of icons, one accent, one type scale."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

RESOURCES = Path(__file__).parent.parent / "resources"
DIM_SIZES = (14, 16, 28, 32)
TEXT, MUTED, CHROME, SUNK = "#dedede", "#a8a8a8", "#3c3c3c", "#2c2c2c"


@cache
def icon(name: str) -> QIcon:
    """An icon of the family in resources/icons."""
    drawn = QIcon(str(RESOURCES / "icons" / f"{name}.svg"))
    made = QIcon(drawn)
    for size in DIM_SIZES:
        made.addPixmap(_dimmed(drawn.pixmap(QSize(size, size))), QIcon.Mode.Disabled)
    return made


def _dimmed(pixmap: QPixmap) -> QPixmap:
    """The pixmap of a command that can't be given now."""
    faint = QPixmap(pixmap.size())
    faint.setDevicePixelRatio(pixmap.devicePixelRatio())
    faint.fill(Qt.GlobalColor.transparent)
    painter = QPainter(faint)
    painter.setOpacity(0.3)
    painter.drawPixmap(0, 0, pixmap)
    painter.end()
    return faint


def apply(app: QApplication) -> None:
    """Give the application its look."""
    app.setStyle("Fusion")
    app.setPalette(_palette())
    font = QFont(app.font())
    font.setPixelSize(12)
    app.setFont(font)
    sheet = (RESOURCES / "style.qss").read_text(encoding="utf-8")
    app.setStyleSheet(sheet.replace("@icons@", (RESOURCES / "icons").as_posix()))
    app.setWindowIcon(icon("tessera"))


def _palette() -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(QColor(CHROME))
    for roles, colour in (
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText, role.HighlightedText), TEXT),
        ((role.Base, role.AlternateBase, role.ToolTipBase), SUNK),
        ((role.Window, role.Button), CHROME),
        ((role.PlaceholderText,), MUTED),
        ((role.Highlight, role.Link, role.Accent), "#55606b"),
    ):
        for each in roles:
            palette.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor("#7a7a7a"))
    return palette
