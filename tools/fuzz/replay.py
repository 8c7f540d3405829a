"""Inputs that did harm once, run again: each with every operation of its kind, or with the one on record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from engine.errors import UnsupportedFile
from tools.fuzz.catalogue import EXR_MAGIC, EXR_SUFFIX
from tools.fuzz.findings import RECORD
from tools.fuzz.kind import Input
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place, run_batch

CHANCES = 6
"""Choices of an operation that are tried, until one does harm."""


def replay(paths: list[Path], place: Place) -> int:
    """Run files, or those of folders; one line for each of them. 1 where one did harm."""
    files = list(_files(paths))
    recorded = {path: entry for path in files if (entry := _recorded(path)) is not None}
    outcome = run_batch(list(recorded.values()), place)
    done = {path: [f.what for n, f in outcome.findings if n == number] for number, path in enumerate(recorded)}
    for path in files:
        done[path] = found = done[path] if path in recorded else _harm(_inputs(path), place)
        print(f"{path.name}: {'; '.join(found) or 'no harm'}", flush=True)
    harmful = sum(map(bool, done.values()))
    print(f"{harmful} of {len(files)} files do harm")
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


def _recorded(path: Path) -> Input | None:
    """What is done with a file that the record of its folder tells of."""
    record = path.with_name(RECORD)
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    about = next((about for about in map(json.loads, lines) if about["file"] == path.name), None)
    if about is None:
        return None
    return Input(about["kind"], about["operation"], path.suffix, path.read_bytes(), about["chance"])


def _inputs(path: Path) -> list[Input]:
    """All that there is to do with a file; UnsupportedFile where it is of no kind."""
    data = path.read_bytes()
    suffix = EXR_SUFFIX if data.startswith(EXR_MAGIC) else path.suffix.lower()
    both = [(kind, each) for kind in KINDS.values() if suffix in kind.suffixes for each in kind.operations]
    if not both:
        raise UnsupportedFile(path, "is of no kind that the fuzzer has", "give it the suffix of one")
    return [Input(kind.name, each.name, suffix, data, chance) for chance in range(CHANCES) for kind, each in both]
