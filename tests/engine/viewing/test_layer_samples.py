"""Samples of layers: from few chunks, and as if they were picked from the whole image."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import OpenEXR
import pytest

from engine.io import describe, read_image
from engine.io.source import FileSource
from engine.movies.images import file_source
from engine.viewing import layer_samples
from engine.viewing.layer_samples import sample_layers

WIDTH, HEIGHT = 50, 200


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples") / "layers.exr"
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    planes = {name: (x + n).astype(np.float16) for n, name in enumerate(("R", "G", "B", "diffuse.R", "diffuse.G"))}
    planes |= {"diffuse.B": x.astype(np.float16), "Z": y * 1000.0, "N.X": x - 25.0, "N.Y": y, "N.Z": y - x}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(path))
    return path


def test_samples_are_picked_from_the_whole_image(image: Path):
    rows, columns = (2 * np.arange(10) + 1) * HEIGHT // 20, (2 * np.arange(8) + 1) * WIDTH // 16
    names = ("", "diffuse", "Z", "N")
    for name, found in zip(names, sample_layers(describe(image), 0, names, 8, 10), strict=True):
        whole = read_image(image, layer=name).pixels
        assert found.dtype == np.float32
        assert np.array_equal(found, whole[rows][:, columns].astype(np.float32))


def test_few_chunks_are_decoded_for_all_layers(image: Path):
    original = FileSource.read
    with patch.object(layer_samples, "MOST_SAMPLES", 1), patch.object(FileSource, "read", autospec=True) as read:
        read.side_effect = original
        (found,) = sample_layers(describe(image), 0, ("Z",), 8, 100)
    assert read.call_count == layer_samples.LEAST_CHUNKS
    assert found.shape == (100, 8, 3) and np.diff(found[:, 0, 0]).min() >= 0.0  # the nearest rows that were decoded


def test_small_images_are_sampled_whole(image: Path):
    (found,) = sample_layers(describe(image), 0, ("Z",), 1000, 1000)
    assert found.shape == (HEIGHT, WIDTH, 3)


def test_it_stops_between_chunks(image: Path):
    assert sample_layers(describe(image), 0, ("Z",), 8, 8, lambda: True) == []


def test_mip_levels_are_used(tmp_path: Path):
    import OpenImageIO as oiio

    path = tmp_path / "mips.exr"
    flat = oiio.ImageBuf(oiio.ImageSpec(256, 256, 3, "half"))
    oiio.ImageBufAlgo.fill(flat, (0.5, 0.25, 1.0))
    assert oiio.ImageBufAlgo.make_texture(oiio.MakeTxTexture, flat, str(path))
    with patch.object(layer_samples, "file_source", wraps=file_source) as source:
        (found,) = sample_layers(describe(path), 0, ("",), 32, 32)
    assert source.call_args.args[1].width == 32
    assert np.allclose(found, (0.5, 0.25, 1.0), atol=1e-3)


def test_parts_that_are_too_large_to_decode_whole_are_left_out(tmp_path: Path):
    path = tmp_path / "chroma.exr"
    planes = {"Y": np.ones((16, 16), np.float16), "RY": np.zeros((16, 16), np.float16)}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(path))
    info = describe(path)
    with patch.object(layer_samples, "MOST_WHOLE", 1), patch.object(FileSource, "is_whole", True):
        assert sample_layers(info, 0, ("Y",), 8, 8) == []
