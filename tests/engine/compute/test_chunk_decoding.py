"""Kernels that decode EXR chunks, run on the processor and compared with zlib and NumPy."""

from __future__ import annotations

import importlib.util
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import shaders
from engine.compute.chunks import ChunkTable, LineLayout, Verdict, block_places
from engine.errors import HandleError
from tests.engine.cuda_on_host import HostQueue, host_queue, modules
from tests.engine.host_codec import HostCodec, channel, collected, predicted, run_lengths, unpacked
from tests.engine.host_cuda import COMPILER

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
Bytes = NDArray[np.uint8]
RGBA = (("A", "half"), ("B", "half"), ("G", "half"), ("R", "half"))
MIXED = (("A", "float"), ("B", "half"), ("id", "uint"))


def without_cupy(name: str) -> ModuleType:
    """A module of the CUDA backend that needs no CuPy, loaded without its package, which does."""
    path = Path(__file__).parents[3] / "engine/compute/backends/cuda" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_without_cupy", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DECODING = without_cupy("chunk_decoding")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return modules(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def decoder(module: Any) -> Any:
    return DECODING.ChunkDecoder(module, 1 << 33)


def natural(layout: LineLayout, random: np.random.Generator) -> Bytes:
    """Lines that are smooth in most places."""
    shape = layout.height, layout.line_bytes
    smooth = np.cumsum(random.normal(0, 1, (shape[0], shape[1] // 2)), 1).astype(np.float16).view(np.uint8)
    return np.where(random.random(shape) < 0.02, random.integers(0, 256, shape), smooth).astype(np.uint8)


def coded(raw: bytes, compression: str) -> bytes:
    """A chunk as files store it: raw where it would not shrink."""
    if compression == "none":
        return raw
    packed = run_lengths(predicted(raw)) if compression == "rle" else zlib.compress(predicted(raw))
    return packed if len(packed) < len(raw) else raw


def packed_up(
    lines: Bytes, layout: LineLayout, block: tuple[int, int], compression: str, random: np.random.Generator
) -> tuple[Bytes, ChunkTable]:
    """Lines in chunks that lie in any order, with gaps and at any alignment."""
    places = block_places(layout.width, layout.height, *block)
    offsets, sizes, data = np.zeros(len(places), np.int64), np.zeros(len(places), np.int64), bytearray(b"xyz")
    for n in random.permutation(len(places)):
        chunk = coded(collected(lines, layout, places, n), compression)
        offsets[n], sizes[n] = len(data), len(chunk)
        data += chunk + random.bytes(int(random.integers(0, 9)))
    return np.frombuffer(bytes(data), np.uint8).copy(), ChunkTable(compression, offsets, sizes, places)


@pytest.mark.parametrize("tile", [None, (17, 13)], ids=["rows", "tiles"])
@pytest.mark.parametrize(
    ("compression", "channels", "size", "rows"),
    [
        ("zip", RGBA, (123, 40), 16),
        ("zips", MIXED, (61, 5), 1),
        ("rle", MIXED, (61, 5), 1),
        ("none", (("Z", "half"),), (33, 7), 1),
        ("zip", (("R", "half"),), (1, 1), 16),
        ("zip", RGBA, (1100, 2), 16),  # more than one segment in each half
    ],
)
def test_lines_are_those_that_were_packed(
    decoder: Any, compression: str, channels: Any, size: tuple[int, int], rows: int, tile: tuple[int, int] | None
) -> None:
    random = np.random.default_rng(4)
    layout = LineLayout(*size, channels)
    lines = natural(layout, random)
    packed, table = packed_up(lines, layout, tile or (layout.width, rows), compression, random)
    with host_queue() as queue:
        target = queue.empty(layout.nbytes)
        verdicts = decoder.decode(queue, packed, table, layout, target)
    assert not verdicts.any()
    assert (target.bytes.reshape(lines.shape) == lines).all()


def test_batches_give_the_same_lines(decoder: Any) -> None:
    random = np.random.default_rng(1)
    layout = LineLayout(40, 37, RGBA)
    lines = natural(layout, random)
    packed, table = packed_up(lines, layout, (9, 11), "zip", random)
    decoder.batch_bytes = 3000
    groups = list(DECODING.batches(table, table.places.sizes(layout), decoder.batch_bytes))
    assert len(groups) > 3 and sorted(np.concatenate(groups)) == list(range(len(table)))
    with host_queue() as queue:
        target = queue.empty(layout.nbytes)
        assert not decoder.decode(queue, packed, table, layout, target).any()
    assert (target.bytes.reshape(lines.shape) == lines).all()


def streams(random: np.random.Generator) -> list[tuple[bytes, int]]:
    """Streams of every kind of block, and the sizes of what they hold."""
    sources = [
        random.integers(0, 256, 700, dtype=np.uint8).tobytes(),
        bytes(3000),
        np.cumsum(random.integers(-2, 3, 2500)).astype(np.uint8).tobytes(),
        (b"the quick brown fox " * 90)[:1700],
        b"ab",
        random.choice(np.array([126, 127, 128, 129], np.uint8), 2000, p=[0.1, 0.2, 0.6, 0.1]).tobytes(),
        random.integers(0, 256, 40000, dtype=np.uint8).tobytes(),
    ]
    made = []
    for source in sources:
        for level, strategy in ((1, 0), (9, 0), (0, 0), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY)):
            maker = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
            made.append((maker.compress(source) + maker.flush(), len(source)))
    return made


def mutated(stream: bytes, random: np.random.Generator) -> bytes:
    """A damaged stream: flipped bits, a cut, other bytes, a gap or no sense at all."""
    changed, kind = bytearray(stream), random.integers(0, 8)
    if kind < 4:
        for _ in range(int(random.integers(1, 4))):
            changed[int(random.integers(len(changed)))] ^= 1 << int(random.integers(8))
    elif kind == 4:
        del changed[int(random.integers(1, len(changed) + 1)) :]
    elif kind == 5:
        at = int(random.integers(len(changed)))
        changed[at : at + 8] = random.bytes(8)
    elif kind == 6:
        first, last = sorted(int(v) for v in random.integers(0, len(changed), 2))
        del changed[first:last]
    else:
        changed[2:] = random.bytes(len(changed) - 2)
    return bytes(changed)


def judged(decoder: Any, queue: HostQueue, chunks: list[tuple[bytes, int]], compression: str) -> NDArray[np.int32]:
    """Verdicts about chunks that lie in slots with gaps, whose bytes are checked."""
    about = np.zeros(len(chunks), DECODING.CHUNK)
    lengths, sizes = (np.array(each) for each in zip(*((len(stream), size) for stream, size in chunks), strict=True))
    slots = -(-sizes // 16) * 16 + 64
    about["source"], about["planes"] = np.cumsum(lengths) - lengths, np.cumsum(slots) - slots
    about["packed"], about["size"] = lengths, sizes
    packed = queue.sent(np.frombuffer(b"".join(stream for stream, _ in chunks) + bytes(64), np.uint8))
    planes = queue.sent(np.full(int(slots.sum()), 0xA5, np.uint8))
    verdicts, known = queue.sent(np.zeros(len(chunks), np.int32)), queue.sent(about)
    most = -(-int(sizes.max()) // (2 * DECODING.SEGMENT))
    sums, expected = queue.empty(16 * most * len(chunks)), queue.empty(4 * len(chunks))
    decoder._unpack(queue, compression, len(chunks), packed, known, planes, verdicts, expected)
    run, most_number = decoder._lines(queue), np.uint32(most)
    run("sum_segments", len(chunks) * most, DECODING.THREADS, (known, verdicts, planes, most_number, sums))
    checked = np.int32(compression != "rle")
    run("finish_sums", len(chunks), DECODING.WARP, (known, verdicts, most_number, sums, expected, checked))
    for start, size, slot in zip(about["planes"].astype(int), sizes, slots, strict=True):
        assert (planes.bytes[start + size : start + slot] == 0xA5).all(), "a kernel wrote beyond its slot"
    return queue.received(verdicts, len(chunks), np.int32)


def test_a_damaged_stream_never_leaves_its_slot_and_is_judged_as_zlib_does(decoder: Any) -> None:
    random = np.random.default_rng(9)
    whole = streams(random)
    small = [each for each in whole if each[1] < 5000]
    chunks = whole + [(mutated(stream, random), size) for stream, size in small for _ in range(4)]
    chunks += [(stream + b"more", size) for stream, size in small[:5]]
    chunks += [(stream, size + by) for stream, size in small[:10] for by in (-2, 2)]
    chunks = [(stream, size) for stream, size in chunks if len(stream) != size]  # those would be stored raw
    with host_queue() as queue:
        verdicts = judged(decoder, queue, chunks, "zip")
    for (stream, size), verdict in zip(chunks, verdicts, strict=True):
        assert (verdict == Verdict.GOOD) == (zlib_verdict(stream, size) is Verdict.GOOD)
        if verdict == Verdict.WRONG_SUM:
            assert zlib_verdict(stream, size) is Verdict.WRONG_SUM
    assert set(verdicts) == {Verdict.GOOD, Verdict.DAMAGED, Verdict.WRONG_SUM}


def zlib_verdict(stream: bytes, size: int) -> Verdict:
    """What zlib says of a stream that should hold `size` bytes."""
    reader = zlib.decompressobj()
    try:
        held = reader.decompress(stream, size + 1)
        if len(held) == size and not reader.eof:
            held += reader.decompress(reader.unconsumed_tail, 1)
    except zlib.error as error:
        return Verdict.WRONG_SUM if "incorrect data check" in str(error) else Verdict.DAMAGED
    return Verdict.GOOD if reader.eof and not reader.unused_data and len(held) == size else Verdict.DAMAGED


def fixed_block(symbols: list[str | tuple[int, int]], held: bytes) -> bytes:
    """A zlib stream of one block with fixed codes: characters, and repeats of 3 or 258 bytes from up to 4 before.

    `held` is what its checksum says that it holds.
    """
    bits = "1" + "10"  # the last block, of kind 1 with its low bit first
    for symbol in symbols:
        if isinstance(symbol, str):
            bits += f"{0x30 + ord(symbol):08b}"
        else:
            bits += ("0000001" if symbol[0] == 3 else "11000101") + f"{symbol[1] - 1:05b}"
    bits += "0" * 7
    bits += "0" * (-len(bits) % 8)
    packed = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))
    return b"\x78\x9c" + packed + zlib.adler32(held).to_bytes(4, "big")


def test_a_repeat_of_bytes_before_the_slot_is_damage(decoder: Any) -> None:
    """Even where the checksum fits what lies there."""
    good = [
        (fixed_block(["a", (3, 1)], b"aaaa"), 4),
        (fixed_block(["a", *[(258, 1)] * 31, "b"], b"a" * 7999 + b"b"), 8000),
    ]
    assert [zlib.decompress(stream) for stream, _ in good] == [b"aaaa", b"a" * 7999 + b"b"]
    before = b"a" + b"\xa5" * 3
    longer = b"a" + b"\xa5a" * 129 + b"a" * (258 * 30) + b"b"
    far = [
        (fixed_block(["a", (3, 4)], before), len(before)),
        (fixed_block(["a", (258, 2), *[(258, 1)] * 30, "b"], longer), len(longer)),
    ]
    chunks = [(stream, size) for stream, size in good + far if len(stream) != size]
    with host_queue() as queue:
        assert list(judged(decoder, queue, chunks, "zip")) == [Verdict.GOOD] * 2 + [Verdict.DAMAGED] * 2


def test_damaged_run_lengths_never_leave_their_slot(decoder: Any) -> None:
    random = np.random.default_rng(2)
    chunks = []
    for _ in range(30):
        raw = np.repeat(random.integers(0, 256, 60, dtype=np.uint8), random.integers(1, 9, 60)).tobytes()
        packed = run_lengths(raw)
        chunks += [(packed, len(raw)), (mutated(packed, random), len(raw)), (packed, len(raw) - 2)]
    chunks = [(stream, size) for stream, size in chunks if len(stream) < size]
    with host_queue() as queue:
        verdicts = judged(decoder, queue, chunks, "rle")
    wanted = [unpacked("rle", stream, size)[0] for stream, size in chunks]
    assert list(verdicts) == wanted and len(set(wanted)) == 2


def test_runs_end_with_their_chunk(decoder: Any) -> None:
    chunks = [(bytes([256 - 8]) + b"half", 8), (bytes([7]), 8), (bytes([7]) + b"a", 8)]
    with host_queue() as queue:
        assert list(judged(decoder, queue, chunks, "rle")) == [Verdict.DAMAGED, Verdict.DAMAGED, Verdict.GOOD]


def test_sizes_that_can_not_be_are_damaged(decoder: Any) -> None:
    layout = LineLayout(4, 3, (("Y", "half"),))
    places = block_places(4, 3, 4, 1)
    table = ChunkTable("zips", np.array([0, 8, 8]), np.array([8, 0, 12]), places)
    with host_queue() as queue:
        verdicts = decoder.decode(queue, np.arange(32, dtype=np.uint8), table, layout, queue.empty(layout.nbytes))
    assert list(verdicts) == [Verdict.GOOD, Verdict.DAMAGED, Verdict.DAMAGED]
    short = ChunkTable("none", np.array([0, 8, 16]), np.array([8, 6, 8]), places)
    assert list(DECODING.first_verdicts(short, places.sizes(layout))) == [0, 1, 0]


@pytest.mark.parametrize(
    ("offset", "size", "width"),
    [(-1, 8, 4), (28, 8, 4), (0, 8, 5), (0, 8, 0)],
    ids=["before", "behind", "wide", "empty"],
)
def test_a_table_that_does_not_fit_is_refused(offset: int, size: int, width: int) -> None:
    layout = LineLayout(4, 1, (("Y", "half"),))
    places = block_places(4, 1, 4, 1)
    places.width[0] = width
    with pytest.raises(HandleError):
        DECODING.check(np.zeros(32, np.uint8), ChunkTable("zips", np.array([offset]), np.array([size]), places), layout)


@pytest.mark.parametrize(("storage", "dtype"), [("float", np.float32), ("__half", np.float16)])
def test_lines_become_images_and_images_lines(module: Any, storage: str, dtype: Any) -> None:
    random = np.random.default_rng(6)
    layout, types = (
        LineLayout(7, 5, (("A", "float"), ("B", "half"), ("id", "uint"))),
        {"half": 1, "float": 2, "uint": 3},
    )
    samples = np.concatenate(
        [
            random.normal(0, 9, (5, 7)).astype(np.float32).view(np.uint8),
            random.normal(0, 9, (5, 7)).astype(np.float16).view(np.uint8),
            random.integers(0, 2**32, (5, 7), dtype=np.uint32).view(np.uint8),
        ],
        1,
    )
    codec = HostCodec()
    for places in ((1, 0, 2), (0, None, 1, 1)):
        kernels = module("exr_images.cu", {"IMAGE": storage, "COMPONENTS": len(places)}, shaders.text("exr_images.cu"))
        channels = np.zeros((), [("of", [("start", "<u8"), ("type", "<i4"), ("unused", "<i4")], (len(places),))])
        for n, place in enumerate(places):
            if place is not None:
                channels["of"][n] = layout.starts[place], types[layout.channels[place][1]], 0
        size = (np.uint32(7), np.uint32(5), np.uint64(layout.line_bytes))
        with host_queue() as queue:
            lines, image = queue.sent(samples), queue.empty(35 * len(places), dtype)
            kernels.get_function("gather")((2,), (32,), (lines, image, *size, channels))
            got = queue.received(image, 35 * len(places), dtype).reshape(5, 7, len(places))
            theirs = codec.upload(samples, layout)
            assert np.array_equal(got, codec.primitives.download(codec.image(theirs, places, dtype)))
            written = tuple(None if place == 2 else place for place in places[:2]) + (None,) * (len(places) - 2)
            for n, place in enumerate(places):
                if n > 1 or place == 2:
                    channels["of"][n] = 0, 0, 0
            fresh = random.normal(0, 99, got.shape).astype(dtype)
            new = queue.sent(fresh)
            kernels.get_function("scatter")((2,), (32,), (new, lines, *size, channels))
            codec.put(codec.primitives.upload(fresh), theirs, written)
            assert (lines.bytes.reshape(samples.shape) == theirs.buffer).all()
            assert (channel(theirs.buffer, layout, 2) == channel(samples, layout, 2)).all()
