"""The tree of a matte as rows: one for each node, those of a branch indented below it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QVBoxLayout, QWidget

from app.model.matte_edit import Path, branch_at, can_move, node_at, paths, places_at
from app.panels.card_title import HEIGHT
from app.panels.mattes.node_row import INDENT, SIGNS, NodeRow, NodeTitle
from app.widgets.gradual import Gradual
from engine.grade.curves import Curve
from engine.grade.key_moves import NODE
from engine.mattes.tree import Node

AT_ONCE = 6
"""The most rows that are made without letting other events through."""


class NodeTree(QWidget):
    """Shows the nodes of a matte, and says what the user wants to do with them."""

    selected = Signal(object)  # the path of a node, or None
    switched = Signal(object, str, object)  # path; opacity, inverted or enabled; and its value
    dropped = Signal(object, object)  # the path of a node, and the place that it goes to
    move_wanted = Signal(object, str)  # path; up, down, out or in
    duplicate_wanted = Signal(object)
    removed = Signal(object)
    menu_wanted = Signal(object)  # the global position, for the node that was selected
    drag_started = Signal()
    drag_ended = Signal()
    marks_added = Signal(object)  # KeyMarks

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[NodeRow] = []
        self._root: Node | None = None
        self._keys: tuple[Mapping[str, Curve], int] = ({}, 0)
        self._selected: Path | None = None
        self._paths: list[Path] = []
        self._growing = Gradual(self._grow, self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(1)
        self._line = QFrame(self)
        self._line.setObjectName("dropLine")
        self._line.hide()

    @property
    def has_focus(self) -> bool:
        """Whether the title of a row has the focus."""
        focus = QApplication.focusWidget()
        return isinstance(focus, NodeTitle) and self.isAncestorOf(focus)

    def show_nodes(self, root: Node, selected: Path | None) -> None:
        """Show a tree, with this node selected. Rows of a large tree are added bit by bit."""
        follows = self.has_focus and selected is not None
        self._root, self._selected, self._paths = root, selected, paths(root)
        while len(self.rows) < min(len(self._paths), AT_ONCE):
            self._add_row()
        self._show_rows()
        if len(self.rows) < len(self._paths):
            self._growing.start()
        if follows and selected is not None:
            self.focus_on(selected)

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        """Show which opacities have keys."""
        self._keys = curves, frame
        for row in self.rows:
            row.marks.show_keys(curves, frame)

    def _show_rows(self) -> None:
        """Show the nodes in the rows that there are."""
        for row in self.rows[len(self._paths) :]:
            row.hide()
        for number in range(min(len(self.rows), len(self._paths))):
            self._show_row(number)

    def _show_row(self, number: int) -> None:
        assert self._root is not None
        row, path = self.rows[number], self._paths[number]
        row.show_node(node_at(self._root, path), path, _sign(self._root, path), path == self._selected)
        row.marks.set_prefix(f"{NODE}{number}.")
        row.marks.show_keys(*self._keys)
        if row.isHidden():
            row.show()

    def _grow(self) -> bool:
        """Add a row for the next node; return False if all have one."""
        is_short = len(self.rows) < len(self._paths)
        if is_short:
            self._add_row()
            self._show_row(len(self.rows) - 1)
        return is_short

    def focus_on(self, path: Path) -> None:
        """Give the focus to the title of a node."""
        row = self.row_at(path)
        if row is not None:
            row.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def row_at(self, path: Path) -> NodeRow | None:
        """Return the row of a node; None if it is not shown."""
        return next((row for row in self._shown if row.path == path), None)

    @property
    def _shown(self) -> list[NodeRow]:
        return [row for row in self.rows if not row.isHidden()]

    def _add_row(self) -> None:
        row = NodeRow()
        row.selected.connect(lambda: self.selected.emit(row.path))
        row.changed.connect(lambda name, value: self.switched.emit(row.path, name, value))
        row.removed.connect(lambda: self.removed.emit(row.path))
        row.menu_wanted.connect(self.menu_wanted)
        row.opacity.drag_started.connect(self.drag_started)
        row.opacity.drag_ended.connect(self.drag_ended)
        title = row.title
        title.stepped.connect(partial(self._step, row))
        title.move_wanted.connect(lambda way: self.move_wanted.emit(row.path, way))
        title.duplicate_wanted.connect(lambda: self.duplicate_wanted.emit(row.path))
        title.leave_wanted.connect(lambda: self.selected.emit(None))
        title.dragged.connect(partial(self._drag, row))
        title.dropped.connect(partial(self._drop, row))
        title.drag_cancelled.connect(self._line.hide)
        self._column.addWidget(row)
        if self.rows:
            QWidget.setTabOrder(self.rows[-1].remove, row.title)
        self.rows.append(row)
        self.marks_added.emit(row.marks)

    def _step(self, row: NodeRow, by: int) -> None:
        shown = self._shown
        at = shown.index(row) + by
        if 0 <= at < len(shown):
            self.selected.emit(shown[at].path)
            shown[at].title.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- moving a node with the mouse

    def _drag(self, row: NodeRow, where: QPoint) -> None:
        """Show where the node would go."""
        gap, place = self._target(row, where)
        self._line.setVisible(place is not None)
        if place is None:
            return
        shown = self._shown
        y = shown[gap].y() - 1 if gap < len(shown) else shown[-1].geometry().bottom()
        indent = INDENT * len(place)
        self._line.setGeometry(indent, y, self.width() - indent, 2)
        self._line.raise_()

    def _drop(self, row: NodeRow, where: QPoint) -> None:
        self._line.hide()
        place = self._target(row, where)[1]
        if place is not None:
            self.dropped.emit(row.path, place)

    def _target(self, row: NodeRow, where: QPoint) -> tuple[int, Path | None]:
        """Return the gap between rows that is nearest to a global position, and the place that a drop there means.

        Where a branch ends, a drop on the row above goes into it, one on the row below behind it.
        """
        here, shown = self.mapFromGlobal(where), self._shown
        gap = next((at for at, each in enumerate(shown) if here.y() < each.geometry().center().y()), len(shown))
        assert self._root is not None
        places = [place for place in places_at(self._root, gap) if can_move(self._root, row.path, place)]
        if not places or not -HEIGHT < here.y() < self.height() + HEIGHT:
            return gap, None
        on_row_above = gap > 0 and here.y() <= shown[gap - 1].geometry().bottom()
        return max(gap, 1), places[-1] if on_row_above else places[0]


def _sign(root: Node, path: Path) -> str:
    """Return how a node is joined with those before it; '' for the first one of a branch."""
    return SIGNS[branch_at(root, path[:-1]).mode] if path and path[-1] > 0 else ""
