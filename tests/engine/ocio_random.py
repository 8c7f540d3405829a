"""OpenColorIO's transforms with random parameters: a backend's kernel, the float64 reference and OpenColorIO, compared.

`python -m tests.engine.ocio_random [--sets 200] [--only NAME] [--backend cpu] [--jobs 1]` prints a table: for every
fixed function and grading transform, forward and inverse, what became of each set of parameters, by
`ocio_configs.OUTCOMES`, and the largest errors of ours against theirs, of ours against float64 and of theirs against
float64, by the policy. With several jobs the lines come as they are done.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine.compute.devices import create_executor
from engine.ocio import ops_from_processor
from tests.engine import ocio_corpus as corpus
from tests.engine.ocio_cases import FORWARD, INVERSE, Case, all_cases
from tests.engine.ocio_configs import OUTCOMES, compare_processor, judge

Array = NDArray[np.float64]
CPU = create_executor("cpu")
DIRECTIONS = {"forward": FORWARD, "inverse": INVERSE}


def processor(transform: ocio.Transform) -> ocio.Processor:
    return ocio.Config.CreateRaw().getProcessor(transform)


def assert_same(transform: ocio.Transform, rgba: Array, approximate: float = 0.0) -> None:
    """Ours on the CPU is OpenColorIO's exact answer, but for `approximate`, by which its own approximations are off."""
    whole = processor(transform)
    ops = ops_from_processor(whole)
    ours = CPU.execute_color(rgba.astype(np.float32)[None], ops)[0].astype(np.float64)
    right, theirs = corpus.reference(ops, rgba), corpus.exact(whole, rgba)
    for name, answer in (("the CPU's", ours), ("OpenColorIO's", theirs)):
        allowed = approximate if name == "OpenColorIO's" else 0.0
        error, disagree = corpus.errors(answer, right)
        if error.max() <= allowed and not disagree.any():
            continue
        result = judge(ops, rgba, answer, right)
        assert result.outcome != "missed" or result.unexplained <= allowed, f"{name} {result} for {transform}"


def assert_case(case: Case, direction: ocio.TransformDirection, sets: int = 12) -> None:
    """The first sets of a case."""
    rng = np.random.default_rng(4)
    for number in range(sets):
        transform, approximate = case.make(rng, number, direction)
        assert_same(transform, case.image(rng, direction), approximate)


@dataclass(frozen=True)
class Row:
    """A line of the table: a case in a direction, with so many sets, on a backend."""

    name: str
    direction: str
    sets: int
    backend: str


def sweep(row: Row) -> tuple[Counter[str], str]:
    """What became of each set, and the line that tells it."""
    case = next(case for case in all_cases() if case.name == row.name)
    direction, executor = DIRECTIONS[row.direction], create_executor(row.backend)
    rng = np.random.default_rng(4)
    results = []
    for number in range(row.sets):
        transform, _ = case.make(rng, number, direction)
        results.append(compare_processor(processor(transform), case.image(rng, direction), executor))
    counts = Counter(result.outcome for result in results)
    worst = [max(errors) for errors in zip(*((r.error, r.ours.error, r.theirs.error) for r in results), strict=True)]
    columns = " ".join(f"{error:.1e}" for error in worst)
    lines = [f"{row.name:28}{row.direction:10}{columns}  {dict(counts)}"]
    missed = [result for result in results if result.outcome == "missed"][:2]
    lines += [f"    missed: unexplained {result.ours.unexplained:.1e}: {result.ours.detail}" for result in missed]
    return counts, "\n".join(lines)


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--only", default="", help="cases with this in their name")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    asked = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    print(f"{'':38}ours to theirs, ours to float64, theirs to float64", flush=True)
    names = [case.name for case in all_cases() if asked.only in case.name]
    rows = [Row(name, direction, asked.sets, asked.backend) for name in reversed(names) for direction in DIRECTIONS]
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as processes:
        for done in as_completed([processes.submit(sweep, row) for row in rows]):
            counts, line = done.result()
            total += counts
            print(line, flush=True)
    print(dict(total))
    print("\n".join(f"{outcome}: {OUTCOMES[outcome]}" for outcome in total))


if __name__ == "__main__":
    main(sys.argv[1:])
