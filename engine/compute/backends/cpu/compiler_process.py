"""The compiler in a separate process: numba takes 80 MB and holds the interpreter lock while it compiles."""

from __future__ import annotations

import atexit
import base64
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

IDLE_SECONDS = 20.0
"""The process ends after this time without work."""
ROOT = Path(__file__).resolve().parents[4]


class CompilerProcess:
    """A compiler process, started by the first request and ended when idle. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._timer: threading.Timer | None = None
        atexit.register(self._kill)

    def compile_op(self, text: str, name: str) -> bytes:
        """Run `compiler.compile_op` in the process. Raises RuntimeError if it fails."""
        return self._ask("compile_op", text, name)

    def compile_function(self, module: str, name: str) -> bytes:
        """Run `compiler.compile_function` in the process. Raises RuntimeError if it fails."""
        return self._ask("compile_function", module, name)

    def close(self) -> None:
        """End the process; the next request starts another."""
        with self._lock:
            process, self._process = self._process, None
            if self._timer is not None:
                self._timer.cancel()
        if process is not None:
            process.communicate()  # the process ends when its input does

    def _kill(self) -> None:
        """Kill the process when this one exits, without waiting for unfinished compilations."""
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def _ask(self, what: str, *words: str) -> bytes:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            process = self._process = self._process or _started()
            answer = None
            try:
                answer = _answer(process, json.dumps([what, *words]))
            finally:
                if (
                    answer is None
                ):  # the process has ended, or we are interrupted: the next request must not get this one's answer
                    self._process = None
                    process.kill()
                    process.communicate()
            if answer is None:
                raise RuntimeError("the compiler process ended; is there enough memory?")
            self._timer = threading.Timer(IDLE_SECONDS, self.close)
            self._timer.daemon = True
            self._timer.start()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return base64.b64decode(answer["code"])


def _started() -> subprocess.Popen[str]:
    """Start a process that imports this package from the same place as this one, not from the current folder."""
    import subprocess  # cached functions need no process

    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.compute.backends.cpu.compiler"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _answer(process: subprocess.Popen[str], question: str) -> dict[str, str] | None:
    """Return the process's answer to a request, or None if the process has ended."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return dict(json.loads(line)) if line else None
    except (OSError, ValueError):  # ValueError for an incomplete answer
        return None
