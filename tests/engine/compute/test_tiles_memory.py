"""Memory of tiles and bands, within a limit and without."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import create_executor, ops
from engine.compute.executor import TiledExecutor
from engine.compute.streaming import StreamingSource
from engine.core.geometry import Rect
from engine.errors import MemoryLimitError
from engine.kernel.op import Op
from tests.engine.compute.test_tiles import SCENE, Recorder, in_tiles, stream
from tests.engine.images import plain


class Endless(StreamingSource):
    """An image that is made as it is read."""

    channels, dtype = 4, np.dtype(np.float32)

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    def read_region(self, rect: Rect) -> NDArray[Any]:
        return np.full((rect.height, rect.width, 4), 0.25, np.float32)


@pytest.mark.parametrize("grade", [SCENE, [], [*SCENE, ops.Blur(6.0)]], ids=["point", "nothing", "blur"])
@pytest.mark.parametrize("megabytes", [2, 5])
def test_memory_stays_within_the_limit(
    grade: Sequence[Op], megabytes: int, backend: str, executor: TiledExecutor
) -> None:
    """Measured: what NumPy allocates while an image of 12 MB goes through."""
    if backend != "cpu":
        pytest.skip("measures pixels in main memory of the CPU backend")
    limit = megabytes << 20
    bounded = create_executor("cpu", threads=1, max_memory=limit)
    bounded.prepare(grade)
    stream(bounded, plain(16, 16), grade)  # tables and weights, which are not pixels, are there
    output = Recorder()
    tracemalloc.start()
    try:
        bounded.execute_color_streaming(Endless(1024, 768), output, grade)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= limit + (1 << 19), f"{peak >> 10} KB"
    rows = output.regions[0].height
    assert rows * 1024 * 16 * 8 >= limit // 20, "a limit is there to be used"


def test_bands_without_a_limit_are_of_moderate_size(executor: TiledExecutor) -> None:
    output = Recorder()
    executor.execute_color_streaming(Endless(1024, 3000), output, [])
    assert 4 << 20 <= output.regions[0].height * 1024 * 16 <= 64 << 20


@pytest.mark.parametrize("blur", [0.0, 40.0])
def test_too_little_memory_is_said_with_what_would_do(blur: float, executor: TiledExecutor) -> None:
    grade = [ops.Exposure(1.0), ops.Blur(blur)]
    output = Recorder()
    with pytest.raises(
        MemoryLimitError, match=r"^1 MB of memory are too little for this image; allow at least \d+ MB"
    ) as messages:
        in_tiles(executor, None, 1 << 20).execute_color_streaming(Endless(20000, 30), output, grade)
    assert [call for call in output.calls if call != "init"] == ["abort"]
    enough = int(str(messages.value).split("at least ")[1].split()[0]) << 20
    in_tiles(executor, None, enough).execute_color_streaming(Endless(20000, 30), Recorder(), grade)
