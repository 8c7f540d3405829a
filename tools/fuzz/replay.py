"""Inputs that did harm once, run again: each with every operation of its kind, or with the one on record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.fuzz.findings import RECORD
from tools.fuzz.kind import Input
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place, run_batch

CHANCES = 6
"""Choices of each operation that are tried."""


def replay(paths: list[Path], place: Place) -> int:
    """Run files, or those of folders; one line for each harm. 1 where there was any."""
    harmful = 0
    for path in _files(paths):
        entries = list(_inputs(path))
        outcome = run_batch(entries, place)
        done = sorted({f"{entries[n].operation}: {finding.what}" for n, finding in outcome.findings})
        harmful += bool(done)
        print(
            f"{path.name}: {'; '.join(done) if done else 'no harm' if entries else 'of no kind that is known'}",
            flush=True,
        )
    print(f"{harmful} files do harm")
    return 1 if harmful else 0


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.iterdir()) if path.is_dir() else [path]
        yield from (each for each in found if each.is_file() and each.name not in (RECORD, "README.md", "cases.json"))


def _inputs(path: Path) -> Iterator[Input]:
    """What is done with a file: as its folder's record says, else all that there is."""
    data, about = path.read_bytes(), _record(path)
    if about:
        yield Input(about["kind"], about["operation"], path.suffix, data, about["chance"])
        return
    for kind in KINDS.values():
        if path.suffix.lower() in kind.suffixes:
            for operation in kind.operations:
                yield from (Input(kind.name, operation.name, path.suffix, data, chance) for chance in range(CHANCES))


def _record(path: Path) -> dict[str, Any]:
    record = path.with_name(RECORD)
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return next((about for about in map(json.loads, lines) if about["file"] == path.name), {})
