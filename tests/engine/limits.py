"""Code that may do harm, run in a process of its own with little memory and time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.nursery import nursery

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT.parent / "shared" / "found"
needs_limits = pytest.mark.skipif(os.name == "nt", reason="the system has no limits for a process")
needs_found = pytest.mark.skipif(not FOUND.is_dir(), reason="no files that did harm beside the repository")
MB = 1 << 20

_RUN = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from engine.errors import TesseraError
try:
    exec(compile({code!r}, "harm", "exec"))
except TesseraError as error:
    print("said:", error)
except BaseException:
    import traceback
    traceback.print_exc()
from engine.core.system import peak_memory
print("peak:", peak_memory())
"""
_MODULES = ("engine.export.frame_patterns", "engine.export.provenance", "engine.io", "engine.ocio", "engine.luts")


@dataclass(frozen=True)
class Ended:
    """How it went: the error that was raised on purpose ('' if none), what was printed, and the peak of memory."""

    said: str
    out: str
    err: str
    peak: int


def bounded(code: str, *words: object, memory: int = 4 << 30, seconds: int = 20) -> Ended:
    """Run `code`, which finds `words` in sys.argv[1:]. Fails if it is ended by a signal, or hangs."""
    script = _RUN.format(code=code, memory=memory, seconds=seconds)
    done = nursery(*_MODULES).run(script, *words, seconds=3 * seconds)
    assert done.code == 0, f"exit status {done.code}: {done.out}{done.err}"
    *lines, last = done.out.splitlines()
    said = [line.removeprefix("said: ") for line in lines if line.startswith("said: ")]
    return Ended("\n".join(said), done.out, done.err, int(last.split()[1]))
