"""Movies whose frames show their numbers as blocks of black and white, so that any codec keeps them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

BITS = (2, 4)
"""Rows and columns of blocks: the bits of a number, from the top left."""
FRAMES = 14


@dataclass(frozen=True)
class Case:
    """A movie to make. `times` are the time stamps of its frames, `tags` its code points; `change` edits its bytes."""

    name: str
    codec: str
    pixels: str
    options: dict[str, str] = field(default_factory=dict)
    size: tuple[int, int] = (32, 18)
    times: Sequence[int] = range(FRAMES)
    rate: int | Fraction = 24
    rotation: int = 0
    timecode: str = ""
    tags: tuple[int, int, int] | None = None
    container: dict[str, str] = field(default_factory=dict)
    change: Callable[[bytes], bytes] | None = None
    shown: range = range(FRAMES)


def numbered(number: int, size: tuple[int, int] = (32, 18)) -> np.ndarray:
    """Return the RGB image of a number, 8 bits."""
    rows, columns = BITS
    bits = [number >> n & 1 for n in range(rows * columns)]
    marks = np.array(bits, np.uint8).reshape(rows, columns)
    image = np.zeros((size[1], size[0]), np.uint8)
    high, wide = size[1] // rows, size[0] // columns
    image[: high * rows, : wide * columns] = np.kron(marks, np.full((high, wide), 215, np.uint8))
    return np.repeat(image[..., None] + np.uint8(20), 3, axis=2)


def number_in(luma: np.ndarray) -> int:
    """Return the number that an image of luma, or of one channel, shows."""
    rows, columns = BITS
    high, wide = luma.shape[0] // rows, luma.shape[1] // columns
    blocks = luma[: high * rows, : wide * columns].reshape(rows, high, columns, wide).astype(float)
    inner = blocks[:, high // 4 : high - high // 4, :, wide // 4 : wide - wide // 4]
    shades = np.median(inner, axis=(1, 3))  # swscale leaves single pixels of odd sizes undefined
    middle = (shades.max() + shades.min()) / 2 if np.ptp(shades) > 0.1 * shades.max() else np.inf
    return int(sum(1 << n for n, mean in enumerate(shades.ravel()) if mean > middle))


def make(folder: Path, case: Case) -> Path:
    """Write the movie of a case and return its path."""
    import av

    path = folder / case.name
    with av.open(str(path), "w", options=case.container) as file:
        stream = file.add_stream(case.codec, rate=case.rate)
        stream.width, stream.height = case.size
        stream.pix_fmt, stream.options = case.pixels, {"threads": "1", **case.options}
        if case.timecode:
            stream.metadata["timecode"] = case.timecode
        if case.tags is not None:
            context = stream.codec_context
            context.color_primaries, context.color_trc, context.colorspace = case.tags
        if case.rotation:
            stream.set_display_rotation(case.rotation)
        for number, time in enumerate(case.times):
            frame = av.VideoFrame.from_ndarray(numbered(number, case.size), "rgb24").reformat(format=case.pixels)
            frame.pts = time
            if case.tags is not None:
                frame.color_primaries, frame.color_trc, frame.colorspace = case.tags
            for packet in stream.encode(frame):
                file.mux(packet)
        for packet in stream.encode():
            file.mux(packet)
    if case.change is not None:
        path.write_bytes(case.change(path.read_bytes()))
    return path


def with_edit(first: int, count: int, rate: int = 24) -> Callable[[bytes], bytes]:
    """Return what changes the edit list of an MP4 of constant rate, so that only these frames are shown."""

    def changed(data: bytes) -> bytes:
        place = data.index(b"elst") + 8
        entries = struct.unpack_from(">I", data, place)[0]
        assert entries == 1
        scale = struct.unpack_from(">I", data, data.index(b"mvhd") + 16)[0]
        units = struct.unpack_from(">I", data, data.index(b"mdhd") + 16)[0]
        start = struct.unpack_from(">i", data, place + 8)[0]
        edited = struct.pack(">Ii", count * scale // rate, start + first * units // rate)
        return data[: place + 4] + edited + data[place + 12 :]

    return changed
