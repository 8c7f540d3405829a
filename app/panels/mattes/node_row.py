"""A row of the tree of a matte: the title of a node, and its switches."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.model.matte_edit import Path
from app.panels.card_title import HEIGHT, CardTitle
from app.panels.key_marks import KeyMarks
from app.panels.mix_slider import KeyedPercent, PercentSlider
from app.widgets.small_buttons import icon_button
from app.widgets.style import ACCENT, FAINT, MUTED, TEXT, restyle, switch_icon
from engine.kernel.op import Slider
from engine.mattes.tree import Branch, Leaf, Node

INDENT = 14
"""Pixels by which the nodes of a branch are moved to the right."""
SIGNS = {"union": "∪", "intersection": "∩", "subtraction": "−"}
MODE_TIPS = {
    "union": "the largest coverage of its nodes",
    "intersection": "the smallest coverage of its nodes",
    "subtraction": "its first node without the others",
}
_OPACITY = Slider(100.0, 0.0, 100.0, "%", 0.0, "Factor for the coverage of a node")
_GRIP, _SIGN = 12, 14
_MOVES = {
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
    Qt.Key.Key_Left: "out",
    Qt.Key.Key_Right: "in",
}


def title_of(node: Node) -> str:
    """Return the displayed name of a node: the title of its source, or how its nodes are joined."""
    return node.source.title() if isinstance(node, Leaf) else node.mode.capitalize()


class NodeTitle(CardTitle):
    """The name of a node. Checked while the node is selected; drag it to move the node."""

    move_wanted = Signal(str)  # up, down, out or in
    duplicate_wanted = Signal()
    bypass_wanted = Signal()
    invert_wanted = Signal()
    leave_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("", False)
        self.indent, self.sign, self.is_root = 0, "", True
        font = self.font()
        font.setBold(False)
        self.setFont(font)

    def show_node(self, node: Node, path: Path, sign: str) -> None:
        """Show a node. `sign` says how it is joined with the one before it."""
        text = title_of(node)
        self.indent, self.sign, self.is_root = INDENT * len(path), sign, not path
        self.setText(text)
        self.setAccessibleName(f"Matte node {text}")
        joined = f", {MODE_TIPS[node.mode]}" if isinstance(node, Branch) else ""
        self.setToolTip(
            f"{text}{joined}: click to edit it, drag it to move it (Alt and the arrow keys).\n"
            "Up and Down go to the next node, Space bypasses it, I inverts it, Ctrl+D copies it, Delete removes it."
        )
        self.set_dim(not node.enabled)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(self.indent + _GRIP + _SIGN + width + 4, HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(self.indent, 0)
            if not self.is_root:
                self._paint_grip(painter)
            left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.setPen(QColor(FAINT))
            painter.drawText(QRectF(_GRIP + 2, 0, _SIGN, self.height()), left, self.sign)
            before = 4 if self.is_root else _GRIP + _SIGN + 2
            width = self.width() - self.indent - before - 2
            text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, width)
            painter.setPen(QColor(MUTED if self._dim else TEXT))
            painter.drawText(QRectF(before, 0, width, self.height()), left, text)
            painter.resetTransform()
            if self.hasFocus():
                painter.setPen(QPen(QColor(ACCENT), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def event(self, event: QEvent) -> bool:
        """Keep the keys that edit a node from the commands of the window that share them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._signal_of(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        emit = self._signal_of(event)
        if emit is not None and not (event.key() == Qt.Key.Key_Escape and self._dragging):
            emit()
        else:
            super().keyPressEvent(event)

    def _signal_of(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return a function that emits the signal of a key; None for a key that has none."""
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.AltModifier and key in _MOVES:
            return lambda: self.move_wanted.emit(_MOVES[key])
        if modifiers == Qt.KeyboardModifier.ControlModifier and key == Qt.Key.Key_D:
            return self.duplicate_wanted.emit
        plain = {
            Qt.Key.Key_Space: self.bypass_wanted.emit,
            Qt.Key.Key_I: self.invert_wanted.emit,
            Qt.Key.Key_Escape: self.leave_wanted.emit,
        }
        return plain.get(key) if modifiers == Qt.KeyboardModifier.NoModifier else None


class NodeRow(QFrame):
    """The title of a node, then how its coverage is inverted, scaled, bypassed and removed."""

    selected = Signal()
    changed = Signal(str, object)  # opacity, inverted or enabled, and its value
    removed = Signal()
    menu_wanted = Signal(object)  # the global position

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("matteNode")
        self.path: Path = ()
        self._node: Node | None = None
        self._shown: tuple[Path, str, bool] | None = None
        self.title = NodeTitle()
        self.invert = icon_button("invert", "", "")
        self.invert.setCheckable(True)
        self.invert.clicked.connect(lambda on: self.changed.emit("inverted", on))
        self.opacity = PercentSlider(_OPACITY, "", "")
        self.opacity.edited.connect(lambda percent: self.changed.emit("opacity", percent / 100.0))
        self.opacity.reset.connect(lambda: self.changed.emit("opacity", 1.0))
        self.eye = icon_button("eye", "", "")
        self.eye.setIcon(switch_icon("eye", "eye-off"))
        self.eye.setCheckable(True)
        self.eye.clicked.connect(lambda off: self.changed.emit("enabled", not off))
        self.remove = icon_button("remove", "", "")
        self.remove.clicked.connect(self.removed)
        self.title.clicked.connect(self._click)
        self.title.delete_wanted.connect(self.removed)
        self.title.bypass_wanted.connect(lambda: self.changed.emit("enabled", self.is_bypassed))
        self.title.invert_wanted.connect(lambda: self.changed.emit("inverted", not self.is_inverted))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.title, 1)
        self.keyed_opacity = KeyedPercent(self.opacity)
        for widget in (self.invert, self.keyed_opacity, self.eye, self.remove):
            row.addWidget(widget)
        self.marks = KeyMarks(self)
        self.marks.add("opacity", [self.keyed_opacity.key_spot()])

    @property
    def is_bypassed(self) -> bool:
        """Whether the node is left out."""
        return self.eye.isChecked()

    @property
    def is_inverted(self) -> bool:
        """Whether the node covers what its source does not."""
        return self.invert.isChecked()

    def show_node(self, node: Node, path: Path, sign: str, selected: bool) -> None:
        """Show a node of the tree, and whether it is the selected one."""
        shown = (path, sign, selected)
        if node is self._node and shown == self._shown:
            return
        self._node, self._shown = node, shown
        self.path = path
        self.title.show_node(node, path, sign)
        self.title.setChecked(selected)
        restyle(self, "selected", selected)
        self.opacity.set_number(100.0 * node.opacity)
        for button, on in ((self.invert, node.inverted), (self.eye, not node.enabled)):
            button.setChecked(on)
        self._describe(title_of(node))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.selected.emit()
        self.menu_wanted.emit(event.globalPos())

    def _click(self) -> None:
        self.title.setChecked(True)
        self.selected.emit()

    def _describe(self, name: str) -> None:
        if self.opacity.accessibleName() == f"{name} opacity":
            return
        self.opacity.describe(f"{name} opacity", f"Opacity of {name}, %. {_OPACITY.help}, after its inversion.")
        self.invert.setToolTip(f"Invert {name}: cover what it does not cover (I)")
        self.invert.setAccessibleName(f"Invert {name}")
        self.eye.setToolTip(f"Bypass {name} in the matte (Space)")
        self.eye.setAccessibleName(f"Bypass {name} in the matte")
        self.remove.setToolTip(f"Remove {name} from the matte (Delete)")
        self.remove.setAccessibleName(f"Remove {name} from the matte")
