"""Small movies: containers, codecs, B-frames, alpha, and time stamps that are missing or uneven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tools.fuzz.kind import Seed

X264 = {"preset": "ultrafast", "bf": "2", "g": "5", "x264-params": "b-adapt=0"}
MADE: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("h264.mp4", "libx264", "yuv420p", X264),
    ("h264.ts", "libx264", "yuv420p", X264),
    ("raw.h264", "libx264", "yuv420p", X264),
    ("prores.mov", "prores_ks", "yuv422p10le", {}),
    ("prores4444.mov", "prores_ks", "yuva444p10le", {}),
    ("mpeg4.avi", "mpeg4", "yuv420p", {"bf": "2", "g": "5"}),
    ("mpeg2.mxf", "mpeg2video", "yuv422p", {"bf": "2", "g": "5"}),
    ("mpeg2.mpg", "mpeg2video", "yuv420p", {"bf": "2", "g": "5"}),
    ("vp9.webm", "libvpx-vp9", "yuv420p", {"g": "4", "deadline": "realtime", "cpu-used": "8"}),
    ("ffv1.mkv", "ffv1", "gbrp10le", {}),
    ("packed.avi", "rawvideo", "bgr24", {}),
    ("animation.mov", "qtrle", "rgb24", {}),
    ("v210.mov", "v210", "yuv422p10le", {}),
    ("jpeg.mkv", "mjpeg", "yuvj420p", {}),
)
UNEVEN = (0, 1, 2, 9, 10, 30, 31, 33)


def movies(folder: Path) -> Iterator[Seed]:
    """Yield the movies, always the same ones."""
    for number, (name, codec, pixels, options) in enumerate(MADE):
        times = UNEVEN if number % 3 == 0 and not name.endswith((".avi", ".mxf", ".mpg")) else range(len(UNEVEN))
        path = folder / name
        _make(path, codec, pixels, options, times)
        yield Seed(name, path.suffix, path.read_bytes())


def _make(path: Path, codec: str, pixels: str, options: dict[str, str], times: Sequence[int]) -> None:
    import av

    image = np.random.default_rng(1).integers(0, 255, (18, 32, 3), np.uint8)
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as file:
        stream = file.add_stream(codec, rate=25)
        stream.width, stream.height = 32, 18
        stream.pix_fmt, stream.options = pixels, {"threads": "1", "flags": "+bitexact", **options}
        for number, time in enumerate(times):
            frame = av.VideoFrame.from_ndarray(np.roll(image, number, 1), "rgb24").reformat(format=pixels)
            frame.pts = time
            for packet in stream.encode(frame):
                file.mux(packet)
        for packet in stream.encode():
            file.mux(packet)
