"""Edits of the tree of a matte lose no node, and wrapping does not change what it covers."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from app.model import matte_edit
from app.model.matte_edit import node_at, paths
from engine.mattes import Branch, Ellipse, Leaf, Rectangle
from engine.mattes.tree import MODES, Node, nodes

A, B, C, D = (Leaf(Ellipse(center=(float(n), 0.0))) for n in range(4))


def union(*inner: Node) -> Branch:
    return Branch("union", inner)


TREE = union(A, Branch("intersection", (B, C)), D)


def leaves_in(root: Node | None) -> Counter[Any]:
    return Counter(node for node in nodes(root) if isinstance(node, Leaf)) if root is not None else Counter()


def covered(root: Node, values: dict[Any, float]) -> float:
    """The coverage of a tree at one pixel, from that of its leaves, as `engine.mattes.tree` defines it."""
    if isinstance(root, Leaf):
        found = values[root.source]
    else:
        first, *others = [covered(node, values) for node in root.nodes if node.enabled] or [0.0]
        if root.mode == "subtraction":
            others = [1.0 - each for each in others]
        found = max(first, *others) if root.mode == "union" and others else min([first, *others])
    return (1.0 - found if root.inverted else found) * root.opacity


def random_tree(chance: random.Random, depth: int = 3) -> Node:
    opacity = chance.choice((1.0, 0.5))
    switches: dict[str, Any] = {"opacity": opacity, "inverted": chance.random() < 0.3, "enabled": chance.random() < 0.8}
    if depth == 0 or chance.random() < 0.4:
        return Leaf(Ellipse(center=(float(chance.randrange(1000)), 0.0)), **switches)
    inner = tuple(random_tree(chance, depth - 1) for _ in range(chance.randint(1, 3)))
    return Branch(chance.choice(MODES), inner, **switches)


def test_paths_lead_to_all_nodes():
    assert paths(TREE) == [(), (0,), (1,), (1, 0), (1, 1), (2,)]
    assert [node_at(TREE, path) for path in paths(TREE)] == list(nodes(TREE))
    assert not matte_edit.has_node(TREE, (0, 0)) and not matte_edit.has_node(TREE, (3,))
    with pytest.raises(LookupError):
        node_at(TREE, (1, 2))


def test_nodes_are_added_behind_a_leaf_and_into_a_branch():
    assert matte_edit.added(A, (), B) == (union(A, B), (1,))
    assert matte_edit.added(TREE, (), C) == (union(*TREE.nodes, C), (3,))
    assert matte_edit.added(TREE, (0,), C) == (union(A, C, *TREE.nodes[1:]), (1,))
    root, path = matte_edit.added(TREE, (1,), A)
    assert path == (1, 2) and node_at(root, path) == A


def test_a_branch_goes_with_its_last_node():
    inner = matte_edit.removed(TREE, (1, 0))
    assert inner == union(A, Branch("intersection", (C,)), D)
    assert inner is not None and matte_edit.removed(inner, (1, 0)) == union(A, D)
    assert matte_edit.removed(A, ()) is None
    assert matte_edit.removed(union(union(A)), (0, 0)) is None


@pytest.mark.parametrize(
    ("path", "place", "expected", "at"),
    [
        ((0,), (3,), union(Branch("intersection", (B, C)), D, A), (2,)),
        ((2,), (0,), union(D, A, Branch("intersection", (B, C))), (0,)),
        ((0,), (1, 1), union(Branch("intersection", (B, A, C)), D), (0, 1)),
        ((1, 0), (0,), union(B, A, Branch("intersection", (C,)), D), (0,)),
        ((1, 0), (1, 2), union(A, Branch("intersection", (C, B)), D), (1, 1)),
    ],
)
def test_nodes_are_moved(path: Any, place: Any, expected: Node, at: Any):
    assert matte_edit.moved(TREE, path, place) == (expected, at)


def test_a_node_can_not_be_moved_into_itself_or_to_a_leaf():
    for path, place in (((1,), (1, 0)), ((), (0,)), ((0,), (2, 0)), ((0,), (9,)), ((0,), ())):
        assert not matte_edit.can_move(TREE, path, place)
        with pytest.raises(LookupError):
            matte_edit.moved(TREE, path, place)


def test_steps_lead_past_neighbours_into_branches_and_out_of_them():
    assert matte_edit.place_beside(TREE, (0,), -1) is None
    assert matte_edit.place_beside(TREE, (0,), 1) == (2,)
    assert matte_edit.place_beside(TREE, (1, 0), -1) == (1,)
    assert matte_edit.place_beside(TREE, (1, 1), 1) == (2,)
    assert matte_edit.place_inside(TREE, (2,)) == (1, 2)
    assert matte_edit.place_inside(TREE, (1,)) is None
    assert matte_edit.place_outside((1, 0)) == (2,) and matte_edit.place_outside((1,)) is None


def test_a_drop_between_rows_goes_to_each_branch_that_ends_there():
    assert matte_edit.places_at(TREE, 1) == [(0,)], "the start of the root"
    assert matte_edit.places_at(TREE, 3) == [(1, 0)]
    assert matte_edit.places_at(TREE, 5) == [(2,), (1, 2)]
    assert matte_edit.places_at(TREE, 6) == [(3,)]


def test_the_nearest_node_is_the_one_in_its_place_or_above():
    assert matte_edit.nearest(TREE, (1, 1)) == (1, 1)
    assert matte_edit.nearest(TREE, (1, 5)) == (1, 1)
    assert matte_edit.nearest(TREE, (0, 3)) == (0,)
    assert matte_edit.nearest(A, (2, 1)) == ()
    assert matte_edit.source_at(TREE, (1,)) is None and matte_edit.source_at(TREE, (0,)) == A.source


def test_branches_are_replaced_by_their_nodes_only_where_that_changes_nothing():
    plain = union(A, union(B, C))
    assert matte_edit.can_unwrap(plain, (1,)) and matte_edit.unwrapped(plain, (1,)) == union(A, B, C)
    assert not matte_edit.can_unwrap(TREE, (1,)), "it is joined in another way"
    first = Branch("subtraction", (Branch("subtraction", (A, B)), C))
    assert matte_edit.unwrapped(first, (0,)) == Branch("subtraction", (A, B, C))
    assert not matte_edit.can_unwrap(Branch("subtraction", (C, Branch("subtraction", (A, B)))), (1,))
    assert not matte_edit.can_unwrap(union(A, Branch("union", (B,), inverted=True)), (1,))
    assert not matte_edit.can_unwrap(union(A, union(Leaf(Rectangle(), enabled=False))), (1,))
    with pytest.raises(LookupError):
        matte_edit.unwrapped(TREE, (1,))


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_lose_no_node_and_keep_what_is_covered(seed: int):
    chance = random.Random(seed)
    root = random_tree(chance)
    values = {leaf.source: chance.random() for leaf in nodes(root) if isinstance(leaf, Leaf)}
    for _ in range(30):
        found = paths(root)
        path, before, value = chance.choice(found), leaves_in(root), covered(root, values)
        wrapped = matte_edit.wrapped(root, path, chance.choice(MODES))
        assert leaves_in(wrapped) == before
        if node_at(root, path).enabled:
            assert covered(wrapped, values) == value
        if matte_edit.can_unwrap(root, path):
            opened = matte_edit.unwrapped(root, path)
            assert leaves_in(opened) == before and (not path or covered(opened, values) == value)
        places = [place for gap in range(len(found) + 1) for place in matte_edit.places_at(root, gap)]
        places = [place for place in places if matte_edit.can_move(root, path, place)]
        if places:
            node, place = node_at(root, path), chance.choice(places)
            root, at = matte_edit.moved(root, path, place)
            assert leaves_in(root) == before and node_at(root, at) == node
        copy, at = matte_edit.duplicated(root, path := chance.choice(paths(root)))
        assert node_at(copy, at) == node_at(root, path)
        assert sum(leaves_in(matte_edit.removed(copy, at)).values()) == sum(before.values())
