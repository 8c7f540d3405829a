"""Trees of mattes: the algebra of coverages, switches, JSON, limits, and fitting to another display window."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.mattes import Branch, Cryptomatte, DepthRange, Ellipse, HslQualifier, ImageMatte, Key3d, Leaf, Matte
from engine.mattes.coverage import Cover, Coverage
from engine.mattes.planes import FilePlane
from engine.mattes.tree import MODES, Node, depth, joined, nodes
from tests.engine.mattes.examples import ALL, example
from tests.thorough import examples

NAMES = ("a", "b", "c")
VALUES = np.array(list(itertools.product(np.linspace(0.0, 1.0, 7).astype(np.float32).astype(float), repeat=3)))
"""Pixels with every combination of coverages of three leaves."""
A, B, C = (Leaf(ImageMatte(name)) for name in NAMES)


def covered(root: Node | Matte) -> NDArray[np.float64]:
    """The coverage of a tree over the leaves A, B and C, or of a matte."""
    matte = root if isinstance(root, Matte) else Matte(root)
    cover = Cover(matte)
    planes = [VALUES[:, NAMES.index(ref.path)] for ref in cover.refs if isinstance(ref, FilePlane)]
    given = np.stack(planes, axis=-1) if planes else np.zeros((len(VALUES), 0))
    found = Coverage((cover,)).reference(np.zeros((len(VALUES), 4)), None, given)
    return np.broadcast_to(found, (len(VALUES), 4))[:, 0]  # that of a constant is one pixel


def inverted(node: Node) -> Node:
    return replace(node, inverted=not node.inverted)


@st.composite
def trees(draw: st.DrawFn, level: int = 0) -> Node:
    """Trees of the three leaves, to three levels."""
    switches: dict[str, Any] = {
        "opacity": draw(st.sampled_from((1.0, 1.0, 0.5, 0.0))),
        "inverted": draw(st.booleans()),
        "enabled": draw(st.sampled_from((True, True, True, False))),
    }
    if level == 3 or draw(st.booleans()):
        return replace(draw(st.sampled_from((A, B, C))), **switches)
    parts = draw(st.lists(trees(level + 1), min_size=0 if level else 1, max_size=3))
    return Branch(draw(st.sampled_from(MODES)), tuple(parts), **switches)


WHOLE = st.builds(lambda node: replace(node, opacity=1.0, enabled=True), trees())


@settings(max_examples=examples(25), deadline=None)
@given(WHOLE, WHOLE, WHOLE)
def test_trees_are_a_lattice(p: Node, q: Node, r: Node) -> None:
    """Exactly, not only up to rounding, so that hard edges stay hard."""

    def union(*parts: Node) -> Node:
        return Branch("union", parts)

    def both(*parts: Node) -> Node:
        return Branch("intersection", parts)

    for left, right in (
        (inverted(union(p, q)), both(inverted(p), inverted(q))),  # De Morgan
        (inverted(both(p, q)), union(inverted(p), inverted(q))),
        (union(p, p), p),
        (both(p, p), p),
        (union(p, q), union(q, p)),
        (both(p, q), both(q, p)),
        (union(p, q, r), union(p, union(q, r))),
        (both(p, q, r), both(both(p, q), r)),
        (union(p, both(p, q)), p),  # absorption
        (both(p, union(p, q)), p),
        (both(p, union(q, r)), union(both(p, q), both(p, r))),
        (Branch("subtraction", (p, q, r)), both(p, inverted(q), inverted(r))),
        (Branch("subtraction", (p,)), p),
    ):
        a, b = covered(left), covered(right)
        exact = left.mode != "subtraction" if isinstance(left, Branch) and not left.inverted else False
        assert np.abs(a - b).max() <= (0.0 if exact else 1e-15)
        assert ((a >= 0.0) & (a <= 1.0)).all()


@settings(max_examples=examples(25), deadline=None)
@given(WHOLE, st.floats(0.0, 1.0))
def test_opacity_scales_after_inversion(node: Node, opacity: float) -> None:
    assert covered(replace(node, opacity=opacity)) == pytest.approx(covered(node) * opacity, abs=1e-15)
    assert covered(inverted(node)) == pytest.approx(1.0 - covered(node), abs=1e-15)
    assert not covered(replace(node, opacity=0.0)).any()


@settings(max_examples=examples(25), deadline=None)
@given(WHOLE, WHOLE, st.sampled_from(MODES))
def test_a_disabled_node_takes_no_part(p: Node, q: Node, mode: str) -> None:
    off = replace(q, enabled=False)
    assert np.array_equal(covered(Branch(mode, (p, off))), covered(Branch(mode, (p,))))
    assert np.array_equal(covered(Branch(mode, (off, p))), covered(Branch(mode, (p,))))
    assert not covered(Branch(mode, (off,))).any()
    assert not covered(off).any()
    assert covered(Branch(mode, (off,), inverted=True)).min() == 1.0
    assert Matte(Branch(mode, (off,))).sources == ()


@pytest.mark.parametrize("mode", MODES)
def test_joined_by_hand(mode: str) -> None:
    hands: dict[str, Any] = {"union": max, "intersection": min}
    by_hand = hands.get(mode, lambda a, b, c: min(a, 1.0 - b, 1.0 - c))
    wanted = [by_hand(*row) for row in VALUES.tolist()]
    assert joined(mode, list(VALUES.T)).tolist() == wanted
    assert covered(Branch(mode, (A, B, C))).tolist() == wanted


def test_a_matte_is_shaped_by_gain_gamma_and_inversion() -> None:
    a = VALUES[:, 0]
    shaped = covered(Matte(A, gain=2.0, gamma=2.2))
    assert shaped == pytest.approx(np.clip(2.0 * a, 0.0, 1.0) ** (1.0 / 2.2))
    assert covered(Matte(A, gain=2.0, gamma=2.2, inverted=True)) == pytest.approx(1.0 - shaped)
    assert np.array_equal(covered(Matte(A)), a)


def random_tree(rng: np.random.Generator, level: int = 0) -> Node:
    """A tree of any sources."""
    switches: dict[str, Any] = {
        "opacity": float(rng.uniform()),
        "inverted": bool(rng.integers(2)),
        "enabled": bool(rng.integers(2)),
    }
    if level == 4 or rng.uniform() < 0.3:
        return Leaf(example(ALL[rng.integers(len(ALL))], rng), **switches)
    parts = tuple(random_tree(rng, level + 1) for _ in range(rng.integers(0, 4)))
    return Branch(str(rng.choice(MODES)), parts, **switches)


def test_json_round_trip_of_random_mattes() -> None:
    rng = np.random.default_rng(1)
    for _ in range(examples(60)):
        shape: dict[str, Any] = {"feather": rng.uniform(0, 99), "grow": rng.uniform(-9, 9), "gain": rng.uniform(0, 9)}
        matte = Matte(random_tree(rng), gamma=rng.uniform(0.2, 5.0), frame=(1920, 1080), **shape)
        again = Matte.from_json(json.loads(json.dumps(matte.to_json())))
        assert again == matte
        assert hash(again) == hash(matte)
        assert again.to_json() == matte.to_json()


ROOT = {"mode": "union", "nodes": [Leaf(Ellipse()).source.to_json()]}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "a matte has no root"),
        ([], "a matte has no root"),
        ({}, "a matte has no root"),
        ({"root": None}, "a node of a matte is damaged"),
        ({"root": {"mode": "xor", "nodes": []}}, "joined by union, intersection, subtraction, not 'xor'"),
        ({"root": {"mode": ["union"], "nodes": []}}, "joined by union"),
        ({"root": {"mode": "union"}}, "a branch of a matte has a mode and nodes"),
        ({"root": {"mode": "union", "nodes": {}}}, "a branch of a matte has a mode and nodes"),
        ({"root": ROOT | {"switches": []}}, "switches of a node of a matte are damaged"),
        ({"root": ROOT | {"switches": {"on": True}}}, "switches of a node of a matte are damaged"),
        ({"root": ROOT | {"switches": {"opacity": "x"}}}, "opacity of a node must be a number from 0 to 1"),
        ({"root": ROOT | {"switches": {"enabled": 1}}}, "inverted and enabled of a node must be true or false"),
        ({"root": {"source": "Elipse"}}, "there is no matte source named 'Elipse'"),
        ({"root": ROOT, "feather": float("nan")}, "the feather of a matte must be a number from 0 to 1024"),
        ({"root": ROOT, "grow": 5000}, "the grow of a matte must be a number from -1024 to 1024"),
        ({"root": ROOT, "gamma": 0}, "the gamma of a matte must be a number from 0.01 to 100"),
        ({"root": ROOT, "inverted": 1}, "inverted of a matte must be true or false"),
        ({"root": ROOT, "blur": 1}, "a matte has no field named 'blur'"),
        ({"root": ROOT, "frame": [1920]}, "the frame of a matte must be a width and a height"),
        ({"root": ROOT, "frame": [1920, -1]}, "the frame of a matte must be a width and a height"),
        ({"root": ROOT, "frame": [0, 5]}, "the frame of a matte must be a width and a height"),
        ({"root": ROOT, "frame": [5, 0]}, "the frame of a matte must be a width and a height"),
        ({"root": ROOT, "frame": [1, (1 << 32) + 1]}, "a width and a height, 1 to 4294967296, or 0 and 0"),
        ({"root": {"mode": "x" * 100_000, "nodes": []}}, "not 'xxx"),
        ({"root": ROOT, "gain": "x" * 100_000}, "not 'xxx"),
        ({"root": ROOT, "x" * 100_000: 1}, "no field named 'xxx"),
        ({"root": ROOT, "frame": "HD"}, "the frame of a matte must be a width and a height"),
    ],
)
def test_damaged_json_is_one_clear_line(data: Any, said: str) -> None:
    with pytest.raises(GradeError) as error:
        Matte.from_json(data)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def test_sizes_of_trees_are_limited() -> None:
    deep: Node = A
    for _ in range(15):
        deep = Branch("union", (deep,))
    assert depth(Matte(deep).root) == 16
    for root in (Branch("union", (deep,)), Branch("union", (A,) * 256)):
        with pytest.raises(GradeError, match="at most 256 nodes, 16 deep"):
            Matte(root)
    data: Any = A.source.to_json()
    for _ in range(200):
        data = {"mode": "union", "nodes": [data]}
    with pytest.raises(GradeError, match="a node of a matte is damaged"):
        Matte.from_json({"root": data})
    assert len(list(nodes(Branch("union", (A, Branch("union", (B, C))))))) == 5


def test_what_is_no_tree_is_refused() -> None:
    with pytest.raises(GradeError, match="a leaf of a matte has a source"):
        Leaf(None)  # type: ignore[arg-type]
    with pytest.raises(GradeError, match="a tuple of nodes"):
        Branch("union", (Ellipse(),))  # type: ignore[arg-type]
    with pytest.raises(GradeError, match="must be a leaf or a branch"):
        Matte(Ellipse())  # type: ignore[arg-type]


def test_planes_and_images_of_a_matte() -> None:
    depths = DepthRange()
    root = Branch("union", (Leaf(depths), Leaf(depths.replace(far=3.0)), Leaf(Cryptomatte(names=("hero",)))))
    matte = Matte(Branch("intersection", (root, Leaf(HslQualifier(denoise=2.5)), Leaf(Key3d(), enabled=False))))
    assert len(matte.planes) == 2
    assert matte.reads == {"source"}
    assert Matte(A).reads == frozenset()


def test_a_matte_fits_a_display_window_of_another_size() -> None:
    matte = Matte(Branch("union", (Leaf(Ellipse()), A)), feather=10.0, grow=-4.0, frame=(1920, 1080))
    assert matte.fitted(1920, 1080) is matte
    half = matte.fitted(960, 540)
    assert (half.feather, half.grow, half.frame) == (5.0, -2.0, (960, 540))
    assert half.sources == (Ellipse().scaled(0.5, 0.5), A.source)
    assert half.fitted(1920, 1080) == matte
    assert replace(matte, frame=(0, 0)).fitted(10, 10).sources == matte.sources
    assert matte.fitted(1920 * 1000, 1080 * 1000).feather == 1024.0
