"""The editor of a grid of hues and lightness: a mesh, and the numbers of the selected node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.panels.dragging_body import Colour
from app.panels.warper.plane_body import PlaneBody
from app.widgets.number_row import NumberRow
from app.widgets.segments import segment
from app.widgets.warp_mesh import LIMITS, Node, WarpMesh, nearest_node
from engine.kernel.op import Op, Slider
from engine.ops import HueLumaGrid
from engine.ops.hue_luma_grid import NEUTRAL, PARTS, field_of
from engine.ops.warp_grid import COLUMNS, FIRST_STOPS, ROW_STOPS, ROWS
from engine.ops.warp_pins import numbers_at
from engine.ops.warp_space import position_of

NUMBERS = {
    "hue": ("Hue", Slider(0.0, *LIMITS[0], "°", None, "Shift of the hue of the selected node")),
    "saturation": ("Saturation", Slider(0.0, *LIMITS[1], "%", -100.0, "Change of saturation; -100 % is grey")),
    "light": ("Lightness", Slider(0.0, *LIMITS[2], "EV", None, "Change of lightness in stops")),
}
FOLDS = "The map folds where the mesh is red: colours change their order. Move neighbouring nodes closer together."
HUE_PER_PIXEL, STOPS_PER_PIXEL = 0.25, 0.01
"""Degrees and stops by which a drag on the image moves a node."""
ROOM = 14
"""Width of the diamonds beside the mesh, in pixels."""


class GridBody(PlaneBody):
    """Edits the nodes of a grid. In `large`, mesh and numbers are side by side."""

    wanted = "Press on a colour of the image and drag its node: sideways for hue, up and down for lightness"

    def __init__(self, op: HueLumaGrid, large: bool = False) -> None:
        mesh = WarpMesh(op.title())
        super().__init__(op, mesh)
        self.mesh = mesh
        self._large = large
        self._picked: tuple[Node, NDArray[np.float64]] | None = None
        self.rows: dict[str, NumberRow] = {}
        self.caption = QLabel()

    @property
    def grid(self) -> HueLumaGrid:
        """The op that is shown."""
        assert isinstance(self.op, HueLumaGrid)
        return self.op

    # -- building

    def _build(self) -> Iterator[None]:
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        halves = QBoxLayout(across if self._large else down)
        halves.setSpacing(12 if self._large else 4)
        right = QVBoxLayout()
        right.setSpacing(4)
        halves.addLayout(self._mesh_row(), 1)
        halves.addLayout(right, 1)
        self._column.addLayout(halves)
        if not self._large:
            self.mesh.setFixedHeight(self.mesh.sizeHint().height())
        yield
        right.addLayout(self._caption_row())
        for part, (label, kind) in NUMBERS.items():
            row = NumberRow(label, kind, 0.0, f"{self.op.title()} {label.lower()} of the node")
            row.edited.connect(partial(self._type, PARTS.index(part)))
            row.drag_started.connect(self.drag_started)
            row.drag_ended.connect(self.drag_ended)
            right.addWidget(row)
            self.rows[part] = row
        yield
        right.addLayout(self._buttons())
        right.addStretch(1)
        self._connect()
        self._ready = True
        self._show()

    def _mesh_row(self) -> QHBoxLayout:
        """Return the mesh, with a place for the diamond of each row beside it."""
        line, marks = QHBoxLayout(), QVBoxLayout()
        line.setSpacing(0)
        marks.setContentsMargins(0, 5, 0, 16)
        marks.setSpacing(0)
        for row in range(ROWS, 0, -1):
            spot = QWidget()
            spot.setFixedWidth(ROOM)
            marks.addWidget(spot, 1)
            name = f"{self.op.title()} row at {FIRST_STOPS + ROW_STOPS * (row - 1):+g} EV"
            self.marks.add_row(tuple(field_of(part, row) for part in PARTS), spot, name)
        line.addLayout(marks)
        line.addWidget(self.mesh, 1)
        return line

    def _caption_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.caption.setProperty("quiet", True)
        self.note.setObjectName("folds")
        row.addWidget(self.caption)
        row.addSpacing(8)
        row.addWidget(self.note, 1)
        return row

    def _buttons(self) -> QVBoxLayout:
        self.clear = segment("Reset all nodes", "Reset all nodes", f"{self.op.title()}: reset all nodes")
        self.clear.setCheckable(False)
        self.clear.setObjectName("wide")
        self.pick.setText("Pick and drag on the image")
        self.pick.setToolTip(f"{self.wanted}.\nReturn selects the node of the colour in the centre, Esc ends.")
        self.pick.setAccessibleName(f"{self.op.title()}: pick and drag on the image")
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self.pick)
        column.addWidget(self.clear)
        return column

    def _connect(self) -> None:
        self.mesh.drag_started.connect(self.drag_started)
        self.mesh.drag_ended.connect(self.drag_ended)
        self.mesh.edited.connect(self._take_nodes)
        self.mesh.selected.connect(lambda _node: self._show_numbers())
        self.clear.clicked.connect(self._clear)

    # -- showing

    def show_samples(self, colours: NDArray[np.float64]) -> None:
        positions = position_of(colours[np.isfinite(colours).all(axis=1)])
        u, v, w = positions.T
        hues = np.degrees(np.arctan2(v, u)) % 360.0
        self.mesh.show_samples(np.stack([hues, 100.0 * np.hypot(u, v), 8.0 * w], axis=1))

    def _show(self) -> None:
        self.mesh.show_nodes(self.grid.nodes)
        self._show_folds(self.mesh.folds, FOLDS)
        self.clear.setEnabled(not self.grid.is_identity())
        self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the numbers of the selected node."""
        row, column = self.mesh.at
        self.caption.setText(
            f"Node {360 * column // COLUMNS}°, {FIRST_STOPS + ROW_STOPS * row:+g} EV".replace("+0", "0")
        )
        for part, number in zip(PARTS, self.mesh.nodes[row, column], strict=True):
            self.rows[part].set_number(float(number))

    # -- edits

    def _take_nodes(self, nodes: NDArray[np.float64], changed: frozenset[Node]) -> None:
        rows = sorted({row for row, _ in changed})
        fields: dict[str, Any] = {  # always the same ones, so that a drag is one step
            field_of(part, row + 1): tuple(nodes[row, :, axis].tolist())
            for row in rows
            for axis, part in enumerate(PARTS)
        }
        column = next(iter(changed))[1]
        if any(value != getattr(self.grid, name) for name, value in fields.items()):
            self.edited.emit(fields, f"at {360 * column // COLUMNS}°")
        self._show_numbers()

    def _type(self, axis: int, number: float) -> None:
        shifts = self.mesh.nodes[self.mesh.at].copy()
        shifts[axis] = round(number, 4)
        hue, saturation, light = (float(x) for x in shifts)
        self.mesh.set_node(self.mesh.at, (hue, saturation, light))

    def _clear(self) -> None:
        names = (field_of(part, row) for part in PARTS for row in range(1, ROWS + 1))
        self.edited.emit({name: NEUTRAL for name in names if getattr(self.grid, name) != NEUTRAL}, "reset of all nodes")

    # -- picking on the image

    def mark(self) -> Op:
        return HueLumaGrid(hue_3=(1.0, *NEUTRAL[1:]))

    def finder(self) -> Callable[[Colour], tuple[float, float, float]]:
        return lambda colour: numbers_at(position_of(np.array(colour)))

    def take(self, found: tuple[float, float, float]) -> None:
        node = nearest_node(found[0], found[2])
        self.mesh.select(node)
        self._picked = node, self.mesh.nodes
        self.pull()

    def pull(self) -> None:
        if self._picked is not None:
            node, start = self._picked
            across, up = self.pulled
            self.mesh.pull(frozenset({node}), start, HUE_PER_PIXEL * across, STOPS_PER_PIXEL * up)

    def drop_pick(self) -> None:
        self._picked = None
