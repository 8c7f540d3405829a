"""The style of the application: palette, style sheet, font and icons."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget

RESOURCES = Path(__file__).parents[2] / "resources"
ICONS = RESOURCES / "icons"
"""The icons; `disabled` has each of them at 40 % opacity."""
TEXT, MUTED, FAINT = "#dedede", "#bebebe", "#8c8c8c"
"""Text; secondary text; disabled text."""
CHROME, SUNK, CHOSEN = "#3c3c3c", "#2c2c2c", "#5a5a5a"
"""Background of window and panels; of input fields; of selected items."""
PANEL, LIST = "#363636", "#2e2e2e"
"""Background of panels with lists of tiles; of other lists and trees."""
ACCENT = "#7aa2c8"
"""Used only for focus, progress and selected tabs."""


@cache
def icon(name: str) -> QIcon:
    """Return an icon from resources/icons. Qt reads and draws the file when the icon is first painted."""
    made = QIcon(str(ICONS / f"{name}.svg"))
    made.addFile(str(ICONS / "disabled" / f"{name}.svg"), mode=QIcon.Mode.Disabled)
    return made


@cache
def switch_icon(off: str, on: str) -> QIcon:
    """Return an icon for a checkable button, with another image while it is checked."""
    made = QIcon(icon(off))
    made.addFile(str(ICONS / f"{on}.svg"), state=QIcon.State.On)
    made.addFile(str(ICONS / "disabled" / f"{on}.svg"), mode=QIcon.Mode.Disabled, state=QIcon.State.On)
    return made


def apply(app: QApplication) -> None:
    """Apply palette, font, style sheet and icon to the application."""
    app.setPalette(_palette())
    font = QFont(app.font())
    font.setPixelSize(12)
    app.setFont(font)
    app.setStyleSheet(sheet())
    app.setWindowIcon(icon("tessera"))


def restyle(widget: QWidget, name: str, value: object) -> bool:
    """Set a property that the style sheet knows; return whether the sheet was applied again.

    That takes milliseconds, and is not needed before a widget is first shown, nor between values that have no rule:
    False, 0 and none.
    """
    before = widget.property(name) or 0
    widget.setProperty(name, value)
    if before == value or not widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished):
        return False
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    return True


def sheet() -> str:
    """Return the style sheet with the colours of this module filled in."""
    text = (RESOURCES / "style.qss").read_text(encoding="utf-8")
    named = {
        "text": TEXT,
        "muted": MUTED,
        "faint": FAINT,
        "accent": ACCENT,
        "chosen": CHOSEN,
        "panel": PANEL,
        "list": LIST,
    }
    for name, value in {**named, "icons": ICONS.as_posix()}.items():
        text = text.replace(f"@{name}@", value)
    return text


def _palette() -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette(QColor(CHROME))
    for roles, colour in (
        ((role.WindowText, role.Text, role.ButtonText, role.ToolTipText, role.HighlightedText), TEXT),
        ((role.Base, role.AlternateBase, role.ToolTipBase), SUNK),
        ((role.Window, role.Button), CHROME),
        ((role.PlaceholderText,), MUTED),
        ((role.Highlight, role.Link, role.Accent), CHOSEN),
    ):
        for each in roles:
            palette.setColor(each, QColor(colour))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(FAINT))
    return palette
