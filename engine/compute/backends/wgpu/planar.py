"""Planar frames on the device: the samples of all planes one after the other, in one or more buffers of whole rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.wgpu.device import Batch, Device, spread, whole
from engine.compute.backends.wgpu.kernels import KernelStore
from engine.compute.backends.wgpu.numbers import PlanarNumbers, SampleNumbers, words
from engine.compute.backends.wgpu.transfers import Transfers
from engine.compute.handles import ImageHandle, PlanarImage
from engine.compute.planar import PlanarFormat, Rounding
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import OutOfDeviceMemory

WHOLE = 4
"""Planes begin at multiples of this many samples: with a word of the buffer."""
THREADS = 256
ROW = 4096
"""Buffers of samples are transferred in rows of this many bytes."""


@dataclass(frozen=True)
class Band:
    """Luma rows `top` to `bottom` (exclusive), with the chroma rows from `first` to `last` (exclusive) around them."""

    format: PlanarFormat
    top: int
    bottom: int
    first: int
    last: int

    def rows(self) -> list[slice]:
        """Return the rows of each plane of the frame that the band has."""
        luma = slice(self.top, self.bottom)
        chroma = [slice(self.first, self.last)] * (len(self.format.shapes) - 1 - self.format.alpha)
        return [luma, *chroma, *[luma] * self.format.alpha]

    def starts(self) -> list[int]:
        """Return the sample of the buffer with which each plane begins, and the number of all samples."""
        counts = [rows.stop - rows.start for rows in self.rows()]
        sizes = [
            rows * columns * samples for rows, (_, columns, samples) in zip(counts, self.format.shapes, strict=True)
        ]
        return [0, *itertools.accumulate(-(-size // WHOLE) * WHOLE for size in sizes)]

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return -(-self.starts()[-1] * self.format.dtype.itemsize // ROW) * ROW

    def packed(self, planes: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
        """Return the content of the buffer, as a transfer takes it."""
        content = np.zeros(self.nbytes, np.uint8)
        for target, plane in self._parts(content, planes):
            np.copyto(target, plane)
        return content.reshape(-1, ROW // 4, 4)

    def unpack(self, content: NDArray[np.uint8], planes: Sequence[NDArray[Any]]) -> None:
        """Copy the content of the buffer to the planes of the frame."""
        for source, plane in self._parts(content.reshape(-1), planes):
            np.copyto(plane, source)

    def _parts(
        self, content: NDArray[np.uint8], planes: Sequence[NDArray[Any]]
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        samples, starts = content.view(self.format.dtype), self.starts()
        for start, rows, plane in zip(starts, self.rows(), planes, strict=False):
            part = plane[rows]
            yield samples[start : start + part.size].reshape(part.shape), part

    def numbers(self, region: Rect, top: int) -> PlanarNumbers:
        """Return what the kernel reads of the pixels of a region from its row `top` on."""
        format, starts, shapes = self.format, self.starts()[:-1], self.format.shapes
        # Indices count from the first row of a plane: what is before the band is subtracted, modulo 2 ** 32.
        bases = [
            start - rows.start * columns * samples
            for start, rows, (_, columns, samples) in zip(starts, self.rows(), shapes, strict=True)
        ]
        alpha = bases.pop() if format.alpha else 0
        luma, cb, cr = (*bases, *bases[1:], 0, 0)[:3]
        cr += format.step - 1
        columns, rows = format.chroma_size
        return PlanarNumbers(
            *(region.width, region.x, region.y + top, self.top, self.bottom),
            *(3 - format.dtype.itemsize, format.shift, format.step),
            *(luma, cb, cr, alpha, columns, rows, columns * format.step, format.width),
            *(*format.subsampling, *format.phases, int(format.chroma_codes[0]), format.alpha),
        )


@dataclass(frozen=True)
class Planes:
    """The bands of a frame, from top to bottom, with their buffers."""

    bands: tuple[tuple[Band, Any], ...]

    @property
    def buffers(self) -> list[Any]:
        return [buffer for _, buffer in self.bands]


class Frames:
    """Allocates, transfers and fills planar frames on one device."""

    def __init__(self, device: Device, kernels: KernelStore, transfers: Transfers) -> None:
        self._device, self._kernels, self._transfers = device, kernels, transfers

    def footprint(self, format: PlanarFormat) -> int:
        """Return the bytes that a frame takes."""
        return sum(band.nbytes for band in bands_of(format, self._device.binding_limit))

    def new(self, format: PlanarFormat) -> Planes:
        """Return a frame with undefined samples."""
        bands: list[tuple[Band, Any]] = []
        try:
            for band in bands_of(format, self._device.binding_limit):
                bands.append((band, self._device.storage(band.nbytes)))
        except BaseException:
            for _, buffer in bands:
                self._device.pool.give(buffer)
            raise
        return Planes(tuple(bands))

    def write(self, planes: Sequence[NDArray[Any]], frame: Planes) -> None:
        for band, buffer in frame.bands:
            self._transfers.write(band.packed(planes), buffer)

    def read(self, image: PlanarImage) -> list[NDArray[Any]]:
        """Return the planes of a frame."""
        planes = [np.empty(shape, image.format.dtype) for shape in image.format.shapes]
        for band, buffer in image.buffer.bands:
            content = np.empty((band.nbytes // ROW, ROW // 4, 4), np.uint8)
            self._transfers.read(buffer, content)
            band.unpack(content, planes)
        return planes

    def fill(self, source: ImageHandle, image: PlanarImage, plane: int, channel: int, rounding: Rounding) -> None:
        """Fill a plane as `_run_samples` of the backends does: each part of it from each buffer of the source."""
        kernel, batch = self._kernels.fixed("samples", np.dtype(np.float32)), Batch(self._device)
        format, (_, columns, step) = image.format, image.format.shapes[plane]
        packing, keys = 3 - format.dtype.itemsize, (rounding.key(channel), rounding.key(channel + 1))
        rounded = rounding.low, rounding.high, rounding.noise, *keys
        for band, buffer in image.buffer.bands:
            rows, start = band.rows()[plane], band.starts()[plane]
            for chunk, _, _ in source.buffer.within(rows.start, rows.stop):
                count = (rows.stop - rows.start) * columns * step
                groups = spread(-(-count >> packing), THREADS)
                place = (start >> packing, rows.start, columns * step, step, chunk.top, chunk.bottom)
                numbers = SampleNumbers(count, groups[0], *place, channel, packing, format.shift, *rounded)
                batch.add(kernel, groups, whole(chunk.buffer), whole(buffer), batch.values(words(*numbers)))
        batch.submit()


def bands_of(format: PlanarFormat, limit: int) -> list[Band]:
    """Return the bands of a frame whose buffers take at most `limit` bytes each.

    Raises OutOfDeviceMemory if there are none.
    """
    step = format.height
    while True:
        bands = [_band(format, top, step) for top in range(0, format.height, step)]
        if max(band.nbytes for band in bands) <= limit:
            return bands
        if step <= 2:
            raise OutOfDeviceMemory(f"the device can't hold rows of {format.width} samples")
        step = max(2, (step // 2 + 1) // 2 * 2)


def _band(format: PlanarFormat, top: int, step: int) -> Band:
    bottom, (_, down), (_, rows) = min(top + step, format.height), format.subsampling, format.chroma_size
    first, last = (top >> down) - down, (bottom - 1 >> down) + 1 + down
    return Band(format, top, bottom, max(first, 0), min(last, rows))
