"""Ops written to .clf and .ctf, read back by OpenColorIO and by Tessera: how far each answer is from the ops' own.

`python -m tests.engine.ocio_writing [COUNT]` writes COUNT random ops of every structure, many random chains, and what
the real files of the corpus hold, and prints the largest errors.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np
import PyOpenColorIO as ocio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine import ops
from engine.core.atomic import write_text
from engine.errors import GradeError, UnreadableFile, UnsupportedTransform
from engine.kernel.op import ColorOp
from engine.ocio import ops_from_file
from engine.ocio.process_lists import PROCESS_LISTS, group_of, process_list
from tests.engine import ocio_corpus as corpus
from tests.engine.conditioning import answer
from tests.engine.images import IN_CHAINS, OF_APPEARANCE, ops_of, structures
from tests.engine.ocio_cases import light

Array = NDArray[np.float64]
ALLOWED = 1e-6
APPROXIMATE = ("PqCurve", "GradingPrimary", "GradingRgbCurve", "GradingTone", "GradingHueCurve")
"""Ops that OpenColorIO itself computes with fast approximations, also on its exact path."""
IN_CLF = (
    *(ops.Cdl, ops.ChannelMixer, ops.Contrast, ops.Exponent, ops.ExponentWithLinear, ops.Exposure, ops.Log),
    *(ops.LogAffine, ops.LogCamera, ops.Lut1d, ops.Lut3d, ops.Matrix, ops.Range, ops.Saturation, ops.WhiteBalance),
)
"""Ops that a .clf has process nodes for."""
NO_EQUIVALENT = (
    *(ops.FilmicContrast, ops.HdrWheels, ops.LogWheels, ops.Premultiply, ops.Recovery, ops.SixVector, ops.SplitTone),
    *(ops.ColorWarp, ops.HueLumaGrid, ops.Vibrance),
)
"""Ops that no transform of OpenColorIO does: baking says so."""
QUICK = settings(
    max_examples=1, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


@dataclass
class RoundTrip:
    """Largest errors by the policy of what is read back.

    `text`: OpenColorIO with the file, from OpenColorIO with the transforms that were written. `ours`: Tessera's float64
    answer for the file, from that for the ops. `theirs`: OpenColorIO with the file, from the ops' float64 answer or the
    nearest that float32 can tell from it (see `conditioning`); only where that was asked for.
    """

    text: float = 0.0
    ours: float = 0.0
    theirs: float = 0.0

    def worst(self, other: RoundTrip) -> None:
        self.text, self.ours = max(self.text, other.text), max(self.ours, other.ours)
        self.theirs = max(self.theirs, other.theirs)


def image_for(run: Sequence[ColorOp], rng: np.random.Generator) -> Array:
    """Scene light of any range; for ops that reckon in hues, what they take."""
    if type(run[0]).__name__ not in OF_APPEARANCE:
        return light(rng, 60)
    rgba = np.column_stack([rng.uniform(0.02, 1.0, (100, 3)), np.ones(100)])
    scale = {"Aces2GamutCompress": (60.0, 40.0, 360.0, 1.0), "Aces2ToneCompress": (60.0, 40.0, 360.0, 1.0)}
    if type(run[0]).__name__ == "Aces2Jmh" and run[0].direction == "reverse":  # type: ignore[attr-defined]
        scale["Aces2Jmh"] = (60.0, 40.0, 360.0, 1.0) if run[0].order == "JMh" else (1.0, 0.2, 0.6, 1.0)  # type: ignore[attr-defined]
    return (rgba * scale.get(type(run[0]).__name__, 1.0)).astype(np.float32).astype(np.float64)


def round_trip(run: Sequence[ColorOp], path: Path, rgba: Array, judged: bool = False) -> RoundTrip:
    """Write the ops to `path` and read them back; GradeError where the format can't say them."""
    write_text(path, process_list(run, path.suffix))
    ocio.ClearAllCaches()
    theirs = corpus.exact(corpus.processor_of(path), rgba)
    meant = corpus.exact(ocio.Config.CreateRaw().getProcessor(group_of(run)), rgba)
    right = corpus.reference(run, rgba)
    found = RoundTrip(_largest(theirs, meant), _largest(corpus.reference(ops_from_file(path), rgba), right))
    if judged:
        found.theirs = float(answer(run, rgba).error(theirs[:, :3], ALLOWED).max())
    return found


def _largest(a: Array, b: Array) -> float:
    error, disagree = corpus.errors(a, b)
    return float("inf") if disagree.any() else float(error.max())


def examples(strategy: st.SearchStrategy[list[ColorOp]], count: int) -> list[list[ColorOp]]:
    """The same examples of a strategy every time."""
    found: list[list[ColorOp]] = []

    @settings(QUICK, max_examples=count)
    @given(strategy)
    def draw(run: list[ColorOp]) -> None:
        found.append(run)

    draw()
    return found


def chains_in(suffix: str) -> st.SearchStrategy[list[ColorOp]]:
    """Two to six ops of classes that the format can say."""
    left_out = (*APPROXIMATE, "InverseLut3d")  # which takes long
    known = [cls for cls in IN_CHAINS if cls.__name__ not in left_out and cls not in NO_EQUIVALENT]
    classes = [cls for cls in known if suffix == ".ctf" or cls in IN_CLF]
    return st.lists(st.sampled_from(classes).flatmap(ops_of), min_size=2, max_size=6)


@dataclass
class Sweep:
    """What became of many ops of a kind."""

    written: int = 0
    refused: int = 0
    worst: RoundTrip = field(default_factory=RoundTrip)


def sweep(count: int, folder: Path) -> Iterator[tuple[str, str, Sweep]]:
    """For every op and for chains, in each format."""
    found: dict[tuple[str, str], Sweep] = defaultdict(Sweep)
    kinds: list[tuple[str, st.SearchStrategy[list[ColorOp]] | None]] = [
        (cls.__name__, ops_of(cls, words).map(lambda op: [op])) for cls, words in structures()
    ]
    kinds.append(("(chains)", None))
    for number, (name, strategy) in enumerate(kinds):
        for suffix in PROCESS_LISTS:
            judged = name not in APPROXIMATE
            for run in examples(strategy, count) if strategy is not None else examples(chains_in(suffix), 40 * count):
                about = found[name, suffix]
                try:
                    rgba = image_for(run, np.random.default_rng(number))
                    about.worst.worst(round_trip(run, folder / f"look{suffix}", rgba, judged))
                    about.written += 1
                except GradeError:
                    about.refused += 1
    yield from ((name, suffix, about) for (name, suffix), about in found.items())


def of_corpus(folder: Path) -> Iterator[tuple[str, str, Sweep]]:
    """For the ops of real LUTs and CDLs, in each format."""
    found: dict[str, Sweep] = defaultdict(Sweep)
    rgba = light(np.random.default_rng(5), 200)
    for path in corpus.corpus_files():
        with contextlib.suppress(UnreadableFile, UnsupportedTransform):
            run = [op for op in ops_from_file(path) if isinstance(op, ColorOp)]
            for suffix in PROCESS_LISTS if run else ():
                try:
                    found[suffix].worst.worst(round_trip(run, folder / f"look{suffix}", rgba, judged=True))
                    found[suffix].written += 1
                except GradeError:
                    found[suffix].refused += 1
    yield from (("(corpus)", suffix, about) for suffix, about in found.items())


def main(arguments: list[str]) -> None:
    count = int(arguments[0]) if arguments else 5
    with tempfile.TemporaryDirectory() as folder:
        total = {suffix: Sweep() for suffix in PROCESS_LISTS}
        for name, suffix, about in chain(sweep(count, Path(folder)), of_corpus(Path(folder))):
            worst = about.worst
            numbers = f"text {worst.text:.1e}  ours {worst.ours:.1e}  theirs {worst.theirs:.1e}"
            sys.stdout.write(f"{name:24}{suffix}  {about.written:4} written, {about.refused:4} refused  {numbers}\n")
            total[suffix].written += about.written
            total[suffix].refused += about.refused
            total[suffix].worst.worst(worst)
        for suffix, about in total.items():
            sys.stdout.write(f"{suffix}: {about}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
