"""Compiles the kernels that sliders of mattes may need next, on a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from engine.compute.plan import Stage
from engine.core.priorities import lower_priority
from engine.errors import BackendError


class KernelsAhead:
    """Compiles stages on a thread; those of the newest call replace the ones that wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Stage] = []
        self._primitives: Any = None
        self._thread: threading.Thread | None = None

    def compile(self, primitives: Any, stages: Sequence[Stage]) -> None:
        """Compile stages for a device soon."""
        with self._lock:
            self._primitives, self._waiting = primitives, list(stages)
            if stages and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tessera-kernels", daemon=True)
                self._thread.start()

    def stop(self, wait_seconds: float) -> None:
        """Compile no more, and wait for the stage that is being compiled: a process must not end meanwhile."""
        with self._lock:
            self._waiting, thread = [], self._thread
        if thread is not None:
            thread.join(wait_seconds)

    def _next(self) -> tuple[Any, Stage] | None:
        with self._lock:
            if self._waiting:
                return self._primitives, self._waiting.pop(0)
            self._thread = self._primitives = None
            return None

    def _run(self) -> None:
        lower_priority()
        while (found := self._next()) is not None:
            primitives, stage = found
            try:
                primitives.prepare(stage)
            except BackendError:  # the frame that needs it will say so
                self.compile(primitives, ())
