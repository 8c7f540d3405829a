"""Harm that was found: each kind of it once, reproduced by itself, made small, and written down."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tools.fuzz.judge import Finding
from tools.fuzz.kind import Input, Seed
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place, run_batch

RECORD = "findings.jsonl"
ROUND = 48
"""Smaller inputs that are tried in one process."""


@dataclass
class Record:
    """An input that does harm. `alone` tells whether it does so in a process of its own, without others before it."""

    signature: str
    entry: Input
    finding: Finding
    alone: bool
    file: str = ""


class Findings:
    """What a campaign found, in a folder: the inputs, and a line of JSON for each in RECORD.

    `slow` counts inputs that took too long once, and not when they were run again.
    """

    def __init__(self, folder: Path, place: Place, seeds: dict[str, list[Seed]], shrink: float) -> None:
        """`shrink` are the seconds that making one input small may take."""
        self.records: dict[str, Record] = {}
        self.counts: Counter[str] = Counter()
        self.slow = 0
        self._folder, self._place, self._seeds, self._shrink = folder, place, seeds, shrink

    def add(self, before: Sequence[Input], entry: Input, finding: Finding) -> Record | None:
        """Note harm that an input did, after those `before` it; the record, if it is the first of its signature."""
        signature = signature_of(entry, finding)
        self.counts[signature] += 1
        if signature in self.records:
            return None
        alone = self._first([entry], signature) is not None
        if finding.is_hang and not alone:  # the machine was busy
            self.slow += 1
            return None
        record = self.records[signature] = Record(signature, entry, finding, alone)
        if alone:
            record.entry = self._smallest(entry, signature)
        else:
            record.finding = replace(finding, text=f"{finding.text}\n{self._context(before, entry, signature)}")
        self._write(record)
        return record

    def _first(self, entries: Sequence[Input], signature: str, seconds: float = float("inf")) -> Input | None:
        """The smallest of the inputs that do this harm, of those that are run within so many seconds."""
        outcome = run_batch(entries, self._place, seconds)
        doing = [entries[n] for n, found in outcome.findings if signature_of(entries[n], found) == signature]
        return min(doing, key=lambda each: (len(each.data), len(each.steps)), default=None)

    def _context(self, before: Sequence[Input], entry: Input, signature: str) -> str:
        """The shortest run of inputs before it with which it does harm, found by halving."""
        count = len(before)
        while count and self._first([*before[len(before) - count // 2 :], entry], signature) is not None:
            count //= 2
        return f"only after {count} other inputs" if count < len(before) else "not seen again after the same inputs"

    def _smallest(self, entry: Input, signature: str) -> Input:
        """As few steps, then as few bytes, as the harm needs."""
        until = time.monotonic() + self._shrink
        for smaller in (self._with_fewer_steps, _with_fewer_bytes):
            while time.monotonic() < until:
                found = None
                for candidates in _rounds(smaller(entry)):
                    found = self._first(candidates, signature, until - time.monotonic())
                    if found is not None or time.monotonic() > until:
                        break
                if found is None:
                    break
                entry = found
        return entry

    def _with_fewer_steps(self, entry: Input) -> Iterator[Input]:
        for left_out in range(len(entry.steps)):
            steps = entry.steps[:left_out] + entry.steps[left_out + 1 :]
            yield entry.with_steps(KINDS[entry.kind], self._seeds[entry.kind], steps)

    def _write(self, record: Record) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        entry = record.entry
        name = re.sub(r"\W+", "-", entry.kind) + "-" + hashlib.sha256(record.signature.encode()).hexdigest()[:8]
        record.file = f"{name}{entry.suffix}"
        (self._folder / record.file).write_bytes(entry.data)
        about = {
            "signature": record.signature,
            "file": record.file,
            "kind": entry.kind,
            "operation": entry.operation,
            "chance": entry.chance,
            "alone": record.alone,
            "text": record.finding.text,
        }
        with (self._folder / RECORD).open("a", encoding="utf-8") as file:
            file.write(json.dumps(about) + "\n")


def signature_of(entry: Input, finding: Finding) -> str:
    """The same for all inputs of a kind that do the same harm, whichever operation shows it."""
    return f"{entry.kind}: {finding.what}"


def _rounds(entries: Iterator[Input]) -> Iterator[list[Input]]:
    """A few at a time."""
    held = []
    for entry in entries:
        held.append(entry)
        if len(held) == ROUND:
            yield held
            held = []
    if held:
        yield held


def _with_fewer_bytes(entry: Input) -> Iterator[Input]:
    """Without one stretch of the data; long stretches first."""
    data = entry.data
    size = len(data)
    while size and len(data) // size <= ROUND:
        size = max(1, size // 2)
        for at in range(0, len(data), size):
            yield replace(entry, data=data[:at] + data[at + size :], steps=())
        if size == 1:
            return
