"""Ops that change a part of the image: the op of a grade's entry with a matte, and that of filters with a mix."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any, Self, TypeVar

from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.blending import Mix, weighted
from engine.grade.kept import plain
from engine.grade.parameters import MATTE, MIX
from engine.kernel.op import ColorOp, ImageOp, Kind, Op, slider
from engine.kernel.pixel import Pixel, Scalar, Vec
from engine.kernel.soft_taps import soft_reach
from engine.kernel.taps import Size
from engine.mattes.coverage import Cover, Ref
from engine.mattes.planes import Plane
from engine.mattes.tree import MOST_PIXELS, Matte

AnyStep = TypeVar("AnyStep")
_AMOUNT = "0 leaves the image as it is, 1 is the result of the ops where the matte covers all"


@dataclass(frozen=True)
class Masked(ColorOp, abstract=True):
    """Colour ops where a matte covers: px * (1 - w) + ops(px) * w with w = amount * coverage, RGBA in and out.

    Where w is 0 the pixel is kept bit for bit, and where it is 1 it is exactly the result of the ops; alpha changes
    only if the ops change it. Not an entry of a grade and not in the registry. The sliders and tables of the inner ops
    have names such as `0.stops`, those of the matte such as `matte.2.softness_in`. `scale` is the number of pixels of
    the image per pixel of the matte's frame, and `name` is that of the entry. One that is `kept`, since its amount or
    its matte has keys, runs whatever they are.
    """

    ops: tuple[ColorOp, ...]
    cover: Cover
    amount: float = slider(1.0, 0.0, 1.0, help=_AMOUNT)
    name: str = field(default="", compare=False)
    scale: float = 1.0
    kept: bool = field(default=False, repr=False)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("Masked", self.cover.is_soft, self.cover.structure, *(op.structure for op in self.ops))

    def __getattr__(self, name: str) -> Any:
        first, dot, rest = name.partition(".")
        if not dot or not (first == "matte" or first.isdecimal()):
            raise AttributeError(name)
        return self.cover.value(rest) if first == "matte" else getattr(self.ops[int(first)], rest)

    def wired(self, wiring: tuple[Ref | None, ...]) -> Masked:
        """Return the op for pixels with these planes."""
        return replace(self, cover=self.cover.wired(wiring))

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        def under(prefix: Any) -> Callable[[str, int, Kind, Any], Any]:
            return lambda name, index, kind, value: leaf(f"{prefix}.{name}", index, kind, value)

        twin = object.__new__(type(self))
        twin.__dict__["ops"] = tuple(op.bound(under(number)) for number, op in enumerate(self.ops))
        twin.__dict__["cover"] = self.cover.bound(under("matte"))
        twin.__dict__["amount"] = leaf("amount", 0, self.kinds()["amount"], self.amount)
        return twin

    def stages(self, px: Pixel) -> Iterator[Vec]:
        within = px
        for op in self.ops:
            *before, last = op.stages(within)
            yield from (*before, last)
            within = within.with_rgba(last)
        trail: list[Vec] = []
        weight = self.cover.coverage(px, trail) * self.amount  # type: ignore[attr-defined]
        yield from trail
        yield weighted(px.rgba, within.rgba, weight)

    def pixel(self, px: Pixel) -> Vec:
        *_, last = self.stages(px)
        return last

    def is_identity(self) -> bool:
        nothing = (self.amount == 0.0 or self.cover.nothing) and not self.kept
        return nothing or all(op.is_identity() for op in self.ops)

    def halo(self) -> int:
        return matte_halo(self.cover.matte, self.scale) + sum(op.halo() for op in self.ops)

    def at_scale(self, scale: float) -> Self:
        return replace(self, ops=_scaled(self.ops, scale), scale=self.scale * scale)


@dataclass(frozen=True)
class Blend(Op, abstract=True):
    """Ops of which some are filters, blended with their input as `Mix` and `Masked` do; `cover` is None for a mix.

    Not an entry of a grade and not in the registry.
    """

    label = "An entry with a filter"

    ops: tuple[Op, ...]
    cover: Cover | None = None
    amount: float = slider(1.0, 0.0, 1.0, help=_AMOUNT)
    name: str = field(default="", compare=False)
    scale: float = 1.0
    kept: bool = field(default=False, repr=False)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        cover = self.cover and (self.cover.is_soft, self.cover.structure)
        return ("Blend", cover, *(op.structure for op in self.ops))

    def is_identity(self) -> bool:
        nothing = self.amount == 0.0 or (self.cover is not None and self.cover.nothing)
        return (nothing and not self.kept) or all(op.is_identity() for op in self.ops)

    def halo(self) -> int:
        matte = matte_halo(self.cover.matte, self.scale) if self.cover else 0
        return matte + sum(op.halo() for op in self.ops)

    def at_scale(self, scale: float) -> Self:
        return replace(self, ops=_scaled(self.ops, scale), scale=self.scale * scale)


BLENDS = (Mix, Masked, Blend)
"""Ops that blend others with their input."""


@dataclass(frozen=True)
class SavedBlend(ColorOp, abstract=True):
    """The end of a `Blend`: the image before it, which lies in planes, blended with the pixel, its result.

    Made by the plan. `saved` are the refs of the channels of the image before.
    """

    amount: float = slider(1.0, 0.0, 1.0, help=_AMOUNT)
    cover: Cover | None = None
    saved: tuple[Ref, ...] = ()
    wiring: tuple[Ref | None, ...] = ()

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("SavedBlend", self.cover and self.cover.structure, *self._places())

    def __getattr__(self, name: str) -> Any:
        first, dot, rest = name.partition(".")
        if not dot or first != "matte" or self.cover is None:
            raise AttributeError(name)
        return self.cover.value(rest)

    def wired(self, wiring: tuple[Ref | None, ...]) -> SavedBlend:
        """Return the op for pixels with these planes."""
        return replace(self, cover=self.cover and self.cover.wired(wiring), wiring=wiring)

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__["amount"] = leaf("amount", 0, self.kinds()["amount"], self.amount)
        if self.cover is not None:
            cover = self.cover.bound(lambda name, index, kind, value: leaf(f"matte.{name}", index, kind, value))
            twin.__dict__["cover"] = cover
        return twin

    def stages(self, px: Pixel) -> Iterator[Vec]:
        trail: list[Vec] = []
        weight: Scalar = self.amount
        if self.cover is not None:
            weight = self.cover.coverage(px, trail) * weight  # type: ignore[attr-defined]
        yield from trail
        yield weighted(Vec(tuple(px.planes[place] for place in self._places())), px.rgba, weight)

    def pixel(self, px: Pixel) -> Vec:
        *_, last = self.stages(px)
        return last

    def _places(self) -> list[int]:
        return [self.wiring.index(ref) for ref in self.saved]


def blended(
    ops: tuple[Op, ...], amount: float, matte: Matte | None, name: str, varying: frozenset[str] = frozenset()
) -> tuple[Op, ...]:
    """Return ops that are blended with their input, by `amount` and a matte. Raises GradeError if they resize.

    `varying` are the paths of an entry that have keys: what they hold does not change the structure of the result.
    """
    if not ops or (amount == 1.0 and matte is None and MIX not in varying):
        return ops
    if not all(keeps_size(op) for op in ops):
        raise GradeError("an entry that resizes the image can't be mixed with its input", "set its mix to 1")
    of_matte = paths_of_matte(varying)
    cover, kept = Cover(matte, varying=of_matte) if matte is not None else None, MIX in varying or bool(of_matte)
    colour = tuple(op for op in ops if isinstance(op, ColorOp))
    if len(colour) < len(ops):
        return (Blend(ops, cover, amount, name, kept=kept),)
    return (Mix(colour, amount, kept) if cover is None else Masked(colour, cover, amount, name, kept=kept),)


def paths_of_matte(varying: Iterable[str]) -> frozenset[str]:
    """Return those of the paths of an entry that are of its matte, without `matte.`."""
    return frozenset(path[len(MATTE) :] for path in varying if path.startswith(MATTE))


def keeps_size(op: Op) -> bool:
    """Return whether the result of an op has the size of its source."""
    if isinstance(op, Blend):
        return all(keeps_size(each) for each in op.ops)
    return not isinstance(op, ImageOp) or type(op).result_size is ImageOp.result_size


def matte_halo(matte: Matte, scale: float) -> int:
    """Return the number of pixels around a region that a matte depends on, at `scale` pixels per pixel of its frame."""
    denoise = max((source.denoise for source in matte.sources), default=0.0)
    soft = (soft_reach(at_most(radius, scale)) for radius in (matte.feather, denoise))
    return sum(soft) + math.ceil(at_most(abs(matte.grow), scale))


def at_most(radius: float, scale: float) -> float:
    """Return a radius in pixels of an image, no larger than that of any matte."""
    return min(radius * scale, MOST_PIXELS)


def inner_ops(op: Op) -> tuple[Op, ...]:
    """Return the ops that an op blends with its input; () if it is no blend of others."""
    return op.ops if isinstance(op, BLENDS) else ()


def with_inner(op: Op, change: Callable[[Op], Op]) -> Op:
    """Return an op with the ops that it blends changed."""
    if not (inner := inner_ops(op)):
        return op
    changed = tuple(map(change, inner))
    return op if all(map(operator.is_, changed, inner)) else op.replace(ops=changed)


def has_matte(op: Op) -> bool:
    """Return whether an op, or one of the ops that it blends, has a matte."""
    return bool(matted_name(op))


def has_side_images(op: Op) -> bool:
    """Return whether an op, or one of the ops that it blends, is a filter that reads side images."""
    return any(map(has_side_images, op.ops)) if isinstance(op, BLENDS) else plain(op).reads_sides


def matted_name(op: Op) -> str:
    """Return the name of the first entry with a matte in an op; '' if there is none."""
    if not isinstance(op, BLENDS):
        return ""
    if isinstance(op, Masked | Blend) and op.cover is not None:
        return op.name or "an entry"
    return next((name for each in inner_ops(op) if (name := matted_name(each))), "")


def reads_place(op: Op) -> bool:
    """Return whether an op, or one of the ops that it blends, depends on where the pixels are, as all mattes do."""
    if not isinstance(op, BLENDS):
        return plain(op).placed
    return (isinstance(op, Masked | Blend) and op.cover is not None) or any(map(reads_place, op.ops))


def is_temporal(op: Op) -> bool:
    """Return whether an op, or one of the ops that it blends, depends on the frame."""
    return plain(op).temporal or any(map(is_temporal, inner_ops(op)))


def at_frame(op: Op, frame: int) -> Op:
    """Return an op for a frame, with the ops that it blends."""
    return with_inner(op, lambda each: at_frame(each, frame)).at_frame(frame) if is_temporal(op) else op


def planes_read(ops: Iterable[Any]) -> dict[Plane, str]:
    """Return the planes that the mattes of ops read, each with the name of the first entry that reads it."""
    found: dict[Plane, str] = {}
    for op in ops:
        if isinstance(op, Masked | Blend) and op.cover is not None:
            found |= {plane: op.name for plane in op.cover.matte.planes if plane not in found}
        if inner := inner_ops(op):
            found = planes_read(inner) | found
    return found


def keys_source(ops: Iterable[Op]) -> bool:
    """Return whether a matte of ops reads the image before the first of them."""
    for op in ops:
        if isinstance(op, Masked | Blend) and op.cover is not None and "source" in op.cover.matte.reads:
            return True
        if keys_source(inner_ops(op)):
            return True
    return False


def fitted(ops: Iterable[AnyStep], frame: Size, size: Size = (0, 0)) -> tuple[AnyStep | Op, ...]:
    """Return ops, with their mattes, for a display window of this width and height.

    (0, 0) leaves mattes as they are; other ops then take `size`.
    """
    return tuple(_fitted(op, frame, size) if isinstance(op, Op) else op for op in ops)


def _fitted(op: Op, frame: Size, size: Size) -> Op:
    op = with_inner(op, lambda each: _fitted(each, frame, size))
    if not isinstance(op, BLENDS):
        return op.fitted(*(size if frame == (0, 0) else frame))
    if not isinstance(op, Masked | Blend) or op.cover is None or frame == (0, 0):
        return op
    matte = _fitted_matte(op.cover.matte, frame)
    return op if matte is op.cover.matte else replace(op, cover=replace(op.cover, matte=matte))


@lru_cache(maxsize=256)
def _fitted_matte(matte: Matte, frame: Size) -> Matte:
    """Return a fitted matte, the same one for the next frame: its sources keep what they derived."""
    return matte.fitted(*frame)


def keyed(op: Op, entry: tuple[ColorOp, ...], source: tuple[ColorOp, ...]) -> Op:
    """Return an op whose matte reads the input of the entry, and the image before the first op, through these ops."""
    if not isinstance(op, Masked | Blend) or op.cover is None:
        return op
    reads = op.cover.matte.reads
    entry, source = entry if "entry" in reads else (), source if "source" in reads else ()
    return replace(op, cover=replace(op.cover, entry=entry, source=source))


def _scaled(ops: tuple[Any, ...], scale: float) -> tuple[Any, ...]:
    return tuple(shown for op in ops if (shown := op.at_scale(scale)) is not None)
