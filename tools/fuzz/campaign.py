"""A campaign: batches of all kinds in turn, in several processes at once, and the table at its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait

from tools.fuzz.catalogue import Catalogue, Generated
from tools.fuzz.findings import Findings, Record
from tools.fuzz.kind import Kind
from tools.fuzz.limits import Held
from tools.fuzz.process import POLL_SECONDS, Place, Running, counters
from tools.fuzz.worker import ACCEPTED, COUNTS, FIRST, HARMFUL, REFUSED, SECONDS, all_operations

BATCH = 400
"""Inputs of one process."""
MUCH_MEMORY = 256 << 20
MORE_FILES, MORE_THREADS = 8, 3
"""What a process may hold more at the end of a batch than when it was warm; a few things are set up once, later."""


@dataclass
class Count:
    """Inputs of an operation, and how long they took together."""

    accepted: int = 0
    refused: int = 0
    harmful: int = 0
    seconds: float = 0.0

    @property
    def inputs(self) -> int:
        return self.accepted + self.refused + self.harmful

    def add(self, numbers: list[float]) -> None:
        self.accepted += int(numbers[ACCEPTED])
        self.refused += int(numbers[REFUSED])
        self.harmful += int(numbers[HARMFUL])
        self.seconds += numbers[SECONDS]


@dataclass
class Totals:
    """Counts by (kind, operation); by kind the `seconds` of processes, and the most bytes that one had `grown` by when
    its batch ended; `leaks` in words."""

    counts: dict[tuple[str, str], Count] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    grown: dict[str, int] = field(default_factory=dict)
    leaks: list[str] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        return sum(count.inputs for count in self.counts.values())

    def add(self, kind: str, numbers: list[float], seconds: float) -> None:
        """Add what a batch counted."""
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        for n, both in enumerate(all_operations()):
            at = FIRST + COUNTS * n
            if any(numbers[at : at + COUNTS]):
                self.counts.setdefault(both, Count()).add(numbers[at : at + COUNTS])

    def note_held(self, batch: Generated, before: Held, after: Held, inputs: int) -> None:
        """Note what a process held more at the end of a batch."""
        more = after.memory - before.memory
        self.grown[batch.kind] = max(self.grown.get(batch.kind, 0), more)
        where = f"{batch.kind} {batch.first} to {batch.first + batch.size}"
        if more > MUCH_MEMORY:
            self.leaks.append(f"{where}: {more >> 20} MiB more after {inputs} inputs")
        if after.files > before.files + MORE_FILES:
            self.leaks.append(f"{where}: {after.files - before.files} open files more after {inputs} inputs")
        if after.threads > before.threads + MORE_THREADS:
            self.leaks.append(f"{where}: {after.threads - before.threads} threads more after {inputs} inputs")


def plan(kinds: list[Kind], catalogue: Catalogue, key: str, count: int) -> Iterator[Generated]:
    """Batches of the kinds in turn, `count` inputs in all, each kind as many as its weight says."""
    weight = sum(kind.weight for kind in kinds)
    shares = {kind.name: round(count * kind.weight / weight) for kind in kinds}
    shares[kinds[0].name] += count - sum(shares.values())
    size = max(1, min(BATCH, count // len(kinds)))
    done = dict.fromkeys(shares, 0)
    while left := [name for name in shares if done[name] < shares[name]]:
        name = min(left, key=lambda name: done[name] / shares[name])
        inputs = min(size, shares[name] - done[name])
        yield Generated(name, catalogue.seeds[name], key, done[name], inputs)
        done[name] += inputs


def run(
    batches: Iterator[Generated],
    place: Place,
    findings: Findings,
    jobs: int,
    until: float,
    tell: Callable[[Totals, Record | None], None],
) -> Totals:
    """Run batches, `jobs` at once, until they or the time (`until`, of time.monotonic) end. `tell` is called after each
    batch, and for each finding of a new signature."""
    totals = Totals()
    free = [place.folder / f"worker{n}" for n in range(jobs)]
    running: dict[Running, tuple[Generated, float, object]] = {}
    try:
        while True:
            while free and time.monotonic() < until and (batch := next(batches, None)) is not None:
                shared = counters()
                started = Running(batch, place, free.pop(), shared)
                running[started] = batch, time.monotonic(), shared
            if not running:
                return totals
            wait([each for one in running for each in one.waited], POLL_SECONDS)
            for one in [one for one in running if not one.step()]:
                batch, began, shared = running.pop(one)
                free.append(one.folder)
                totals.add(batch.kind, list(shared), time.monotonic() - began)  # type: ignore[call-overload]
                for held in one.outcome.held:
                    totals.note_held(batch, *held)
                for number, finding in one.outcome.findings:
                    record = findings.add([batch[n] for n in range(number)], batch[number], finding)
                    if record is not None:
                        tell(totals, record)
                tell(totals, None)
    finally:
        for one in running:
            one.stop()


def table(totals: Totals) -> Iterator[str]:
    """Inputs by kind and operation: accepted, refused, harmful, and how many a second: for an operation of the
    processor's time, for a kind of all the time that its processes took."""
    yield f"{'kind':<14}{'operation':<14}{'inputs':>9}{'accepted':>10}{'refused':>9}{'harmful':>9}{'per second':>12}"
    for kind in dict.fromkeys(kind for kind, _ in totals.counts):
        whole = Count()
        for (name, operation), count in totals.counts.items():
            if name != kind:
                continue
            yield _row("", operation, count, count.seconds)
            for each in ("accepted", "refused", "harmful"):
                setattr(whole, each, getattr(whole, each) + getattr(count, each))
        yield _row(kind, "all", whole, totals.seconds[kind])
    whole = Count()
    for count in totals.counts.values():
        for each in ("accepted", "refused", "harmful"):
            setattr(whole, each, getattr(whole, each) + getattr(count, each))
    yield _row("all", "", whole, sum(totals.seconds.values()))


def _row(kind: str, operation: str, count: Count, seconds: float) -> str:
    rate = f"{count.inputs / seconds:,.0f}" if seconds else ""
    counts = f"{count.inputs:>9,}{count.accepted:>10,}{count.refused:>9,}{count.harmful:>9,}"
    return f"{kind:<14}{operation:<14}{counts}{rate:>12}"
