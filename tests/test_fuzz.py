"""The fuzzer: it notices every kind of harm, makes the same inputs each time, and a short run of it finds none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.errors import TesseraError
from tools.fuzz.kind import Chance, Kind, Refused, Task, generate
from tools.fuzz.kinds import KINDS
from tools.fuzz.stage import companions

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tools" / "fuzz" / "cases"
SOUND = 0.75
"""Share of a kind's seeds at least that its first operation accepts: what is refused at once tests little."""
FOUND = {
    "accepts": [],
    "refuses": [],
    "refuses_otherwise": [],
    "stops": [],
    "raises": ["KeyError outside"],
    "exits": ["SystemExit outside"],
    "says_two_lines": ["several lines UnreadableFile outside"],
    "says_escapes": ["not printable UnreadableFile outside"],
    "names_nothing": ["names no file UnreadableFile outside"],
    "does_wrong": ["harm the view never completes"],
    "prints": ["output by Python"],
    "prints_as_libraries": ["output by a library"],
    "leaves_half": ["left over targetN.exr"],
    "leaves_temporary": ["left over .target.exr.tessera-N-N.tmp"],
    "changes_input": ["changed the input"],
    "removes_input": ["changed the input"],
    "changes_companion": ["changed look.cube"],
    "crashes": ["SIGSEGV outside"],
    "aborts": ["SIGABRT outside"],
    "hangs": ["hang outside"],
    "takes_memory": ["memory"],
    "raises_in_thread": ["KeyError in a thread outside"],
    "dislikes_a_word": [],
    "leaks_files": [],
}


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)


def test_every_kind_of_harm_is_noticed_and_made_small(tmp_path: Path):
    done = run("tests.fuzz_faults", tmp_path / "work")
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    found: dict[str, list[str]] = told["found"]
    (warning,) = found.pop("warns")
    assert warning.startswith("output N RuntimeWarning")
    (left,) = found.pop("leaves_in_temporary_folder")
    assert left.startswith("left over tessera-")
    assert found == FOUND
    assert max(told["files"]) > 8, "files that stay open are counted"
    assert told["small"] == "BAD", "an input that does harm is made small"


def test_a_short_run_finds_no_harm(tmp_path: Path):
    done = run("tools.fuzz", "--count", "1000", "--seed", "1", "--quiet", "--shrink", "0", "--out", tmp_path)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "1,000 inputs" in done.stdout


def test_what_did_harm_once_does_none_now():
    done = run("tools.fuzz", "--replay", CASES)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_inputs_are_the_same_each_time(kind: Kind):
    seeds, again = list(kind.seeds()), list(kind.seeds())
    assert seeds == again
    for number in range(20):
        assert generate(kind, seeds, 7, number) == generate(kind, again, 7, number)
    assert any(generate(kind, seeds, 7, n).data != generate(kind, seeds, 8, n).data for n in range(20))


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_seeds_are_sound(kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stage = tmp_path / "stage"
    for folder in (stage, tmp_path / "in"):
        folder.mkdir()
    for name, data in companions().items():
        (stage / name).write_bytes(data)
    monkeypatch.chdir(stage)
    refused = []
    seeds = list(kind.seeds())
    for number, seed in enumerate(seeds):
        out = tmp_path / f"out{number}"
        out.mkdir()
        path = tmp_path / "in" / f"seed{number}{seed.suffix}"
        path.write_bytes(seed.data)
        try:
            kind.operations[0].run(Task(path, seed.data, out, stage, Chance(0)))
        except (TesseraError, Refused) as error:
            refused.append(f"{seed.name}: {error}")
    assert len(refused) <= (1.0 - SOUND) * len(seeds), "\n".join(refused)
