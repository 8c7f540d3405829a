"""The names, units and limits of the parameters of an entry, by the paths of their keys."""

from __future__ import annotations

from app.panels.mattes.node_row import title_of
from app.panels.mattes.shape_fields import SHAPE
from app.widgets.field_labels import components_of, label_of
from app.widgets.slider import step_of
from engine.core.records import dataclass
from engine.grade.entries import Entry, bare, layer_of
from engine.grade.key_moves import NODE
from engine.kernel.op import Op, Slider
from engine.mattes.tree import Leaf, nodes

MATTE = "matte."
_VERTEX = ("X", "Y", "in X", "in Y", "out X", "out Y")


@dataclass(frozen=True)
class Parameter:
    """A number that keys can change. `control` is the path of the control that it belongs to, `name` its name.

    Curves are shown times `factor`: fractions as percentages.
    """

    control: str
    name: str
    component: str = ""
    unit: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    step: float = 0.01
    factor: float = 1.0


def parameter(entry: Entry, path: str) -> Parameter:
    """Return the parameter of an entry at a path."""
    if path == "mix":
        return _percent(path, "Mix")
    if path.startswith(NODE):
        return _of_node(entry, path)
    if path.startswith(MATTE):
        field = path.removeprefix(MATTE)
        kind = SHAPE[field]
        step = 1.0 if kind.unit == "px" else 0.01
        return Parameter(path, f"Matte {field}", "", kind.unit, kind.low, kind.high, step)
    op = bare(entry)
    assert isinstance(op, Op)
    return _of_op(op, path, "", "")


def _of_node(entry: Entry, path: str) -> Parameter:
    """Return a parameter of a node of the matte."""
    matte = layer_of(entry).matte
    assert matte is not None
    number, _, name = path.removeprefix(NODE).partition(".")
    node = list(nodes(matte.root))[int(number)]
    if name == "opacity" or not isinstance(node, Leaf):
        return _percent(path, f"{title_of(node)} opacity")
    return _of_op(node.source, name, f"{NODE}{number}.", f"{title_of(node)} ")


def _of_op(op: Op, path: str, prefix: str, title: str) -> Parameter:
    """Return a parameter of an op or a source; `prefix` stands before its path, and `title` before its name."""
    field, *places = path.split(".")
    label = label_of(field)
    name = title + (label.lower() if title else label)
    kind = op.kinds().get(field)
    if not isinstance(kind, Slider):  # the vertices of a path
        vertex, part = (int(place) for place in places)
        return Parameter(prefix + field, name, f"{vertex + 1} {_VERTEX[part]}", "px", step=1.0)
    components = components_of(kind)
    component = ""
    if places:
        at = int(places[0])
        component = components[at] if at < len(components) else str(at + 1)
    low = float("-inf") if kind.minimum is None else kind.minimum
    return Parameter(prefix + field, name, component, kind.unit, low, step=1.0 if kind.unit == "px" else step_of(kind))


def _percent(path: str, name: str) -> Parameter:
    return Parameter(path, name, "", "%", 0.0, 100.0, 1.0, 100.0)
