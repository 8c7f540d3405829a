"""Evaluation of mattes in kernels: `Cover` is a matte as a part of an op, `Coverage` the op that gives coverages alone.

What a matte reads besides the pixel has a `Ref`: a plane of the file, a channel of the image before the first op, or a
channel of an image that was evaluated before. `wiring` lists the refs of `px.planes`, from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Self, TypeAlias

from engine.core.records import dataclass
from engine.kernel.fields import Kind, Slider
from engine.kernel.op import ColorOp
from engine.kernel.pixel import MOST_PLANES, Pixel, Scalar, Vec
from engine.mattes.planes import Plane
from engine.mattes.source import MatteSource
from engine.mattes.tree import Branch, Leaf, Matte, Node, joined, nodes

MOST_COVERS = 4
"""Mattes that one `Coverage` evaluates: one for each channel."""
FEATHER, GROW, PART = "feather", "grow", "part"
"""What a matte has keys for, as far as its steps depend on it."""
_NUMBER = Slider(0.0, 0.0, 1.0, "", None, "")
Bind: TypeAlias = Callable[[str, int, Kind, Any], Any]


@dataclass(frozen=True)
class SourceChannel:
    """A channel, 0..3, of the image before the first op."""

    channel: int


@dataclass(frozen=True)
class Held:
    """A channel of an image that the executor holds, by the number that its plan gives the image."""

    image: int
    channel: int


Ref: TypeAlias = Plane | SourceChannel | Held
SOURCE: tuple[Ref, ...] = tuple(SourceChannel(channel) for channel in range(4))


@dataclass(frozen=True)
class HeldCoverage(MatteSource, abstract=True):
    """Coverage that was evaluated before; it stands for a part of a tree, and is not in the registry."""

    held: Held

    def coverage(self, px: Pixel) -> Scalar:
        return px.planes[0]


def refs_of(source: MatteSource) -> tuple[Ref, ...]:
    """Return the planes of a source, in its order."""
    return (source.held,) if isinstance(source, HeldCoverage) else source.planes


def cleans(source: MatteSource) -> bool:
    """Return whether a source has a denoise, above 0 or not: its coverage is evaluated before that of the tree."""
    return type(source).denoise is not MatteSource.denoise


@dataclass(frozen=True)
class Cover:
    """A matte as a part of an op: its coverage is that of its tree, without feather and growth, and shaped or not.

    `entry` and `source` are the ops from the input of the entry, and from the image before the first op, to the
    scene-linear values that sources read. `direct` is whether the pixel is that of the image before the first op, which
    is else read from planes.
    """

    matte: Matte
    shaped: bool = True
    entry: tuple[ColorOp, ...] = ()
    source: tuple[ColorOp, ...] = ()
    direct: bool = False
    wiring: tuple[Ref | None, ...] = ()
    varying: frozenset[str] = field(default=frozenset(), repr=False)

    @cached_property
    def refs(self) -> tuple[Ref, ...]:
        """What the matte reads besides the pixel, each once; the channels of the source image last."""
        found = dict.fromkeys(ref for leaf in self.matte.enabled_leaves.values() for ref in refs_of(leaf.source))
        far = not self.direct and "source" in self.matte.reads
        return (*found, *SOURCE) if far else tuple(found)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the code of the matte."""
        matte = self.matte
        keys = tuple(op.structure for op in (*self.entry, *self.source)), len(self.entry), self.direct
        shape = self.shaped, self._is_linear, matte.inverted
        return ("Cover", shape, keys, *self._structure_of())

    def wired(self, wiring: tuple[Ref | None, ...]) -> Cover:
        """Return the cover for pixels with these planes."""
        return replace(self, wiring=wiring)

    @property
    def is_soft(self) -> tuple[bool, bool]:
        """Whether the matte has a feather, and whether it has growth; 0 counts if it has keys."""
        return self.matte.feather > 0.0 or FEATHER in self.varying, self.matte.grow != 0.0 or GROW in self.varying

    def part(self, root: Node) -> Cover:
        """Return the cover of a part of the tree, unshaped: its feather has keys if a denoise has."""
        varying = {PART} if self.varying else set[str]()
        if isinstance(root, Leaf) and any(path.endswith(".denoise") for path in self.varying):
            varying.add(FEATHER)
        return replace(self, matte=Matte(root), shaped=False, varying=frozenset(varying))

    @property
    def _is_linear(self) -> bool:
        """Whether the gamma is left out, which takes time. Evaluated coverage takes more, so that it always has one."""
        root = self.matte.root
        return (
            self.matte.gamma == 1.0
            and "gamma" not in self.varying
            and not (isinstance(root, Leaf) and isinstance(root.source, HeldCoverage))
        )

    @property
    def nothing(self) -> bool:
        """Whether the coverage is 0 everywhere, whatever the image is."""
        matte = self.matte
        return not (matte.inverted or self.varying) and (matte.gain == 0.0 or constant(matte.root) == 0.0)

    def value(self, name: str) -> Any:
        """Return the slider or table with one of the names that `bound` gives them."""
        first, _, rest = name.partition(".")
        if not rest:
            return getattr(self.matte, first)
        if first in ("entry", "source"):
            number, _, field = rest.partition(".")
            return getattr(getattr(self, first)[int(number)], field)
        node = self.matte.enabled_nodes[int(first)]
        return node.opacity if rest == "opacity" else getattr(self.matte.enabled_leaves[int(first)].source, rest)

    def bound(self, bind: Bind) -> BoundCover:
        """Return the cover with `bind(name, index, kind, value)` in place of its sliders and tables."""
        sources, opacities = dict[int, ColorOp](), dict[int, Scalar]()
        for number, node in self.matte.enabled_nodes.items():
            opacities[number] = bind(f"{number}.opacity", 0, _NUMBER, node.opacity)
            if isinstance(node, Leaf):
                sources[number] = node.source.bound(_under(bind, number))
        matte = object.__new__(Matte)
        matte.__dict__.update(self.matte.__dict__)
        matte.__dict__["gain"] = bind("gain", 0, _NUMBER, self.matte.gain)
        if not self._is_linear:
            matte.__dict__["gamma"] = bind("gamma", 0, _NUMBER, self.matte.gamma)
        keys = {
            name: [op.bound(_under(bind, f"{name}.{number}")) for number, op in enumerate(getattr(self, name))]
            for name in ("entry", "source")
        }
        return BoundCover(self, matte, sources, opacities, keys)

    def _structure_of(self) -> list[Any]:
        """Return the structure of the nodes that take part, in the order of `nodes`."""
        at = {ref: number for number, ref in enumerate(self.wiring or self.refs)}
        found: list[Any] = [tuple(self.matte.enabled_nodes), at.get(SOURCE[0]) if SOURCE[0] in self.refs else None]
        for number, node in self.matte.enabled_nodes.items():
            if isinstance(node, Leaf):
                source = node.source
                places = tuple(at.get(ref) for ref in refs_of(source))
                found.append((number, node.inverted, source.structure, source.reads, places))
            else:
                found.append((number, node.inverted, node.mode, len(node.nodes)))
        return found


@dataclass(frozen=True)
class BoundCover:
    """A cover whose sliders and tables are nodes, or numbers and arrays of float64."""

    cover: Cover
    matte: Matte
    sources: dict[int, ColorOp]
    opacities: dict[int, Scalar]
    keys: dict[str, list[ColorOp]]

    def coverage(self, px: Pixel, trail: list[Vec]) -> Scalar:
        """Return the coverage of a pixel; intermediate values are added to `trail`, as the stages of an op."""
        root = self.cover.matte.root
        covered = _Evaluation(self, px, trail).of(root) if root.enabled else 0.0
        return self.matte.shaped(covered) if self.cover.shaped else covered


class _Evaluation:
    """The walk through a tree for one pixel. Nodes have their numbers in the order of the walk."""

    def __init__(self, bound: BoundCover, px: Pixel, trail: list[Vec]) -> None:
        self._bound, self._px, self._trail, self._number = bound, px, trail, 0
        self._read = dict[str, Pixel]()
        cover, planes = bound.cover, px.planes
        if not cover.wiring and len(planes) == MOST_PLANES:  # recorded for what else it does: no kernel reads as many
            planes = (*planes, *[0.0] * len(cover.refs))
        self._planes = dict(zip(cover.wiring or cover.refs, planes, strict=False))

    def of(self, node: Node) -> Scalar:
        number, self._number = self._number, self._number + 1
        covered = self._of_leaf(node, number) if isinstance(node, Leaf) else self._of_branch(node)
        covered = 1.0 - covered if node.inverted else covered
        return self._kept(covered * self._bound.opacities[number])

    def _of_branch(self, branch: Branch) -> Scalar:
        result: Scalar = None
        for node in branch.nodes:
            if not node.enabled:
                self._number += len(list(nodes(node)))
                continue
            part = self.of(node)
            result = part if result is None else self._kept(joined(branch.mode, [result, part]))
        return 0.0 if result is None else result

    def _of_leaf(self, leaf: Leaf, number: int) -> Scalar:
        source: Any = self._bound.sources[number]
        px = self._pixel_for(leaf.source.reads)
        return self._kept(source.coverage(px.with_planes(tuple(self._planes[ref] for ref in refs_of(leaf.source)))))

    def _pixel_for(self, reads: str) -> Pixel:
        """Return the pixel of the image that a source reads, in scene-linear values."""
        if not reads:
            return self._px
        if reads not in self._read:
            px = self._px
            if reads == "source" and not self._bound.cover.direct:
                px = px.with_rgba(self._planes[ref] for ref in SOURCE)
            for op in self._bound.keys[reads]:
                *before, last = op.stages(px)
                self._trail.extend((*before, last))
                px = px.with_rgba(last)
            self._read[reads] = px
        return self._read[reads]

    def _kept(self, value: Scalar) -> Scalar:
        self._trail.append(Vec((value,) * 4))
        return value


@dataclass(frozen=True)
class Coverage(ColorOp, abstract=True):
    """The coverages of up to four mattes, as R, G, B and A; channels beyond them repeat the last.

    Not an op of a grade and not in the registry. Its sliders have names such as `0.gain` and `1.2.softness_in`: those
    of a matte, and those of a node of its tree.
    """

    covers: tuple[Cover, ...]

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("Coverage", *(cover.structure for cover in self.covers))

    def __getattr__(self, name: str) -> Any:
        number, dot, rest = name.partition(".")
        if not dot or not number.isdecimal():
            raise AttributeError(name)
        return self.covers[int(number)].value(rest)

    def wired(self, wiring: tuple[Ref | None, ...]) -> Coverage:
        """Return the op for pixels with these planes."""
        return Coverage(tuple(cover.wired(wiring) for cover in self.covers))

    def bound(self, leaf: Bind) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__["covers"] = tuple(cover.bound(_under(leaf, n)) for n, cover in enumerate(self.covers))
        return twin

    def stages(self, px: Pixel) -> Iterator[Vec]:
        trail: list[Vec] = []
        found = [cover.coverage(px, trail) for cover in self.covers]  # type: ignore[attr-defined]
        yield from trail
        yield Vec(tuple(found[min(channel, len(found) - 1)] for channel in range(4)))

    def pixel(self, px: Pixel) -> Vec:
        *_, last = self.stages(px)
        return last


def constant(node: Node) -> float | None:
    """Return the coverage of a node if it does not depend on its sources, else None."""
    if not node.enabled or node.opacity == 0.0:
        return 0.0
    if isinstance(node, Leaf):
        return None
    parts = [constant(each) for each in node.nodes if each.enabled]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    covered = joined(node.mode, known) if known else 0.0
    return float(1.0 - covered if node.inverted else covered) * node.opacity


def _under(bind: Bind, prefix: Any) -> Bind:
    return lambda name, index, kind, value: bind(f"{prefix}.{name}", index, kind, value)
