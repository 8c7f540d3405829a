"""An executor of plain NumPy, with the ops' own reference answers: slow, exact, and ready at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.compute.statistics import Axis
from engine.core.geometry import GpuLimits
from engine.kernel.op import ColorOp, Op
from tests import scopes


class FakeDevice:
    """Scopes by NumPy, of the channels that are there."""

    chunk_codec = None

    def allocate(self, width: int, height: int, channels: int) -> FakeHandle:
        return FakeHandle(np.empty((height, width, channels)))

    def exec_point(self, source: FakeHandle, target: FakeHandle, ops: Iterable[Op]) -> None:
        target.array = FakeExecutor._graded(source.array, ops)

    def waveform(self, handle: FakeHandle, columns: int, axis: Axis) -> np.ndarray:
        return scopes.waveform(handle.array, columns, axis)

    def histogram(self, handle: FakeHandle, axis: Axis) -> np.ndarray:
        return scopes.histogram(handle.array, axis)

    def vectorscope(self, handle: FakeHandle, size: int, extent: float) -> np.ndarray:
        return scopes.vectorscope(handle.array, size, extent)

    def prepared(self, stage: Any) -> bool:
        return True

    def release_cached(self) -> None:
        """There is nothing kept."""


DEVICE = FakeDevice()


@dataclass
class FakeHandle:
    array: np.ndarray
    primitives: FakeDevice = DEVICE

    @property
    def width(self) -> int:
        return int(self.array.shape[1])

    @property
    def height(self) -> int:
        return int(self.array.shape[0])

    @property
    def channels(self) -> int:
        return int(self.array.shape[2])


@dataclass
class FakeExecutor:
    """Counts its calls, so that tests can say what a change may and may not trigger."""

    name: str = "fake"
    calls: list[str] = field(default_factory=list)
    warm: bool = True
    runs_on_cpu: bool = False
    limits: GpuLimits = field(default_factory=GpuLimits)
    primitives: FakeDevice = DEVICE

    def upload(self, array: np.ndarray) -> FakeHandle:
        self.calls.append("upload")
        rgba = np.ones((*array.shape[:2], 4))
        rgba[..., : array.shape[2]] = array
        return FakeHandle(rgba)

    def download(self, handle: FakeHandle) -> np.ndarray:
        return handle.array

    def resample(self, handle: FakeHandle, region: Any, width: int, height: int, filter: str) -> FakeHandle:
        self.calls.append(f"resample {filter}")
        x, y, across, down = region
        columns = np.clip(np.floor(x + (np.arange(width) + 0.5) * across / width), 0, handle.width - 1).astype(int)
        rows = np.clip(np.floor(y + (np.arange(height) + 0.5) * down / height), 0, handle.height - 1).astype(int)
        return FakeHandle(handle.array[rows][:, columns])

    def display(self, handle: FakeHandle, ops: Iterable[Op]) -> np.ndarray:
        self.calls.append("display")
        graded = np.nan_to_num(self._graded(handle.array, ops))
        out = np.full((handle.height, handle.width, 4), 255, np.uint8)
        out[..., :3] = np.round(np.clip(graded[..., :3], 0.0, 1.0) * 255)
        return out

    def execute_color(self, array: np.ndarray, ops: Iterable[Op]) -> np.ndarray:
        self.calls.append("execute_color")
        return self._graded(self.upload(array).array, ops)[..., : array.shape[2]].astype(np.float32)

    def filtered(self, handle: FakeHandle, ops: Iterable[Op]) -> tuple[FakeHandle, tuple[ColorOp, ...]]:
        return handle, tuple(op for op in ops if isinstance(op, ColorOp))

    def prepared(self, ops: Iterable[Op], source: Any = None, display: bool = False) -> bool:
        return self.warm

    @staticmethod
    def _graded(array: np.ndarray, ops: Iterable[Op]) -> np.ndarray:
        for op in ops:
            if isinstance(op, ColorOp):
                array = op.reference(array)
        return array
