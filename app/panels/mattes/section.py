"""The matte of an entry, below the title of its card: how it is shown, its tree, the selected node, and its shape."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout

from app.model.matte_edit import Path, node_at, paths
from app.model.track_options import can_track
from app.panels.key_marks import KeyMarks
from app.panels.mattes.menus import NODE_COMMANDS, show_sources
from app.panels.mattes.node_row import MODE_TIPS
from app.panels.mattes.node_tree import NodeTree
from app.panels.mattes.shape_fields import ShapeFields
from app.panels.mattes.source_body import SourceBody
from app.panels.mattes.track_row import TrackRow
from app.services.matte_editor import MatteEditor
from app.widgets.choice_box import ChoiceBox
from app.widgets.elided import ElidedLabel
from app.widgets.gradual import Gradual
from app.widgets.showing import captioned
from app.widgets.small_buttons import icon_button
from engine.grade.curves import Curve
from engine.grade.key_moves import NODE
from engine.mattes.source import MatteSource
from engine.mattes.tree import MODES, Branch, Leaf, Matte, Node

SHOWN_AS = {"alone": "matte_alone", "overlay": "matte_overlay", "cut-out": "matte_cutout"}
"""The ways to see a matte, and their commands."""


class MatteSection(QFrame):
    """Shows a matte, and edits it through the editor once its entry is the current one.

    `reached` is emitted before each edit, so that the entry becomes the current one.
    """

    reached = Signal()
    marks_added = Signal(object)  # KeyMarks

    def __init__(self, name: str, editor: MatteEditor, actions: Mapping[str, QAction]) -> None:
        """`name` is that of the entry."""
        super().__init__()
        self.setObjectName("matteSection")
        self._name, self._editor, self._actions = name, editor, actions
        self._matte: Matte | None = None
        self._path: Path | None = None
        self._shown: tuple[Path | None, str, bool] | None = None
        self._body: SourceBody | None = None
        self._keys: tuple[Mapping[str, Curve], int] = ({}, 0)
        self.missing: list[ElidedLabel] = []
        self._missing = QVBoxLayout()
        self.tree = NodeTree()
        self.mode = ChoiceBox(MODES, f"{name} matte mode", "How the nodes of this branch are joined.")
        self._mode_row = QFrame()
        self._track: TrackRow | None = None
        self._can_track = False  # whether the source that is shown can be tracked
        self._shape = ShapeFields(name)
        self._making = Gradual(self._build_next, self)
        self._lay_out()
        self._connect()
        self._making.start()

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 4, 8, 8)
        self._column.setSpacing(4)
        self._column.addLayout(self._head())
        self._missing.setSpacing(2)
        self._column.addLayout(self._missing)
        self._column.addWidget(self.tree)
        line = captioned("Joined by", self.mode)
        line.setContentsMargins(0, 0, 0, 0)
        self._mode_row.setLayout(line)
        self._column.addWidget(self._mode_row)
        whole = QLabel("Whole matte")
        whole.setObjectName("note")
        whole.setContentsMargins(0, 4, 0, 0)
        self._column.addWidget(whole)
        self._column.addWidget(self._shape)

    def _head(self) -> QHBoxLayout:
        title = QLabel("Matte")
        title.setObjectName("cardTitle")
        self.views = {name: self._view_button(command) for name, command in SHOWN_AS.items()}
        self.add = icon_button("add", f"Add a source to the matte of {self._name}", f"Add to the matte of {self._name}")
        self.add.clicked.connect(self._show_sources)
        self.more = icon_button(
            "more",
            f"More for the matte of {self._name}: copy, paste, remove, branches",
            f"More for the matte of {self._name}",
        )
        self.more.clicked.connect(lambda: self._show_menu(self.more.mapToGlobal(self.more.rect().bottomLeft())))
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(title, 1)
        for widget in (*self.views.values(), self.add, self.more):
            row.addWidget(widget)
        return row

    def _view_button(self, command: str) -> QToolButton:
        """Return a button for a way to see the matte, which is that of the current entry."""
        action = self._actions[command]
        button = icon_button(
            command.replace("_", "-"), action.toolTip(), f"{action.text()} of {self._name}".replace("&", "")
        )
        button.setCheckable(True)
        button.clicked.connect(partial(self._view, action, button))
        return button

    def _connect(self) -> None:
        tree, editor = self.tree, self._editor
        tree.selected.connect(self._reaching(editor.select))
        tree.switched.connect(lambda path, switch, value: self._reach(editor.set_values, path, **{switch: value}))
        tree.dropped.connect(self._reaching(editor.move_to))
        tree.move_wanted.connect(lambda path, way: self._reach(editor.move, way, path))
        tree.duplicate_wanted.connect(self._reaching(editor.duplicate))
        tree.removed.connect(self._reaching(editor.remove))
        tree.menu_wanted.connect(self._show_menu)
        self.mode.textActivated.connect(lambda mode: self._reach(editor.set_values, self._path, mode=mode))
        self._shape.edited.connect(lambda field, value: self._reach(editor.shape, field, **{field: value}))
        tree.marks_added.connect(self.marks_added)
        for part in (tree, self._shape):
            part.drag_started.connect(self._reaching(editor.begin_drag))
            part.drag_ended.connect(editor.end_drag)

    @property
    def shape(self) -> ShapeFields:
        """The complete fields of the whole matte."""
        self._making.finish()
        return self._shape

    @property
    def marks(self) -> KeyMarks:
        """The diamonds of the whole matte, of which there may be more later."""
        return self._shape.marks

    @property
    def track(self) -> TrackRow | None:
        """The controls of tracking; None if no source so far can be tracked."""
        self._making.finish()
        return self._track

    @property
    def body(self) -> SourceBody | None:
        """The complete fields of the source of the selected node; None if it has none."""
        if self._body is not None:
            self._body.finish()
        return self._body

    # -- showing

    def show_matte(self, matte: Matte, path: Path | None, shown_as: str, picking: bool) -> None:
        """Show a matte with a selected node; `shown_as` is how it is seen, '' if it is not."""
        shown = (path, shown_as, picking)
        if matte is self._matte and shown == self._shown:
            return
        self._shown = shown
        self._matte, self._path = matte, path
        self.tree.show_nodes(matte.root, path)
        self._show_node(_node_of(matte, path), picking)
        self._shape.show_matte(matte)
        for name, button in self.views.items():
            button.setChecked(name == shown_as)

    def show_keys(self, curves: Mapping[str, Curve], frame: int) -> None:
        """Show which controls have keys, and one at the frame."""
        self._keys = curves, frame
        self._shape.marks.show_keys(curves, frame)
        self.tree.show_keys(curves, frame)
        if self._body is not None:
            self._body.marks.show_keys(curves, frame)

    def show_missing(self, lines: list[str]) -> None:
        """Show what the displayed file lacks for the matte: the start of each line, and all of it as a tooltip."""
        if lines == [label.toolTip() for label in self.missing]:
            return
        for label in self.missing:
            self._missing.removeWidget(label)
            label.hide()
            label.deleteLater()
        self.missing = []
        for line in lines:
            label = ElidedLabel(line.partition("; ")[0])
            label.setProperty("failed", True)
            label.setToolTip(line)
            self._missing.addWidget(label)
            self.missing.append(label)

    def _show_node(self, node: Node | None, picking: bool) -> None:
        """Show the fields of the selected node."""
        self._mode_row.setVisible(isinstance(node, Branch))
        if isinstance(node, Branch):
            self.mode.setCurrentText(node.mode)
            self.mode.setToolTip(f"How the nodes of this branch are joined: {MODE_TIPS[node.mode]}.")
        source = node.source if isinstance(node, Leaf) else None
        self._show_track(source is not None and can_track(source))
        if self._body is not None and (source is None or not self._body.fits(source)):
            self._body.hide()
            self._body.deleteLater()
            self._body = None
        if source is not None and self._body is None:
            self._body = self._new_body(source)
        if source is not None and self._body is not None:
            assert self._matte is not None
            number = paths(self._matte.root).index(self._path or ())
            self._body.marks.set_prefix(f"{NODE}{number}.")
            self._body.set_op(source)
            self._body.set_picking(picking)

    def _new_body(self, source: MatteSource) -> SourceBody:
        body = SourceBody(source, self._editor.files, self._editor.selection.frame)
        body.edited.connect(partial(self._edit_source, body))
        body.drag_started.connect(self._reaching(self._editor.begin_drag))
        body.drag_ended.connect(self._editor.end_drag)
        body.pick_wanted.connect(self._reaching(self._editor.pick))
        body.marks.show_keys(*self._keys)
        self.marks_added.emit(body.marks)
        self._column.insertWidget(self._column.indexOf(self.tree) + 1, body)
        return body

    # -- building

    def _build_next(self) -> bool:
        """Build the next control; return False if all are built."""
        if self._shape.advance():
            return True
        if self._can_track and self._track is None:
            self._track = TrackRow(self._actions, icon_button)
            self._track.reached.connect(self.reached)
            self._column.insertWidget(self._column.indexOf(self._mode_row), self._track)
        return False

    def _show_track(self, shown: bool) -> None:
        self._can_track = shown
        if self._track is not None:
            self._track.setVisible(shown)
        elif shown:
            self._making.start()

    # -- edits

    def _edit_source(self, body: SourceBody, changes: dict[str, object], what: str) -> None:
        if body is not self._body:
            return  # a box that loses the focus when its node is deselected
        before = body.op
        self._reach(self._editor.set_fields, changes, what)
        if body.op is before:
            body.refresh()  # it was refused

    def _reach(self, edit: object, *values: object, **named: object) -> None:
        self.reached.emit()
        assert callable(edit)
        edit(*values, **named)

    def _reaching(self, edit: object) -> partial[None]:
        return partial(self._reach, edit)

    def _view(self, action: QAction, button: QToolButton) -> None:
        """See the matte of this entry in another way; a second click ends that."""
        self.reached.emit()
        if action.isChecked() != button.isChecked():
            action.trigger()

    # -- menus

    def _show_sources(self) -> None:
        self.reached.emit()
        show_sources(self, self._actions, self.add.mapToGlobal(self.add.rect().bottomLeft()))

    def _show_menu(self, where: QPoint) -> None:
        self.reached.emit()
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        for name in NODE_COMMANDS:
            menu.addAction(self._actions[name]) if name else menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(where)


def _node_of(matte: Matte, path: Path | None) -> Node | None:
    """Return the node whose fields are shown: the selected one, else the only one."""
    if path is not None:
        return node_at(matte.root, path)
    return matte.root if isinstance(matte.root, Leaf) else None
