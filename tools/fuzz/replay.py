"""Inputs that did harm once, run again: each with every operation of its kind, or with the one on record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.fuzz.catalogue import EXR_MAGIC, EXR_SUFFIX
from tools.fuzz.findings import RECORD
from tools.fuzz.kind import Input
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place, run_batch

CHANCES = 6
"""Choices of an operation that are tried, until one does harm."""


def replay(paths: list[Path], place: Place) -> int:
    """Run files, or those of folders; one line for each of them. 1 where one did harm."""
    harmful = 0
    for path in _files(paths):
        entries = _inputs(path)
        done = _harm(entries, place)
        harmful += bool(done)
        print(f"{path.name}: {'; '.join(done) or ('no harm' if entries else 'of no kind that is known')}", flush=True)
    print(f"{harmful} files do harm")
    return 1 if harmful else 0


def _harm(entries: list[Input], place: Place) -> list[str]:
    """What the operations do that do harm; the first choice of each that does."""
    done = dict[str, str]()
    for chance in dict.fromkeys(entry.chance for entry in entries):
        asked = [entry for entry in entries if entry.chance == chance and _name(entry) not in done]
        for number, finding in run_batch(asked, place).findings:
            done[_name(asked[number])] = f"{_name(asked[number])}: {finding.what}"
        if any(": hang" in words for words in done.values()):
            break
    return list(done.values())


def _name(entry: Input) -> str:
    return f"{entry.kind} {entry.operation}"


def _files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.iterdir()) if path.is_dir() else [path]
        yield from (each for each in found if each.is_file() and each.name not in (RECORD, "README.md", "cases.json"))


def _inputs(path: Path) -> list[Input]:
    """What is done with a file: as its folder's record says, else all that there is."""
    data, about = path.read_bytes(), _record(path)
    if about:
        return [Input(about["kind"], about["operation"], path.suffix, data, about["chance"])]
    suffix = EXR_SUFFIX if data.startswith(EXR_MAGIC) else path.suffix.lower()
    both = [(kind, each) for kind in KINDS.values() if suffix in kind.suffixes for each in kind.operations]
    return [Input(kind.name, each.name, suffix, data, chance) for chance in range(CHANCES) for kind, each in both]


def _record(path: Path) -> dict[str, Any]:
    record = path.with_name(RECORD)
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return next((about for about in map(json.loads, lines) if about["file"] == path.name), {})
