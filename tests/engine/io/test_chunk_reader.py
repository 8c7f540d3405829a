"""Parts whose chunks are decoded here, compared with what the libraries make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.compute.backends.cpu.kernels import CODE, address_of
from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io import open_source, read_image
from engine.io.chunk_reader import ChunkReader
from engine.io.exr.chunk_samples import COMPILED, has_library
from engine.io.source import FileSource, SourceOptions
from tests.engine.io.exr import header, same_bits, samples, window
from tests.engine.io.exr import tiles as tile_description

pytestmark = pytest.mark.skipif(not has_library(), reason="OpenEXR does not export its function here")


@pytest.fixture(autouse=True)
def _compiled() -> None:
    address_of(*COMPILED)


def write(path: Path, channels: dict[str, Any], compression: str = "ZIP", **more: Any) -> Path:
    about = header(**more) | {"compression": getattr(OpenEXR, f"{compression}_COMPRESSION")}
    OpenEXR.File(about, dict(channels)).write(str(path))
    return path


def mixed(height: int, width: int) -> dict[str, Any]:
    size = height, width
    return {
        "RGBA": samples((*size, 4), "half", 1),
        "Z": samples(size, "float", 2),
        "id": samples(size, "uint", 3),
        "N": samples((*size, 3), "float", 4),
        "mask": samples(size, "half", 5),
    }


def by_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.io.readers.open_chunk_reader", lambda *asked: None)


def opened(path: Path, layer: str | tuple[str, ...] | None = None, **options: Any) -> FileSource:
    source = open_source(path, None, layer, SourceOptions(**options))
    assert isinstance(source._reader, ChunkReader)
    return source


@pytest.mark.parametrize("compression", ["NO", "ZIPS", "ZIP"])
@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_layer_has_the_bits_that_the_libraries_decode(
    tmp_path: Path, compression: str, tiled: bool, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {"type": OpenEXR.Storage.tiledimage, "tiles": tile_description(48, 32)} if tiled else {}
    path = write(tmp_path / "a.exr", mixed(117, 101), compression, dataWindow=window(-7, 9, 101, 117), **more)
    for layer, passthrough in ((None, False), ("N", False), ("Z", False), ("mask", False), (None, True), ("N", True)):
        source = opened(path, layer, threads=threads, passthrough=passthrough)
        for rect in (Rect(0, 0, 101, 117), Rect(0, 31, 101, 20), Rect(17, 40, 60, 33), Rect(100, 116, 1, 1)):
            found = source.read(rect)
            with monkeypatch.context() as patched:
                by_library(patched)
                library = open_source(path, None, layer, source.options)
                expected = library.read(rect)
                library.close()
            assert same_bits(found.graded[0], expected.graded[0])
        source.close()


def test_what_is_passed_through_keeps_its_bits(tmp_path: Path) -> None:
    channels = mixed(64, 33)
    source = opened(write(tmp_path / "a.exr", channels), passthrough=True)
    read = source.read(Rect(0, 0, 33, 64)).passthrough
    assert read is not None
    by_name = dict(zip(source.passthrough_names, np.moveaxis(read, 2, 0), strict=True))
    assert same_bits(np.ascontiguousarray(by_name["id"]).view(np.uint32), channels["id"])
    assert same_bits(np.ascontiguousarray(by_name["Z"]), channels["Z"])
    np.testing.assert_array_equal(by_name["mask"], channels["mask"].astype(np.float32))


def test_chunks_that_do_not_shrink(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 1 << 16, (50, 40, 4), np.uint16).view(np.float16)
    path = write(tmp_path / "a.exr", {"RGBA": noise})
    assert path.stat().st_size > noise.nbytes
    assert same_bits(opened(path).read_region(Rect(0, 0, 40, 50)), noise)


@pytest.mark.parametrize("compression", ["ZIPS", "ZIP"])
def test_a_damaged_chunk_is_what_the_libraries_say(
    tmp_path: Path, compression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixels = np.linspace(0, 1, 200 * 64 * 4, dtype=np.float32).astype(np.float16).reshape(200, 64, 4)
    path = write(tmp_path / "a.exr", {"RGBA": pixels}, compression)
    content = bytearray(path.read_bytes())
    content[-200:-100] = bytes(100)
    path.write_bytes(content)
    source = opened(path)
    assert same_bits(source.read_region(Rect(0, 0, 64, 64)), pixels[:64])
    with pytest.raises(UnreadableFile) as found:
        source.read_region(Rect(0, 0, 64, 200))
    with pytest.raises(UnreadableFile):
        read_image(path)
    by_library(monkeypatch)
    with pytest.raises(UnreadableFile) as expected:
        open_source(path).read_region(Rect(0, 0, 64, 200))
    assert str(found.value) == str(expected.value)
    salvaged = open_source(path, None, None, SourceOptions(salvage=True))
    assert not isinstance(salvaged._reader, ChunkReader)


def test_until_the_function_is_compiled_the_library_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.exr", {"RGBA": samples((20, 30, 4), "half")})
    asked = list[str]()
    monkeypatch.setattr("engine.compute.backends.cpu.kernels._compile_meanwhile", lambda *what: asked.append(what[1]))
    monkeypatch.setattr(CODE, "_addresses", {})
    monkeypatch.setattr(CODE._files, "get", lambda name: None)
    source = open_source(path)
    assert not isinstance(source._reader, ChunkReader)
    assert asked == ["chunk_lines"]
    source.close()


def test_other_parts_are_left_to_the_library(tmp_path: Path) -> None:
    size = (40, 30)
    for compression in ("PIZ", "RLE", "PXR24"):
        source = open_source(write(tmp_path / f"{compression}.exr", {"Y": samples(size, "half")}, compression))
        assert not isinstance(source._reader, ChunkReader)
        source.close()
    numbers = open_source(write(tmp_path / "id.exr", {"Y": samples(size, "uint")}))
    assert not isinstance(numbers._reader, ChunkReader)
    assert numbers.read_region(Rect(0, 0, 30, 40)).max() <= 1.0
