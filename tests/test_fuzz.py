"""The fuzzer: it notices every kind of harm, makes the same inputs each time, and a short run of it finds none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.thorough import THOROUGH
from tools.fuzz.kind import Kind, generate
from tools.fuzz.kinds import KINDS

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
    "says_two_lines": ["several lines Careless outside"],
    "says_escapes": ["not printable Careless outside"],
    "names_nothing": ["names no file UnreadableFile outside"],
    "does_wrong": ["harm the view never completes"],
    "prints": ["output by Python"],
    "prints_as_libraries": [],
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


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `tests.fuzz_faults` prints."""
    done = run("tests.fuzz_faults", tmp_path_factory.mktemp("fuzz") / "work")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_every_kind_of_harm_is_noticed(report: dict[str, Any]):
    found: dict[str, list[str]] = dict(report["found"])
    (warning,) = found.pop("warns")
    assert warning.startswith("output N RuntimeWarning")
    (left,) = found.pop("leaves_in_temporary_folder")
    assert left.startswith("left over tessera-")
    assert found == FOUND
    assert max(report["files"]) > 8, "files that stay open are counted"


def test_an_input_that_does_harm_is_made_small(report: dict[str, Any]):
    assert report["small"] == "BAD"


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_are_sound(report: dict[str, Any], kind: str):
    accepted, refused, harmful = report["sound"][kind]
    assert not harmful
    assert accepted >= SOUND * (accepted + refused)


def test_a_short_run_finds_no_harm(tmp_path: Path):
    count = "600" if THOROUGH else "110"
    done = run("tools.fuzz", "--count", count, "--seed", "1", "--quiet", "--shrink", "0", "--out", tmp_path)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert f"{count} inputs" in done.stdout


def test_what_did_harm_once_does_none_now():
    files = sorted(path for path in CASES.iterdir() if path.suffix != ".json")
    done = run("tools.fuzz", "--replay", *([CASES] if THOROUGH else files[::6]))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_inputs_are_the_same_each_time(kind: Kind):
    seeds, again = list(kind.seeds()), list(kind.seeds())
    assert seeds == again
    for number in range(20):
        assert generate(kind, seeds, 7, number) == generate(kind, again, 7, number)
    assert any(generate(kind, seeds, 7, n).data != generate(kind, seeds, 8, n).data for n in range(20))
