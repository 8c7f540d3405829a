"""Operations that do every kind of harm, run by the fuzzer: prints as JSON what it found of each, how small it made an
input, and how many seeds of each kind are sound.

    python -m tests.fuzz_faults FOLDER

In a process of its own, which has no threads and so can be forked.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import threading
import time
import warnings
from multiprocessing.connection import wait
from pathlib import Path

from engine.errors import Cancelled, TesseraError, UnreadableFile
from tools.fuzz import judge
from tools.fuzz.catalogue import make_catalogue
from tools.fuzz.findings import Findings
from tools.fuzz.judge import Finding
from tools.fuzz.kind import Harm, Input, Kind, Operation, Refused, Task
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import POLL_SECONDS, Outcome, Place, Running, counters, run_batch
from tools.fuzz.worker import ACCEPTED, REFUSED, place_of

TIMEOUT = 3.0
KEPT: list[object] = []


class Careless(TesseraError):
    """An error that says what it is given, whatever that is."""

    def __init__(self, line: str) -> None:
        super().__init__("careless")
        self.line = line

    def __str__(self) -> str:
        return self.line


def accepts(task: Task) -> None:
    task.target(".exr").write_bytes(b"whole")


def refuses(task: Task) -> None:
    raise UnreadableFile(task.path, "is damaged", "write it again")


def refuses_otherwise(task: Task) -> None:
    raise Refused


def stops(task: Task) -> None:
    raise Cancelled


def raises(task: Task) -> None:
    dict[str, str]()["no such key"]


def exits(task: Task) -> None:
    raise SystemExit(3)


def says_two_lines(task: Task) -> None:
    raise Careless(f"{task.path}: is damaged;\nwrite it again")


def says_escapes(task: Task) -> None:
    raise Careless(f"{task.path}: has a layer \x1b[31m")


def names_nothing(task: Task) -> None:
    raise UnreadableFile("another.exr", "is damaged", "write it again")


def does_wrong(task: Task) -> None:
    raise Harm("the view never completes")


def prints(task: Task) -> None:
    print("by Python")


def prints_as_libraries(task: Task) -> None:
    ctypes.CDLL(None).puts(b"by a library")


def warns(task: Task) -> None:
    warnings.warn("of numbers", RuntimeWarning, stacklevel=1)


def leaves_half(task: Task) -> None:
    task.target(".exr").write_bytes(b"half")
    raise UnreadableFile(task.path, "is damaged", "write it again")


def leaves_temporary(task: Task) -> None:
    (task.out / ".target.exr.tessera-0123ab-77.tmp").write_bytes(b"")


def leaves_in_temporary_folder(task: Task) -> None:
    tempfile.mkdtemp(prefix="tessera-")


def changes_input(task: Task) -> None:
    task.path.write_bytes(b"changed")


def removes_input(task: Task) -> None:
    task.path.unlink()


def changes_companion(task: Task) -> None:
    Path("look.cube").write_bytes(b"changed")


def crashes(task: Task) -> None:
    ctypes.string_at(0)


def aborts(task: Task) -> None:
    os.abort()


def hangs(task: Task) -> None:
    time.sleep(1000.0)


def takes_memory(task: Task) -> None:
    bytearray(judge.MOST_GROWTH * 2)


def raises_in_thread(task: Task) -> None:
    thread = threading.Thread(target=raises, args=(task,))
    thread.start()
    thread.join()


def leaks_files(task: Task) -> None:
    KEPT.append(os.open(os.devnull, os.O_RDONLY))


def dislikes_a_word(task: Task) -> None:
    if b"BAD" in task.data:
        raise KeyError("BAD")


OPERATIONS = tuple(
    Operation(each.__name__, each)
    for each in (
        *(accepts, refuses, refuses_otherwise, stops, raises, exits, says_two_lines, says_escapes, names_nothing),
        *(does_wrong, prints, prints_as_libraries, warns, leaves_half, leaves_temporary, leaves_in_temporary_folder),
        *(changes_input, removes_input, changes_companion, crashes, aborts, hangs, takes_memory, raises_in_thread),
        *(dislikes_a_word, leaks_files),
    )
)


def main(folder: Path) -> None:
    KINDS["fault"] = Kind("fault", list, (), OPERATIONS, on_stage=True)
    sound = sound_seeds(folder)
    judge.MOST_GROWTH = 1 << 26
    place = Place(folder, {"look.cube": b"sound"}, TIMEOUT)
    entries = [Input("fault", each.name, ".exr", b"data") for each in OPERATIONS]
    found: dict[str, list[str]] = {entry.operation: [] for entry in entries}
    outcome = run_batch([*entries, *entries[-1:] * 60], place)
    for number, finding in outcome.findings:
        found[entries[number].operation].append(finding.what)
    files = [after.files - before.files for before, after, _ in outcome.held]
    findings = Findings(folder / "findings", place, {}, shrink=60.0)
    long = Input("fault", "dislikes_a_word", ".exr", b"0123456789" * 30 + b"BAD" + b"abcdef" * 50)
    record = findings.add([], long, Finding(f"KeyError {judge.OUTSIDE}"))
    small = record.entry.data.decode() if record else ""
    print(json.dumps({"found": found, "files": files, "small": small, "sound": sound}))


def sound_seeds(folder: Path) -> dict[str, list[int]]:
    """For each kind, how many of its seeds its first operation accepts, how many it refuses, and how many do harm."""
    catalogue = make_catalogue()
    place, found = Place(folder, catalogue.companions, TIMEOUT), dict[str, list[int]]()
    for kind, seeds in catalogue.seeds.items():
        if not seeds:
            continue
        first = KINDS[kind].operations[0].name
        entries = [Input(kind, first, seed.suffix, seed.data) for seed in seeds]
        outcome, shared = run_counted(entries, place)
        counts = shared[place_of(entries[0]) :]
        found[kind] = [int(counts[ACCEPTED]), int(counts[REFUSED]), len(outcome.findings)]
    return found


def run_counted(entries: list[Input], place: Place) -> tuple[Outcome, list[float]]:
    """Run inputs; what became of them, and their counts."""
    shared = counters()
    running = Running(entries, place, place.folder / "seeds", shared)
    while running.step():
        wait(running.waited, POLL_SECONDS)
    return running.outcome, list(shared)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
