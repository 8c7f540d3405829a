"""An executor of plain NumPy, with the ops' own reference answers: slow, exact, and ready at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.compute.plan import DisplayPlans
from engine.compute.statistics import Axis
from engine.core.geometry import GpuLimits
from engine.kernel.op import ColorOp, Op
from engine.kernel.taps import Taps
from tests import scopes


class FakeDevice:
    """Scopes, and ops and filters on images, by NumPy, of the channels that are there."""

    chunk_codec = None

    def allocate(self, width: int, height: int, channels: int, dtype: Any = None) -> FakeHandle:
        return FakeHandle(np.empty((height, width, channels)))

    def exec_point(
        self, source: FakeHandle, target: FakeHandle, ops: Iterable[Op], planes: Sequence[FakeHandle] = ()
    ) -> None:
        array = source.array
        for op in ops:
            assert isinstance(op, ColorOp)
            array = op.reference(array, planes=np.concatenate([each.array for each in planes], 2) if planes else None)
        target.array = array

    def exec_taps(self, source: FakeHandle, target: FakeHandle, columns: Taps, rows: Taps) -> None:
        across, down = (_dense(taps, size) for taps, size in ((columns, source.width), (rows, source.height)))
        target.array = np.tensordot(down, np.moveaxis(np.tensordot(across, source.array, (1, 1)), 0, 1), (1, 0))

    def download(self, handle: FakeHandle) -> np.ndarray:
        return np.round(np.clip(handle.array, 0.0, 1.0) * 255).astype(np.uint8)

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


def _dense(taps: Taps, size: int) -> np.ndarray:
    """Taps as a matrix (results, sources)."""
    matrix = np.zeros((len(taps.first), size))
    for row, (first, count) in enumerate(zip(taps.first, taps.count, strict=True)):
        matrix[row, first : first + count] = taps.weights[row, :count]
    return matrix


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
    plans: DisplayPlans = field(default_factory=DisplayPlans)

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

    def display(self, handle: FakeHandle, ops: Iterable[Op], inputs: Any = None) -> np.ndarray:
        self.calls.append("display")
        graded = np.nan_to_num(self._graded(handle.array, ops, inputs))
        out = np.full((handle.height, handle.width, 4), 255, np.uint8)
        out[..., :3] = np.round(np.clip(graded[..., :3], 0.0, 1.0) * 255)
        return out

    def execute_color(self, array: np.ndarray, ops: Iterable[Op], inputs: Any = None) -> np.ndarray:
        self.calls.append("execute_color")
        return self._graded(self.upload(array).array, ops, inputs)[..., : array.shape[2]].astype(np.float32)

    def filtered(
        self, handle: FakeHandle, ops: Iterable[Op], inputs: Any = None
    ) -> tuple[FakeHandle, tuple[ColorOp, ...]]:
        if inputs is not None:
            return FakeHandle(self._graded(handle.array, ops, inputs)), ()
        return handle, tuple(op for op in ops if isinstance(op, ColorOp))

    def prepared(self, ops: Iterable[Op], source: Any = None, display: bool = False) -> bool:
        return self.warm

    @staticmethod
    def _graded(array: np.ndarray, ops: Iterable[Op], inputs: Any = None) -> np.ndarray:
        """The image after colour ops; mattes have their place, but neither planes nor feather and growth."""
        place = inputs.place if inputs is not None else None
        for op in ops:
            if isinstance(op, ColorOp):
                array = op.reference(array, place)
        return array
