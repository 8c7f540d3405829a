"""Reductions of the CPU backend on several threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.compute.backends.cpu import CpuPrimitives, scopes
from engine.compute.backends.cpu.buffers import buffer_of
from engine.compute.backends.cpu.layout import Rows, int64s
from engine.compute.statistics import Axis
from tests.engine.images import plain

HEIGHT, THREADS = 60, 3
BANDS = [(0, 20), (20, 40), (40, 60)]
AXIS = Axis(64)


@pytest.mark.parametrize(
    ("reduce", "options"),
    [
        (CpuPrimitives.statistics, ()),
        (lambda cpu, image: cpu.waveform(image, 5, AXIS), (AXIS.bins, 5, AXIS.log2)),
        (lambda cpu, image: cpu.vectorscope(image, 7, 1.0), (7, 0, 0)),
    ],
    ids=["statistics", "waveform", "vectorscope"],
)
def test_arguments_stay_as_they_are_while_other_threads_prepare_theirs(
    reduce: Callable[..., Any], options: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled functions run without the interpreter lock: memory that nothing refers to may be another's by then."""
    read, others = list[list[int]](), list[Any]()

    def made(_module: str, _name: str, _arguments: int) -> Callable[..., None]:
        def compiled(geometry: int, *_addresses: int) -> None:
            others.extend(np.full(size, -1, np.int64) for size in range(4, 24) for _ in range(20))
            read.append(ctypes.cast(geometry, ctypes.POINTER(ctypes.c_int64))[: len(wanted[0])])

        return compiled

    cpu = CpuPrimitives(THREADS)
    image = cpu.upload(plain(HEIGHT))
    bands = [Rows(buffer_of(image.buffer), image.width, *band) for band in BANDS]
    wanted = [int64s((band, *options)).tolist() for band in bands]
    monkeypatch.setattr(scopes, "function", made)
    reduce(cpu, image)
    assert sorted(read) == wanted


def test_statistics_are_the_same_each_time() -> None:
    image = np.tile(plain(), (4, 4, 1))
    one, several = CpuPrimitives(1), CpuPrimitives(THREADS)
    expected, handle = one.statistics(one.upload(image)), several.upload(image)
    found = {several.statistics(handle) for _ in range(100)}
    assert {(each.minimum, each.maximum, each.nan, each.negative) for each in found} == {
        (expected.minimum, expected.maximum, expected.nan, expected.negative)
    }
    assert len(found) == 1
