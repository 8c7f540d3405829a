"""Commands and gestures, the rows of the tables in this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from app.workspace import Workspace

SEPARATOR = "-"


class Command(NamedTuple):
    """One row of a table of commands.

    `name` identifies the command in code. `menu` is the path of its menu: "&View" or "&View/&Channel". `text` is its
    label with a mnemonic, and with an ellipsis if it asks for input first. `tip` describes it in one sentence. `run`
    executes it; `when` returns whether it is enabled. A command with `view` = (field, value) is checkable: it sets the
    field of the view state to that value or resets it, and `run` stays None. `checkable` is for commands that keep
    their own state. `where` is "canvas" for keys that work only while the image has the focus.
    """

    name: str
    menu: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    run: Callable[[Workspace], object] | None = None
    when: Callable[[Workspace], bool] | None = None
    view: tuple[str, Any] | None = None
    checkable: bool = False
    where: str = ""

    @property
    def label(self) -> str:
        """Return the text without its mnemonic and ellipsis."""
        return self.text.replace("&", "").rstrip("…")


class Gesture(NamedTuple):
    """A mouse or keyboard gesture that is not a command, listed in the key sheet."""

    how: str
    what: str


Table = tuple[Command | str, ...]
"""A string is SEPARATOR, or the path of a menu that is filled elsewhere."""


def has_image(workspace: Workspace) -> bool:
    """Return whether an image is open; for `when`."""
    return workspace.document.image is not None
