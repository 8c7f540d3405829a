"""Frames of movies by number, against the frames that made them."""

from __future__ import annotations

import random

import pytest

from engine.movies.packet_index import PacketIndex
from tests.engine.movies.numbered import FRAMES, Case, make, number_in, with_edit

av = pytest.importorskip("av", reason="PyAV is not installed")

X264 = {"preset": "ultrafast", "bf": "2", "g": "5", "x264-params": "b-adapt=0"}
OPEN = X264 | {"x264-params": "open-gop=1:b-adapt=0:bframes=3:keyint=4:min-keyint=4"}
X265 = {"preset": "ultrafast", "x265-params": "keyint=5:min-keyint=5:bframes=3:b-adapt=0:log-level=none:pools=none"}
B_FRAMES = {"bf": "2", "g": "6"}
UNEVEN = (0, 1, 2, 9, 10, 30, 31, 33, 50, 51, 52, 70, 71, 72)
CASES = [
    Case("h264.mp4", "libx264", "yuv420p", X264),
    Case("open.mov", "libx264", "yuv420p", OPEN),
    Case("hevc.mkv", "libx265", "yuv420p10le", X265),
    Case("hevc_open.mp4", "libx265", "yuv420p", X265 | {"x265-params": X265["x265-params"] + ":open-gop=1"}),
    Case("prores.mov", "prores_ks", "yuv422p10le"),
    Case("prores4444.mov", "prores_ks", "yuva444p10le"),
    Case("dnxhr.mxf", "dnxhd", "yuv422p", {"profile": "dnxhr_sq"}, (256, 128), range(5), 25, shown=range(5)),
    Case("mpeg4.avi", "mpeg4", "yuv420p", B_FRAMES),
    Case("mpeg2.ts", "mpeg2video", "yuv420p", B_FRAMES),
    Case("mpeg2.mpg", "mpeg2video", "yuv420p", B_FRAMES),
    Case("mpeg2.mxf", "mpeg2video", "yuv422p", B_FRAMES, rate=25),
    Case("h264.ts", "libx264", "yuv420p", X264),
    Case("vp9.webm", "libvpx-vp9", "yuv420p", {"g": "5", "deadline": "realtime", "cpu-used": "8"}),
    Case("ffv1.mkv", "ffv1", "gbrp10le"),
    Case("jpeg.avi", "mjpeg", "yuvj420p"),
    Case("raw.h264", "libx264", "yuv420p", X264),
    Case("uneven.mp4", "libx264", "yuv420p", X264, times=UNEVEN),
    Case("uneven.mkv", "libx264", "yuv420p", OPEN, times=UNEVEN),
    Case("odd.avi", "mpeg4", "yuv420p", B_FRAMES, (35, 19)),
    Case("odd.mkv", "ffv1", "yuv422p10le", size=(33, 17)),
    Case("edited.mp4", "libx264", "yuv420p", X264, change=with_edit(3, 8), shown=range(3, 11)),
    Case("edited_open.mov", "libx264", "yuv420p", OPEN, change=with_edit(6, 7), shown=range(6, 13)),
    Case("negative.mkv", "libx264", "yuv420p", X264, times=range(-3, FRAMES - 3)),
    Case("late.mp4", "libx264", "yuv420p", X264, times=range(100, 100 + FRAMES)),
    Case("rotated.mp4", "libx264", "yuv420p", X264, rotation=-90),
    Case("packed.avi", "rawvideo", "bgr24"),
    Case("v210.mov", "v210", "yuv422p10le", size=(48, 18)),
    Case("animation.mov", "qtrle", "rgb24"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("movies")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_frames_are_those_that_made_the_movie_in_any_order(case, folder):
    from engine.movies.decoder import MovieDecoder, scan

    path, index = make(folder, case), PacketIndex()
    scan(path, index)
    decoder = MovieDecoder(path, index)

    def shown(number: int) -> int:
        for found, frame, damaged in decoder.frames_to(number, lambda: None):
            assert not damaged
            seen = number_in(decoder.planes(frame)[0])
            assert seen == case.shown[found], "frames on the way are kept, too"
        assert found == number
        return seen

    try:
        assert (index.count(lambda: None), index.note) == (len(case.shown), "")
        order = random.Random(case.name).sample(range(len(case.shown)), len(case.shown))
        for number in (*order, *range(len(case.shown))):
            assert shown(number) == case.shown[number], number
    finally:
        decoder.close()
