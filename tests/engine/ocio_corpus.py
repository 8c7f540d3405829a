"""Every look of the corpus: Tessera's ops against OpenColorIO's exact processor.

`python -m tests.engine.ocio_corpus` prints the table. Tests call `compare_file` with the evaluator under test.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine.errors import UnreadableFile, UnsupportedTransform
from engine.kernel.op import ColorOp, Op
from engine.ocio import ops_from_file
from engine.ops import InverseLut3d, Lut3d
from tests.engine.conditioning import rounding_steps
from tests.tolerance import CHAIN

CORPUS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "lut"
Array = NDArray[np.float64]
Evaluate = Callable[[Sequence[Op], Array], Array]

NOTABLE = (-65504.0, -100.0, -1.0, -0.01, -1e-8, 0.0, 1e-8, 0.001, 0.18, 0.5, 1.0, 2.0, 100.0, 65504.0)
"""Values of which the image holds every triple."""
NONFINITE = (np.nan, np.inf, -np.inf, 0.18)


OVERFLOW = 1e38
"""A third of the largest float32."""
APPROXIMATION = 5e-5
"""How far off OpenColorIO's ExposureContrast is: its fast power by 2e-5, and more after a steep op. It also makes a
large number of Inf."""


@dataclass(frozen=True)
class Outcome:
    """What became of one file, and why.

    `matched`; `several` (the inverse of a 3D LUT that gives some colours in several places or nowhere: ours gives back
    what went in, as exactly as theirs or better); `rounding` (what float32 costs this chain explains the difference);
    `approximated` (OpenColorIO computes the power of ExposureContrast by a fast approximation even here, see
    APPROXIMATION); `missed`; `unsupported`;
    `rejected`.
    """

    path: Path
    kind: str
    detail: str = ""
    error: float = 0.0
    disagreements: int = 0


def corpus_files() -> list[Path]:
    """The corpus, in order; empty where it is absent."""
    return sorted(f for f in CORPUS.rglob("*") if f.is_file() and f.name != "LICENSE")


def image() -> Array:
    """RGBA pixels (n, 4): every triple of NOTABLE and of NONFINITE, a grey ramp, and noise in 0..1."""
    noise = np.random.default_rng(7).random((4000, 3))
    ramp = np.repeat(np.linspace(-0.1, 1.1, 1201)[:, None], 3, axis=1)
    rgb = np.concatenate([_triples(NOTABLE), _triples(NONFINITE), ramp, noise])
    alpha = np.resize((0.0, 0.25, 0.5, 1.0), len(rgb))
    return np.column_stack([rgb, alpha]).astype(np.float32).astype(np.float64)


def _triples(values: Sequence[float]) -> Array:
    return np.array(np.meshgrid(values, values, values)).reshape(3, -1).T


def reference(ops: Sequence[Op], rgba: Array) -> Array:
    """The float64 answer."""
    for op in ops:
        rgba = op.reference(rgba)  # type: ignore[attr-defined]
    return rgba


def exact(processor: ocio.Processor, rgba: Array) -> Array:
    """OpenColorIO's exact answer, in float32."""
    pixels = np.ascontiguousarray(rgba, np.float32)
    processor.getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE).applyRGBA(pixels)
    return pixels.astype(np.float64)


def processor_of(path: Path) -> ocio.Processor:
    """What OpenColorIO makes of a file by itself."""
    config = ocio.Config.CreateRaw()
    config.addSearchPath(str(path.parent))
    return config.getProcessor(ocio.FileTransform(str(path)))


def errors(ours: Array, theirs: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Per pixel: the largest error by the policy, and whether the two disagree about what is not finite.

    What a float32 sum may overflow at counts as Inf in both.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        ours, theirs = (np.where(np.abs(x) > OVERFLOW, np.copysign(np.inf, x), x) for x in (ours, theirs))
        finite = np.isfinite(ours) & np.isfinite(theirs)
        same = finite | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        largest = np.where(np.isfinite(theirs), np.abs(theirs), 0.0).max(axis=-1, keepdims=True)
        error = np.where(finite, np.abs(ours - theirs) / np.maximum(largest, 1.0), 0.0)
    return error.max(axis=-1), ~same.all(axis=-1)


def rounding(ops: Sequence[Op], rgba: Array, trials: int = 12) -> Array:
    """Per pixel: how far the answer moves when what goes into each op is off by up to one unit of float32.

    That is what any float32 evaluation of the chain may be off by, however good its formulas are. Of an op that is
    several steps in one, each step rounds.
    """
    rng = np.random.default_rng(3)
    right, moved = reference(ops, rgba), np.zeros(len(rgba))
    for _ in range(trials):
        wobbly = rgba
        for op in ops:
            largest = np.abs(wobbly).max(axis=-1, keepdims=True)
            step = np.where(np.isfinite(largest), largest, 0.0) * 2.0**-23
            moves = rng.uniform(-1.0, 1.0, wobbly.shape)
            with rounding_steps(op, moves) if isinstance(op, ColorOp) else nullcontext():
                wobbly = reference([op], wobbly + step * moves)
        moved = np.maximum(moved, errors(wobbly, right)[0])
    return moved


def compare(path: Path, ops: Sequence[Op], processor: ocio.Processor, evaluate: Evaluate) -> Outcome:
    """`evaluate(ops)` against OpenColorIO on `image()`."""
    rgba = image()
    ours, theirs = evaluate(ops, rgba), exact(processor, rgba)
    # A matrix carries NaN of a colour into alpha in both; OpenColorIO's clamping gamma then makes 0 of it.
    cleared = np.isnan(ours[:, 3]) & (theirs[:, 3] == 0.0) & ~np.isfinite(rgba).all(axis=1)
    theirs[cleared, 3] = np.nan
    error, disagree = errors(ours, theirs)
    worst, count = float(error.max()), int(disagree.sum())
    if worst <= CHAIN and not count:
        return Outcome(path, "matched", error=worst)
    over = error > CHAIN
    if any(isinstance(transform, ocio.ExposureContrastTransform) for transform in processor.createGroupTransform()):
        huge = (np.isinf(ours) | (ours == theirs) | (theirs < 1e18)).all(axis=-1)
        kind = "approximated" if worst <= APPROXIMATION and huge[disagree].all() else "missed"
    elif not count and len(ops) == 1 and isinstance(ops[0], InverseLut3d):
        again = [reference([Lut3d(ops[0].cube)], answer[over]) for answer in (ours, theirs)]
        lost, theirs_lost = (errors(answer, np.clip(rgba[over], 0.0, 1.0))[0] for answer in again)
        kind = "several" if (lost <= np.maximum(theirs_lost, CHAIN)).all() else "missed"
    else:
        explained = not count and bool((error[over] <= 4.0 * rounding(ops, rgba)[over]).all())
        kind = "rounding" if explained else "missed"
    at = int(np.argmax(np.where(disagree, np.inf, error)))
    detail = f"{worst:.1e}, {count} not finite; {rgba[at]} -> {ours[at]}, OpenColorIO {theirs[at]}"
    return Outcome(path, kind, detail, worst, count)


def compare_file(path: Path, evaluate: Evaluate = reference) -> Outcome:
    """What becomes of one file of the corpus."""
    try:
        ops = ops_from_file(path)
    except UnreadableFile as error:
        return Outcome(path, "rejected", str(error))
    except UnsupportedTransform as error:
        return Outcome(path, "unsupported", error.transform)
    return compare(path, ops, processor_of(path), evaluate)


def table(evaluate: Evaluate = reference) -> str:
    """The whole corpus as text: a line for each file that did not simply match, and the counts."""
    outcomes = [compare_file(path, evaluate) for path in corpus_files()]
    lines = [
        f"{o.kind:12}{o.path.relative_to(CORPUS)}: {o.detail.replace(str(o.path) + ': ', '')}"
        for o in sorted(outcomes, key=lambda o: o.kind)
        if o.kind != "matched"
    ]
    counts = Counter(o.kind for o in outcomes)
    worst = max((o.error for o in outcomes if o.kind == "matched"), default=0.0)
    summary = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return "\n".join([*lines, f"{len(outcomes)} files: {summary}; largest error of a match {worst:.1e}"])


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
