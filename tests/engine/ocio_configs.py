"""OpenColorIO's built-in configs: Tessera's ops on a backend against OpenColorIO's exact processor, and both against
the float64 reference.

`python -m tests.engine.ocio_configs [--full] [--config NAME] [--backend cpu]` prints the table: every colour space to
and from ACEScg and every display and view, each with the largest error of ours against theirs, of ours against float64
and of theirs against float64. What the three tell is an outcome, see OUTCOMES.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine.compute.devices import create_executor
from engine.compute.executor import TiledExecutor
from engine.errors import UnsupportedTransform
from engine.grade.matrix_folding import folded
from engine.kernel.op import Op
from engine.ocio import ops_from_processor
from engine.ops import (
    Aces2GamutCompress,
    Aces2Jmh,
    Aces2OutputTransform,
    Aces2ToneCompress,
    GradingRgbCurve,
    LogCamera,
    grading_log,
)
from tests import tolerance as policy
from tests.engine import ocio_corpus as corpus

Array = NDArray[np.float64]

HUB = "ACEScg"
ACES2_TOLERANCE = 1e-5
BEYOND = 1e37
"""What float32 sums may overflow at."""
STOPS = LogCamera(
    (1.0,) * 3,
    (-float(np.log2(grading_log.GREY)),) * 3,
    (1.0,) * 3,
    (grading_log.SHIFT,) * 3,
    (grading_log.BREAK,) * 3,
    (grading_log.GAIN,) * 3,
    slope="given",
)
"""The logarithm that the linear grading styles work in."""
ACES2 = (Aces2GamutCompress, Aces2Jmh, Aces2OutputTransform, Aces2ToneCompress)


@dataclass(frozen=True)
class Case:
    """A processor of a config, and what a person calls it."""

    config: str
    kind: str
    name: str
    processor: ocio.Processor


OUTCOMES = {
    "matched": "within the tolerance of OpenColorIO's answer at every pixel",
    "exact": "ours is within the tolerance of the float64 answer at every pixel; theirs is off by its float32 steps",
    "approximated": "ours is within the tolerance of the float64 answer at every pixel; theirs is off by more than"
    " rounding explains: even its exact path has fast logarithms and powers",
    "explained": "ours is over the tolerance of the float64 answer at some pixels, where that moves by a quarter of the"
    " error at least when what goes into a step is off by one unit of float32: no float32 computation knows it better",
    "encoded": "the rest is no more than a display's encoding makes of what ACES 2 may be off by before it",
    "missed": "ours is off by more than rounding explains",
    "unsupported": "a transform has no op",
}


@dataclass(frozen=True)
class Judgement:
    """Of an answer against another: an outcome; the largest error, of how many pixels over the tolerance, and the
    largest that rounding does not explain."""

    outcome: str
    error: float = 0.0
    over: int = 0
    unexplained: float = 0.0
    detail: str = ""


@dataclass(frozen=True)
class Result:
    """An outcome, of OUTCOMES; the largest error of ours against theirs; both against float64."""

    outcome: str
    error: float = 0.0
    ours: Judgement = Judgement("matched")
    theirs: Judgement = Judgement("matched")
    detail: str = ""


def config_names() -> list[str]:
    """The built-in configs."""
    return [entry[0] for entry in ocio.BuiltinConfigRegistry().getBuiltinConfigs()]


def cases(name: str) -> Iterator[Case]:
    """Every colour space of a config to and from ACEScg, and every display and view from it."""
    config = ocio.Config.CreateFromBuiltinConfig(name)
    for space in config.getColorSpaceNames():
        yield Case(name, "to", space, config.getProcessor(HUB, space))
        yield Case(name, "from", space, config.getProcessor(space, HUB))
    for display in config.getDisplays():
        for view in config.getViews(display):
            processor = config.getProcessor(HUB, display, view, ocio.TRANSFORM_DIR_FORWARD)
            yield Case(name, "view", f"{display} / {view}", processor)


def image(count: int) -> Array:
    """RGBA (count, 4), of float32 numbers: noise in and out of gamut, magnitudes from 1e-6 to 65504 of either sign, and
    grey and coloured ramps."""
    rng = np.random.default_rng(11)
    part = count // 5
    ramp = np.linspace(-0.2, 1.2, part)[:, None]
    sign = np.where(rng.random((part, 3)) < 0.2, -1.0, 1.0)
    highest = np.log10(65504.0)
    rgb = np.concatenate(
        [
            rng.uniform(0.0, 1.0, (part, 3)),
            rng.uniform(-0.5, 2.0, (part, 3)),
            sign * 10.0 ** rng.uniform(-6.0, highest, (part, 3)),
            np.repeat(10.0 ** np.linspace(-6.0, highest, part)[:, None], 3, axis=1),
            ramp * rng.uniform(0.0, 1.0, (part, 3)),
        ]
    )
    rgb = np.concatenate([rgb, np.zeros((count - len(rgb), 3))])
    return np.column_stack([rgb, np.resize((0.0, 0.25, 1.0), count)]).astype(np.float32).astype(np.float64)


def compare(case: Case, rgba: Array, executor: TiledExecutor) -> Result:
    """One case on one backend."""
    return compare_processor(case.processor, rgba, executor)


def compare_processor(processor: ocio.Processor, rgba: Array, executor: TiledExecutor) -> Result:
    """A processor on one backend, as grades run it: with neighbouring matrices as one."""
    try:
        steps = ops_from_processor(processor)
    except UnsupportedTransform as error:
        return Result("unsupported", detail=error.transform)
    ours = executor.execute_color(rgba.astype(np.float32)[None], list(folded(steps)))[0].astype(np.float64)
    theirs, right = corpus.exact(processor, rgba), corpus.reference(steps, rgba)
    allowed = tolerance(steps, executor.primitives.name)
    own, other = judge(steps, rgba, ours, right, allowed), judge(steps, rgba, theirs, right, tolerance(steps))
    outcome = own.outcome
    if judge(steps, rgba, ours, theirs, allowed, explain=False).outcome == "matched":
        outcome = "matched"
    elif own.outcome == "matched":
        outcome = "approximated" if other.outcome == "missed" else "exact"
    apart, disagree = corpus.errors(ours, theirs)
    between = float(np.where(disagree | beyond_float(steps, rgba), 0.0, apart).max())
    return Result(outcome, between, own, other)


def tolerance(ops: Sequence[Op], backend: str = "cpu") -> float:
    """The largest error that the policy allows."""
    return ACES2_TOLERANCE if any(isinstance(op, ACES2) for op in ops) else policy.tolerance(backend, chain=True)


def unfolded(ops: list[Op]) -> list[Op]:
    """The ops, with those that are several steps in one in their steps, each of which rounds."""
    result: list[Op] = []
    for op in ops:
        if isinstance(op, GradingRgbCurve) and op.style == "linear":
            result += [STOPS, op.replace(style="log"), STOPS.inverse()]
            continue
        if not isinstance(op, Aces2OutputTransform):
            result.append(op)
            continue
        scene, display = Aces2Jmh(), Aces2Jmh(op.primaries)
        tone, gamut = Aces2ToneCompress(op.peak), Aces2GamutCompress(op.peak, op.primaries)
        stages = [scene, tone, gamut, display.inverse()]
        result += stages if op.direction == "forward" else [stage.inverse() for stage in reversed(stages)]
    return result


def beyond_float(ops: list[Op], rgba: Array) -> NDArray[np.bool_]:
    """Pixels that leave the range of float32 on their way, so that it depends on the order of sums what they become."""
    result, values = np.zeros(len(rgba), bool), rgba
    for op in ops:
        values = corpus.reference([op], values)
        result |= ~(np.abs(values) < BEYOND).all(axis=-1)
    return result


def after_aces2(ops: list[Op], rgba: Array) -> Array:
    """Per pixel: what the ops after an output transform of ACES 2 make of an error of ACES2_TOLERANCE behind it."""
    places = [i for i, op in enumerate(ops) if isinstance(op, Aces2OutputTransform)]
    if not places:
        return np.zeros(len(rgba))
    shown, rest = corpus.reference(ops[: places[0] + 1], rgba), ops[places[0] + 1 :]
    size = ACES2_TOLERANCE * np.maximum(np.abs(shown[:, :3]).max(axis=1, keepdims=True), 1.0)
    right = corpus.reference(rest, shown)
    moved = [corpus.reference(rest, shown + step * np.pad(size, ((0, 0), (0, 3)), "edge")) for step in (-1.0, 1.0)]
    return np.maximum(*(corpus.errors(m, right)[0] for m in moved))


def judge(
    ops: list[Op], rgba: Array, ours: Array, theirs: Array, allowed: float | None = None, explain: bool = True
) -> Judgement:
    """`ours` against `theirs`, with what rounding explains; `allowed` is the CPU's tolerance if it is not given."""
    allowed = allowed or tolerance(ops)
    error, disagree = corpus.errors(ours, theirs)
    over = (error > allowed) | disagree
    over[over] = ~beyond_float(ops, rgba[over])
    if not over.any():
        return Judgement("matched", float(np.where(error > allowed, 0.0, error).max()))
    if not explain:
        return Judgement("missed")
    unknown = 4.0 * corpus.rounding(unfolded(ops), rgba[over])
    left = np.where(disagree[over], np.inf, np.where(error[over] > unknown, error[over], 0.0))
    at = np.flatnonzero(over)[int(left.argmax())]
    detail = f"{rgba[at, :3]} -> {ours[at, :3]}, not {theirs[at, :3]}"
    outcome = "explained"
    if left.max() > allowed:
        outcome = "encoded" if (left <= np.maximum(allowed, after_aces2(ops, rgba[over]))).all() else "missed"
    return Judgement(outcome, float(error[over].max()), int(over.sum()), float(left.max()), detail)


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="200,000 pixels")
    parser.add_argument("--config", action="append", help="only this config")
    parser.add_argument("--backend", default="cpu")
    asked = parser.parse_args(arguments)
    rgba, executor = image(200_000 if asked.full else 2_000), create_executor(asked.backend)
    known: dict[str, Result] = {}
    counts: Counter[str] = Counter()
    print("  outcome     case: ours to theirs, ours to float64, theirs to float64 (pixels over the tolerance)")
    for name in asked.config or config_names():
        here: Counter[str] = Counter()
        worst: dict[str, float] = {}
        for case in cases(name):
            key = case.processor.getCacheID()
            result = known[key] = known.get(key) or compare(case, rgba, executor)
            here[f"{case.kind} {result.outcome}"] += 1
            worst[result.outcome] = max(worst.get(result.outcome, 0.0), result.ours.error)
            if result.outcome != "matched":
                print(f"  {result.outcome:11} {case.kind} {case.name}: {_numbers(result)}")
        counts += here
        errors = ", ".join(f"{outcome} {error:.1e}" for outcome, error in worst.items())
        print(f"{name}: {dict(sorted(here.items()))}; ours to float64 at most: {errors}", flush=True)
    print(f"{dict(sorted(counts.items()))}; {len(known)} different processors, {len(rgba)} pixels")
    print("\n".join(f"{outcome}: {meaning}" for outcome, meaning in OUTCOMES.items() if outcome in str(counts)))


def _numbers(result: Result) -> str:
    columns = "  ".join(f"{each.error:.1e} ({each.over})" for each in (result.ours, result.theirs))
    text = f"{result.error:.1e}  {columns}"
    if result.outcome in ("missed", "encoded"):
        text += f"; unexplained {result.ours.unexplained:.1e}: {result.ours.detail}"
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
