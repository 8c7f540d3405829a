"""Operations that do every kind of harm, run by the fuzzer: prints as JSON what it found of each, and how small it made
an input.

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
from pathlib import Path

from engine.errors import Cancelled, UnreadableFile
from tools.fuzz import judge
from tools.fuzz.findings import Findings
from tools.fuzz.judge import Finding
from tools.fuzz.kind import Harm, Input, Kind, Operation, Refused, Task
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place, run_batch

TIMEOUT = 3.0
KEPT: list[object] = []


def accepts(task: Task) -> None:
    task.target(".exr").write_bytes(b"whole")


def refuses(task: Task) -> None:
    raise UnreadableFile(task.path, "is damaged", "write it again")


def refuses_otherwise(task: Task) -> None:
    raise Refused


def stops(task: Task) -> None:
    raise Cancelled


def raises(task: Task) -> None:
    {}["no such key"]


def exits(task: Task) -> None:
    raise SystemExit(3)


def says_two_lines(task: Task) -> None:
    raise UnreadableFile(task.path, "is damaged", "write it\nagain")


def says_escapes(task: Task) -> None:
    raise UnreadableFile(task.path, "has a layer \x1b[31m", "write it again")


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
    judge.MOST_GROWTH = 1 << 26
    KINDS["fault"] = Kind("fault", list, (), OPERATIONS, on_stage=True)
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
    print(json.dumps({"found": found, "files": files, "small": small}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
