"""What float32 can know of a chain's answer.

The policy asks for 1e-6 or so of the float64 answer. Some pixels have no such answer in float32, however it is
computed: where two large numbers cancel, near a power's vertical tangent, at a jump from one branch to another. There
the answer moves by more than the policy when what goes into an op moves by a unit in the last place or a few, and any
float32 op before it may be off by that much. So a result is judged by the policy against the nearest number of the
interval that such moves span, which is the float64 answer itself wherever the chain is well conditioned. The interval
comes from the ops' reference alone: the code under test has no part in it, and the policy stays what it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Op, Slider
from engine.kernel.pixel import FLOAT_MIN
from engine.kernel.primitives import PRIMITIVES
from tests.tolerance import LIMITS, policy_error

Array = NDArray[np.float64]
ULP = 2.0**-23
FIRST, LATER = 2.0, 4.0
"""Units by which what goes into the first op is moved, and into later ones: an op rounds a few times."""
MOVES, MORE = 12, 300
"""Random moves for every pixel, besides everything up and everything down; and for a pixel that is still outside."""
HEADROOM = 2.0**120
"""Beyond this a float32 step inside an op may have left the range, where the float64 answer has not."""


@dataclass(frozen=True)
class Answer:
    """The float64 answer of a chain for pixels, and the answers of slightly moved pixels."""

    ops: tuple[ColorOp, ...]
    rgba: Array
    exact: Array
    left: NDArray[np.bool_]
    """Pixels that leave float32's range: what an op that mixes channels or the next op makes of them is not judged."""
    moves: int
    flushes: bool = False

    @cached_property
    def moved(self) -> tuple[Array, ...]:
        return tuple(_moved(self.ops, self.rgba, self.moves, self.flushes))

    def error(self, result: Array, allowed: float, storage: object = np.float32) -> Array:
        """Of each channel of `result` (RGB or RGBA), by the policy, from the nearest number that the moves span.

        Pixels are moved only where the result isn't the exact answer; more often the first few that are still outside.
        """
        result = np.asarray(result, np.float64)
        error = policy_error(result, self.exact[..., : result.shape[-1]], storage)
        error[self.left] = 0.0
        for moves, most in ((MOVES, None), (MORE, 64)):
            outside = ~(error.max(axis=-1) <= allowed)
            if outside.any():
                at = tuple(np.argwhere(outside)[:most].T)
                few = answer(self.ops, self.rgba[at], moves, self.flushes)
                error[at] = few._error(result[at], storage)
        return error

    def _error(self, result: Array, storage: object) -> Array:
        limit = LIMITS[np.dtype(storage)]  # type: ignore[call-overload]
        channels = result.shape[-1]
        exact, moved = self.exact[..., :channels], [m[..., :channels] for m in self.moved]
        held = [np.clip(m, -limit, limit) for m in (exact, *moved)]
        nearest = np.clip(result, np.fmin.reduce(held), np.fmax.reduce(held))
        nearest = np.where(np.isnan(nearest), exact, nearest)
        error = np.minimum(policy_error(result, exact, storage), policy_error(result, nearest, storage))
        # What is not finite may agree with a moved answer instead, and Inf stands for what comes close to it.
        agree = np.logical_or.reduce([~np.isfinite(result) & _same(result, m) for m in moved])
        with np.errstate(invalid="ignore"):
            agree |= np.isinf(result) & (np.abs(exact) > HEADROOM) & (np.sign(exact) == np.sign(result))
        return np.where(agree | self.left[..., None], 0.0, error)

    def unsure(self, allowed: float) -> NDArray[np.bool_]:
        """The pixels that the moves take further from the exact answer than `allowed`."""
        errors = [policy_error(m, self.exact).max(axis=-1) for m in self.moved]
        return np.asarray(self.left | (np.maximum.reduce(errors) > allowed))


def _same(a: Array, b: Array) -> NDArray[np.bool_]:
    return np.asarray((a == b) | (np.isnan(a) & np.isnan(b)))


def answer(ops: Sequence[Op], rgba: Array, moves: int = MOVES, flushes: bool = False) -> Answer:
    """The answers of a chain of colour ops for RGBA pixels. Ops that change nothing are not run, as in a plan.

    With `flushes`, what lies below float32's normal range may count as 0, as on GPUs.
    """
    run = tuple(op for op in ops if isinstance(op, ColorOp) and not op.is_identity())
    exact, left = _run(run, rgba, 0.0)
    return Answer(run, rgba, exact, left, moves, flushes)


def _moved(run: tuple[ColorOp, ...], rgba: Array, moves: int, flushes: bool) -> Iterator[Array]:
    """The answers of moved pixels: everything up and down, and at random. The moves of a kind are made at once."""
    rng = np.random.default_rng(1)
    shape = (*rgba.shape[:-1], 4)
    all_up = np.ones(shape)
    steps = [all_up, all_up, -all_up, -all_up, *(rng.choice((-1.0, 1.0), shape) for _ in range(moves // 2))]
    for _ in range(moves - moves // 2):
        steps.append(rng.uniform(-1.0, 1.0, shape) * 2.0 ** -rng.uniform(0.0, 24.0, shape))
    for alone in (False, True):
        together = np.stack(steps[int(alone) :: 2])
        yield from np.broadcast_to(_run(run, rgba, together, alone)[0], together.shape)
    if flushes:
        small = np.where(np.abs(rgba) < FLOAT_MIN, np.copysign(0.0, rgba), rgba)
        for step in (0.0, 1.0, -1.0):
            yield _run(run, small, step)[0]


def _run(
    ops: Sequence[ColorOp], rgba: Array, step: Array | float, alone: bool = False
) -> tuple[Array, NDArray[np.bool_]]:
    """The reference with what goes into every op moved; and which pixels leave float32's range on the way.

    An axis that `step` has before those of `rgba` is one of the result: of the moves that are made at once. With
    `alone` each channel is moved in proportion to its own size alone. Between ops, what float32 can't hold is Inf.
    """
    limit = LIMITS[np.dtype(np.float32)]
    left = np.zeros((), bool)
    for number, op in enumerate(ops):
        size = np.where(np.isfinite(rgba), np.abs(rgba), 0.0)
        if not alone and (number or mixes(op)):
            # An op is allowed, and one that mixes channels makes, errors in proportion to the largest channel.
            size = np.maximum(size, size.max(axis=-1, keepdims=True))
        size *= (LATER if number else FIRST) * ULP
        with np.errstate(invalid="ignore"), rounding_steps(op, step):
            rgba = op.reference(rgba if np.ndim(step) == 0 and step == 0.0 else _stored(rgba + size * step))
        huge = np.isfinite(rgba) & (np.abs(rgba) > HEADROOM)
        if number + 1 < len(ops):
            rgba = np.where(np.abs(rgba) >= limit, np.copysign(np.inf, rgba), rgba)
        if number + 1 < len(ops) or mixes(op):
            left = left | huge.any(axis=-1)
    return rgba, np.broadcast_to(left, rgba.shape[:-1])


_HUE = "a hue, and what depends on it, is what small differences between large numbers leave"
ROUNDED = {"add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "log2": 2, "exp2": 2, "pow": 3}
"""Units in the last place by which float32 may be off: functions by a few, of the 8 that the policy allows an op."""
_STOPS = "what float32 loses of a number of stops is multiplied when they become light again"
STEPWISE = {
    "Aces2GamutCompress": _HUE,
    "Aces2Jmh": _HUE,
    "Aces2OutputTransform": _HUE,
    "Aces2ToneCompress": _HUE,
    "GradingHueCurve": _HUE,
    "AcesRedModifier": "a small number is lost in its distance from the pivot",
    "FilmicContrast": _STOPS,
    "GammaLog": "a small number is lost in its distance from the mirror",
    "GradingPrimary": "the contrast of a large number leaves the range on its way to a clamp",
    "GradingRgbCurve": _STOPS,
    "GradingTone": _STOPS,
    "HdrWheels": _STOPS,
    "HslQualifier": _HUE,
    "Key3d": "a distance between colours is what their difference leaves",
    "LogWheels": _STOPS,
    "Mix": "a run of ops in one",
    "NormalFacing": "an angle, and what a steep edge makes of it",
    "Recovery": _STOPS,
    "RgbHsy": _HUE,
    "SixVector": _HUE,
    "SplitTone": _STOPS,
    "Vibrance": _HUE,
}
"""Ops that are several steps in one, and why a step's rounding matters: as between ops, it is part of the moves."""


@contextlib.contextmanager
def rounding_steps(op: ColorOp, step: Array | float) -> Iterator[None]:
    """While it holds, and unless `step` is 0, the arithmetic of a stepwise op rounds as float32 may."""
    if type(op).__name__ not in STEPWISE or (np.ndim(step) == 0 and step == 0.0):
        yield
        return
    rng = np.random.default_rng(0 if np.ndim(step) == 0 else int(np.abs(step).sum() * 1e6))
    exact = dict(PRIMITIVES)

    def rounded(compute: Callable[..., Any], units: int) -> Callable[..., Any]:
        def step_of_float32(*args: Any) -> Any:
            result = compute(*args)
            if np.ndim(result) == 0:
                return result
            with np.errstate(over="ignore", invalid="ignore"):
                rounded = result * (1.0 + ULP * rng.integers(-units, units + 1, np.shape(result)))
                return rounded.astype(np.float32).astype(np.float64)

        return step_of_float32

    try:
        PRIMITIVES.update({name: rounded(exact[name], units) for name, units in ROUNDED.items()})
        yield
    finally:
        PRIMITIVES.update(exact)


def _stored(rgba: Array) -> Array:
    """As float32, so that what falls together there is equal."""
    with np.errstate(over="ignore"):
        return rgba.astype(np.float32).astype(np.float64)


_MIXES: dict[tuple[object, ...], bool] = {}


def mixes(op: ColorOp) -> bool:
    """Whether, at some positions of the sliders, a channel's result depends on another channel."""
    if op.structure not in _MIXES:
        _MIXES[op.structure] = any(_mixes_here(twin) for twin in _elsewhere(op))
    return _MIXES[op.structure]


def _elsewhere(op: ColorOp) -> Iterator[ColorOp]:
    """The op, and with its sliders at other positions."""
    yield op
    rng = np.random.default_rng(0)
    sliders = {name: kind for name, kind in op.kinds().items() if isinstance(kind, Slider)}
    for _ in range(10):
        at = {n: k.low + (k.high - k.low) * rng.uniform(0.05, 0.95, k.size or None) for n, k in sliders.items()}
        with contextlib.suppress(GradeError):
            yield op.replace(**at)


def _mixes_here(op: ColorOp) -> bool:
    rgba = np.repeat(np.random.default_rng(0).uniform(0.1, 0.9, (20, 1, 4)), 4, axis=1)
    for channel in range(4):
        rgba[:, channel, channel] *= 0.9
    results = np.nan_to_num(op.reference(rgba))
    return any(np.ptp(np.delete(results[..., c], c, axis=1), axis=1).any() for c in range(4))
