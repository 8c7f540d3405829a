"""The window as its commands know it."""

from __future__ import annotations

from typing import Protocol


class Window(Protocol):
    """The methods of the window that commands call."""

    def show_palette(self) -> None:
        """Open the command palette."""

    def show_keys(self) -> None:
        """Open the key sheet."""

    def show_about(self) -> None:
        """Open the dialog about Tessera."""

    def show_preferences(self) -> None:
        """Open the preferences."""

    def set_full_screen(self, full: bool) -> None:
        """Enter or leave full screen."""

    def set_clean(self, clean: bool) -> None:
        """Hide or show the panels and bars."""

    def next_pane(self, by: int) -> None:
        """Move the keyboard focus by `by` panes; negative moves backwards."""

    def reset_layout(self) -> None:
        """Restore the default layout of the panels."""
