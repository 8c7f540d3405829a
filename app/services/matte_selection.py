"""Which entry's matte and which node of it is edited, and what the mouse does for it on the canvas."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.model.entries import name_of
from app.model.grade_rows import entry_at, index_of, matte_of, path_of, switched
from app.model.matte_edit import added, nearest, source_at, with_values
from app.services.current_document import CurrentDocument
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.entries import layer_of, mixes
from engine.mattes.source import MatteSource
from engine.mattes.tree import Leaf, Matte

NodePath = tuple[int, ...]
"""The index of a node in each branch above it, from the root; () is the root."""


@dataclass(frozen=True)
class _Edited:
    """What is edited in a document: the node of the matte of the entry at a path."""

    entry: tuple[int, ...] = ()
    node: NodePath | None = None
    drawing: str = ""
    picking: bool = False


class MatteSelection(QObject):
    """Follows the current entry of the current document. Each document has a selected node of its own.

    Mattes are in pixels of the display window of the displayed image, and are stored so: a matte that was made for a
    display window of another size is fitted to it.
    """

    changed = Signal()  # any property below, also after undo, for another document or for another image
    moved = Signal()  # the same, but not for other values of the matte
    refused = Signal(str)  # why an edit can't be made; the grade stays as it is

    def __init__(self, current: CurrentDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._current = current
        self._edited: WeakKeyDictionary[QObject, _Edited] = WeakKeyDictionary()
        self._shown: tuple[object, ...] = ()
        self._matte: Matte | None = None  # that was announced
        self._path: tuple[object, int, tuple[int, ...]] = (None, -1, ())  # the grade and entry it was found for
        self._fitted: tuple[Matte | None, tuple[int, int], Matte | None] = (None, (0, 0), None)  # matte, frame, result
        current.switch.once(self._follow, current.grade_changed, current.selected_changed, current.image_changed)

    # -- what is edited

    def is_current(self, index: int) -> bool:
        """Return whether this is the index of the entry whose matte is edited."""
        return index == self._current.document.current_entry

    @property
    def can_have_matte(self) -> bool:
        """Whether there is a current entry, and it can have a matte."""
        entry = self.entry
        return bool(entry) and mixes(layer_of(entry_at(self._current.document.grade_at_frame, entry)).entry)

    @property
    def entry(self) -> tuple[int, ...]:
        """The path of the entry whose matte is edited: indices through the groups around it; () if there is none."""
        grade, index = self._current.document.grade, self._current.document.current_entry
        if self._path[0] is not grade or self._path[1] != index:  # many commands ask after each edit
            self._path = (grade, index, path_of(grade, index))
        return self._path[2]

    @property
    def frame(self) -> tuple[int, int]:
        """The width and height of the display window of the displayed image; (0, 0) without an image."""
        image = self._current.document.image
        if image is None:
            return (0, 0)
        x0, y0, x1, y1 = image.part.display_window
        return x1 - x0 + 1, y1 - y0 + 1

    @property
    def matte(self) -> Matte | None:
        """The matte of the entry, in pixels of the display window of the displayed image."""
        entry = self.entry
        matte, frame = matte_of(entry_at(self._current.document.grade_at_frame, entry)) if entry else None, self.frame
        if self._fitted[0] is not matte or self._fitted[1] != frame:
            self._fitted = (matte, frame, self.fitted(matte) if matte is not None else None)
        return self._fitted[2]

    @property
    def node(self) -> NodePath | None:
        """The path of the selected node of the matte; None if there is none."""
        edited = self._of_document
        if edited.node is None or edited.entry != self.entry:
            return None
        matte = self.matte
        return nearest(matte.root, edited.node) if matte is not None else None

    @property
    def source(self) -> MatteSource | None:
        """The source of the selected node if that is a leaf."""
        node = self.node
        matte = self.matte if node is not None else None
        return source_at(matte.root, node) if matte is not None and node is not None else None

    @property
    def drawing(self) -> str:
        """The class name of the window that is to be drawn on the canvas; '' for none."""
        return self._of_document.drawing

    @property
    def task(self) -> tuple[object, ...]:
        """What the canvas draws or picks for: a tool that works on another task begins anew."""
        where = (self._current.document.id, self.entry)
        if self.drawing:
            return (*where, self.drawing)
        return (*where, self.node, getattr(self.source, "layer", "")) if self.picking else ()

    @property
    def picking(self) -> bool:
        """Whether clicks on the canvas pick for the source of the selected node."""
        return self._of_document.picking and self.source is not None

    def fitted(self, matte: Matte) -> Matte:
        """Return a matte in pixels of the display window of the displayed image."""
        width, height = self.frame
        if not width or matte.frame == (width, height):
            return matte
        return replace(matte.fitted(width, height), frame=(width, height))

    # -- selection

    def select(self, node: NodePath | None) -> None:
        """Select a node of the matte; None selects none. Drawing and picking end."""
        self._set(_Edited(self.entry, node))

    def draw(self, name: str) -> None:
        """Let the canvas draw a window of this class, which is then added; '' ends it. Picking ends."""
        self._set(replace(self._of_document, entry=self.entry, drawing=name, picking=False))

    def pick(self, on: bool) -> None:
        """Let clicks on the canvas pick for the selected source, or end that. Drawing ends."""
        self._set(replace(self._of_document, drawing="", picking=on))

    # -- edits

    def set_source(self, source: MatteSource, text: str, key: str = "") -> None:
        """Replace the source of the selected leaf, if one is selected; `text` and `key` are those of `set_matte`."""
        matte, node = self.matte, self.node
        if matte is not None and node is not None and source_at(matte.root, node) is not None:
            self.set_matte(replace(matte, root=with_values(matte.root, node, source=source)), text, key)

    def set_matte(self, matte: Matte | None, text: str, key: str = "") -> bool:
        """Replace the matte of the entry, or remove it; the step is called "Exposure matte: `text`".

        Edits with the same key are merged like those of a slider. Return whether the grade can have it.
        """
        document, entry = self._current.document, self.entry
        if not entry:
            return False
        before = entry_at(document.grade_at_frame, entry)
        own = f"matte.{entry}.{key}" if key else ""
        index = index_of(document.grade, entry)
        try:
            made = self.fitted(matte) if matte is not None else None
            document.edit_entry(index, switched(before, matte=made), f"{name_of(before)} matte: {text}", own)
        except GradeError as error:
            self.refused.emit(str(error))
            return False
        return True

    def add(self, source: MatteSource, text: str) -> None:
        """Add a source: behind the selected node, or as a matte of its own; select it. Drawing ends."""
        matte = self.matte
        if matte is None:
            self._set_first(Matte(Leaf(source), frame=self.frame), text)
            return
        try:
            root, place = added(matte.root, self.node or (), Leaf(source))
            joined = replace(matte, root=root)
        except GradeError as error:  # the tree would be too deep or have too many nodes
            self.refused.emit(str(error))
            return
        if self.set_matte(joined, text):
            self.select(place)

    def _set_first(self, matte: Matte, text: str) -> None:
        """Give the entry its first matte and select its root, and announce both at once."""
        document, before = self._current.document, self._of_document
        self._edited[document] = _Edited(self.entry, ())
        if not self.set_matte(matte, text):
            self._edited[document] = before

    def begin_drag(self) -> None:
        """Merge edits with the same key into one step until `end_drag`."""
        self._current.document.begin_drag()

    def end_drag(self) -> None:
        self._current.document.end_drag()

    # -- following

    @property
    def _of_document(self) -> _Edited:
        return self._edited.get(self._current.document, _Edited())

    def _set(self, edited: _Edited) -> None:
        if edited != self._of_document:
            self._edited[self._current.document] = edited
            self._follow()

    def _follow(self) -> None:
        """Forget the node of an entry that is not the current one any more; announce what has changed."""
        edited, entry = self._of_document, self.entry
        if edited.entry != entry:
            self._edited[self._current.document] = _Edited(entry)
        matte = self.matte
        shown = (self._current.document.id, entry, matte is None, self.node, self.drawing, self.picking)
        moved, self._shown = shown != self._shown, shown
        before, self._matte = self._matte, matte
        if moved:
            self.moved.emit()
        if moved or (matte is not before and matte != before):
            self.changed.emit()
