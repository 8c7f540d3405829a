"""Grades with mattes: a few that stand for the others, and any at random; with the planes that they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import FileLook, Grade, Group, Layer, ops
from engine.core.geometry import Place
from engine.grade.grade import Entry
from engine.grade.masking import planes_read
from engine.mattes import (
    Branch,
    Cryptomatte,
    DepthRange,
    Ellipse,
    HslQualifier,
    Leaf,
    LinearGradient,
    Matte,
    Rectangle,
)
from engine.mattes.planes import Plane
from tests.engine.matte_reference import ArrayPlanes
from tests.engine.mattes.examples import ALL, SPAN, example

Rng = np.random.Generator
HEIGHT, WIDTH = 61, 83
PLACE = Place(-30.5, 25.25, SPAN / WIDTH, SPAN / WIDTH, 6, -5)
"""That of the test image: a part of a larger one, with steps that are not a power of two."""

UP, RED = ops.Exposure(0.5), ops.Cdl((1.2, 1.0, 0.9), (0.02, 0.0, 0.0))
LUT = FileLook("looks/film.cube", (ops.Lut1d([0.0, 0.6, 1.0]), ops.Saturation(0.5)))
SOFT = Leaf(Ellipse(center=(160.0, 120.0), size=(120.0, 80.0), rotation=20.0, softness_in=15.0, softness_out=30.0))
BOX = Leaf(Rectangle(center=(250.0, 200.0), size=(90.0, 50.0), rotation=-20.0, softness_in=9.0, softness_out=9.0))
RAMP = Leaf(LinearGradient(start=(50.0, 50.0), end=(300.0, 200.0)))
HERO = Leaf(Cryptomatte(names=("hero*",)))
FAR = Leaf(DepthRange(channel="Z", near=2.0, far=6.0, falloff_near=1.0, falloff_far=2.0))
SKIN = Leaf(HslQualifier(hue=(20.0, 90.0, 60.0), saturation=(0.2, 0.8, 0.2, 0.2)))
SKIN_AFTER = Leaf(HslQualifier(input="entry", hue=(20.0, 90.0, 60.0), saturation=(0.2, 0.8, 0.2, 0.2), denoise=12.0))


def branch(mode: str, *nodes: Any, **switches: Any) -> Branch:
    return Branch(mode, tuple(nodes), **switches)


TREE = branch("subtraction", SOFT, HERO, branch("union", BOX, FAR, inverted=True, opacity=0.4), opacity=0.9)
SHAPE: dict[str, Any] = {"gain": 1.4, "gamma": 0.7, "inverted": True}
GRADES: dict[str, list[Entry]] = {
    "window": [UP, Layer(RED, matte=Matte(SOFT))],
    "cryptomatte": [Layer(RED, mix=0.5, matte=Matte(HERO)), UP],
    "tree": [Layer(LUT, matte=Matte(TREE, **SHAPE))],
    "feather": [
        UP,
        Layer(RED, matte=Matte(SOFT, feather=5.0)),
        Layer(UP, matte=Matte(HERO, feather=5.0)),
        Layer(RED, matte=Matte(BOX, feather=25.0, grow=2.3)),
    ],
    "shrunk": [Layer(RED, matte=Matte(HERO, grow=-3.0, feather=1.5))],
    "qualifier": [UP, Layer(RED, matte=Matte(SKIN)), Layer(RED, matte=Matte(branch("union", SKIN_AFTER, SOFT)))],
    "soft qualifiers": [
        UP,
        Layer(RED, matte=Matte(SKIN_AFTER, feather=3.0)),
        Layer(UP, matte=Matte(branch("intersection", SKIN_AFTER, SKIN, FAR), grow=1.5)),
    ],
    "filters": [UP, Layer(ops.Blur(4.0), mix=0.3), RED, Layer(ops.Blur(6.0), matte=Matte(SOFT, feather=4.0)), UP],
    "groups": [
        Group(
            (UP, Layer(RED, matte=Matte(HERO)), Group((RED, Layer(ops.Blur(3.0), mix=0.5)), matte=Matte(FAR))),
            "relight",
            mix=0.6,
            matte=Matte(SOFT),
        )
    ],
    "groups of colour": [Group((UP, Layer(RED, matte=Matte(SKIN_AFTER)), LUT), mix=0.6, matte=Matte(SOFT))],
    "resized": [
        UP,
        Layer(RED, matte=Matte(HERO)),
        ops.Resize(97.0, 50.0, "area"),
        Layer(RED, matte=Matte(branch("union", SOFT, SKIN, HERO), feather=6.0, grow=1.7)),
        ops.Blur(2.0),
    ],
}
"""Grades whose coverage is smooth, so that float32 knows it well."""


def matte_image(dtype: Any = np.float32, channels: int = 4) -> NDArray[Any]:
    """Ordinary colours of HEIGHT x WIDTH pixels, in patches of a few hues."""
    rng = np.random.default_rng(7)
    patches = np.repeat(np.repeat(rng.uniform(0.02, 2.0, (9, 12, 4)), 7, axis=0), 7, axis=1)[:HEIGHT, :WIDTH]
    pixels = patches * rng.uniform(0.9, 1.1, (HEIGHT, WIDTH, 4))
    pixels[..., 3] = rng.random((HEIGHT, WIDTH))
    return np.ascontiguousarray(pixels[..., :channels]).astype(dtype)


def planes_for(grade: Iterable[Any], seed: int = 11) -> dict[Plane, NDArray[np.float32]]:
    """Values of the planes that a grade reads: smooth ones with noise, 0..8."""
    rng = np.random.default_rng(seed)
    found: dict[Plane, NDArray[np.float32]] = {}
    for plane in planes_read(grade):
        coarse = np.repeat(np.repeat(rng.uniform(0.0, 8.0, (8, 11)), 8, axis=0), 8, axis=1)
        values = coarse[:HEIGHT, :WIDTH] + rng.normal(0.0, 0.1, (HEIGHT, WIDTH))
        found[plane] = (values if "Z" in str(plane) else values / 8.0).astype(np.float32)
    return found


def plane_source(grade: Iterable[Any]) -> ArrayPlanes:
    """The planes that a grade reads, for the executor."""
    return ArrayPlanes(planes_for(grade))


# --- at random --------------------------------------------------------------------------------------------------


def random_node(rng: Rng, depth: int = 0) -> Any:
    """Any tree of any sources, up to four deep."""
    switches: dict[str, Any] = {
        "opacity": float(rng.choice((1.0, 1.0, 0.6))),
        "inverted": bool(rng.random() < 0.25),
        "enabled": bool(rng.random() < 0.9),
    }
    if depth == 4 or rng.random() < 0.5:
        return Leaf(example(ALL[rng.integers(len(ALL))], rng), **switches)
    nodes = tuple(random_node(rng, depth + 1) for _ in range(rng.integers(0, 5)))
    return Branch(str(rng.choice(("union", "intersection", "subtraction"))), nodes, **switches)


def random_matte(rng: Rng) -> Matte:
    """Any matte."""
    return Matte(
        random_node(rng),
        feather=float(rng.choice((0.0, 0.0, 3.7, 30.0))),
        grow=float(rng.choice((0.0, 0.0, 0.0, 2.0, 3.3, -1.0, -4.6))),
        gain=float(rng.choice((1.0, 1.7))),
        gamma=float(rng.choice((1.0, 0.6))),
        inverted=bool(rng.random() < 0.3),
        frame=((0, 0), (200, 300))[rng.integers(2)],
    )


def random_entry(rng: Rng, depth: int = 0) -> Entry:
    """Any entry: a colour op, a look, a filter or a group, with any switches."""
    kind = rng.random()
    entry: Any = (UP, RED, LUT, ops.Contrast(1.2), ops.Lut3d(rng.random((4, 4, 4, 3))))[rng.integers(5)]
    if kind < 0.15:
        entry = ops.Blur(float(rng.choice((1.5, 5.0))))
    switches: dict[str, Any] = {
        "enabled": bool(rng.random() < 0.9),
        "mix": float(rng.choice((1.0, 1.0, 0.4, 0.0))),
        "matte": random_matte(rng) if rng.random() < 0.6 else None,
        "solo": bool(rng.random() < 0.05),
    }
    if kind > 0.75 and depth < 3:
        inner = tuple(random_entry(rng, depth + 1) for _ in range(rng.integers(0, 4)))
        return Group(inner, str(rng.choice(("", "sky"))), **switches)
    return Layer(entry, **switches)


def random_grade(rng: Rng) -> Grade:
    """Any grade of one to four entries, some with a resize."""
    entries = [random_entry(rng) for _ in range(rng.integers(1, 5))]
    if rng.random() < 0.25:
        side = ops.Resize(float(rng.integers(30, 120)), float(rng.integers(30, 120)), "catmull-rom")
        entries.insert(int(rng.integers(len(entries) + 1)), side)
    return Grade(entries)
