"""What is left of a damaged image is shown, with the reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.errors import UnreadableFile
from engine.viewing.opening import open_image

PIXELS = np.random.default_rng(3).uniform(0.1, 1.0, (64, 48)).astype(np.float16)


def cut(folder: Path, share: float) -> Path:
    path = folder / "cut.exr"
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, dict.fromkeys("RGB", PIXELS)).write(str(path))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return path


def test_the_lines_before_the_end_are_shown_and_the_rest_is_black(tmp_path: Path):
    image = open_image(cut(tmp_path, 0.8))
    assert "cut.exr: is cut off" in image.damage and "only its intact regions are shown" in image.damage
    pixels = image.pixels  # type: ignore[union-attr]
    np.testing.assert_array_equal(pixels[:48], np.repeat(PIXELS[:48, :, None], 3, axis=2))
    assert not pixels[48:].any()


def test_a_whole_image_has_no_damage(tmp_path: Path):
    assert open_image(cut(tmp_path, 1.0)).damage == ""


def test_nothing_left_is_an_error(tmp_path: Path):
    with pytest.raises(UnreadableFile, match="cut off"):
        open_image(cut(tmp_path, 0.2))
