"""Commands of the command line whose output is looked at."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from tools.fuzz.kind import Harm


class Printed:
    """What was printed on standard output and on standard error."""

    def __init__(self) -> None:
        self._out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        self._err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace")

    @property
    def out(self) -> str:
        self._out.flush()
        return self._out.buffer.getvalue().decode()

    @property
    def err(self) -> str:
        self._err.flush()
        return self._err.buffer.getvalue().decode()

    def check_lines(self) -> None:
        """Harm unless each line of either is printable: what a file says must not reach a terminal as a command."""
        for line in (*self.out.split("\n"), *self.err.split("\n")):
            if not line.replace("\t", " ").isprintable():
                raise Harm(f"prints control characters: {ascii(line)[:60]}")


@contextmanager
def printed() -> Iterator[Printed]:
    """Catch what Python prints; what libraries print is not caught."""
    found, before = Printed(), (sys.stdout, sys.stderr)
    sys.stdout, sys.stderr = found._out, found._err
    try:
        yield found
    finally:
        sys.stdout, sys.stderr = before


def run_command(command: ModuleType, *words: str) -> str:
    """Run a command as `tessera` does, but for its handling of errors; what it printed on standard output.

    Harm where that is not what was asked for: JSON with --json, else printable lines.
    """
    with printed() as found:
        command.run(command.parser().parse_args(words))
    if "--json" not in words:
        found.check_lines()
    else:
        try:
            json.loads(found.out)
        except ValueError as error:
            raise Harm(f"--json prints no JSON: {error}") from error
    return found.out
