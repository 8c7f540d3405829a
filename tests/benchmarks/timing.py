"""Measuring in turn: every job once per round, so that a slow moment of the machine falls on all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def in_turn(jobs: dict[str, Callable[[], object]], rounds: int = 15) -> dict[str, float]:
    """Median seconds of each job."""
    for job in jobs.values():
        job()
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def table(rows: list[list[str]]) -> str:
    """Rows of text as aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)
