"""What the kernels of Tessera's own ops take, kept from run to run: tracing an op takes as long as a frame."""

from __future__ import annotations

import hashlib
import marshal
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.compute.backends.cpu.cache import CodeFiles
from engine.kernel.arguments import Arguments
from engine.kernel.host_maths import HOST, HostMaths
from engine.kernel.op import ColorOp
from engine.kernel.primitives import PRIMITIVES

NAME = "traces"
MOST = 200
"""So many are kept, the newest."""
SOURCES = Path(__file__).parents[3]
"""The folder of the engine's sources."""
SECONDS = 2.0
"""How long after the first new one they are written."""
PLAIN = (str, int, float, bool)
_STEPS = {name: HOST.get(name) or compute for name, compute in PRIMITIVES.items()}
_NAMES = {compute: name for name, compute in _STEPS.items()}


class Trace(NamedTuple):
    """The name of a kernel, which identifies its text, and what it takes."""

    name: str
    arguments: Arguments


class Traces:
    """Traces by the class and the structure of their op, in one file. Thread-safe.

    Those of other sources of the engine, or another NumPy, are not used.
    """

    def __init__(self, files: CodeFiles) -> None:
        self._files = files
        self._sources = _sources()  # now: what is changed later is not what this process has imported
        self._known: dict[Any, Any] | None = None
        self._lock = threading.Lock()
        self._writes: threading.Timer | None = None

    def get(self, op: ColorOp) -> Trace | None:
        """Return the trace of an op; None if it must be traced."""
        if not _is_kept(op):
            return None
        with self._lock:
            found = self._read().get(_key(op))
        return None if found is None else _unpacked(found)

    def put(self, op: ColorOp, trace: Trace) -> None:
        """Keep the trace of an op; the file is written soon."""
        if not _is_kept(op):
            return
        with self._lock:
            self._read()[_key(op)] = _packed(trace)
            if self._writes is None:
                self._writes = threading.Timer(SECONDS, self._write)
                self._writes.daemon = True
                self._writes.start()

    def _read(self) -> dict[Any, Any]:
        """Return what is known; the file is read the first time."""
        if self._known is None:
            self._known = self._stored()
        return self._known

    def _stored(self) -> dict[Any, Any]:
        content = self._files.get(NAME)
        sources, known = marshal.loads(content) if content is not None else ("", {})
        return dict(known) if sources == self._sources else {}

    def _write(self) -> None:
        with self._lock:
            self._writes = None
            known = self._stored() | self._read()  # another process may have written some
            for key in [*known][: max(0, len(known) - MOST)]:
                del known[key]
            self._known = known
            self._files.put(NAME, marshal.dumps((self._sources, known)))


def _is_kept(op: ColorOp) -> bool:
    """Return whether the structure of an op says which code of the engine it runs, and no other."""
    ours = type(op).__module__.partition(".")[0] == __name__.partition(".")[0] and op.own_source is None
    return ours and all(isinstance(part, PLAIN) for part in op.structure)


def _key(op: ColorOp) -> tuple[Any, ...]:
    return type(op).__module__, *op.structure


def _packed(trace: Trace) -> tuple[Any, ...]:
    """Return a trace as plain values."""
    takes, maths = trace.arguments, trace.arguments.uniforms
    steps = tuple((_NAMES[compute], args) for compute, args in maths.steps)
    uniforms = maths.constants, maths.sliders, maths.sizes, steps, maths.results
    return trace.name, uniforms, takes.residual.tobytes(), takes.tables, takes.placed, takes.planes, takes.paths


def _unpacked(values: tuple[Any, ...]) -> Trace:
    name, (constants, sliders, sizes, steps, results), residual, *rest = values
    maths = HostMaths(constants, sliders, sizes, tuple((_STEPS[step], args) for step, args in steps), results)
    return Trace(name, Arguments(maths, np.frombuffer(residual, bool), *rest))


def _sources() -> str:
    """Return a hash of the state of all source files of the engine, and the release of NumPy."""
    digest = hashlib.sha256(np.__version__.encode())
    for path, about in _python_files(SOURCES):
        digest.update(f"{path} {about.st_mtime_ns} {about.st_ctime_ns} {about.st_size}\n".encode())
    return digest.hexdigest()


def _python_files(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.endswith(".py"):
                    yield entry.path, entry.stat()
                elif entry.is_dir() and entry.name != "__pycache__":
                    waiting.append(entry.path)
