"""The tools that handle the mouse and the keys on the canvas, before the canvas itself does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent


class Tool:
    """Handles events on the canvas. By default it leaves all of them to the tools below it and to the canvas.

    A method for an event returns whether it handled the event, which then goes no further. Positions are in pixels of
    the widget. A tool that draws is also an `Overlay` of the scene.
    """

    is_temporary = False
    """Whether Escape removes the tool from the stack while it is on top."""

    def mouse_press(self, event: QMouseEvent) -> bool:
        """Handle the press of a button; a double click is two presses."""
        return False

    def mouse_move(self, event: QMouseEvent) -> bool:
        """Handle a move of the mouse, with or without a button pressed."""
        return False

    def mouse_release(self, event: QMouseEvent) -> bool:
        """Handle the release of a button."""
        return False

    def key_press(self, event: QKeyEvent) -> bool:
        """Handle the press of a key."""
        return False

    def keeps_key(self, event: QKeyEvent) -> bool:
        """Return whether a key goes to this tool even if it is that of a command."""
        return False

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        """Return the cursor to show where a press would go to this tool, else None."""
        return None

    def removed(self) -> None:
        """Clean up after the tool was removed from the stack."""


class ToolStack(QObject):
    """The tools of the canvas. The last one pushed is on top and gets each event first."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._tools: list[Tool] = []

    def __iter__(self) -> Iterator[Tool]:
        """Iterate from top to bottom over the tools as they are now."""
        return iter(self._tools[::-1])

    def __contains__(self, tool: object) -> bool:
        return tool in self._tools

    def push(self, tool: Tool) -> None:
        """Put a tool on top, also if it was further down."""
        if tool in self._tools:
            self._tools.remove(tool)
        self._tools.append(tool)
        self.changed.emit()

    def remove(self, tool: Tool) -> None:
        """Remove a tool, wherever it is; do nothing if it isn't there."""
        if tool in self._tools:
            self._tools.remove(tool)
            self.changed.emit()
            tool.removed()

    def escape(self) -> bool:
        """Remove the top tool if it is temporary; return whether it was."""
        top = next(iter(self), None)
        if top is None or not top.is_temporary:
            return False
        self.remove(top)
        return True

    def handle(self, offer: Callable[[Tool], bool]) -> bool:
        """Offer an event to the tools, from the top, until one handles it; return whether one did."""
        return any(offer(tool) for tool in self)

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        """Return the cursor of the topmost tool that has one for a position."""
        shapes = (tool.cursor_at(position) for tool in self)
        return next((shape for shape in shapes if shape is not None), None)
