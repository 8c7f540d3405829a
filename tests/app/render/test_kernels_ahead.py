"""Kernels that are compiled before they are needed."""

from __future__ import annotations

import threading
from typing import Any

from app.render.kernels_ahead import KernelsAhead
from engine.errors import KernelError

SECONDS = 60_000


class Compiler:
    """A device that compiles when it is let, and fails at "bad"."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.begun, self.go = threading.Event(), threading.Event()

    def prepare(self, stage: str) -> None:
        self.begun.set()
        assert self.go.wait(SECONDS / 1000)
        if stage == "bad":
            raise KernelError("it does not compile")
        self.done.append(stage)


def test_the_newest_stages_are_compiled_and_a_failure_is_left_to_the_frame(qtbot: Any):
    ahead, device = KernelsAhead(), Compiler()
    stages: Any = ["a", "b", "c"]
    ahead.compile(device, stages)
    assert device.begun.wait(SECONDS / 1000)
    stages = ["d", "bad", "e"]
    ahead.compile(device, stages)
    device.go.set()
    qtbot.waitUntil(lambda: ahead._thread is None, timeout=SECONDS)
    assert device.done == ["a", "d"]
    device.go.clear()
    device.begun.clear()
    ahead.compile(device, stages)
    assert device.begun.wait(SECONDS / 1000)
    threading.Timer(0.05, device.go.set).start()
    ahead.stop(SECONDS / 1000)  # waits for the stage that is being compiled, and compiles no other
    assert device.done == ["a", "d", "d"]
