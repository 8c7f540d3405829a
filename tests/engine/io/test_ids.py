"""IDs of 32 bits, from the file to what the window tells, without losing one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.core.geometry import Rect
from engine.io.id_pixels import ID_SCALE, id_of, id_pixels
from engine.viewing import opening, store
from engine.viewing.levels import levels_of

LAST = np.iinfo(np.uint32).max
IDS = np.random.default_rng(7).integers(0, LAST, (20, 30), np.uint32, endpoint=True)
IDS[0, :5] = (0, 1, 1 << 24, (1 << 24) + 1, LAST)


def test_every_number_is_reported_apart():
    pixels = id_pixels(IDS)
    assert pixels.dtype == np.float32
    found = [[id_of(pixel) for pixel in row] for row in pixels]
    np.testing.assert_array_equal(found, IDS)
    np.testing.assert_allclose(pixels[..., 0] * ID_SCALE, IDS, rtol=1e-7)


@pytest.mark.parametrize("names", [("id",), ("R", "G", "B", "A")])
@pytest.mark.parametrize("direct", [True, False])
def test_the_window_gets_the_numbers_of_the_file(
    names: tuple[str, ...], direct: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    planes = {name: IDS if name == names[0] else IDS[::-1].copy() for name in names}
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, planes).write(str(tmp_path / "ids.exr"))
    if not direct:
        monkeypatch.setattr(opening, "DIRECT_SAMPLES", 0)
        monkeypatch.setattr(store, "OVERVIEW_PIXELS", 100)
    levels = levels_of(opening.open_image(tmp_path / "ids.exr"))
    pixels = levels.exact(Rect(0, 0, 30, 20))
    assert pixels.shape == (20, 30, levels.channels)
    np.testing.assert_array_equal([[id_of(pixel) for pixel in row] for row in pixels], IDS)
    levels.rest(5.0)
