"""A device that fails in the middle: the image comes out right, on smaller tiles or on the next backend."""

from __future__ import annotations

import gc
import logging
import random
from threading import Event
from typing import Any

import numpy as np
import pytest

from engine import MemoryOutput, MemorySource, create_executor, ops
from engine.compute.backends.base import GpuPrimitives, MemoryStats
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.errors import BackendError, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.op import Op
from tests.engine.images import plain
from tests.thorough import THOROUGH

CASES = {"cpu": 200, "wgpu": 80} if THOROUGH else {"cpu": 60, "wgpu": 30}
GRADE: list[Op] = [
    ops.Exposure(0.3),
    ops.Blur(3.0),
    ops.Cdl(slope=(1.1, 1.0, 0.9), power=(1.2, 1.0, 0.9), saturation=1.1),
    ops.Saturation(0.8),
]


class Faults:
    """What goes wrong: the n-th call of a hook raises, and, where `lasting`, each one after it."""

    def __init__(self, primitives: GpuPrimitives, hook: str, number: int, error: BackendError, lasting: bool) -> None:
        self.left, self.error, self.lasting, self.raised = number, error, lasting, 0
        self._inner = getattr(primitives, hook)
        setattr(primitives, hook, self._call)

    def _call(self, *arguments: Any) -> Any:
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.lasting):
            self.raised += 1
            raise type(self.error)(self.error.what)  # a fresh one: a traceback would keep images alive
        return self._inner(*arguments)


def _run(executor: TiledExecutor, image: Any, streamed: bool) -> Any:
    if not streamed:
        return executor.execute_color(image, GRADE)
    output = MemoryOutput(image.dtype)
    executor.execute_color_streaming(MemorySource(image), output, GRADE)
    return output.pixels


FAULTS = (
    ("_new_buffer", OutOfDeviceMemory("no memory"), False),
    ("_new_buffer", OutOfDeviceMemory("no memory"), True),
    ("_import", OutOfDeviceMemory("no memory"), False),
    ("_run_point", DeviceLost("the device is gone"), True),
    ("_run_filter", DeviceLost("the device is gone"), True),
    ("_export", DeviceLost("the device is gone"), True),
    ("_run_point", KernelError("a kernel does not compile"), True),
)


def test_random_faults(backend: str, caplog: pytest.LogCaptureFixture) -> None:
    """Each case: a fault at a random moment of a run that is whole, tiled or streamed."""
    caplog.set_level(logging.WARNING, "tessera")
    chance = random.Random(7)
    image = plain(100, 130)
    expected = {name: create_executor(name).execute_color(image, GRADE) for name in {backend, "cpu"}}
    device = create_executor(backend).primitives
    raised = 0
    cases = CASES.get(backend, CASES["cpu"])
    for _ in range(cases):
        caplog.clear()
        hook, error, lasting = chance.choice(FAULTS)
        executor = TiledExecutor(device, chance.choice([None, 64, 100]), None, [lambda: CpuPrimitives(2)])
        faults = Faults(device, hook, chance.randint(1, 5), error, lasting)
        result = _run(executor, image, chance.random() < 0.5)
        delattr(device, hook)
        moved = executor.primitives is not device
        raised += bool(faults.raised)
        assert bool(executor.notes) == bool(faults.raised) or hook in ("_new_buffer", "_import")
        assert (
            len([note for note in executor.notes if "continuing with" in note and "continuing with tiles" not in note])
            == moved
        )
        if not moved:
            assert np.array_equal(result, expected[backend])
        else:
            assert np.abs(result - expected["cpu"]).max() <= 1e-5
        assert device.memory_stats().live == device.memory_stats().count == 0
    assert raised > cases / 2


def test_out_of_memory_halves_the_tile_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    """With a limit that a quarter of the image fits, one halving is enough, and later tiles start there."""
    image = plain(400, 400)
    expected = create_executor("cpu").execute_color(image, GRADE[:1])
    primitives = CpuPrimitives(2, memory_limit=image.nbytes)
    primitives.limits = CpuPrimitives(2).limits  # as a device that promises more than it has
    executor = TiledExecutor(primitives)
    for _ in range(2):
        assert np.array_equal(executor.execute_color(image, GRADE[:1]), expected)
    (note,) = executor.notes
    assert "short of memory; continuing with tiles of 200 pixels" in note
    assert [record.message for record in caplog.records] == [note]
    assert primitives.memory_stats().peak <= image.nbytes


def test_help_that_is_not_needed_any_more_keeps_no_image() -> None:
    """Threads that are busy elsewhere come too late for the bands of an image, and later drop what they were to do."""
    primitives, free = CpuPrimitives(2), Event()
    for _ in range(2):
        primitives._pool._executor.submit(free.wait)
    try:
        TiledExecutor(primitives).execute_color(plain(400, 400), GRADE[:1])
        assert primitives.memory_stats().live == 0
    finally:
        free.set()


def test_without_another_backend_the_error_is_the_answer() -> None:
    primitives = CpuPrimitives(1)
    Faults(primitives, "_run_point", 1, DeviceLost("the device is gone"), True)
    with pytest.raises(DeviceLost, match="the device is gone") as caught:
        TiledExecutor(primitives).execute_color(plain(), GRADE)
    del caught
    gc.collect()
    assert primitives.memory_stats() == MemoryStats(0, primitives.memory_stats().peak, 0)


def test_a_backend_that_can_not_be_opened_is_passed_over() -> None:
    primitives = CpuPrimitives(1)
    Faults(primitives, "_run_point", 1, DeviceLost("the device is gone"), True)

    def broken() -> GpuPrimitives:
        raise KernelError("nothing works")

    executor = TiledExecutor(primitives, fallbacks=[broken, lambda: CpuPrimitives(1)])
    assert executor.execute_color(plain(), GRADE).shape == plain().shape
    assert len(executor.notes) == 1
