"""Ops with keys at a frame: they are never left out nor folded, so that the next frame needs no other kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

from engine.core.records import dataclass
from engine.grade.missing import MissingOp
from engine.kernel.op import ColorOp, ImageOp, Kind, Op
from engine.kernel.pixel import Pixel, Vec
from engine.kernel.taps import Size, Taps


@dataclass(frozen=True)
class Kept(ColorOp, abstract=True):
    """A colour op that runs even if it changes nothing; its kernel is that of the op.

    Created by `Layer`; not an entry of a grade and not in the registry.
    """

    op: ColorOp

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return self.op.structure

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "op":
            raise AttributeError(name)
        return getattr(self.op, name)

    @property
    def space(self) -> str:
        return self.op.space

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__["op"] = self.op.bound(leaf)
        return twin

    def stages(self, px: Pixel) -> Iterator[Vec]:
        return self.op.stages(px)

    def pixel(self, px: Pixel) -> Any:
        return self.op.pixel(px)

    def inverse(self) -> ColorOp:
        return self.op.inverse()

    def halo(self) -> int:
        return self.op.halo()

    def fitted(self, width: int, height: int) -> Self:
        return self.replace(op=self.op.fitted(width, height))

    def at_frame(self, frame: int) -> Self:
        return self.replace(op=self.op.at_frame(frame))

    def at_scale(self, scale: float) -> Op | None:
        found = self.op.at_scale(scale)
        return found and kept(found)


@dataclass(frozen=True)
class KeptFilter(ImageOp, abstract=True):
    """A filter that keeps the size of the image and runs even if it changes nothing."""

    op: ImageOp

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return self.op.structure

    @property
    def space(self) -> str:
        return self.op.space

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        return self.op.taps(source)

    def halo(self) -> int:
        return self.op.halo()

    def fitted(self, width: int, height: int) -> Self:
        return self.replace(op=self.op.fitted(width, height))

    def at_scale(self, scale: float) -> ImageOp | None:
        found = self.op.at_scale(scale)
        return found and KeptFilter(found)


def kept(op: Op) -> Op:
    """Return an op that is kept whatever its values are; one that is missing has none."""
    if isinstance(op, Kept | KeptFilter | MissingOp):
        return op
    return KeptFilter(op) if isinstance(op, ImageOp) else Kept(op) if isinstance(op, ColorOp) else op


def plain(op: Op) -> Op:
    """Return the op itself."""
    return op.op if isinstance(op, Kept | KeptFilter) else op
