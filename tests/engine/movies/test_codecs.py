"""Codecs, colour tags and options of movies."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from engine.errors import TesseraError, UnsupportedFile
from engine.movies.codecs import CODECS, Pixels, codec_for
from engine.movies.content_light import content_light, measured
from engine.movies.encode_tags import ContentLight, mastering_of, tags_of
from engine.movies.movie_options import first_timecode, parse_rate, rate_in

TAGS = {
    "g24_rec709_display": "1-1-1",
    "srgb_rec709_display": "1-13-1",
    "srgb_p3d65_display": "12-13-1",
    "g26_p3d65_display": "12-17-1",
    "pq_rec2020_display": "9-16-9",
    "hlg_rec2020_display": "9-18-9",
    "ocio:itu709_rec709_scene": "1-1-1",
    "lin_ap1_scene": "2-8-1",
    "unknown": "2-2-1",
}


@pytest.mark.parametrize(("space", "points"), TAGS.items())
def test_tags_of_colour_spaces(space, points):
    assert str(tags_of(space)) == points


def test_the_container_decides_the_codec():
    names = [codec_for(Path(f"a{suffix}")).name for suffix in (".mov", ".MP4", ".mkv", ".webm")]
    assert names == ["prores_422_hq", "h264", "av1", "av1"]
    with pytest.raises(UnsupportedFile, match=r"MP4 does not hold ProRes 4444; write \.mov, \.mkv"):
        codec_for(Path("a.mp4"), "prores_4444")
    with pytest.raises(UnsupportedFile, match="'mpeg2' is not a valid codec; use one of prores_422_proxy"):
        codec_for(Path("a.mov"), "mpeg2")


def test_qualities_and_pixels_of_codecs():
    h265, prores = codec_for(Path("a.mp4"), "h265"), codec_for(Path("a.mov"))
    assert [h265.quality(text) for text in ("", "low", "best", "33")] == ["20", "30", "14", "33"]
    assert [h265.pixels_named("", hdr).ffmpeg for hdr in (False, True)] == ["yuv420p", "yuv420p10le"]
    assert h265.pixels_named("yuv444p12", False) == Pixels("444", 12)
    for ask in (
        lambda: h265.quality("52"),
        lambda: prores.quality("high"),
        lambda: prores.pixels_named("yuv420p", True),
    ):
        with pytest.raises(ValueError, match=r"use|choose"):
            ask()
    assert all(codec.pixels and codec.suffixes for codec in CODECS)


def test_rates():
    assert parse_rate("23.976") == parse_rate("24000/1001") == Fraction(24000, 1001)
    assert [parse_rate("25"), parse_rate("12.5")] == [Fraction(25), Fraction(25, 2)]
    for text in ("0", "1/0", "-24", "fast", "1001", "24fps"):
        with pytest.raises(ValueError, match="is not a rate"):
            parse_rate(text)
    assert rate_in({"framesPerSecond": "30000/1001"}) == Fraction(30000, 1001)
    assert rate_in({}) is None


def test_timecodes():
    stated, rate = {"timeCode": "10:20:30:12"}, Fraction(24)
    assert first_timecode("source", stated, 1001, rate) == "10:20:30:12"
    assert first_timecode("source", {}, 1001, rate) == "00:00:41:17"
    assert first_timecode("none", stated, 1001, rate) == ""
    assert first_timecode("01:00:00:00", stated, 1001, rate) == "01:00:00:00"
    assert first_timecode("01:00:00;02", {}, 1, Fraction(30000, 1001)) == "01:00:00;02"
    for text in ("1:00", "01:00:00;00", "01:00:00:24"):
        with pytest.raises(TesseraError, match=r"timecode|drops frames|no such frame"):
            first_timecode(text, {}, 1, rate)


def test_mastering_displays_are_those_that_views_name():
    found = mastering_of("ACES 2.0 - HDR 1000 nits (P3 D65)")
    assert found is not None
    assert (found.primaries[:2], found.most) == ((0.68, 0.32), 1000.0)
    wide = mastering_of("ACES 2.0 - HDR 4000 nits (Rec.2020)")
    assert wide is not None
    assert (wide.primaries[:2], wide.most) == ((0.708, 0.292), 4000.0)
    assert mastering_of("Un-tone-mapped") is None


def test_light_of_pq_frames():
    """Codes of 100, 1000 and 10,000 cd/m2: ITU-R BT.2100, table 4, and SMPTE ST 2084."""
    frame = np.zeros((4, 4, 4), np.float32)
    frame[0, 0, :3] = (0.508078, 0.0, 0.0)
    frame[0, 1, :3] = (0.2, 0.751827, 0.3)
    highest, mean = measured(frame)
    assert highest == pytest.approx(1000.0, rel=2e-4)
    assert mean == pytest.approx(1100.0 / 16, rel=2e-4)
    frame[0, 2] = (2.0, np.nan, 0.0, 0.0)
    assert measured(frame)[0] == pytest.approx(10000.0)
    assert content_light([(999.6, 10.2), (3.0, 50.7)]) == ContentLight(1000, 51)
