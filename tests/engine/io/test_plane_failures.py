"""Planes that are missing, damaged or replaced, and their readers on several threads and within a budget."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import OpenEXR
import pytest

from engine.errors import UnreadableFile, UnsupportedFile
from engine.io import describe
from engine.io.plane_bands import BandCache
from engine.io.planes import missing
from engine.mattes.planes import ChannelPlane, CoveragePlane, IdPlane
from tests.engine.io.cryptomatte_files import Layer, layer, write_layers
from tests.engine.io.exr import window
from tests.engine.io.plane_readers import EXACT, SIZE, read, reader_of


def test_what_is_missing_is_named(made: Layer, crypto: Path):
    info = describe(crypto)
    planes = (
        ChannelPlane("Z"),
        ChannelPlane("A", "left"),
        CoveragePlane("CryptoAsset", ("x",)),
        CoveragePlane(made.name, (made.objects[0], "gone_*", "nobody")),
        ChannelPlane("A"),
        CoveragePlane(made.name, ("*",)),
        IdPlane("id", (1,)),
    )
    found = missing(info, planes)
    assert [(each.plane, each.kind) for each in found] == [
        (planes[0], "channel"),
        (planes[1], "channel"),
        (planes[2], "layer"),
        (planes[3], "object"),
        (planes[6], "channel"),
    ]
    assert all(each.path == crypto and each.text.startswith(f"{crypto}: ") for each in found)
    assert "has no channel 'Z'; its channels are: " in found[0].text
    assert "has no part 'left'" in found[1].text
    assert "has no Cryptomatte layer 'CryptoAsset'; its Cryptomatte layers are: CryptoObject" in found[2].text
    assert "lists no objects 'gone_*', 'nobody' in the Cryptomatte layer 'CryptoObject'" in found[3].text


def test_each_read_of_a_missing_plane_raises_an_error_of_its_own(crypto: Path):
    """One that is kept and raised again would keep the frames that it came through, and the images in them."""
    reader, plane, raised = reader_of(crypto), ChannelPlane("Z"), list[UnsupportedFile]()
    for _ in range(2):
        with pytest.raises(UnsupportedFile) as caught:
            reader.read([plane], SIZE)
        raised.append(caught.value)
    first, second = raised
    assert str(first) == str(second)
    assert first is not second


def test_a_missing_plane_is_an_error_or_0(crypto: Path, made: Layer):
    planes = (ChannelPlane("Z"), CoveragePlane(made.name, ("*",)))
    with pytest.raises(UnsupportedFile, match="has no channel 'Z'"):
        read(crypto, *planes)
    found = read(crypto, *planes, lenient=True)
    assert not found[..., 0].any()
    assert found[..., 1].any()


def test_a_damaged_file_is_named(crypto: Path, made: Layer):
    data = bytearray(crypto.read_bytes())
    data[-3000:-1500] = bytes(1500)
    crypto.write_bytes(data)
    with pytest.raises(UnreadableFile, match="is cut off or damaged at scanline"):
        read(crypto, CoveragePlane(made.name, ("*",)))
    found = read(crypto, CoveragePlane(made.name, ("*",)), salvage=True)[..., 0]
    assert found[:16].any()


def test_a_file_that_changed_is_not_mixed_with_what_was_read(crypto: Path, made: Layer):
    opened = reader_of(crypto)
    write_layers(crypto, [layer(seed=5), layer("Other")])
    with pytest.raises(UnreadableFile, match="changes while it is read"):
        opened.read([CoveragePlane(made.name, ("*",))], SIZE)
    opened.close()


def test_readers_are_used_by_several_threads(crypto: Path, made: Layer):
    planes = [CoveragePlane(made.name, (name,)) for name in made.objects]
    expected = [read(crypto, plane).tobytes() for plane in planes]
    opened = reader_of(crypto, budget=1)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda plane: opened.read([plane], SIZE).tobytes(), planes * 4))
    assert found == expected * 4
    opened.close()


def test_a_window_below_and_right_of_the_origin(tmp_path: Path):
    made = layer()
    path = write_layers(tmp_path / "a.exr", [made], {"dataWindow": window(100, -30, 61, 47)})
    found = read(path, CoveragePlane(made.name, ("*_0",)))[..., 0]
    np.testing.assert_allclose(found, made.coverage([int(made.manifest[made.objects[0]], 16)]), atol=EXACT)


def test_all_images_share_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shared = BandCache(61 * 47 * 9)
    monkeypatch.setattr("engine.io.planes.common_cache", lambda: shared)
    readers = []
    for name in ("a", "b"):
        depth = np.ones((47, 61), np.float32)
        readers.append(reader_of(write_layers(tmp_path / f"{name}.exr", [layer(ranks=2)], Z=depth, Y=depth, X=depth)))
    one, other = readers
    one.prepare([ChannelPlane("Z")])
    other.prepare([ChannelPlane("Z")])
    assert one.used == other.used == 61 * 47 * 4
    other.prepare([ChannelPlane("Y")])
    assert (one.used, other.used) == (0, 61 * 47 * 8)
    one.prepare([ChannelPlane("Y")])
    other.close()
    assert (one.used, other.used) == (61 * 47 * 4, 0)
    assert one.ready([ChannelPlane("Y")])
    one.close()


def test_what_was_salvaged_is_not_taken_for_what_is_there(crypto: Path, made: Layer):
    data = bytearray(crypto.read_bytes())
    data[-3000:-1500] = bytes(1500)
    crypto.write_bytes(data)
    planes, opened = [CoveragePlane(made.name, ("*",))], reader_of(crypto, salvage=True)
    assert opened.read(planes, SIZE).any()
    with pytest.raises(UnreadableFile, match="is cut off or damaged"):
        read(crypto, *planes)
    opened.close()


def test_too_many_wildcards_are_an_error(crypto: Path, made: Layer):
    with pytest.raises(UnsupportedFile, match="has 1,001 wildcards, more than 1,000"):
        read(crypto, CoveragePlane(made.name, tuple(f"*{n}" for n in range(1001))))


def test_names_without_a_manifest_are_not_missing(tmp_path: Path):
    made = layer()
    header = {name: value for name, value in made.metadata().items() if not name.endswith("manifest")}
    OpenEXR.File(header, made.channels()).write(str(tmp_path / "a.exr"))
    assert missing(describe(tmp_path / "a.exr"), [CoveragePlane(made.name, (made.objects[0],))]) == []


def test_a_reader_is_closed_while_it_reads(crypto: Path, made: Layer):
    opened, plane = reader_of(crypto, threads=2), CoveragePlane(made.name, ("*",))
    started, done = Event(), list[int]()

    def work(start: int) -> None:
        started.set()
        done.append(start)

    with ThreadPoolExecutor(2) as pool:
        reads = [pool.submit(opened._run, work, range(8)) for _ in range(100)]
        started.wait()
        for _ in range(50):
            opened.close()
        for each in reads:
            each.result()
    assert len(done) == 2 * 50 * 8
    assert opened.read([plane], SIZE).any()
    opened.close()
