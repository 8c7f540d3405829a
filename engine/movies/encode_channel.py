"""The two streams of messages between an export and the process of its encoder, and the start of that process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

ROOT = Path(__file__).resolve().parents[2]


class Channel:
    """Sends and receives pickled messages. Both raise OSError or EOFError if the other process has ended."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO) -> None:
        self._reading, self._writing = reading, writing

    def send(self, message: tuple[Any, ...]) -> None:
        pickle.dump(message, self._writing, pickle.HIGHEST_PROTOCOL)
        self._writing.flush()

    def receive(self) -> tuple[Any, ...]:
        try:
            return tuple(pickle.load(self._reading))
        except (pickle.UnpicklingError, ValueError) as problem:  # cut off in the middle
            raise EOFError from problem

    def close(self) -> None:
        for stream in (self._writing, self._reading):
            with suppress(OSError):  # messages that nobody reads any more
                stream.close()


def own_channel() -> Channel:
    """Return the channel of this process to its parent; what libraries print is dropped."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    return Channel(reading, writing)


def start_encoder() -> tuple[subprocess.Popen[bytes], Channel]:
    """Start a process that imports this package from the same place as this one, not from the current folder.

    Ctrl-C does not reach it: the parent ends it. Raises OSError if the system refuses.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    how: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.movies.encode_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        **how,
    )
    assert process.stdin is not None and process.stdout is not None
    return process, Channel(process.stdout, process.stdin)  # type: ignore[arg-type]
