"""What counts as harm: the verdict on one run of an operation."""

from __future__ import annotations

import re
import traceback
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Cancelled, TesseraError
from tools.fuzz.kind import Harm, Refused

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = tuple(str(ROOT / name) for name in ("engine", "app"))
MOST_GROWTH = 1 << 30
"""Bytes that a process may grow by while it works on one input: these are small, and claim no large images."""
OUTSIDE = "outside"
"""The place of what happened in no function of Tessera."""
SHOWN = 2000
"""Characters of a finding's text that are kept."""


@dataclass(frozen=True)
class Finding:
    """Harm done. `what` is the same for all inputs that do the same harm at the same place; `text` is for people."""

    what: str
    text: str = ""

    @property
    def is_hang(self) -> bool:
        return self.what.startswith("hang")


@dataclass(frozen=True)
class Seen:
    """What was observed while an operation ran.

    `written` is what reached the outputs of the process, `left` and `changed` the names of files that should not be
    there or not have changed, `in_threads` what threads raised, `grown` the bytes that the process grew by.
    """

    error: BaseException | None
    written: bytes = b""
    left: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    in_threads: tuple[BaseException, ...] = ()
    grown: int = 0


def judge(seen: Seen, names: Collection[str]) -> list[Finding]:
    """The harm in what was seen of an operation; a refusal must name a file of `names`, if there are any."""
    found = list(_of_error(seen.error, names)) if seen.error is not None else []
    for error in seen.in_threads:
        found.append(Finding(f"{_class(error)} in a thread {place(error)}", _traced(error)))
    if seen.written:
        found.append(Finding(f"output {_gist(seen.written)}", seen.written.decode(errors="replace")[:SHOWN]))
    found += [Finding(f"left over {re.sub('[0-9a-f]{6,}|[0-9]+', 'N', each)}", each) for each in seen.left]
    found += [Finding(f"changed {each}", each) for each in seen.changed]
    if seen.grown > MOST_GROWTH:
        found.append(Finding("memory", f"grew by {seen.grown >> 20} MiB"))
    return found


def _of_error(error: BaseException, names: Collection[str]) -> Iterator[Finding]:
    """The harm in an exception; a refusal in one printable line that names a file is none."""
    if isinstance(error, Refused | Cancelled):
        return
    if isinstance(error, Harm):
        yield Finding(f"harm {re.sub('[0-9]+', 'N', str(error))}"[:100], str(error))
    elif not isinstance(error, TesseraError):
        yield Finding(f"{_class(error)} {place(error)}", _traced(error))
    elif flaw := _flaw(str(error), names):
        yield Finding(f"{flaw} {_class(error)} {place(error)}", repr(str(error))[:SHOWN])


def _flaw(line: str, names: Collection[str]) -> str:
    """What is wrong with the line of a refusal that should hold one of the names."""
    if not line.isprintable():
        return "several lines" if "\n" in line else "not printable"
    if not line.strip():
        return "no word"
    return "names no file" if names and not any(name in line for name in names) else ""


def place(error: BaseException) -> str:
    """Where an exception was raised: the innermost file and function of Tessera; of a recursion the outermost."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    frames = [(code.co_filename, code.co_name) for code in codes]
    return _last(frames[::-1] if isinstance(error, RecursionError) else frames, OUTSIDE)


def place_in_dump(dump: str) -> str:
    """Where a process stood, by what faulthandler wrote: the innermost function of Tessera in the thread that crashed,
    else in the main thread, else in any other."""
    blocks = re.split(r"^(?=Thread |Current thread )", dump, flags=re.MULTILINE)
    crashed = [block for block in blocks if block.startswith("Current")]
    for block in (*crashed, *reversed(blocks)):
        frames = re.findall(r'File "([^"]*)", line \d+ in (\S+)', block)
        if found := _last(reversed(frames), ""):
            return found
    return OUTSIDE


def place_in_text(trace: str) -> str:
    """Where an exception was raised, by its printed traceback."""
    return _last(re.findall(r'File "([^"]*)", line \d+, in (\S+)', trace), OUTSIDE)


def _last(frames: Iterable[tuple[str, str]], otherwise: str) -> str:
    ours = [(Path(file), function) for file, function in frames if file.startswith(PACKAGES)]
    return f"{ours[-1][0].relative_to(ROOT).as_posix()} {ours[-1][1]}" if ours else otherwise


def _class(error: BaseException) -> str:
    return type(error).__name__


def _traced(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-SHOWN:]


def _gist(written: bytes) -> str:
    """The first line of what was written, without what differs from input to input."""
    line = written.decode(errors="replace").strip().partition("\n")[0]
    line = re.sub(r"\S*/\S+|0x[0-9A-Fa-f]+|-?\d+(\.\d+)?", "N", line)
    return "".join(c if c.isprintable() else "?" for c in line)[:60]
