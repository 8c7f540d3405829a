"""A process with modules imported, which forks one in milliseconds for each piece of code that is to run alone.

`python -m tests.nursery MODULE ...` imports the modules and reads requests, one line of JSON each.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Request:
    """Code that finds `words` in sys.argv[1:] and runs in `folder`; files for its outputs, its environment, and its
    seconds of life."""

    code: str
    words: list[str]
    folder: str
    out: str
    err: str
    environment: dict[str, str]
    seconds: int


@dataclass(frozen=True)
class Ended:
    """The exit code, negative for a signal, and what was printed."""

    code: int
    out: str
    err: str


class Nursery:
    """Starts the process, and asks it for others."""

    def __init__(self, *modules: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.nursery", *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        atexit.register(self._process.communicate)

    def run(self, code: str, *words: object, seconds: int = 60, where: Path = ROOT) -> Ended:
        """Run code in this folder, in a process of its own that is killed after so many seconds."""
        assert self._process.stdin and self._process.stdout
        with tempfile.TemporaryDirectory(prefix="tessera-nursery-") as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            request = Request(code, list(map(str, words)), str(where), str(out), str(err), dict(os.environ), seconds)
            print(json.dumps(asdict(request)), file=self._process.stdin, flush=True)
            status = int(self._process.stdout.readline())
            texts = [path.read_bytes().decode("utf-8", "replace") for path in (out, err)]
        return Ended(os.waitstatus_to_exitcode(status), *texts)


class Alone:
    """What a nursery does on systems that can't fork: each process imports its modules itself."""

    def run(self, code: str, *words: object, seconds: int = 60, where: Path = ROOT) -> Ended:
        """Run code in this folder, in a process of its own that is killed after so many seconds."""
        command = [sys.executable, "-c", code, *map(str, words)]
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=seconds, check=False)
        return Ended(done.returncode, done.stdout, done.stderr)


@cache
def nursery(*modules: str) -> Nursery | Alone:
    """The nursery of this test process with these modules."""
    return Nursery(*modules) if hasattr(os, "fork") else Alone()


def _child(request: Request) -> int:
    """Run what is asked for; the exit code."""
    signal.alarm(request.seconds)
    for number, name in ((1, request.out), (2, request.err)):
        file = os.open(name, os.O_WRONLY | os.O_CREAT, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environment)
    sys.argv = ["-c", *request.words]
    try:
        exec(compile(request.code, "alone", "exec"), {"__name__": "__main__"})
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 (as the interpreter would)
        traceback.print_exc()
        return 1
    return 0


def main(modules: list[str]) -> None:
    """Import the modules, and fork for each request until there are no more."""
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            code = _child(Request(**json.loads(line)))
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code)
        print(os.waitpid(number, 0)[1], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
