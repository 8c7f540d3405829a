"""Memory of freed images is taken by the next ones, never while anything still refers to it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from engine import ops
from engine.compute.backends.cpu import CpuPrimitives, freed_memory
from engine.compute.backends.cpu.freed_memory import LEAST, FreedMemory
from engine.compute.executor import TiledExecutor
from engine.errors import OutOfDeviceMemory
from engine.viewing import FrameMaker, WholeLevels
from tests.engine.images import plain

SHAPE, LARGER, FLOAT = (LEAST // 16, 1, 4), (LEAST // 8, 1, 4), np.dtype(np.float32)


def make_and_drop(memory: FreedMemory, shape: tuple[int, ...] = SHAPE) -> None:
    memory.array(shape, FLOAT, 1 << 30)


def test_an_array_takes_the_memory_of_one_that_is_gone() -> None:
    memory = FreedMemory()
    with memory.kept():
        make_and_drop(memory)
        assert memory.nbytes == LEAST
        (first,) = memory._kept
        again = memory.array((1, 4, LEAST // 16), FLOAT, 0)
        assert (again.ctypes.data, memory.nbytes) == (first.ctypes.data, 0)
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
        make_and_drop(memory, (10, 10, 4))
        assert memory.nbytes == 0


def test_memory_of_another_size_is_not_taken() -> None:
    memory = FreedMemory()
    with memory.kept():
        for shape in (LARGER, SHAPE, LARGER):
            kept = memory.array(shape, FLOAT, 1 << 30)
            kept[...] = 1.0
            del kept
        assert memory.nbytes == 3 * LEAST


def test_nothing_is_kept_before_and_after() -> None:
    memory = FreedMemory()
    early = memory.array(SHAPE, FLOAT, 0)
    with memory.kept():
        del early
        assert memory.nbytes == 0
        with memory.kept():
            make_and_drop(memory)
        assert memory.nbytes == LEAST
        late = memory.array(LARGER, FLOAT, LEAST)
        assert memory.nbytes == LEAST
    assert memory.nbytes == 0
    del late
    assert memory.nbytes == 0


def test_nothing_is_kept_after_an_exception() -> None:
    memory = FreedMemory()
    with suppress(ZeroDivisionError), memory.kept():
        make_and_drop(memory)
        _ = 1 / 0
    assert memory.nbytes == 0
    make_and_drop(memory)
    assert memory.nbytes == 0


def test_nothing_is_kept_of_an_array_that_is_gone_while_the_last_context_is_left() -> None:
    memory, context = FreedMemory(), ExitStack()

    class Late(deque[Any]):
        def append(self, item: Any) -> None:
            context.close()
            super().append(item)

    context.enter_context(memory.kept())
    memory._kept = Late()
    make_and_drop(memory)
    assert memory.nbytes == 0


def test_two_threads_do_not_take_the_same_memory() -> None:
    memory, taken = FreedMemory(), list[Any]()
    other = threading.Thread(target=lambda: taken.append(memory.array(SHAPE, FLOAT, 0)))

    class Slow(deque[Any]):
        """While it is looked through for the first time, another thread may take what is there."""

        def __iter__(self) -> Iterator[Any]:
            found = list(super().__iter__())
            if other.ident is None:
                other.start()
                other.join(0.3)
            return iter(found)

    with memory.kept():
        make_and_drop(memory)
        memory._kept = Slow(memory._kept)
        taken.append(memory.array(SHAPE, FLOAT, 0))
        other.join()
        first, second = taken
        assert not np.shares_memory(first, second)
        del first, second
        taken.clear()


def test_an_array_may_be_gone_while_another_is_made() -> None:
    """The garbage collector may drop it at any place, also with the lock."""
    memory = FreedMemory()

    def drop() -> None:
        kept = memory.array(SHAPE, FLOAT, 0)
        with memory._lock:
            del kept

    with memory.kept():
        thread = threading.Thread(target=drop, daemon=True)
        thread.start()
        thread.join(30.0)
        assert not thread.is_alive()
        assert memory.nbytes == LEAST


def test_an_array_that_is_too_large_is_an_error() -> None:
    cpu, huge = CpuPrimitives(threads=1), 1 << 26
    with cpu.reusing_memory():
        cpu.allocate(512, 512).free()
        with pytest.raises(OutOfDeviceMemory, match="not enough memory for an image of 67108864 x 67108864"):
            cpu.allocate(huge, huge)
        assert cpu.memory_stats().live == 0


def test_no_more_is_kept_than_the_budget_and_the_most() -> None:
    memory = FreedMemory()
    with memory.kept(), patch.object(freed_memory, "MOST", 2 * LEAST):
        several = [memory.array(SHAPE, FLOAT, 0) for _ in range(3)]
        del several
        assert memory.nbytes == 2 * LEAST
        kept = memory.array(LARGER, FLOAT, LEAST)
        assert memory.nbytes == LEAST
        del kept


def test_the_oldest_memory_is_freed_first() -> None:
    memory = FreedMemory()
    with memory.kept():
        make_and_drop(memory)
        make_and_drop(memory, LARGER)
        kept = memory.array((4 * SHAPE[0], 1, 4), FLOAT, 2 * LEAST)
        assert [each.nbytes for each in memory._kept] == [2 * LEAST]
        del kept


def test_images_take_no_more_memory_than_before() -> None:
    cpu = CpuPrimitives(threads=1)
    with cpu.reusing_memory():
        cpu.allocate(512, 512).free()
        (first,) = cpu._freed._kept
        again = cpu.allocate(512, 512)
        assert cpu.download(again).ctypes.data == first.ctypes.data
        again.free()
        half = cpu.allocate(256, 256, 4, np.float32)  # fits beside what is kept only if that counts as used
        assert cpu._freed.nbytes + half.nbytes <= cpu.memory_stats().peak


def test_images_of_another_size_leave_what_fits_beside_them() -> None:
    cpu = CpuPrimitives(threads=1)
    with cpu.reusing_memory():
        first, second = cpu.allocate(512, 512), cpu.allocate(512, 512)
        first.free()
        second.free()
        other = cpu.allocate(256, 256)
        assert cpu._freed.nbytes == 512 * 512 * 16
        other.free()


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
        assert cpu.memory_stats().count == 0
        cpu.allocate(64, 64).free()
        assert cpu._freed.nbytes == 0
