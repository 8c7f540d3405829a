"""Objects of Cryptomatte layers that are picked on the canvas: added to the mattes of a grade, and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.model.matte_edit import Path, added, branch_at, paths, source_at, wrapped
from engine.errors import GradeError
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.tree import Leaf, Node

if TYPE_CHECKING:
    from engine.io.manifests import Manifest
    from engine.io.planes import PickedObject

MOST_NAMES = 200
"""The most names that take the place of a wildcard."""
TOGGLE, ADD, REMOVE = "toggle", "add", "remove"
"""What a click does."""


def selects(source: Cryptomatte, picked: PickedObject, manifest: Manifest) -> bool:
    """Return whether a source selects an object of its layer."""
    ids, _ = manifest.selected(source.names, source.ids)
    return picked.id in ids


def with_object(source: Cryptomatte, picked: PickedObject, manifest: Manifest, way: str = TOGGLE) -> Cryptomatte:
    """Return a source with an object added or removed; the same source if there is nothing to do.

    An object without a name is added by its ID. Where a wildcard selects an object that is removed, the other names
    that it selects take its place; GradeError is raised if those are more than MOST_NAMES.
    """
    there = selects(source, picked, manifest)
    if there == (way == ADD) and way != TOGGLE:
        return source
    from engine.io.wildcards import escaped_name  # it loads the kernels of the CPU, which would delay the start

    if not there:
        if picked.names:
            return source.replace(names=(*source.names, escaped_name(picked.names[0])))
        return source.replace(ids=(*source.ids, picked.id))
    names = tuple(name for pattern in source.names for name in _without(pattern, picked.id, manifest))
    return source.replace(names=names, ids=tuple(each for each in source.ids if each != picked.id))


def leaf_of(root: Node, node: Path, layer: str) -> tuple[Node, Path]:
    """Return a tree with a leaf for objects of a layer, and the path of the leaf.

    It is the leaf at `node` if that is of the layer, else the first one that is, else a new one beside that at `node`,
    joined with it by a union.
    """
    for path in (node, *paths(root)):
        source = source_at(root, path)
        if isinstance(source, Cryptomatte) and source.layer == layer:
            return root, path
    new = Leaf(Cryptomatte(layer))
    if node and branch_at(root, node[:-1]).mode != "union":
        root, node = wrapped(root, node, "union"), (*node, 0)
    return added(root, node, new)


def _without(pattern: str, id: int, manifest: Manifest) -> list[str]:
    """Return the names that select what a name or wildcard does, but for an object."""
    from engine.io.wildcards import escaped_name, has_wildcards, unescaped  # as above

    if not has_wildcards(pattern):
        return [] if manifest.id_of(unescaped(pattern)) == id else [pattern]
    found = manifest.find(pattern, ignore_case=False)
    if not (manifest.ids[found] == id).any():
        return [pattern]
    if len(found) > MOST_NAMES + 1:
        raise GradeError(
            f'"{pattern}" selects {len(found):,} objects, too many to list without one of them',
            "type wildcards that select fewer, or put the object into a subtraction, as a Cryptomatte of its own",
        )
    return [escaped_name(manifest.names[n]) for n in found if manifest.ids[n] != id]
