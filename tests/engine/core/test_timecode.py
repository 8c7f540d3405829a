"""SMPTE timecode of frames."""

from __future__ import annotations

import pytest

from engine.core.timecode import rate_of, timecode_at


@pytest.mark.parametrize(
    ("frame", "rate", "text"),
    [
        (0, 24.0, "00:00:00:00"),
        (1001, 24.0, "00:00:41:17"),
        (1001, 23.976, "00:00:41:17"),
        (86400, 24.0, "01:00:00:00"),
        (-1, 25.0, "23:59:59:24"),
        (119, 120.0, "00:00:00:119"),
    ],
)
def test_frames_are_counted_from_zero(frame: int, rate: float, text: str):
    assert timecode_at(frame, rate) == text


@pytest.mark.parametrize(
    ("known", "ahead", "text"),
    [
        ("10:00:00:23", 1, "10:00:01:00"),
        ("00:00:00:00", -1, "23:59:59:23"),
        ("not a timecode", 1, "00:00:41:18"),
    ],
)
def test_frames_are_counted_from_a_known_one(known: str, ahead: int, text: str):
    assert timecode_at(1001, 24.0, (1001, "10:00:00:23")) == "10:00:00:23"
    assert timecode_at(1001 + ahead, 24.0, (1001, known)) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1799, "00:00:59;29"),
        (1800, "00:01:00;02"),
        (3597, "00:01:59;29"),
        (3598, "00:02:00;02"),
        (17981, "00:09:59;29"),
        (17982, "00:10:00;00"),
        (107892, "01:00:00;00"),
    ],
)
def test_drop_frame_timecode_leaves_out_two_numbers_a_minute(count: int, text: str):
    assert timecode_at(count, 29.97, (0, "00:00:00;00")) == text
    assert timecode_at(0, 29.97, (count, text)) == "00:00:00;00"
    assert timecode_at(count + 1, 29.97, (count, text)) == timecode_at(count + 1, 29.97, (0, "00:00:00;00"))


def test_the_rate_of_a_file():
    assert rate_of({"framesPerSecond": "24000/1001"}) == pytest.approx(23.976, abs=1e-3)
    assert rate_of({"framesPerSecond": "1/0"}) == rate_of({}) == 0.0
