"""Whether a file can be read at all, and a library's words kept off the error output."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import UnreadableFile
from engine.problems import AGAIN, cannot_read
from engine.small_files import checked_file

_SILENCE = threading.Lock()


def check_readable(path: Path) -> None:
    """UnreadableFile unless `path` is a file with something in it that this user may read."""
    checked_file(path, "give a picture file")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise UnreadableFile(path, "is empty", AGAIN)
    except OSError as problem:
        raise cannot_read(path, problem) from problem


def is_chatty(path: Path) -> bool:
    """Whether the library for this file prints what it finds wrong to the process's error output. PNG's does."""
    try:
        with path.open("rb") as file:
            return file.read(8).startswith(b"\x89PNG")
    except OSError:
        return False


@contextmanager
def quiet(chatty: bool = True) -> Iterator[None]:
    """Keep a chatty library's words off the process's error output; its complaint reaches us another way."""
    if not chatty:
        yield
        return
    with _SILENCE:
        try:
            kept = os.dup(2)
        except OSError:  # a program without a console has no such output
            yield
            return
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 2)
            os.close(nowhere)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
