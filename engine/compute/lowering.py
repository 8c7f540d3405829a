"""Lowering of ops to steps: what the filters and the mattes of a grade become.

The pixel function of a filter begins a run of colour ops, which reads the side images of the filter as its planes
(`engine.compute.filter_images`).

A matte without feather, growth and denoise is a part of the kernel of its entry. Others, and those that read too many
planes, are evaluated before, as a channel of a side image (`engine.compute.matte_images`). A run of colour ops reads up
to four planes of the file, or an image of the chain, as planes 0-3, and up to four evaluated coverages as planes 4-7.
Each matte has its place among them whether it is evaluated before or not, so that other kernels of the run are the same
for all values of its sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import count
from typing import NamedTuple

from engine.compute.matte_images import PER_IMAGE, MatteImages, Softness, padded
from engine.compute.step_graph import Link, Plan
from engine.compute.steps import CropStep, FilterStep, PointStep
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.grade.kept import plain
from engine.grade.masking import BLENDS, Masked, SavedBlend, has_matte, inner_ops, keeps_size, with_inner
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.kernel.taps import Size
from engine.mattes.coverage import SOURCE, Cover, Held, HeldCoverage, Ref
from engine.mattes.tree import Leaf, Matte

SAVED: tuple[Held, ...] = tuple(Held(0, channel) for channel in range(PER_IMAGE))
"""The refs of the image that a `SavedBlend` blends with."""
MOST_TOGGLED = 8
"""Mattes of which kernels are prepared for the moment when one of their sliders passes a value at which others run."""


@dataclass
class _Run:
    """Colour ops of a step so far, and what they read: planes 0-3, and coverages, None if they are not evaluated."""

    ops: list[ColorOp] = field(default_factory=list)
    low: tuple[Ref, ...] = ()
    saved: int | None = None
    used: bool = False
    """Whether planes 0-3 are read, not only reserved."""
    coverages: list[Held | None] = field(default_factory=list)
    sides: tuple[int, ...] = ()
    """The side images of the filter that the run begins with; nothing else in it reads planes."""


class _Ready(NamedTuple):
    """A cover for a kernel: its planes 0-3, read if it is not evaluated before, or its coverage if it is."""

    cover: Cover
    low: tuple[Ref, ...]
    held: Held | None

    @property
    def reads_low(self) -> bool:
        return any(ref in self.low for ref in self.cover.refs)


class Lowering:
    """Makes the plan of some ops; used once. `neutral` includes colour ops that change nothing."""

    def __init__(self, size: Size | None = None, neutral: bool = False) -> None:
        self._neutral = neutral
        self._images = MatteImages(size)
        self._run = _Run()
        self._current = 0
        """The image that the run begins with."""

    def plan(self, ops: Iterable[Op | CropStep], ends: bool = False) -> Plan:
        """Return the plan of the ops; with `ends` it ends with a point step, which may be empty."""
        for op in ops:
            self._add(op)
        if self._run.ops or (ends and not isinstance(self._images.last_step, PointStep)):
            self._emit_run()
        return self._images.finished()

    def _add(self, op: Op | CropStep) -> None:
        if isinstance(op, CropStep):
            self._end_run()
            self._current = self._images.move(op, self._current)
        elif isinstance(op, ColorOp):
            if self._neutral or not op.is_identity():
                self._add_colour(op)
        elif isinstance(op, ImageOp):
            if not (_is_left_out(op) if self._neutral else op.is_identity()):
                self._add_filter(op)
        elif not (all(map(_is_left_out, inner_ops(op))) if self._neutral else op.is_identity()):
            self._add_blend(op)

    def _add_filter(self, op: ImageOp) -> None:
        self._end_run()
        program = plain(op)
        if program.reads_sides:
            from engine.compute.filter_images import FilterImages  # loads the expressions of side images
            from engine.kernel.filter_op import FilterOp, FilterPixel

            assert isinstance(program, FilterOp)
            images = FilterImages(self._images, program, self._current)
            self._run.sides = tuple(map(images.number, program.side_images()))
            self._run.ops.append(FilterPixel(program))
            return
        step = FilterStep(op)
        if keeps_size(op):
            self._current = self._images.add(step, Link(self._current))
        else:
            self._current = self._images.move(step, self._current)

    def _add_colour(self, op: ColorOp) -> None:
        """Add a colour op to the run, as a part of one kernel if its mattes allow that."""
        if not has_matte(op):
            self._run.ops.append(op)
            return
        if isinstance(op, Masked) and "entry" in op.cover.matte.reads:
            self._end_run()
        if any("entry" in cover.matte.reads for each in inner_ops(op) for cover, _ in _covers(each)):
            self._add_blend(op)
            return
        for evaluate in (False, True):
            ready = self._ready_covers(op, evaluate)
            if not self._fits(self._run, ready):
                self._end_run()
                ready = self._ready_covers(op, evaluate)
            if self._fits(self._run, ready):
                self._take(ready)
                first = len(self._run.coverages) - len(ready)
                self._run.ops.append(_with_covers(op, [each.cover for each in ready], first))
                return
        self._add_blend(op)

    def _ready_covers(self, op: ColorOp, evaluate: bool) -> list[_Ready]:
        """Return the covers of an op and of those within it, in the order of `_covers`."""
        direct = self._current == 0 and not self._run.ops
        return [
            self._ready(replace(cover, direct=direct and op is outer), outer.scale, self._current, evaluate)
            for cover, outer in _covers(op)
        ]

    def _ready(self, cover: Cover, scale: float, entry: int, evaluate: bool) -> _Ready:
        """Return a cover that reads no more planes than a run has, after what has to be evaluated before.

        `entry` is the image that it reads as the input of its entry, if it is evaluated before; with `evaluate` it is.
        """
        matte = cover.matte
        soft = Softness.of(matte, self._images.scales(scale))
        cover = self._images.reduced(cover, scale, entry)
        held = [ref for ref in cover.refs if isinstance(ref, Held)]
        low = tuple(ref for ref in cover.refs if not isinstance(ref, Held))
        if evaluate or len(held) > 1 or len(low) > PER_IMAGE:
            evaluate, low = True, ()
        if not evaluate and not any(soft) and not any(cover.is_soft):
            return _Ready(cover, low, held[0] if held else None)
        evaluated = self._images.held(replace(cover, shaped=False), soft, entry)
        shaped = replace(matte, root=Leaf(HeldCoverage(evaluated)), feather=0.0, grow=0.0)
        return _Ready(Cover(shaped), low, evaluated)

    def _fits(self, run: _Run, ready: Sequence[_Ready]) -> bool:
        """Return whether a run has planes for these covers."""
        if run.sides:
            return not ready
        low = dict.fromkeys((*run.low, *(ref for each in ready for ref in each.low)))
        coverages = len(run.coverages) + len(ready)
        return len(low) <= PER_IMAGE and coverages <= PER_IMAGE and (run.saved is None or not any(e.low for e in ready))

    def _take(self, ready: Sequence[_Ready]) -> None:
        run = self._run
        run.low = tuple(dict.fromkeys((*run.low, *(ref for each in ready for ref in each.low))))
        run.used = run.used or any(each.reads_low for each in ready)
        run.coverages += [each.held for each in ready]

    def _add_blend(self, op: Op) -> None:
        """Run the inner ops of an op by themselves, then blend the result with the image before them."""
        self._end_run()
        saved = self._current
        for each in inner_ops(op):
            if not keeps_size(each):
                raise GradeError("an entry that resizes the image can't be mixed with its input", "set its mix to 1")
            self._add(each)
        cover: Cover | None = getattr(op, "cover", None)
        ready: list[_Ready] = []
        if cover is not None:
            scale: float = op.scale  # type: ignore[attr-defined]
            ready = [self._ready(replace(cover, direct=saved == 0), scale, saved, evaluate=True)]
        if self._run.low or self._run.sides or self._run.saved is not None or not self._fits(self._run, ready):
            self._end_run()
        self._take(ready)
        self._run.low, self._run.saved, self._run.used = SAVED, saved, True
        blend = SavedBlend(op.amount, ready[0].cover if ready else None, SAVED)  # type: ignore[attr-defined]
        self._run.ops.append(_positioned(blend, len(self._run.coverages) - 1))

    def _end_run(self) -> None:
        if self._run.ops:
            self._emit_run()

    def _emit_run(self) -> None:
        """Add the step of the run, after those of what it reads."""
        run, self._run = self._run, _Run()
        images = list(run.sides)
        if run.saved is not None:
            images.append(self._images.widened(run.saved))
        elif run.used:
            images.append(self._images.source() if run.low == SOURCE else self._images.planes(run.low))
        if any(run.coverages):
            high = self._images.coverages(padded(run.coverages))
            images = [images[0] if images else high, high]
        ops = tuple(run.ops)
        if run.low or run.coverages:
            low = padded(run.low)
            ops = tuple(_wired(op, low) if isinstance(op, (*BLENDS, SavedBlend)) else op for op in ops)
        self._current = self._images.add(PointStep(ops), Link(self._current, tuple(images)))


def _is_left_out(op: Op) -> bool:
    """Return whether an op that changes nothing needs no kernel of its own, so that a view leaves it out, too."""
    return op.is_identity() and not op.reads_sides


def _covers(op: Op) -> list[tuple[Cover, Masked]]:
    """Return the covers of an op and of those within it, with the ops that have them."""
    found = [each for inner in inner_ops(op) for each in _covers(inner)]
    return [*found, (op.cover, op)] if isinstance(op, Masked) else found


def _with_covers(op: ColorOp, covers: Sequence[Cover], first: int) -> ColorOp:
    """Return an op with other covers, in the order of `_covers`; their coverages begin at place `first` of the run."""
    numbered = iter(enumerate(covers, first))

    def changed(each: Op) -> Op:
        each = with_inner(each, changed)
        if not isinstance(each, Masked):
            return each
        place, cover = next(numbered)
        return _positioned(each if cover is each.cover else replace(each, cover=cover), place)

    result = changed(op)
    assert isinstance(result, ColorOp)
    return result


def _positioned(op: Masked | SavedBlend, place: int) -> Masked | SavedBlend:
    """Return an op that reads its coverage, if it was evaluated, at this place of planes 4-7."""
    held = [ref for ref in op.cover.refs if isinstance(ref, Held)] if op.cover is not None else []
    return op.wired((*padded(()), *padded((*[None] * place, *held)))) if held else op


def _wired(op: ColorOp, low: tuple[Ref | None, ...]) -> ColorOp:
    """Return an op whose covers, and those of ops within it, read these planes 0-3."""

    def changed(each: Op) -> Op:
        each = with_inner(each, changed)
        if not isinstance(each, Masked | SavedBlend):
            return each
        wiring = each.cover.wiring if each.cover is not None else ()
        if isinstance(each, Masked) and not wiring and low[: len(each.cover.refs)] == each.cover.refs:
            return each  # an op without wiring reads its planes in their order
        return each.wired((*low, *wiring[PER_IMAGE:]))

    result = changed(op)
    assert isinstance(result, ColorOp)
    return result


def variants(ops: Sequence[Op]) -> list[list[Op]]:
    """Return the ops, and those that they become when sliders of mattes pass a value at which other kernels run.

    These have all mattes soft, or one of the first MOST_TOGGLED soft or not, or with a gamma or none.
    """
    mattes = sum(1 for op in ops for _ in _blends(op))
    found = [list(ops)]
    if mattes:
        found.append(_changed(ops, None, _soft))
    for number in range(min(mattes, MOST_TOGGLED)):
        found += [_changed(ops, number, toggle) for toggle in (_with_other_softness, _with_other_gamma)]
    return found


def _soft(matte: Matte) -> Matte:
    return replace(matte, feather=1.0, grow=1.5)


def _with_other_softness(matte: Matte) -> Matte:
    soft = matte.feather > 0.0 or matte.grow != 0.0
    return replace(matte, feather=0.0, grow=0.0) if soft else _soft(matte)


def _with_other_gamma(matte: Matte) -> Matte:
    return replace(matte, gamma=2.0 if matte.gamma == 1.0 else 1.0)


def _blends(op: Op) -> Iterator[Op]:
    """Yield an op and those within it that have a matte."""
    for each in inner_ops(op):
        yield from _blends(each)
    if getattr(op, "cover", None) is not None:
        yield op


def _changed(ops: Sequence[Op], which: int | None, change: Callable[[Matte], Matte]) -> list[Op]:
    """Return ops with the matte number `which`, or with all mattes, changed."""
    numbers = count()

    def changed(op: Op) -> Op:
        op = with_inner(op, changed)
        cover: Cover | None = getattr(op, "cover", None)
        if cover is None or (next(numbers) != which and which is not None):
            return op
        return op.replace(cover=replace(cover, matte=change(cover.matte)))

    return [changed(op) for op in ops]
