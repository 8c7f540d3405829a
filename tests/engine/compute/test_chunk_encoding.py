"""Kernels that encode EXR chunks, run on the processor and compared with zlib."""

from __future__ import annotations

import itertools
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.compute import chunk_encoding
from engine.compute.chunk_encoding import PIECE_BYTES, Pieces, encode
from engine.compute.chunks import ChunkPlaces, LineLayout, PackedChunks, block_places
from engine.errors import HandleError
from tests.engine.block_device import BlockDevice
from tests.engine.host_cuda import COMPILER
from tests.thorough import cases

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
Bytes = NDArray[np.uint8]
MIXED = (("A", "half"), ("Z", "float"), ("id", "uint"))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> BlockDevice:
    return BlockDevice(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def device(compiled: BlockDevice) -> BlockDevice:
    compiled.forget()
    return compiled


def raw_chunk(samples: Bytes, layout: LineLayout, places: ChunkPlaces, number: int) -> bytes:
    """The bytes of a chunk as EXR stores them without compression."""
    x, y, width, height = (int(v[number]) for v in (places.x, places.y, places.width, places.height))
    rows = []
    for row in samples[y : y + height]:
        for start, size in zip(layout.starts, layout.sample_bytes, strict=True):
            rows.append(row[start + x * size : start + (x + width) * size].tobytes())
    return b"".join(rows)


def unpredicted(coded: bytes) -> bytes:
    """Undo EXR's prediction and splitting."""
    deltas = np.frombuffer(coded, np.uint8).astype(np.int64)
    deltas[1:] -= 128
    split = np.cumsum(deltas).astype(np.uint8)
    joined = np.empty_like(split)
    half = (len(split) + 1) // 2
    joined[0::2], joined[1::2] = split[:half], split[half:]
    return joined.tobytes()


def unpacked_runs(coded: bytes) -> bytes:
    made, at = bytearray(), 0
    while at < len(coded):
        count = coded[at] - 256 if coded[at] > 127 else coded[at]
        if count < 0:
            made += coded[at + 1 : at + 1 - count]
            at += 1 - count
        else:
            made += coded[at + 1 : at + 2] * (count + 1)
            at += 2
    return bytes(made)


def decoded(packed: PackedChunks, number: int, compression: str, size: int) -> bytes:
    start, length = int(packed.offsets[number]), int(packed.sizes[number])
    coded = packed.data[start : start + length].tobytes()
    if length == size:
        return coded
    assert length < size
    return unpredicted(unpacked_runs(coded) if compression == "rle" else zlib.decompress(coded))


def check(device: BlockDevice, samples: Bytes, layout: LineLayout, places: ChunkPlaces, kind: str, gap: int) -> int:
    """Encode, compare what comes back, and return the bytes."""
    packed = encode(device, device.sent(samples), layout, places, kind, gap)
    sizes = places.sizes(layout)
    assert (packed.offsets == np.cumsum(packed.sizes + gap) - packed.sizes).all()
    for number, size in enumerate(sizes.tolist()):
        assert decoded(packed, number, kind, size) == raw_chunk(samples, layout, places, number)
    return int(packed.sizes.sum())


def smooth(layout: LineLayout, seed: int = 0, noise: float = 0.0) -> Bytes:
    """Lines of smooth samples with noise; integers are counted up."""
    generator = np.random.default_rng(seed)
    y, x = np.mgrid[: layout.height, : layout.width]
    planes = []
    for number, (_, kind) in enumerate(layout.channels):
        values = 0.5 + 0.4 * np.sin(x / 40.0 + number) * np.cos(y / 25.0) + noise * generator.normal(size=x.shape)
        stored = {"half": np.float16, "float": np.float32, "uint": np.uint32}[kind]
        planes.append((x * y if kind == "uint" else values).astype(stored).view(np.uint8).reshape(layout.height, -1))
    return np.ascontiguousarray(np.hstack(planes))


def rgba(width: int, height: int) -> LineLayout:
    return LineLayout(width, height, tuple((name, "half") for name in "ABGR"))


@pytest.mark.parametrize(
    ("kind", "tiled"),
    cases([("zip", False), ("rle", True)], *itertools.product(["zip", "zips", "rle", "none"], [False, True])),
)
def test_mixed_channels_come_back(device: BlockDevice, kind: str, tiled: bool) -> None:
    layout = LineLayout(37, 21, MIXED)
    places = block_places(37, 21, 16, 8) if tiled else block_places(37, 21, 37, 1 if kind in ("rle", "zips") else 16)
    check(device, smooth(layout), layout, places, kind, 0 if tiled else 8)


def test_a_chunk_of_several_pieces(device: BlockDevice) -> None:
    layout = rgba(600, 16)
    assert layout.nbytes > 2 * PIECE_BYTES
    size = check(device, smooth(layout, noise=0.01), layout, block_places(600, 16, 600, 16), "zip", 8)
    assert size < layout.nbytes / 1.5


def test_noise_is_stored_raw(device: BlockDevice) -> None:
    layout = rgba(256, 16)
    samples = np.random.default_rng(1).integers(0, 256, (16, layout.line_bytes), dtype=np.uint8)
    for kind, rows in (("zip", 16), ("zips", 1), ("rle", 1)):
        assert check(device, samples, layout, block_places(256, 16, 256, rows), kind, 8) == layout.nbytes


@pytest.mark.parametrize("kind", ["zip", "rle"])
def test_black_takes_next_to_nothing(device: BlockDevice, kind: str) -> None:
    layout = rgba(512, 16)
    samples = np.zeros((16, layout.line_bytes), np.uint8)
    assert check(device, samples, layout, block_places(512, 16, 512, 16), kind, 8) < layout.nbytes / 50


def test_noise_beside_black(device: BlockDevice) -> None:
    """One piece does not shrink; the chunk does."""
    layout = rgba(2048, 4)
    samples = np.zeros((4, layout.line_bytes), np.uint8)
    samples[:, : layout.line_bytes // 4] = np.random.default_rng(2).integers(0, 256, (4, 4096), dtype=np.uint8)
    check(device, samples, layout, block_places(2048, 4, 2048, 4), "zip", 8)


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_tiny_chunks(device: BlockDevice, width: int) -> None:
    for channels in ((("Y", "half"),), MIXED):
        layout = LineLayout(width, 3, channels)
        for kind in ("zip", "zips", "rle", "none"):
            check(device, smooth(layout), layout, block_places(width, 3, width, 1), kind, 8)


def packed_values(device: BlockDevice, values: Bytes) -> int:
    """The bytes of a chunk of one scanline whose bytes are `values` after they were split and predicted."""
    values = values[: len(values) // 2 * 2]
    split = np.cumsum(values.astype(np.int64) - np.r_[0, np.full(len(values) - 1, 128)]).astype(np.uint8)
    samples = np.empty((1, len(values)), np.uint8)
    samples[0, 0::2], samples[0, 1::2] = np.split(split, 2)
    layout = LineLayout(len(values) // 2, 1, (("Y", "half"),))
    return check(device, samples, layout, block_places(layout.width, 1, layout.width, 1), "zips", 8)


def test_counts_like_fibonacci_numbers(device: BlockDevice) -> None:
    """They make words longer than deflate allows."""
    counts = [1, 1]
    while sum(counts) < PIECE_BYTES // 2:
        counts.append(counts[-1] + counts[-2])
    values = np.repeat(np.arange(len(counts)), counts).astype(np.uint8)
    np.random.default_rng(3).shuffle(values)
    assert packed_values(device, values) < len(values)


def test_repeats_that_are_too_far_away(device: BlockDevice) -> None:
    """Deflate reaches back 32,768 bytes; the last piece sees more of the bytes before it."""
    noise, black = np.random.default_rng(5).integers(0, 256, 500, dtype=np.uint8), np.zeros(35500, np.uint8)
    values = np.concatenate([black[:20000], noise, black, noise])
    assert packed_values(device, values) > 2 * len(noise)


def test_a_piece_that_does_not_fit_its_slot(device: BlockDevice) -> None:
    noise = np.random.default_rng(7).integers(0, 256, 1016, dtype=np.uint8)
    first, size, zero = np.zeros(1, np.uint64), np.array([1000], np.uint32), np.zeros(1, np.uint32)
    tables = [device.sent(array) for array in (noise, first, size, zero, zero, np.array([0, 16], np.uint64))]
    packed, bits = device.empty(64), device.empty(4)
    arguments = (*tables, np.uint32(1), device.empty(4 * PIECE_BYTES), packed, bits, device.empty(8))
    device.run("deflate.cu", "deflate", 1, 32, arguments)
    found = np.zeros(1, np.uint32)
    device.receive(bits, found)
    assert found[0] == chunk_encoding.TOO_LONG


def test_repeats_of_the_piece_before(device: BlockDevice) -> None:
    noise = np.random.default_rng(6).integers(0, 256, 10000, dtype=np.uint8)
    values = np.concatenate([np.zeros(PIECE_BYTES - 10000, np.uint8), noise, noise])
    assert packed_values(device, values) < 12000


def test_batches_give_the_same_bytes(device: BlockDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = rgba(60, 12)
    samples, places = smooth(layout), block_places(60, 12, 60, 1)
    whole = encode(device, device.sent(samples), layout, places, "zips", 8)
    monkeypatch.setattr(chunk_encoding, "BATCH_BYTES", 5 * layout.line_bytes)
    parts = encode(device, device.sent(samples), layout, places, "zips", 8)
    assert (parts.offsets == whole.offsets).all() and (parts.sizes == whole.sizes).all()
    for start, size in zip(whole.offsets.tolist(), whole.sizes.tolist(), strict=True):
        assert (parts.data[start : start + size] == whole.data[start : start + size]).all()


def test_chunks_outside_the_lines_are_refused(device: BlockDevice) -> None:
    layout = rgba(8, 8)
    outside = block_places(8, 9, 8, 1)
    for places, kind in ((outside, "zip"), (outside.part(slice(0)), "zip"), (block_places(8, 8, 8, 1), "piz")):
        with pytest.raises(HandleError):
            encode(device, device.sent(smooth(layout)), layout, places, kind, 0)


def test_checksums_of_many_pieces() -> None:
    generator = np.random.default_rng(4)
    streams = [generator.integers(0, 256, size, dtype=np.uint8) for size in (1, PIECE_BYTES, 3 * PIECE_BYTES + 5)]
    pieces = Pieces.of(np.array([stream.size for stream in streams]))
    sums = []
    for stream, start, size in zip(pieces.streams, pieces.starts, pieces.sizes, strict=True):
        part = streams[stream][start : start + size].astype(np.int64)
        sums.append((int(part.sum()) % 65521, int((part * np.arange(size, 0, -1)).sum()) % 65521))
    assert pieces.checksums(np.array(sums)).tolist() == [zlib.adler32(stream.tobytes()) for stream in streams]


def test_text_of_the_kernels_is_shipped() -> None:
    for file in ("deflate.cu", "exr_chunks.cu"):
        assert (Path(chunk_encoding.__file__).parents[2] / "shaders" / file).is_file()
