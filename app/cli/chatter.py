"""What libraries print to the process's outputs, kept apart from what Tessera says there.

OpenEXR and OpenJPH print what they find wrong with a file, up to dozens of lines on either output, before their error
reaches us. A command answers with one line, and with JSON that programs read. So from its start the process's outputs
(descriptors 1 and 2) lead into a pipe, and Python's to where they led before. TESSERA_DEBUG leaves all as it is.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import Any, BinaryIO

LONGEST = 1 << 16
"""Bytes that are kept; a pipe holds about as many, and what comes after is lost."""

_kept: BinaryIO | None = None


def keep() -> None:
    """From now on, for the rest of the process, keep what libraries print."""
    global _kept
    if os.environ.get("TESSERA_DEBUG") or _kept is not None:
        return
    _kept, sink = _pipe()
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is not None:  # a program without a console has none
            setattr(sys, name, _moved(stream, number))
            os.dup2(sink, number)
    os.close(sink)


def _pipe() -> tuple[BinaryIO, int]:
    """An end to read from and the descriptor of the one to write to, neither of which ever waits for the other."""
    if os.name == "nt":
        file = tempfile.TemporaryFile()  # noqa: SIM115 (for the rest of the process)
        return file, os.dup(file.fileno())
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    return os.fdopen(reading, "rb", buffering=0), writing


def _moved(stream: Any, number: int) -> io.TextIOWrapper:
    """A stream like one of Python's own, to where that one leads whatever becomes of its descriptor."""
    stream.flush()
    raw = os.fdopen(os.dup(number), "wb", 0 if stream.write_through else -1)
    return io.TextIOWrapper(
        raw, stream.encoding, stream.errors, line_buffering=stream.line_buffering, write_through=stream.write_through
    )


def lines() -> list[str]:
    """What libraries have printed since the last call."""
    if _kept is None:
        return []
    if os.name == "nt":
        _kept.seek(0)
    text = _kept.read(LONGEST) or b""
    return [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
