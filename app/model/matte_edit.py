"""Edits of the tree of a matte, as functions from one frozen tree to another.

A path leads from the root to a node: the index at each branch on the way; () is the root. No edit loses a node, but for
`removed`, and for branches that are left without nodes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.mattes.source import MatteSource
from engine.mattes.tree import Branch, Leaf, Node

Path = tuple[int, ...]


def has_node(root: Node, path: Path) -> bool:
    """Return whether a path leads to a node."""
    node = root
    for index in path:
        if not isinstance(node, Branch) or not 0 <= index < len(node.nodes):
            return False
        node = node.nodes[index]
    return True


def node_at(root: Node, path: Path) -> Node:
    """Return the node at a path. Raises LookupError if there is none."""
    if not has_node(root, path):
        raise LookupError(f"there is no node at {path}")
    node = root
    for index in path:
        assert isinstance(node, Branch)
        node = node.nodes[index]
    return node


def branch_at(root: Node, path: Path) -> Branch:
    """Return the branch at a path. Raises LookupError if there is none."""
    node = node_at(root, path)
    if not isinstance(node, Branch):
        raise LookupError(f"there is no branch at {path}")
    return node


def paths(root: Node, path: Path = ()) -> list[Path]:
    """Return the paths of all nodes, each branch before its nodes."""
    found = [path]
    if isinstance(root, Branch):
        for index, node in enumerate(root.nodes):
            found += paths(node, (*path, index))
    return found


def replaced(root: Node, path: Path, node: Node) -> Node:
    """Return the tree with another node at a path."""
    if not path:
        return node
    parent = branch_at(root, path[:-1])
    node_at(root, path)
    nodes = (*parent.nodes[: path[-1]], node, *parent.nodes[path[-1] + 1 :])
    return replaced(root, path[:-1], replace(parent, nodes=nodes))


def with_values(root: Node, path: Path, **values: Any) -> Node:
    """Return the tree with other values of the node at a path: `mode`, `opacity`, `inverted`, `enabled` or `source`."""
    return replaced(root, path, replace(node_at(root, path), **values))


def inserted(root: Node, path: Path, node: Node) -> Node:
    """Return the tree with a node more; `path` is its place in a branch, at most one beyond the last node."""
    parent = branch_at(root, path[:-1])
    if not 0 <= path[-1] <= len(parent.nodes):
        raise LookupError(f"there is no place {path}")
    return replaced(
        root, path[:-1], replace(parent, nodes=(*parent.nodes[: path[-1]], node, *parent.nodes[path[-1] :]))
    )


def added(root: Node, path: Path, node: Node) -> tuple[Node, Path]:
    """Return the tree with a node more, and its path: last in the branch at `path`, or behind the leaf there.

    A root that is a leaf becomes a union of both.
    """
    at = node_at(root, path)
    if isinstance(at, Branch):
        place = (*path, len(at.nodes))
    elif path:
        place = (*path[:-1], path[-1] + 1)
    else:
        return Branch("union", (at, node)), (1,)
    return inserted(root, place, node), place


def removed(root: Node, path: Path) -> Node | None:
    """Return the tree without the node at a path, and without branches that are left empty; None if nothing is left."""
    node_at(root, path)
    if not path:
        return None
    parent = branch_at(root, path[:-1])
    nodes = (*parent.nodes[: path[-1]], *parent.nodes[path[-1] + 1 :])
    return replaced(root, path[:-1], replace(parent, nodes=nodes)) if nodes else removed(root, path[:-1])


def duplicated(root: Node, path: Path) -> tuple[Node, Path]:
    """Return the tree with a copy of a node behind it, and the path of the copy."""
    node = node_at(root, path)
    if not path:
        return Branch("union", (node, node)), (1,)
    place = (*path[:-1], path[-1] + 1)
    return inserted(root, place, node), place


def wrapped(root: Node, path: Path, mode: str) -> Node:
    """Return the tree with the node at a path put into a new branch, which covers the same; its path is (*path, 0)."""
    return replaced(root, path, Branch(mode, (node_at(root, path),)))


def can_unwrap(root: Node, path: Path) -> bool:
    """Return whether the nodes of a branch can take its place without a change of the coverage."""
    node = node_at(root, path)
    if not isinstance(node, Branch) or node.inverted or not node.enabled or node.opacity != 1.0:
        return False
    if not any(each.enabled for each in node.nodes):
        return False  # it covers nothing, while its nodes alone would be left out
    if len(node.nodes) == 1:
        return True
    if not path or branch_at(root, path[:-1]).mode != node.mode:
        return False
    return node.mode != "subtraction" or path[-1] == 0


def unwrapped(root: Node, path: Path) -> Node:
    """Return the tree with a branch replaced by its nodes. Raises LookupError unless `can_unwrap`."""
    if not can_unwrap(root, path):
        raise LookupError(f"the branch at {path} can't be replaced by its nodes")
    inner = branch_at(root, path).nodes
    if len(inner) == 1:
        return replaced(root, path, inner[0])
    parent, at = branch_at(root, path[:-1]), path[-1]
    return replaced(root, path[:-1], replace(parent, nodes=(*parent.nodes[:at], *inner, *parent.nodes[at + 1 :])))


def can_move(root: Node, path: Path, place: Path) -> bool:
    """Return whether a node can be moved to a place of the tree as it is now: to a branch, but not into itself."""
    if not path or not place or place[: len(path)] == path:
        return False
    inside = place[:-1]
    if not has_node(root, path) or not has_node(root, inside):
        return False
    parent = node_at(root, inside)
    return isinstance(parent, Branch) and 0 <= place[-1] <= len(parent.nodes)


def moved(root: Node, path: Path, place: Path) -> tuple[Node, Path]:
    """Return the tree with a node moved, and its new path. `place` is where it is inserted in the tree as it is now.

    A branch that is left empty is removed. Raises LookupError unless `can_move`.
    """
    if not can_move(root, path, place):
        raise LookupError(f"the node at {path} can't be moved to {place}")
    node = node_at(root, path)
    grown = inserted(root, place, node)
    old = _after_insertion(path, place)
    shrunk = removed(grown, old)
    assert shrunk is not None  # the node itself is in the tree
    return shrunk, _after_removal(grown, place, old)


def place_beside(root: Node, path: Path, by: int) -> Path | None:
    """Return the place one step up (-1) or down (1): among its neighbours, then out of the branch; None at the ends."""
    if not path:
        return None
    parent, at = branch_at(root, path[:-1]), path[-1]
    if 0 <= at + by < len(parent.nodes):
        return (*path[:-1], at - 1 if by < 0 else at + 2)
    if len(path) == 1:
        return None
    return path[:-1] if by < 0 else (*path[:-2], path[-2] + 1)


def place_inside(root: Node, path: Path) -> Path | None:
    """Return the last place in the branch before a node; None if there is no branch before it."""
    if not path or path[-1] == 0:
        return None
    before = (*path[:-1], path[-1] - 1)
    node = node_at(root, before)
    return (*before, len(node.nodes)) if isinstance(node, Branch) else None


def place_outside(path: Path) -> Path | None:
    """Return the place behind the branch that a node is in; None if that is the root."""
    return (*path[:-2], path[-2] + 1) if len(path) > 1 else None


def places_at(root: Node, gap: int) -> list[Path]:
    """Return the places between the nodes `gap` - 1 and `gap` of `paths`, the outermost first: a node dropped there may
    go to the end of each branch that ends there, or to the start of one that begins."""
    rows = paths(root)
    before = rows[min(max(gap, 1), len(rows)) - 1]
    below = rows[gap] if 1 <= gap < len(rows) else (0,)
    depths = range(len(below) - 1, len(before))
    places = [(*before[:depth], before[depth] + 1) for depth in depths]
    return [*places, (*before, 0)] if isinstance(node_at(root, before), Branch) else places


def first_leaf(root: Node) -> Path:
    """Return the path of the first leaf; that of the root if there is none."""
    found = (path for path in paths(root) if isinstance(node_at(root, path), Leaf))
    return next(found, ())


def nearest(root: Node, path: Path) -> Path:
    """Return the path, or the one closest to it that leads to a node: the node now in its place, else one above."""
    while path and not has_node(root, path):
        parent = path[:-1]
        if has_node(root, parent):
            node = node_at(root, parent)
            count = len(node.nodes) if isinstance(node, Branch) else 0
            return (*parent, min(path[-1], count - 1)) if count else parent
        path = parent
    return path


def source_at(root: Node, path: Path) -> MatteSource | None:
    """Return the source of the leaf at a path; None if there is no leaf."""
    node = node_at(root, path) if has_node(root, path) else None
    return node.source if isinstance(node, Leaf) else None


def _after_insertion(path: Path, place: Path) -> Path:
    """Return where the node at `path` is after an insertion at `place`."""
    at = len(place) - 1
    if len(path) > at and path[:at] == place[:at] and path[at] >= place[at]:
        return (*path[:at], path[at] + 1, *path[at + 1 :])
    return path


def _after_removal(root: Node, path: Path, gone: Path) -> Path:
    """Return where the node at `path` of `root` is after `removed(root, gone)`."""
    while len(gone) > 1 and len(branch_at(root, gone[:-1]).nodes) == 1:
        gone = gone[:-1]
    at = len(gone) - 1
    if len(path) > at and path[:at] == gone[:at] and path[at] > gone[at]:
        return (*path[:at], path[at] - 1, *path[at + 1 :])
    return path
