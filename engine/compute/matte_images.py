"""Side images of mattes: planes of the file, the image before the first step, and coverages that are evaluated before
the kernel that reads them, grown and softened. Images that several kernels read are made once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.compute.step_graph import Link, Plan
from engine.compute.steps import CropStep, ExtremeStep, FilterStep, PlaneStep, PointStep, SoftStep, Step
from engine.core.records import dataclass
from engine.grade.masking import at_most
from engine.kernel.op import ColorOp, Numbers, slider
from engine.kernel.pixel import Pixel, Vec, select
from engine.kernel.taps import Size
from engine.mattes.coverage import (
    FEATHER,
    GROW,
    SOURCE,
    Cover,
    Coverage,
    Held,
    HeldCoverage,
    Ref,
    SourceChannel,
    cleans,
    refs_of,
)
from engine.mattes.tree import Branch, Leaf, Matte, Node, leaves

PER_IMAGE = 4
"""Planes of an image."""
MOST_IMAGES = 2
"""Images whose channels a kernel can read as planes."""
Scales = tuple[float, float]
Wiring = tuple[Ref | None, ...]


class Softness(NamedTuple):
    """Growth (shrinkage below 0) and feather along x and y, in pixels of the image."""

    grow_x: float = 0.0
    grow_y: float = 0.0
    feather_x: float = 0.0
    feather_y: float = 0.0

    @classmethod
    def of(cls, matte: Matte, scales: Scales) -> Softness:
        """Return that of a matte for an image with `scales` pixels per pixel of the matte's frame."""
        grow = (math.copysign(at_most(abs(matte.grow), scale), matte.grow) for scale in scales)
        return cls(*grow, *(at_most(matte.feather, scale) for scale in scales))


NONE = Softness()


@dataclass(frozen=True)
class Between(ColorOp, abstract=True):
    """The image to a share of 1 - `share`, planes 0-3 to a share of `share`."""

    share: float = slider(0.5, 0.0, 1.0)

    def pixel(self, px: Pixel) -> Vec:
        mixed: Vec = px.rgba * (1.0 - self.share) + Vec(px.planes[:4]) * self.share
        return mixed


@dataclass(frozen=True)
class Merge(ColorOp, abstract=True):
    """The channels of the image, and of planes 0-3 those that `taken` has a 1 for."""

    taken: Numbers = slider((0.0,) * 4, 0.0, 1.0)

    def pixel(self, px: Pixel) -> Vec:
        pairs = zip(self.taken, px.planes[:4], px.rgba, strict=True)
        return Vec(tuple(select(taken > 0.5, plane, own) for taken, plane, own in pairs))


class _Wanted(NamedTuple):
    """A coverage to evaluate. `image` is that of its pixels, None if it reads none; `like` has the same size."""

    cover: Cover
    soft: Softness
    image: int | None
    like: int


class MatteImages:
    """The steps of a plan so far, and the side images among their results.

    An evaluated coverage is in all channels of its image. Which kernels there are, and where they read their planes,
    depends on the structure of mattes alone, never on their sliders.
    """

    def __init__(self, size: Size | None) -> None:
        self._steps: list[Step] = []
        self._links: list[Link] = []
        self._moves: list[FilterStep | CropStep] = []
        self._size, self._ratio = size, (1.0, 1.0)
        self._wanted: dict[Held, _Wanted] = {}
        self._known: dict[tuple[_Wanted, int, int], Held] = {}
        self._placed: dict[Held, int] = {}
        self._merged: dict[tuple[int, ...], int] = {}
        self._carried: dict[tuple[tuple[Ref, ...], int], int] = {}
        self._wide: dict[int, int] = {}

    # -- the chain

    @property
    def last_step(self) -> Step | None:
        return self._steps[-1] if self._steps else None

    def add(self, step: Step, link: Link) -> int:
        """Add a step and return the number of its result."""
        self._steps.append(step)
        self._links.append(link)
        return len(self._steps)

    def move(self, step: FilterStep | CropStep, image: int) -> int:
        """Add a step that resizes or crops, which side images of later mattes pass, too."""
        self._moves.append(step)
        if self._size is not None:
            before, self._size = self._size, step.result_size(self._size)
            if isinstance(step, FilterStep):
                x, y = self._size[0] / before[0], self._size[1] / before[1]
                self._ratio = self._ratio[0] * x, self._ratio[1] * y
        return self.add(step, Link(image))

    def scales(self, scale: float) -> Scales:
        """Return the pixels of the current image per pixel of the frame, along x and y, for those of the source."""
        return scale * self._ratio[0], scale * self._ratio[1]

    def finished(self) -> Plan:
        """Return the plan of the steps that the last one needs."""
        if not any(link.side for link in self._links):
            return Plan(tuple(self._steps))
        needed, count = {len(self._steps)}, len(self._steps)
        for number in range(count, 0, -1):
            needed |= set(self._links[number - 1].images) if number in needed else set()
        kept = [number for number in range(1, count + 1) if number in needed]
        new = {0: 0} | {old: number for number, old in enumerate(kept, 1)}
        links = (self._links[number - 1] for number in kept)
        moved = (
            Link(
                None if link.image is None else new[link.image],
                tuple(new[image] for image in link.planes),
                new[link.like] if link.image is None else 0,
                link.side,
            )
            for link in links
        )
        return Plan(tuple(self._steps[number - 1] for number in kept), tuple(moved))

    # -- covers

    def reduced(self, cover: Cover, scale: float, entry: int) -> Cover:
        """Return a cover without denoise that reads no more planes than a kernel can; the rest is evaluated before."""
        scales = self.scales(scale)

        def cleaned(node: Node) -> Node:
            if isinstance(node, Branch):
                return replace(node, nodes=tuple(cleaned(each) for each in node.nodes))
            if not node.enabled or not cleans(node.source):
                return node
            feather = (at_most(node.source.denoise, each) for each in scales)
            held = self.held(cover.part(Leaf(node.source)), Softness(0.0, 0.0, *feather), entry)
            return replace(node, source=HeldCoverage(held))

        if any(cleans(source) for source in cover.matte.sources):
            cover = _with_root(cover, cleaned(cover.matte.root))
        return cover if fits(cover.refs) else _with_root(cover, self._split(cover.matte.root, cover, entry))

    def held(self, cover: Cover, soft: Softness, entry: int) -> Held:
        """Return the ref of a coverage that is evaluated before the next kernel that reads it.

        `entry` is the image that it reads as the input of its entry.
        """
        reads, image = cover.matte.reads, None
        if "entry" in reads:
            image = entry
        elif "source" in reads and not self._moves:
            image, cover = 0, replace(cover, direct=True)
        if "source" not in reads:
            cover = replace(cover, direct=False)
        wanted = _Wanted(cover, soft, image, entry)
        key = (wanted._replace(like=0), len(self._moves), len(self._wanted) if cover.varying else 0)
        if key not in self._known:
            self._known[key] = Held(-1 - len(self._wanted), 0)
            self._wanted[self._known[key]] = wanted
        return self._known[key]

    def _split(self, node: Node, cover: Cover, entry: int) -> Node:
        """Return a node of a cover that reads no more planes than a kernel can."""
        if isinstance(node, Leaf) or fits(_refs_of([node], cover)):
            return node
        parts = [self._split(each, cover, entry) for each in node.nodes if each.enabled]
        first = parts[:1] if node.mode == "subtraction" else []
        rest, mode = parts[len(first) :], "union" if first else node.mode
        while not fits(_refs_of([*first, *rest], cover)):
            if len(rest) > 1 or (rest and not _is_held(rest[0])):
                rest = [self._evaluated(chunk, mode, cover, entry) for chunk in _chunks(rest, cover)]
            else:
                first = [self._evaluated(first, mode, cover, entry)]
        return replace(node, nodes=(*first, *rest))

    def _evaluated(self, parts: list[Node], mode: str, cover: Cover, entry: int) -> Node:
        if len(parts) == 1 and _is_held(parts[0]):
            return parts[0]
        held = self.held(cover.part(Branch(mode, tuple(parts))), NONE, entry)
        return Leaf(HeldCoverage(held))

    # -- side images

    def slots(self, refs: Iterable[Ref]) -> tuple[tuple[int, ...], Wiring]:
        """Return images that hold these refs, at most two, and what their channels are."""
        refs = tuple(refs)
        found: list[tuple[int, Wiring]] = []
        if any(isinstance(ref, SourceChannel) for ref in refs):
            found.append((self.source(), SOURCE))
        planes = [ref for ref in refs if not isinstance(ref, Held | SourceChannel)]
        for part in _fours(planes):
            found.append((self.planes(part), padded(part)))
        for each in _fours([ref for ref in refs if isinstance(ref, Held)]):
            found.append((self.coverages(padded(each)), padded(each)))
        return tuple(image for image, _ in found), tuple(ref for _, channels in found for ref in channels)

    def coverages(self, refs: Sequence[Ref | None]) -> int:
        """Return an image with four evaluated coverages; what a None has is undefined."""
        images = [self._evaluated_image(ref) if isinstance(ref, Held) else 0 for ref in refs]
        first, *others = dict.fromkeys(image for image in images if image)
        for other in others:
            taken = tuple(float(image == other) for image in images)
            key = (first, other, *(image == other for image in images))
            if key not in self._merged:
                self._merged[key] = self.add(PointStep((Merge(taken),)), Link(first, (other,), side=True))
            first = self._merged[key]
        return first

    def _evaluated_image(self, ref: Held) -> int:
        """Return the image of an evaluated coverage, after its steps if it has none yet."""
        if ref not in self._placed:
            wanted = self._wanted[ref]
            planes, wiring = self.slots(wanted.cover.refs)
            op = Coverage((wanted.cover.wired(wiring),))
            image = self.add(PointStep((op,)), Link(wanted.image, planes, wanted.like, side=True))
            self._placed[ref] = self._softened(image, wanted.soft, wanted.cover.varying)
        return self._placed[ref]

    def _softened(self, image: int, soft: Softness, varying: Collection[str]) -> int:
        """Add the steps of growth and feather: all of them if these have keys, whatever their values are.

        A fraction of a pixel of growth is a mean of two growths.
        """
        x, y = abs(soft.grow_x), abs(soft.grow_y)
        largest = soft.grow_x > 0.0
        grows = GROW in varying
        if x or y or grows:
            whole_x, whole_y = math.floor(x), math.floor(y)
            if whole_x or whole_y or grows:
                image = self.add(ExtremeStep(whole_x, whole_y, largest), Link(image, side=True))
            share = (x - whole_x + y - whole_y) / 2.0
            if share or grows:
                larger = self.add(ExtremeStep(1, 1, largest), Link(image, side=True))
                image = self.add(PointStep((Between(share),)), Link(image, (larger,), side=True))
        if soft.feather_x or soft.feather_y or FEATHER in varying:
            image = self.add(SoftStep(soft.feather_x, soft.feather_y), Link(image, side=True))
        return image

    def widened(self, image: int) -> int:
        """Return an image of the chain as RGBA float32."""
        if image not in self._wide:
            self._wide[image] = self.add(PointStep(()), Link(image, side=True))
        return self._wide[image]

    def source(self) -> int:
        """Return the image before the first step, after all steps so far that resize or crop."""
        return self._carried_image(SOURCE, lambda: self.widened(0))

    def planes(self, refs: Sequence[Ref]) -> int:
        """Return an image of up to four planes, after all steps so far that resize or crop."""
        planes = tuple(ref for ref in refs if not isinstance(ref, Held | SourceChannel))
        return self._carried_image(planes, lambda: self.add(PlaneStep(planes), Link(None, side=True)))

    def _carried_image(self, refs: tuple[Ref, ...], first: Callable[[], int]) -> int:
        key = (refs, len(self._moves))
        if key not in self._carried:
            image = first()
            for step in self._moves:
                image = self.add(step, Link(image, side=True))
            self._carried[key] = image
        return self._carried[key]


def fits(refs: Iterable[Ref]) -> bool:
    """Return whether a kernel can read these refs as planes."""
    refs = tuple(dict.fromkeys(refs))
    held = sum(isinstance(ref, Held) for ref in refs)
    source = sum(isinstance(ref, SourceChannel) for ref in refs)
    planes = len(refs) - held - source
    return bool(source) + -(-held // PER_IMAGE) + -(-planes // PER_IMAGE) <= MOST_IMAGES


def padded(refs: Sequence[Ref | None]) -> Wiring:
    """Return the four channels of an image that begin with these refs."""
    return (*refs, *[None] * (PER_IMAGE - len(refs)))


def _fours(refs: Sequence[Ref]) -> list[Sequence[Ref]]:
    return [refs[start : start + PER_IMAGE] for start in range(0, len(refs), PER_IMAGE)]


def _is_held(node: Node) -> bool:
    return isinstance(node, Leaf) and isinstance(node.source, HeldCoverage)


def _with_root(cover: Cover, root: Node) -> Cover:
    return replace(cover, matte=replace(cover.matte, root=root))


def _refs_of(parts: list[Node], cover: Cover) -> tuple[Ref, ...]:
    """Return what parts of the tree of a cover read besides the pixel, each once."""
    sources = [leaf.source for part in parts for leaf in leaves(part)]
    found = dict.fromkeys(ref for source in sources for ref in refs_of(source))
    far = not cover.direct and any(source.reads == "source" for source in sources)
    return (*found, *SOURCE) if far else tuple(found)


def _chunks(parts: list[Node], cover: Cover) -> list[list[Node]]:
    """Return neighbouring parts in chunks that a kernel can read."""
    chunks: list[list[Node]] = [[]]
    for part in parts:
        if chunks[-1] and not fits(_refs_of([*chunks[-1], part], cover)):
            chunks.append([])
        chunks[-1].append(part)
    return chunks
