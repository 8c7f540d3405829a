"""Keep the output of libraries apart from the output of Tessera.

OpenEXR and OpenJPH print dozens of lines about a damaged file to either output before they raise an error. A command
prints one line, or JSON for programs. So `keep` redirects the outputs of the process (descriptors 1 and 2) to a pipe,
and Python's streams to where they led before. TESSERA_DEBUG disables this.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, BinaryIO

LONGEST = 1 << 16
"""Greatest number of bytes kept. A pipe holds about as many; further output is lost."""

_kept: BinaryIO | None = None


def keep() -> None:
    """Capture what libraries print, from now until the process ends."""
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
    """Return the reading end of a non-blocking pipe and the descriptor of its writing end."""
    if os.name == "nt":
        import tempfile

        file = tempfile.TemporaryFile()  # noqa: SIM115 (open until the process ends)
        return file, os.dup(file.fileno())
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    return os.fdopen(reading, "rb", buffering=0), writing


def _moved(stream: Any, number: int) -> io.TextIOWrapper:
    """Return a copy of a Python stream that keeps its target when the descriptor is redirected."""
    stream.flush()
    raw = os.fdopen(os.dup(number), "wb", 0 if stream.write_through else -1)
    return io.TextIOWrapper(
        raw, stream.encoding, stream.errors, line_buffering=stream.line_buffering, write_through=stream.write_through
    )


def lines() -> list[str]:
    """Return the lines that libraries have printed since the last call."""
    if _kept is None:
        return []
    if os.name == "nt":
        _kept.seek(0)
    text = _kept.read(LONGEST) or b""
    return [line for line in text.decode("utf-8", "replace").splitlines() if line.strip()]
