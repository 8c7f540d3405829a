"""PNGs: read and written by many threads at once, without a word of the library's on the error output."""

from __future__ import annotations

import random
import struct
import subprocess
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io import describe, open_output, open_source, read_image
from engine.io.encoders import OiioEncoder
from engine.io.library_readers import OiioReader
from engine.io.png_check import PASSES, PngPixels, check_png
from engine.io.source import SourceOptions
from tests.engine.io.exr import REPOSITORY

WIDTH, HEIGHT = 90, 70
PIXELS = np.random.default_rng(35).random((HEIGHT, WIDTH, 3)).astype(np.float32)


def write(path: Path, pixels: np.ndarray = PIXELS) -> Path:
    height, width, channels = pixels.shape
    out = open_output(path, None)
    out.init(width, height, channels)
    out.write_region(Rect(0, 0, width, height), pixels)
    out.finish()
    return path


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(path: Path, header: tuple[int, ...], rows: bytes, *before: bytes, pieces: int = 1) -> Path:
    """A PNG by hand: width, height, depth, colour type, 0, 0, interlacing; rows with their filter bytes."""
    data = zlib.compress(rows, 6)
    step = -(-len(data) // pieces)
    parts = [chunk(b"IDAT", data[at : at + step]) for at in range(0, len(data), step)]
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", *header))
    path.write_bytes(start + b"".join(before) + b"".join(parts) + chunk(b"IEND", b""))
    return path


def grey_rows(values: np.ndarray) -> bytes:
    return b"".join(b"\0" + row.tobytes() for row in values)


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=REPOSITORY,
        check=False,
    )


# -- threads

SPEAKING = """
import os, sys, threading
from pathlib import Path
import numpy as np
from engine.io import open_output, read_image
from engine.core.geometry import Rect

folder, over = Path(sys.argv[1]), threading.Event()
pixels = np.random.default_rng(1).random((300, 350, 3)).astype(np.float32)

def work(number):
    path = folder / f"{number}.png"
    for _ in range(3):
        out = open_output(path, None, force=True)
        out.init(350, 300, 3)
        out.write_region(Rect(0, 0, 350, 300), pixels)
        out.finish()
        read_image(path)

workers = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for worker in workers:
    worker.start()
said = 0
while any(worker.is_alive() for worker in workers):
    os.write(2, b"x")
    said += 1
    over.wait(0.0005)
print(said)
"""


def test_what_other_threads_say_meanwhile_is_heard(tmp_path: Path) -> None:
    done = python(SPEAKING, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "x" * int(done.stdout)


@pytest.mark.parametrize("what", ["reading", "writing"])
def test_several_threads_are_in_the_library_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Each call of the library waits for one of the other thread."""
    both = threading.Barrier(2)
    paths = [write(tmp_path / f"{n}.png") for n in range(2)]

    class Waiting:
        def __init__(self, file: Any) -> None:
            self._file = file

        def __getattr__(self, name: str) -> Any:
            if name in ("read_scanlines", "write_scanlines"):
                both.wait(20.0)
            return getattr(self._file, name)

    owner = OiioReader if what == "reading" else OiioEncoder
    true = owner.__init__

    def init(self: Any, *args: Any, **named: Any) -> None:
        true(self, *args, **named)
        self._file = Waiting(self._file)

    monkeypatch.setattr(owner, "__init__", init)
    failed: list[BaseException] = []

    def work(path: Path) -> None:
        try:
            if what == "reading":
                assert read_image(path).pixels.shape == PIXELS.shape
            else:
                write(path.with_suffix(".new.png"))
        except BaseException as error:  # noqa: BLE001 (checked below)
            failed.append(error)

    threads = [threading.Thread(target=work, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


# -- damage

QUIETLY = """
import sys
from pathlib import Path
from engine.errors import TesseraError
from engine.core.geometry import Rect
from engine.io import open_source
from engine.io.source import SourceOptions

for path in sorted(Path(sys.argv[1]).iterdir()):
    for salvage in (False, True):
        try:
            source = open_source(path, options=SourceOptions(salvage=salvage))
            try:
                source.read_region(Rect(0, 0, source.width, source.height))
            finally:
                source.close()
            print("read")
        except TesseraError as error:
            assert str(error).startswith(str(path)) and "\\n" not in str(error), error
            print("refused")
"""


def test_damaged_files_bring_no_word_of_the_library_s(tmp_path: Path) -> None:
    dice, whole = random.Random(35), write(tmp_path / "whole.png").read_bytes()
    (tmp_path / "bad").mkdir()
    for n in range(250):
        data = bytearray(whole)
        if n % 3 == 0:
            data = data[: dice.randrange(9, len(data))]
        for _ in range(dice.randint(0, 4)):
            data[dice.randrange(8, min(len(data), 150 if n % 2 else 10**6))] = dice.choice((0, 1, 127, 255))
        if n % 4 < 2:
            data = with_checksums(bytes(data))
        (tmp_path / "bad" / f"{n:03}.png").write_bytes(data)
    done = python(QUIETLY, tmp_path / "bad")
    assert (done.returncode, done.stderr) == (0, "")
    assert min(done.stdout.count("read"), done.stdout.count("refused")) > 50


def with_checksums(data: bytes) -> bytearray:
    """The file with the right checksum behind each chunk that is there."""
    fixed, at = bytearray(data), 8
    while at + 12 <= len(fixed):
        end = at + 8 + struct.unpack(">I", fixed[at : at + 4])[0]
        if end + 4 > len(fixed):
            break
        fixed[end : end + 4] = struct.pack(">I", zlib.crc32(bytes(fixed[at + 4 : end])))
        at = end + 4
    return fixed


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        ("checksum", "the checksum of IDAT is wrong"),
        ("filter", "a row has an invalid filter"),
        ("short", "its pixels end too soon"),
        ("cut", "it is cut off"),
    ],
)
def test_rows_before_the_damage_are_read(tmp_path: Path, damage: str, says: str) -> None:
    values = np.random.default_rng(3).integers(0, 256, (600, 400), np.uint8)
    rows = bytearray(grey_rows(values))
    if damage == "filter":
        rows[300 * 401] = 7
    path = png(
        tmp_path / "a.png",
        (400, 600, 8, 0, 0, 0, 0),
        bytes(rows[: 401 * 500] if damage == "short" else rows),
        pieces=40,
    )
    data = bytearray(path.read_bytes())
    if damage == "checksum":
        data[len(data) // 2] ^= 0xFF
    path.write_bytes(data[: len(data) * 3 // 4] if damage == "cut" else data)
    with pytest.raises(UnreadableFile, match=rf"a\.png: is cut off or damaged \({says}\)"):
        read_image(path)
    source = open_source(path, options=SourceOptions(salvage=True))
    pixels = source.read_region(Rect(0, 0, 400, 600))[..., 0]
    intact = PngPixels(path).intact
    assert 200 <= intact <= 500
    assert np.array_equal(np.rint(pixels[:intact] * 255.0), values[:intact])
    assert not pixels[intact:].any()
    assert sum(hole.pixels for hole in source.holes) == (600 - intact) * 400
    source.close()


@pytest.mark.parametrize(
    ("header", "before", "says"),
    [
        ((4, 4, 3, 0, 0, 0, 0), (), "header is damaged"),
        ((4, 4, 8, 1, 0, 0, 0), (), "header is damaged"),
        ((4, 4, 8, 0, 1, 0, 0), (), "header is damaged"),
        ((4, 4, 8, 0, 0, 0, 2), (), "header is damaged"),
        ((0, 4, 8, 0, 0, 0, 0), (), "header is damaged"),
        ((1_000_001, 4, 8, 0, 0, 0, 0), (), "header is damaged"),
        ((4, 4, 8, 3, 0, 0, 0), (), "no palette"),
        ((4, 4, 8, 3, 0, 0, 0), (chunk(b"PLTE", bytes(4)),), "an invalid palette"),
        ((4, 4, 8, 0, 0, 0, 0), (chunk(b"IHDR", bytes(13)),), "a misplaced chunk"),
        ((4, 4, 8, 0, 0, 0, 0), (chunk(b"ABCD", b""),), "an unknown chunk"),
        ((4, 4, 8, 0, 0, 0, 0), (chunk(b"a\0CD", b""),), "an unknown chunk"),
        ((4, 4, 8, 0, 0, 0, 0), (chunk(b"tEXt", b"a\0b")[:-1] + b"?",), "the checksum of tEXt"),
    ],
)
def test_headers_that_libpng_would_complain_of(tmp_path: Path, header: Any, before: Any, says: str) -> None:
    path = png(tmp_path / "a.png", header, grey_rows(np.zeros((4, 4), np.uint8)), *before)
    with pytest.raises(UnreadableFile, match=says):
        describe(path)


# -- what is sound


@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16])
def test_grey_of_any_depth(tmp_path: Path, depth: int) -> None:
    values = np.random.default_rng(depth).integers(0, 1 << depth, (33, 21))
    kind = ">u2" if depth == 16 else np.uint8
    packed = values.astype(kind)
    if depth < 8:
        bits = ((values[..., None] >> np.arange(depth - 1, -1, -1)) & 1).reshape(33, -1).astype(np.uint8)
        packed = np.packbits(bits, axis=1)
    path = png(tmp_path / "a.png", (21, 33, depth, 0, 0, 0, 0), grey_rows(packed), pieces=3)
    assert PngPixels(path).intact == 33 and PngPixels(path).problem == ""
    assert np.abs(read_image(path).pixels[..., 0] - values / ((1 << depth) - 1)).max() < 1e-5


def test_a_palette(tmp_path: Path) -> None:
    palette = np.random.default_rng(1).integers(0, 256, (5, 3), np.uint8)
    values = np.random.default_rng(2).integers(0, 5, (9, 7), np.uint8)
    path = png(tmp_path / "a.png", (7, 9, 8, 3, 0, 0, 0), grey_rows(values), chunk(b"PLTE", palette.tobytes()))
    assert np.array_equal(np.rint(read_image(path).pixels * 255.0), palette[values])


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (9, 9), (40, 31)])
def test_interlacing(tmp_path: Path, width: int, height: int) -> None:
    values = np.random.default_rng(width).integers(0, 256, (height, width), np.uint8)
    parts = [values[y::down, x::across] for across, down, x, y in PASSES]
    rows = b"".join(grey_rows(part) for part in parts if part.size)
    path = png(tmp_path / "a.png", (width, height, 8, 0, 0, 0, 1), rows)
    assert sum(stride * count for stride, count in check_png(path).passes()) == len(rows)
    assert PngPixels(path).intact == height
    assert np.array_equal(np.rint(read_image(path).pixels[..., 0] * 255.0), values)
    path.write_bytes(path.read_bytes()[:-20])
    assert PngPixels(path).intact == 0
