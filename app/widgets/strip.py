"""The base of panels that are strips of a fixed height, which grow for more."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class Strip(QWidget):
    """A panel without a title bar."""

    stretched = Signal(int)  # by how many pixels it is to be taller than the strip; 0 for the strip alone
