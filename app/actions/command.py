"""What a command is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

SEPARATOR = "-"


@dataclass(frozen=True)
class Command:
    """One line of a table of commands.

    `name` is how the code calls it. `menu` is where it is found, as "&View" or "&View/&Channel". `text` is its label
    with a mnemonic, and an ellipsis where it asks something first. `tip` is one sentence on what it does. `run` does
    it; `when` says whether it can be given now. With `view` = (field, value) it is checkable, puts that value into the
    field of the view state or takes it out again, and `run` stays empty. `checkable` is for commands that keep a state
    of their own. `where` is "canvas" for keys that hold only while the image has the focus.
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
        """The text without mnemonic and ellipsis."""
        return self.text.replace("&", "").rstrip("…")


@dataclass(frozen=True)
class Gesture:
    """Something that mouse or keys do beside the commands, for the key sheet."""

    how: str
    what: str


Table = tuple[Command | str, ...]
"""A text is a SEPARATOR, or the path of a menu that is filled elsewhere."""


def has_image(workspace: Workspace) -> bool:
    """For `when`: there is an image to do it with."""
    return workspace.document.image is not None
