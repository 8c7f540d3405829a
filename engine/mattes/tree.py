"""A matte: a tree of sources, joined by union, intersection and subtraction, then blurred, grown and shaped.

All of it is frozen and part of a grade.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cached_property
from itertools import count
from typing import Any, TypeAlias

from engine.core.records import dataclass
from engine.errors import GradeError, shown
from engine.kernel.pixel import Scalar, clamp, maximum, minimum, pow
from engine.mattes.planes import Plane
from engine.mattes.source import MatteSource

MODES = ("union", "intersection", "subtraction")
MOST_NODES, MOST_DEPTH = 256, 16
MOST_PIXELS = 1024.0
"""The largest feather and growth, in pixels."""
RANGES = {
    "feather": (0.0, MOST_PIXELS),
    "grow": (-MOST_PIXELS, MOST_PIXELS),
    "gain": (0.0, 1000.0),
    "gamma": (0.01, 100.0),
}
"""The numbers of a matte beside its tree, and the smallest and largest value of each."""
MOST_SIDE = 1 << 32
"""The largest width and height of a frame, in pixels: that of the display window of any file."""


@dataclass(frozen=True)
class Leaf:
    """A source with its switches. `opacity` scales its coverage, after `inverted`."""

    source: MatteSource
    opacity: float = 1.0
    inverted: bool = False
    enabled: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.source, MatteSource):
            raise GradeError(f"a leaf of a matte has a source, not {type(self.source).__name__}")
        _check(self)


@dataclass(frozen=True)
class Branch:
    """Nodes joined: `union` is the largest coverage, `intersection` the smallest, `subtraction` the first one without
    the others, min(first, 1 - each). So a tree keeps De Morgan's laws, and hard edges stay hard.

    A branch without enabled nodes covers nothing, before it is inverted.
    """

    mode: str
    nodes: tuple[Node, ...]
    opacity: float = 1.0
    inverted: bool = False
    enabled: bool = True

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise GradeError(f"nodes of a matte are joined by {', '.join(MODES)}, not {shown(self.mode)}")
        if not isinstance(self.nodes, tuple) or not all(isinstance(node, Leaf | Branch) for node in self.nodes):
            raise GradeError("a branch of a matte has a tuple of nodes")
        _check(self)


Node: TypeAlias = Leaf | Branch


@dataclass(frozen=True)
class Matte:
    """A tree of sources; its coverage is first grown (or shrunk, below 0) by `grow` pixels, then blurred by a Gaussian
    that reaches `feather` pixels, then shaped: clamp(gain * coverage) ** (1 / gamma), and inverted.

    `frame` is the size of the display window in whose pixels all positions and radii are; (0, 0) is that of any image.
    """

    root: Node
    feather: float = 0.0
    grow: float = 0.0
    gain: float = 1.0
    gamma: float = 1.0
    inverted: bool = False
    frame: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        for name, (low, high) in RANGES.items():
            object.__setattr__(self, name, _number(f"the {name} of a matte", getattr(self, name), low, high))
        if not isinstance(self.inverted, bool):
            raise GradeError("inverted of a matte must be true or false")
        if not isinstance(self.root, Leaf | Branch):
            raise GradeError("the root of a matte must be a leaf or a branch")
        if not _is_frame(self.frame):
            raise GradeError(f"the frame of a matte must be a width and a height, 1 to {MOST_SIDE}, or 0 and 0")
        if len(list(nodes(self.root))) > MOST_NODES or depth(self.root) > MOST_DEPTH:
            raise GradeError(f"a matte has at most {MOST_NODES} nodes, {MOST_DEPTH} deep")

    @cached_property
    def sources(self) -> tuple[MatteSource, ...]:
        """The sources that are enabled, in order."""
        return tuple(leaf.source for leaf in leaves(self.root))

    @cached_property
    def planes(self) -> tuple[Plane, ...]:
        """The planes that the sources read, each once."""
        return tuple(dict.fromkeys(plane for source in self.sources for plane in source.planes))

    @cached_property
    def reads(self) -> frozenset[str]:
        """The images that the sources read: `source`, `entry`, both or none."""
        return frozenset(source.reads for source in self.sources) - {""}

    @cached_property
    def enabled_nodes(self) -> dict[int, Node]:
        """The nodes that take part, by their place among `nodes`."""
        found, places = dict[int, Node](), count()

        def walk(node: Node, on: bool) -> None:
            place, on = next(places), on and node.enabled
            found.update({place: node} if on else {})
            for child in node.nodes if isinstance(node, Branch) else ():
                walk(child, on)

        walk(self.root, True)
        return found

    @cached_property
    def enabled_leaves(self) -> dict[int, Leaf]:
        """The leaves that take part, by their place among `nodes`."""
        return {place: node for place, node in self.enabled_nodes.items() if isinstance(node, Leaf)}

    def fitted(self, width: int, height: int) -> Matte:
        """Return the matte for a display window of this size."""
        if self.frame in ((0, 0), (width, height)):
            return self
        x, y = width / self.frame[0], height / self.frame[1]
        root = _mapped(self.root, lambda source: source.scaled(x, y))
        scale = math.sqrt(x * y)
        return replace(
            self,
            root=root,
            frame=(width, height),
            feather=min(self.feather * scale, MOST_PIXELS),
            grow=max(-MOST_PIXELS, min(self.grow * scale, MOST_PIXELS)),
        )

    def shaped(self, coverage: Scalar) -> Scalar:
        """Return a coverage after gain, gamma and inversion, in the pixel language."""
        shaped = clamp(coverage * self.gain, 0.0, 1.0)
        shaped = shaped if self.gamma == 1.0 else pow(shaped, 1.0 / self.gamma)
        return 1.0 - shaped if self.inverted else shaped

    def to_json(self) -> dict[str, Any]:
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        return data | {"root": _node_to_json(self.root), "frame": list(self.frame)}

    @classmethod
    def from_json(cls, data: Any) -> Matte:
        """Return the matte that `to_json` described. Raises GradeError if it is invalid."""
        if not isinstance(data, dict) or "root" not in data:
            raise GradeError("a matte has no root")
        if unknown := set(data) - {f.name for f in fields(cls)}:
            raise GradeError(f"a matte has no field named {shown(sorted(unknown)[0])}")
        frame = data.get("frame", (0, 0))
        frame = tuple(frame) if isinstance(frame, list | tuple) else ()
        return cls(**(data | {"root": _node_from_json(data["root"], 0), "frame": frame}))


def nodes(root: Node) -> Iterator[Node]:
    """Yield a node and all below it, depth first."""
    yield root
    if isinstance(root, Branch):
        for node in root.nodes:
            yield from nodes(node)


def leaves(root: Node) -> Iterator[Leaf]:
    """Yield the leaves that take part: enabled, in enabled branches."""
    if not root.enabled:
        return
    if isinstance(root, Leaf):
        yield root
        return
    for node in root.nodes:
        yield from leaves(node)


def depth(root: Node) -> int:
    return 1 + max((depth(node) for node in root.nodes), default=0) if isinstance(root, Branch) else 1


def joined(mode: str, parts: list[Scalar]) -> Scalar:
    """Return coverages joined by a mode of MODES, in the pixel language."""
    result, *rest = parts
    for part in rest:
        if mode == "union":
            result = maximum(result, part)
        else:
            result = minimum(result, part if mode == "intersection" else 1.0 - part)
    return result


def _mapped(root: Node, change: Any) -> Node:
    if isinstance(root, Leaf):
        return replace(root, source=change(root.source))
    return replace(root, nodes=tuple(_mapped(node, change) for node in root.nodes))


def _check(node: Node) -> None:
    object.__setattr__(node, "opacity", _number("the opacity of a node", node.opacity, 0.0, 1.0))
    if not isinstance(node.inverted, bool) or not isinstance(node.enabled, bool):
        raise GradeError("inverted and enabled of a node must be true or false")


def _is_frame(frame: Any) -> bool:
    if not isinstance(frame, tuple) or len(frame) != 2 or not all(type(side) is int for side in frame):
        return False
    return frame == (0, 0) or all(1 <= side <= MOST_SIDE for side in frame)


def _number(what: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise GradeError(f"{what} must be a number from {low:g} to {high:g}, not {shown(value)}")
    return float(value)


def _node_to_json(node: Node) -> dict[str, Any]:
    switches = {"opacity": node.opacity, "inverted": node.inverted, "enabled": node.enabled}
    if isinstance(node, Leaf):
        return node.source.to_json() | {"switches": switches}
    return {"mode": node.mode, "nodes": [_node_to_json(each) for each in node.nodes], "switches": switches}


def _node_from_json(data: Any, level: int) -> Node:
    if not isinstance(data, dict) or level > MOST_DEPTH:
        raise GradeError("a node of a matte is damaged")
    switches = data.get("switches", {})
    if not isinstance(switches, dict) or set(switches) - {"opacity", "inverted", "enabled"}:
        raise GradeError("the switches of a node of a matte are damaged")
    rest = {name: value for name, value in data.items() if name != "switches"}
    if "mode" not in data:
        return Leaf(MatteSource.source_from_json(rest), **switches)
    if set(rest) != {"mode", "nodes"} or not isinstance(data["nodes"], list):
        raise GradeError("a branch of a matte has a mode and nodes")
    return Branch(data["mode"], tuple(_node_from_json(each, level + 1) for each in data["nodes"]), **switches)
