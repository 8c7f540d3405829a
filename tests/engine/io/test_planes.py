"""Planes of mattes: coverage of Cryptomatte objects, channels and IDs, at any mip level and in any rectangle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.core.geometry import Rect
from engine.errors import Cancelled
from engine.io.planes import PlaneReader
from engine.mattes.planes import ChannelPlane, CoveragePlane, IdPlane
from tests.engine.io.cryptomatte_files import INF_ID, NAN_ID, Layer, box_means, layer, write_layers, write_parts
from tests.engine.io.exr import header, luminance_chroma_file, samples, tiles
from tests.engine.io.plane_readers import EXACT, SIZE, read, reader_of

ORACLE = 1 / 65536


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("ranks", [2, 3, 6, 8])
def test_coverage_is_that_of_another_implementation(count: int, ranks: int, tmp_path: Path):
    oracle = pytest.importorskip("cryptomatte_api")
    layers = [layer(f"Crypto{n}", ranks, seed=n) for n in range(count)]
    path = write_layers(tmp_path / "a.exr", layers)
    theirs = {each.metadata().name(): each for each in oracle.Cryptomatte.load(str(path))}
    opened = reader_of(path)
    for each in layers:
        for name in each.objects[:3]:
            found = opened.read([CoveragePlane(each.name, (name,))], SIZE)[..., 0]
            np.testing.assert_allclose(found, theirs[each.name].mask(name), rtol=0, atol=ORACLE)
            np.testing.assert_allclose(found, each.coverage([opened.manifest(each.name).id_of(name)]), atol=EXACT)
    opened.close()


@pytest.mark.parametrize("level", range(7))
def test_coverage_is_compared_at_level_0_and_then_averaged(made: Layer, reader: PlaneReader, level: int):
    whole = Rect(0, 0, -(-61 >> level), -(-47 >> level))
    planes = [
        CoveragePlane(made.name, ("cryptoobject_[12]", f"{made.objects[1]}", "*_3")),
        CoveragePlane(made.name, ("*",)),
    ]
    found = reader.read(planes, whole, level)
    ids = reader.manifest(made.name).selected(planes[0].names)[0]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[..., 0], box_means(made.coverage(ids), level), atol=EXACT)
    every = reader.manifest(made.name).ids
    np.testing.assert_allclose(found[..., 1], box_means(made.coverage(every), level), atol=EXACT)


@pytest.mark.parametrize("budget", [1, 1 << 30])
def test_any_rectangle_has_the_bits_of_the_whole(made: Layer, crypto: Path, budget: int):
    plane, random = CoveragePlane(made.name, ("*_1", "*_4")), np.random.default_rng(1)
    opened = reader_of(crypto, budget=budget)
    for level in range(4):
        width, height = -(-61 >> level), -(-47 >> level)
        whole = opened.read([plane], Rect(0, 0, width, height), level)
        for _ in range(10):
            x, y = random.integers(width), random.integers(height)
            rect = Rect(int(x), int(y), int(random.integers(1, width - x + 1)), int(random.integers(1, height - y + 1)))
            part = opened.read([plane], rect, level)
            assert part.tobytes() == np.ascontiguousarray(whole[rect.y : rect.bottom, rect.x : rect.right]).tobytes()
    opened.close()


def test_ids_are_bits_and_coverages_that_are_not_numbers_are_0(tmp_path: Path):
    made = layer(ranks=4)
    made.ids[0][:8] = NAN_ID
    made.ids[0][8:16] = INF_ID
    made.ids[1][:8] = NAN_ID + 1
    made.coverages[0][:16], made.coverages[1][:16] = 0.5, 0.25
    made.coverages[0][0, :3] = [np.nan, np.inf, -np.inf]
    path = write_layers(tmp_path / "a.exr", [made])
    for id, first, value in ((NAN_ID, 0, 0.5), (INF_ID, 8, 0.5), (NAN_ID + 1, 0, 0.25)):
        found = read(path, CoveragePlane(made.name, ids=(id,)))[..., 0]
        assert (found[first + 1 : first + 8] == value).all()
        assert found[16:].max() == 0.0
    found = read(path, CoveragePlane(made.name, ids=(NAN_ID,)))[0, :4, 0]
    assert found.tolist() == [0.0, 1.0, 0.0, 0.5]
    assert np.isfinite(read(path, CoveragePlane(made.name, ("*",), (NAN_ID,)), level=2, rect=Rect(0, 0, 16, 12))).all()


def test_many_ids_at_once(reader: PlaneReader, made: Layer):
    ids = tuple(int(n) for n in np.random.default_rng(3).integers(0, 2**32, 5000))
    found = reader.read([CoveragePlane(made.name, (made.objects[2],), ids)], SIZE)[..., 0]
    np.testing.assert_allclose(found, made.coverage([reader.manifest(made.name).id_of(made.objects[2])]), atol=EXACT)
    nothing = reader.read([CoveragePlane(made.name), CoveragePlane(made.name, ids=ids)], SIZE)
    assert not nothing.any()


@pytest.mark.parametrize("compression", ["NO", "RLE", "ZIPS", "ZIP", "PIZ", "ZSTD"])
@pytest.mark.parametrize("tiled", [None, "one", "mip"])
def test_every_lossless_compression_and_storage(compression: str, tiled: str | None, tmp_path: Path):
    made = layer(ranks=5, size=(75, 53))
    about = {"compression": getattr(OpenEXR, f"{compression}_COMPRESSION")}
    if tiled:
        mode = OpenEXR.LevelMode.MIPMAP_LEVELS if tiled == "mip" else OpenEXR.LevelMode.ONE_LEVEL
        about |= {"type": OpenEXR.tiledimage, "tiles": tiles(32, 16, mode)}
    depth, mask = samples((53, 75), "float", 5), samples((53, 75), "half", 6)
    path = write_layers(tmp_path / "a.exr", [made], about, Z=depth, mask=mask)
    rect = Rect(0, 0, 75, 53)
    found = read(path, CoveragePlane(made.name, ("*_2",)), ChannelPlane("Z"), ChannelPlane("mask"), rect=rect)
    ids = [int(made.manifest[made.objects[2]], 16)]
    np.testing.assert_allclose(found[..., 0], made.coverage(ids), atol=EXACT)
    assert np.ascontiguousarray(found[..., 1]).tobytes() == depth.tobytes()
    np.testing.assert_array_equal(found[..., 2], mask.astype(np.float32))


def test_a_part_that_decodes_fast_and_the_libraries_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    made = layer(ranks=6, size=(101, 90))
    path = write_layers(tmp_path / "a.exr", [made], Z=samples((90, 101), "float"), id=samples((90, 101), "uint"))
    planes = (CoveragePlane(made.name, ("*_1",)), ChannelPlane("Z"), ChannelPlane("id"))
    monkeypatch.setattr("engine.io.plane_samples.SampleReader._reader", lambda *asked: pytest.fail("by the library"))
    fast = read(path, *planes, rect=Rect(0, 0, 101, 90))
    monkeypatch.undo()
    monkeypatch.setattr("engine.io.plane_samples.is_decodable", lambda part: False)
    assert read(path, *planes, rect=Rect(0, 0, 101, 90)).tobytes() == fast.tobytes()
    monkeypatch.undo()
    monkeypatch.setattr("engine.io.exr.chunk_samples._library", lambda: None)
    assert read(path, *planes, rect=Rect(0, 0, 101, 90)).tobytes() == fast.tobytes()


def test_chunks_that_do_not_shrink_are_stored_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.io.plane_samples.SampleReader._reader", lambda *asked: pytest.fail("by the library"))
    noise = np.random.default_rng(0).integers(0, 2**32, (2, 40, 64), np.uint32)
    path = tmp_path / "a.exr"
    OpenEXR.File(header(), {"a": noise[0], "b": noise[1].view(np.float32)}).write(str(path))
    assert path.stat().st_size > noise.nbytes
    found = read(path, IdPlane("a", (int(noise[0, 7, 9]),)), ChannelPlane("b"), rect=Rect(0, 0, 64, 40))
    assert np.argwhere(found[..., 0]).tolist() == [[7, 9]]
    assert np.ascontiguousarray(found[..., 1]).tobytes() == noise[1].tobytes()


def test_parts_with_data_windows_of_their_own(tmp_path: Path):
    made, depth = layer("CryptoAsset", 4, (40, 30)), samples((20, 25), "float", 3)
    depth[:1] = 1.0
    beauty = {"RGB": np.zeros((60, 80, 3), np.float16)}
    path = write_parts(
        tmp_path / "a.exr",
        [
            ("beauty", (-2, 3), made.metadata(), beauty),
            ("crypto", (10, 20), {}, made.channels()),
            ("depth", (60, -5), {}, {"Z": depth}),
        ],
    )
    rect = Rect(0, 0, 80, 60)
    found = read(path, CoveragePlane(made.name, ("*",)), ChannelPlane("Z", "depth"), rect=rect)
    expected = np.zeros((60, 80))
    expected[17:47, 12:52] = made.coverage([int(h, 16) for h in made.manifest.values()])
    np.testing.assert_allclose(found[..., 0], expected, atol=EXACT)
    depths = np.zeros((60, 80), np.float32)
    depths[:12, 62:80] = depth[8:20, :18]
    np.testing.assert_array_equal(found[..., 1], depths)
    coarse = read(path, CoveragePlane(made.name, ("*",)), rect=Rect(1, 2, 9, 5), level=3)[..., 0]
    np.testing.assert_allclose(coarse, box_means(expected, 3)[2:7, 1:10], atol=EXACT)
    opened = reader_of(path)
    assert opened.pick(made.name, 12, 17)[0].coverage == pytest.approx(made.coverages[0][0, 0])
    assert opened.pick(made.name, 11, 17) == () == opened.pick(made.name, 79, 59)
    opened.close()


def test_ranks_in_several_parts_are_one_layer(tmp_path: Path):
    made = layer("CryptoObject", 6, (40, 30))
    of_part = [{name: plane for name, plane in made.channels().items() if f"0{n}." in name} for n in range(3)]
    shifted = {name: plane[2:, 1:].copy() for name, plane in of_part[1].items()}
    parts = [("a", (5, 6), made.metadata(), of_part[0]), ("b", (6, 8), {}, shifted), ("c", (5, 6), {}, of_part[2])]
    path = write_parts(tmp_path / "a.exr", parts)
    made.coverages[2:4, :2], made.coverages[2:4, :, :1] = 0.0, 0.0
    found = read(path, CoveragePlane(made.name, ("*_1", "*_2")), rect=Rect(0, 0, 40, 30))[..., 0]
    ids = [int(made.manifest[name], 16) for name in made.objects[1:3]]
    np.testing.assert_allclose(found, made.coverage(ids), atol=EXACT)


@pytest.mark.parametrize("kind", ["uint", "float", "half"])
def test_channels_and_ids_of_every_type(kind: str, tmp_path: Path):
    values = samples((47, 61), kind, 4)
    ids = np.random.default_rng(0).integers(0, 5, (47, 61))
    coded = ids.astype({"uint": np.uint32, "float": np.float32, "half": np.float16}[kind])
    if kind != "uint":
        coded[0, :4] = [1.5, np.nan, np.inf, 2.0]
    path = tmp_path / "a.exr"
    OpenEXR.File(header(), {"Y": np.zeros((47, 61), np.float16), "v": values, "id": coded}).write(str(path))
    found = read(path, ChannelPlane("v"), IdPlane("id", (1, 2, 400)), IdPlane("id", ()))
    np.testing.assert_array_equal(found[..., 0], values.astype(np.float32))
    np.testing.assert_array_equal(found[..., 1], np.isin(coded, [1, 2]))
    assert not found[..., 2].any()
    coarse = read(path, IdPlane("id", (1, 2, 400)), rect=Rect(0, 0, 16, 12), level=2)[..., 0]
    np.testing.assert_allclose(coarse, box_means(np.isin(coded, [1, 2]), 2), atol=EXACT)


def test_large_ids_are_not_rounded(tmp_path: Path):
    ids = samples((47, 61), "uint")
    ids[1, :4] = [(1 << 24) + 1, 1 << 24, 0xFFFFFFFF, NAN_ID]
    OpenEXR.File(header(), {"id": ids}).write(str(tmp_path / "a.exr"))
    found = read(tmp_path / "a.exr", *(IdPlane("id", (int(each),)) for each in ids[1, :4]))
    np.testing.assert_array_equal(found[1, :4], np.eye(4))


def test_channels_that_have_fewer_samples_than_pixels(tmp_path: Path):
    y, ry, by = (samples((48, 60), "half", n) for n in range(3))
    y[0, :5] = 1.0
    ids = samples((48, 60), "uint")
    luminance_chroma_file(tmp_path / "a.exr", y, ry, by, ids)
    found = read(tmp_path / "a.exr", ChannelPlane("Y"), IdPlane("id", (int(ids[5, 6]),)), rect=Rect(0, 0, 60, 48))
    np.testing.assert_array_equal(found[..., 0], y.astype(np.float32))
    assert found[5, 6, 1] == 1.0


def test_depth_with_holes_is_averaged_as_it_is(tmp_path: Path):
    depth = np.ones((4, 4), np.float32)
    depth[0, 0], depth[0, 2], depth[3, 3] = np.nan, np.inf, 3.0
    OpenEXR.File(header(), {"Z": depth}).write(str(tmp_path / "a.exr"))
    found = read(tmp_path / "a.exr", ChannelPlane("Z"), rect=Rect(0, 0, 2, 2), level=1)[..., 0]
    np.testing.assert_array_equal(found, [[np.nan, np.inf], [1.0, 1.5]])


def test_objects_at_a_pixel(made: Layer, reader: PlaneReader):
    y, x = (int(n) for n in np.argwhere(made.coverages[5] > 0)[7])
    picked = reader.pick(made.name, x, y)
    expected = [(int(id), float(share)) for id, share in zip(made.ids[:, y, x], made.coverages[:, y, x], strict=True)]
    assert [(each.id, each.coverage) for each in picked] == expected
    assert [each.name for each in picked] == [reader.manifest(made.name).names_of(id)[0] for id, _ in expected]
    assert reader.pick(made.name, 3, 46) == ()
    assert reader.pick(made.name, 61, 3) == reader.pick(made.name, 60, 3)
    middle = reader.pick(made.name, 2, 3, level=2)
    assert middle == reader.pick(made.name, 10, 14)


def test_without_a_manifest_objects_are_those_of_the_image(tmp_path: Path):
    made, hidden = layer(), 0x12345678
    made.ids[3][5, 6], made.coverages[3][5, 6] = hidden, 0.01
    header = {"type": OpenEXR.scanlineimage} | made.metadata(manifest=None)
    OpenEXR.File(header, made.channels()).write(str(tmp_path / "a.exr"))
    opened = reader_of(tmp_path / "a.exr")
    objects = opened.objects(made.name)
    assert sorted(objects.names) == sorted([*made.manifest.values(), f"{hidden:08x}"])
    assert opened.pick(made.name, 0, 0)[0].name == made.manifest[made.objects[0]]
    found = opened.read([CoveragePlane(made.name, (made.objects[0],))], SIZE)[..., 0]
    np.testing.assert_allclose(found, made.coverage([int(made.manifest[made.objects[0]], 16)]), atol=EXACT)
    opened.close()


def test_preparing_says_how_far_it_is_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.io.plane_bands.BAND_BYTES", 1)
    made = layer(ranks=3)
    path = write_layers(tmp_path / "a.exr", [made], Z=samples((47, 61), "float"))
    planes, heard = (CoveragePlane(made.name, ("*",)), ChannelPlane("Z")), list[tuple[int, int]]()
    opened = reader_of(path)
    assert not opened.ready(planes)
    with pytest.raises(Cancelled):
        opened.prepare(planes, stop=lambda: len(heard) > 2, progress=lambda *at: heard.append(at))
    assert heard == [(0, 6), (1, 6), (2, 6)]
    opened.prepare(planes, Rect(0, 0, 61, 20))
    assert opened.ready(planes, Rect(5, 5, 9, 15))
    assert not opened.ready(planes)
    opened.prepare(planes)
    assert opened.ready(planes)
    assert opened.used > 61 * 47 * 12
    monkeypatch.setattr("engine.io.plane_samples.SampleReader.rows", lambda *asked: pytest.fail("decoded again"))
    opened.read(planes, SIZE)
    opened.close()
    assert opened.used == 0
