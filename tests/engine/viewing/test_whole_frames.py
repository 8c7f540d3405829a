"""Whole images as display values, for pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import create_executor, ops
from engine.errors import Cancelled
from engine.viewing import WholeLevels, opening
from engine.viewing.whole_frames import whole_frame
from tests.app.command_line import write_exr
from tests.tolerance import assert_close

PIXELS = np.random.default_rng(1).random((40, 60, 3), np.float32)


def test_values_are_averaged_graded_and_shown() -> None:
    executor = create_executor("cpu", 1)
    found = whole_frame(executor, WholeLevels(PIXELS), (30, 20), [ops.Exposure(1.0)], [ops.Saturation(0.0)])
    means = PIXELS.astype(np.float64).reshape(20, 2, 30, 2, 3).mean(axis=(1, 3)) * 2.0
    luma = means @ np.array([0.2126, 0.7152, 0.0722])
    assert_close(found[..., :3], np.repeat(luma[..., None], 3, -1), "cpu", chain=True)


def test_a_large_image_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "DIRECT_SAMPLES", 1000)
    rgb = {name: np.full((700, 900), 0.25 * n, np.float16) for n, name in enumerate("RGB", 1)}
    image = opening.open_image(write_exr(tmp_path / "large.exr", **rgb))
    assert isinstance(image, opening.LargeImage)
    found = whole_frame(create_executor("cpu", 1), image.levels, (450, 350), [], [])
    np.testing.assert_allclose(found[..., :3], np.broadcast_to([0.25, 0.5, 0.75], (350, 450, 3)))


def test_it_stops_when_asked() -> None:
    class Never(WholeLevels):
        begun = False

    with pytest.raises(Cancelled):
        whole_frame(create_executor("cpu", 1), Never(PIXELS), (30, 20), [], [], lambda: True)
