"""The process that decodes a movie, as its parent sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from engine.core.file_errors import AGAIN
from engine.errors import TesseraError, UnreadableFile, UnsupportedFile

ROOT = Path(__file__).resolve().parents[2]
SILENT_SECONDS = 30.0
"""A process that says nothing for so long is killed: it tells every second that it is alive."""
END_SECONDS = 5.0
LONGEST_LINE = 1 << 16
"""The most characters of an answer."""


class DecodeProcess:
    """Decodes one movie. Not thread-safe; `ask` raises UnreadableFile if the process dies or hangs, and ends it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: SimpleQueue[str] = SimpleQueue()
        try:
            self._process = _started()
        except OSError as problem:
            what = f"can't be decoded: no process can be started ({problem.strerror})"
            raise UnreadableFile(path, what, "close other programs") from problem
        self._listener = threading.Thread(target=self._listen, name="tessera-movie", daemon=True)
        self._listener.start()
        try:
            self.opened = self._said(str(path.absolute()))
        except TesseraError:
            self.end()
            raise

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def ask(self, what: str = "", **request: Any) -> dict[str, Any]:
        """Return the answer to a request. `what` is what is decoded, in words, unless it is the movie."""
        return self._said(request, what)

    def kill(self) -> None:
        """Kill the process; a request in another thread then fails."""
        self._process.kill()

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait(END_SECONDS)
        self._listener.join(END_SECONDS)
        with suppress(OSError):  # unsent requests to a process that is gone
            self._process.stdin.close()  # type: ignore[union-attr]

    def _said(self, request: Any, what: str = "") -> dict[str, Any]:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # the answer says that the process has ended
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        while True:
            answer = self._next(what)
            if "error" in answer:
                kind = UnsupportedFile if answer.get("kind") == "unsupported" else UnreadableFile
                raise kind(self._path, str(answer["error"]), str(answer.get("do", "")))
            if "alive" not in answer:
                return answer

    def _next(self, what: str) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=SILENT_SECONDS)
        except Empty:
            raise self._lost(f"{what} can't be decoded (the decoder hangs)".strip()) from None
        try:
            answer = json.loads(line)
            if not isinstance(answer, dict):
                raise ValueError
        except ValueError:
            raise self._lost(f"{what} can't be decoded (the decoder stopped unexpectedly)".strip()) from None
        return answer

    def _lost(self, problem: str) -> TesseraError:
        self.end()
        return UnreadableFile(self._path, problem, AGAIN)

    def _listen(self) -> None:
        """Pass answers on; an empty line says that there will be no more."""
        stdout = self._process.stdout
        assert stdout is not None
        with suppress(OSError, ValueError), stdout:
            while line := stdout.readline(LONGEST_LINE):
                self._answers.put(line)
        self._answers.put("")


def _started() -> subprocess.Popen[str]:
    """Start a process that imports this package from the same place as this one, not from the current folder.

    Ctrl-C does not reach it: the parent ends it.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    how: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.movies.decode_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        **how,
    )
