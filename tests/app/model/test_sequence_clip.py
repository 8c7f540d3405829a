"""The decoded frames of a sequence, and how many there may be."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.model import sequence_clip
from app.model.preroll import FEW_CORES
from app.model.sequence_clip import AT_ONCE, ON_DEVICE, Clip
from engine.export.frame_patterns import pattern_of


def clip_of(images: dict[int, Any]) -> Clip:
    """A sequence of ten frames with these decoded images."""
    found = pattern_of(Path("shot.1001.exr"))
    assert found is not None
    frames = list(range(1001, 1011))
    decoded = {frame: (image, None) for frame, image in images.items()}
    return Clip(found[0], frames, frames[0], frames[-1], 1001, 1001, (None, None), decoded)


def in_memory() -> Any:
    return SimpleNamespace(pixels=np.zeros((10, 10, 4), np.float16))


def on_device(room: int) -> Any:
    return SimpleNamespace(device_bytes=800, device_room=room)


def test_frames_ahead_fit_the_budget_and_the_room_on_the_device() -> None:
    assert len(clip_of({1001: in_memory()}).ahead(0, 4000)) == 5
    assert len(clip_of({1001: on_device(1 << 30)}).ahead(0, 4000)) == 5
    assert clip_of({1001: on_device(2400)}).ahead(9, 4000) == [1010, 1001, 1002]


def test_frames_leave_that_do_not_fit_the_room_on_the_device() -> None:
    clip = clip_of({frame: on_device(2400) for frame in (1001, 1002, 1003)})
    clip.evict(1004, {1002, 1003, 1004}, 800, 1 << 30)
    assert sorted(clip.decoded) == [1001, 1003] or sorted(clip.decoded) == [1001, 1002]
    others = clip_of({frame: in_memory() for frame in (1001, 1002, 1003)})
    others.evict(1004, set(), 800, 1 << 30)
    assert len(others.decoded) == 3


def test_planes_of_mattes_count_as_well() -> None:
    clip = clip_of({frame: in_memory() for frame in (1001, 1002, 1003)})
    assert (clip.used, len(clip.ahead(0, 4000))) == (2400, 5)
    clip.plane_bytes = 400
    assert (clip.used, len(clip.ahead(0, 4000))) == (3600, 3)
    clip.evict(1004, set(), 800, 3600)
    assert sorted(clip.decoded) == [1001, 1003]


def test_a_device_decodes_more_frames_at_once() -> None:
    assert clip_of({1001: in_memory()}).at_once == AT_ONCE
    assert clip_of({1001: in_memory(), 1002: on_device(5)}).at_once == ON_DEVICE > AT_ONCE


def test_few_cores_decode_one_frame_at_once_during_playback(monkeypatch: pytest.MonkeyPatch) -> None:
    clip = clip_of({1001: in_memory()})
    monkeypatch.setattr(sequence_clip, "usable_cores", lambda: FEW_CORES - 1)
    assert clip.at_once_playing == 1
    assert clip_of({1001: on_device(5)}).at_once_playing == ON_DEVICE
    monkeypatch.setattr(sequence_clip, "usable_cores", lambda: FEW_CORES)
    assert clip.at_once_playing == AT_ONCE


def test_frames_are_missing_until_they_are_decoded_or_bad() -> None:
    clip = clip_of({1001: in_memory()})
    clip.bad.add(1003)
    assert clip.missing([1003, 1002, 1001]) == [1002]
    assert clip.missing([1003, 1002, 1001], lambda read: False) == [1002, 1001]
