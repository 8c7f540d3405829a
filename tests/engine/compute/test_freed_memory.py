"""Memory of freed images is taken by the next ones, never while anything still refers to it."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np

from engine import ops
from engine.compute.backends.cpu import CpuPrimitives, freed_memory
from engine.compute.backends.cpu.freed_memory import LEAST, FreedMemory
from engine.compute.executor import TiledExecutor
from engine.viewing import FrameMaker, WholeLevels
from tests.engine.images import plain

SHAPE, FLOAT = (LEAST // 16, 1, 4), np.dtype(np.float32)


def address(memory: FreedMemory, shape: tuple[int, ...] = SHAPE, budget: int = 1 << 30) -> int:
    """The address of an array that is gone at once."""
    return memory.array(shape, FLOAT, budget).ctypes.data


def test_an_array_takes_the_memory_of_one_that_is_gone() -> None:
    memory = FreedMemory()
    with memory.kept():
        first = address(memory)
        assert memory.nbytes == LEAST
        again = memory.array((1, 4, LEAST // 16), FLOAT, 0)
        assert (again.ctypes.data, memory.nbytes) == (first, 0)
        assert again.shape == (1, 4, LEAST // 16)
        assert again.dtype == FLOAT
        assert again.flags.writeable


def test_memory_that_a_part_of_an_array_refers_to_is_not_taken() -> None:
    memory = FreedMemory()
    with memory.kept():
        part = memory.array(SHAPE, FLOAT, 0)[5:, :, 1]
        part[...] = 7.0
        other = memory.array(SHAPE, FLOAT, 0)
        other[...] = 1.0
        assert (part == 7.0).all()
        del part
        assert memory.nbytes == LEAST


def test_small_arrays_are_not_kept() -> None:
    memory = FreedMemory()
    with memory.kept():
        address(memory, (10, 10, 4))
        assert memory.nbytes == 0


def test_nothing_is_kept_before_and_after() -> None:
    memory = FreedMemory()
    address(memory)
    with memory.kept():
        assert memory.nbytes == 0
        with memory.kept():
            address(memory)
        assert memory.nbytes == LEAST
        late = memory.array(SHAPE, FLOAT, 0)
    assert memory.nbytes == 0
    del late
    assert memory.nbytes == 0


def test_no_more_is_kept_than_the_budget_and_the_most() -> None:
    memory = FreedMemory()
    larger = (2 * SHAPE[0], 1, 4)
    with memory.kept(), patch.object(freed_memory, "MOST", 2 * LEAST):
        several = [memory.array(SHAPE, FLOAT, 0) for _ in range(3)]
        del several
        assert memory.nbytes == 2 * LEAST
        kept = memory.array(larger, FLOAT, LEAST)
        assert memory.nbytes == LEAST
        del kept


def test_images_take_no_more_memory_than_before() -> None:
    cpu = CpuPrimitives(threads=1)
    with cpu.reusing_memory():
        image = cpu.allocate(512, 512)
        place = cpu.download(image).ctypes.data
        image.free()
        again = cpu.allocate(512, 512)
        assert cpu.download(again).ctypes.data == place
        again.free()
        half = cpu.allocate(256, 256, 4, np.float32)  # fits beside what is kept only if that counts as used
        assert cpu._freed.nbytes + half.nbytes <= cpu.memory_stats().peak


def test_memory_is_released_with_all_that_is_kept_for_reuse() -> None:
    cpu = CpuPrimitives(threads=1)
    with cpu.reusing_memory():
        cpu.allocate(512, 512).free()
        assert cpu._freed.nbytes == 512 * 512 * 16
        cpu.release_cached()
        assert cpu._freed.nbytes == 0


def test_a_view_keeps_memory_while_it_shows_side_images() -> None:
    cpu = CpuPrimitives(threads=1)
    image = np.tile(plain(), (6, 6, 1))
    maker, region = FrameMaker(TiledExecutor(cpu), WholeLevels(image)), (0.0, 0.0, image.shape[1], image.shape[0])
    view = region, image.shape[1], image.shape[0]
    with patch.object(freed_memory, "LEAST", 1):
        for radius in (10.0, 20.0):
            maker.exact(*view, [ops.Clarity(0.5, radius)], (), lambda: False)
        assert cpu._freed.nbytes > 0
        maker.exact(*view, [ops.Exposure(1.0)], (), lambda: False)
        assert cpu._freed.nbytes == 0
        maker.exact(*view, [ops.Clarity(0.5, 10.0)], (), lambda: False)
        maker.show(None)
        assert cpu._freed.nbytes == 0
        assert cpu.memory_stats().count == 0
