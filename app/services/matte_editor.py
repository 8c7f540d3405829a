"""The edits of mattes that commands and the Grade panel make, on the node that is selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from app.model import matte_edit
from app.model.matte_edit import Path
from app.services import clipboard
from app.services.matte_files import MatteFiles
from app.services.matte_selection import MatteSelection
from app.services.messages import Messages
from engine.errors import GradeError
from engine.grade.entries import layer_of
from engine.mattes.source import SOURCES, MatteSource
from engine.mattes.tree import Branch, Leaf, Matte, Node

DRAWN = ("Path",)
"""Sources that are drawn on the image before they are added."""
PICKED = ("HslQualifier", "Key3d", "Cryptomatte")
"""Sources that are chosen by clicks on the image."""
DEFAULT_FRAME = (1920, 1080)
"""The display window that sources are made for without an image."""
WAYS: dict[str, Callable[[Node, Path], Path | None]] = {
    "up": lambda root, path: matte_edit.place_beside(root, path, -1),
    "down": lambda root, path: matte_edit.place_beside(root, path, 1),
    "in": matte_edit.place_inside,
    "out": lambda _root, path: matte_edit.place_outside(path),
}
_NO_MATTE = "There is no matte on the clipboard; copy one first."


def node_name(node: Node) -> str:
    """Return the name of a node in the steps of the history."""
    return node.source.title() if isinstance(node, Leaf) else node.mode


class MatteEditor(QObject):
    """Edits the matte of the current entry. Edits that can't be made are refused with a message."""

    def __init__(
        self,
        selection: MatteSelection,
        files: MatteFiles,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.selection, self.files, self._messages = selection, files, messages

    # -- what can be done

    @property
    def can_have_matte(self) -> bool:
        """Whether there is a current entry, and it can have a matte."""
        return self.selection.can_have_matte

    @property
    def matte(self) -> Matte | None:
        """The matte of the current entry."""
        return self.selection.matte

    @property
    def node(self) -> Node | None:
        """The selected node, or the only one; None if there is none."""
        matte = self.matte
        return matte_edit.node_at(matte.root, self._path) if matte is not None and self._has_node else None

    @property
    def can_pick(self) -> bool:
        """Whether the selected node is chosen by clicks on the image."""
        return isinstance(self.node, Leaf) and type(self.node.source).__name__ in PICKED

    @property
    def can_unwrap(self) -> bool:
        """Whether the selected node is a branch whose nodes can take its place."""
        return isinstance(self.node, Branch) and matte_edit.can_unwrap(self._root, self._path)

    def can_move(self, way: str) -> bool:
        """Return whether the selected node can go up, down, in or out."""
        return self.node is not None and WAYS[way](self._root, self._path) is not None

    # -- sources

    def add(self, name: str) -> None:
        """Add a source by its class name; one that is drawn or picked is then waited for on the image."""
        if not self.can_have_matte:
            self._messages.warn("An entry that resizes the image can't have a matte; put it on another one.")
            return
        if name in DRAWN:
            self.selection.draw(name)
            return
        source = self._made(SOURCES[name])
        self._try(lambda: self.selection.add(source, f"adding {source.title()}"))
        if name in PICKED:
            self.selection.pick(True)

    def draw(self, name: str) -> None:
        """Let the user draw a window on the image; a second call ends that."""
        self.selection.draw("" if self.selection.drawing == name else name)

    def pick(self) -> None:
        """Let clicks on the image choose what the selected node covers; a second call ends that."""
        if self.can_pick:
            picking = self.selection.picking
            self.selection.select(self._path)
            self.selection.pick(not picking)

    def set_fields(self, changes: dict[str, Any], what: str) -> None:
        """Change fields of the source of the selected leaf, or of the only one. `what` names them; edits are merged."""
        node, path = self.node, self._path
        if isinstance(node, Leaf):
            text, key = f"{node.source.title()} {what}", f"{path}.{','.join(changes)}"
            self._try(lambda: self._set_source(path, node.source.replace(**changes), text, key))

    def _set_source(self, path: Path, source: MatteSource, text: str, key: str) -> None:
        self._set_root(matte_edit.with_values(self._root, path, source=source), text, key)

    # -- nodes

    def select(self, path: Path | None) -> None:
        self.selection.select(path)

    def set_values(self, path: Path, **values: Any) -> None:
        """Set `opacity`, `inverted` or `enabled` of a node, or the `mode` of a branch; an opacity is merged."""
        name = node_name(matte_edit.node_at(self._root, path))
        what = ", ".join(values)
        words = {"inverted": "inversion", "enabled": "bypass"}
        key = f"{path}.opacity" if what == "opacity" else ""
        self._set_root(matte_edit.with_values(self._root, path, **values), f"{name} {words.get(what, what)}", key)

    def toggle(self, switch: str) -> None:
        """Toggle `inverted` or `enabled` of the selected node."""
        if self.node is not None:
            self.set_values(self._path, **{switch: not getattr(self.node, switch)})

    def remove(self, path: Path | None = None) -> None:
        """Remove a node, by default the selected one; the matte with its last node."""
        path = self._path if path is None else path
        name = node_name(matte_edit.node_at(self._root, path))
        root = matte_edit.removed(self._root, path)
        if root is None:
            self.selection.set_matte(None, f"removal of {name}")
        else:
            self._set_root(root, f"removal of {name}")
            self.selection.select(matte_edit.nearest(root, path))

    def duplicate(self, path: Path | None = None) -> None:
        """Insert a copy of a node behind it, by default of the selected one."""
        path = self._path if path is None else path
        name = node_name(matte_edit.node_at(self._root, path))
        self._change(lambda root: matte_edit.duplicated(root, path), f"copy of {name}")

    def move(self, way: str, path: Path | None = None) -> None:
        """Move a node up, down, into the branch before it or out of its branch; do nothing if it can't go there."""
        path = self._path if path is None else path
        place = WAYS[way](self._root, path)
        if place is not None:
            self.move_to(path, place)

    def move_to(self, path: Path, place: Path) -> None:
        """Move a node to a place of the tree."""
        name = node_name(matte_edit.node_at(self._root, path))
        self._change(lambda root: matte_edit.moved(root, path, place), f"move of {name}")

    def wrap(self, mode: str) -> None:
        """Put the selected node into a new branch, which is then selected."""
        path = self._path
        name = node_name(matte_edit.node_at(self._root, path))
        self._change(lambda root: (matte_edit.wrapped(root, path, mode), path), f"{mode} around {name}")

    def unwrap(self) -> None:
        """Replace the selected branch by its nodes, if that does not change the coverage."""
        if self.can_unwrap:
            path, name = self._path, node_name(matte_edit.node_at(self._root, self._path))
            self._change(lambda root: (matte_edit.unwrapped(root, path), path), f"end of {name}")

    # -- the whole matte

    def shape(self, what: str, **values: Any) -> None:
        """Set `feather`, `grow`, `gain`, `gamma` or `inverted` of the matte; `what` names it, and merges edits."""
        matte = self.matte
        if matte is not None:
            key = "" if "inverted" in values else what
            self._try(lambda: self.selection.set_matte(replace(matte, **values), what, key))

    def invert(self) -> None:
        """Invert the whole matte."""
        if self.matte is not None:
            self.shape("inversion", inverted=not self.matte.inverted)

    def copy(self) -> None:
        """Put the matte on the clipboard."""
        if self.matte is not None:
            clipboard.copy_matte(self.matte)

    def paste(self) -> None:
        """Replace the matte by that on the clipboard, or by that of the entry there."""
        try:
            found = clipboard.pasted()
        except GradeError as error:
            self._messages.warn(str(error))
            return
        matte = found if isinstance(found, Matte) else None
        if isinstance(found, tuple) and found[1]:
            matte = next((layer_of(entry).matte for entry in found[0].entries), None)
        if matte is None:
            self._messages.warn(_NO_MATTE)
        elif not self.can_have_matte:
            self._messages.warn("An entry that resizes the image can't have a matte; select another one.")
        else:
            self.selection.set_matte(matte, "pasted")

    def clear(self) -> None:
        """Remove the matte of the current entry."""
        if self.matte is not None:
            self.selection.set_matte(None, "removal")

    def begin_drag(self) -> None:
        self.selection.begin_drag()

    def end_drag(self) -> None:
        self.selection.end_drag()

    # -- how

    @property
    def _root(self) -> Node:
        assert self.matte is not None
        return self.matte.root

    @property
    def _has_node(self) -> bool:
        return self.selection.node is not None or (self.matte is not None and isinstance(self._root, Leaf))

    @property
    def _path(self) -> Path:
        """The path of the selected node; that of the root if none is selected."""
        return self.selection.node or ()

    def _made(self, kind: type[MatteSource]) -> MatteSource:
        width, height = self.selection.frame
        return self.files.adapted(kind.for_frame(*((width, height) if width else DEFAULT_FRAME)))

    def _change(self, change: Callable[[Node], tuple[Node, Path]], text: str) -> None:
        """Change the tree and select the node that results."""

        def edit() -> None:
            root, path = change(self._root)
            self._set_root(root, text)
            self.selection.select(path)

        self._try(edit)

    def _set_root(self, root: Node, text: str, key: str = "") -> None:
        matte = self.matte
        assert matte is not None
        self._try(lambda: self.selection.set_matte(replace(matte, root=root), text, key))

    def _try(self, edit: Callable[[], object]) -> None:
        """Make an edit; one that is invalid, such as a tree that is too deep, is refused with a message."""
        try:
            edit()
        except GradeError as error:
            self._messages.warn(str(error))
