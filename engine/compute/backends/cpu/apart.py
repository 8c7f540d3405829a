"""The compiler as a process of its own: numba takes 80 MB and holds the interpreter lock while it works."""

from __future__ import annotations

import atexit
import base64
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

IDLE_SECONDS = 20.0
"""So long after its last work the process ends."""
ROOT = Path(__file__).resolve().parents[4]


class CompilerProcess:
    """Started by the first question, ended when there is none for a while. Safe to call from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._timer: threading.Timer | None = None
        atexit.register(self._kill)

    def compile_op(self, text: str, name: str) -> bytes:
        """As `compiler.compile_op`; RuntimeError where it fails."""
        return self._ask("compile_op", text, name)

    def compile_function(self, module: str, name: str) -> bytes:
        """As `compiler.compile_function`; RuntimeError where it fails."""
        return self._ask("compile_function", module, name)

    def close(self) -> None:
        """End the process; the next question starts another."""
        with self._lock:
            process, self._process = self._process, None
            if self._timer is not None:
                self._timer.cancel()
        if process is not None:
            process.communicate()  # it ends with its input

    def _kill(self) -> None:
        """This process ends: what is still compiled is not waited for."""
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
                ):  # it is gone, or we are interrupted: the next question must not get this one's answer
                    self._process = None
                    process.kill()
                    process.communicate()
            if answer is None:
                raise RuntimeError("the process of the compiler ended; is there memory left?")
            self._timer = threading.Timer(IDLE_SECONDS, self.close)
            self._timer.daemon = True
            self._timer.start()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return base64.b64decode(answer["code"])


def _started() -> subprocess.Popen[str]:
    """A process that finds this package where this one did, whatever lies in the current folder."""
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
    """What the process says to a question; None where it is gone."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(f"{question}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        return dict(json.loads(line)) if line else None
    except (OSError, ValueError):  # the latter for half an answer
        return None
