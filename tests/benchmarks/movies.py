"""Encoding of graded frames as movies, against PyAV that is fed the same frames by a pipe, as FFmpeg is in scripts.

    .venv/bin/python -m tests.benchmarks.movies [--frames 48] [--size 1920x1080] [--codec prores_422_hq h264 dnxhr_hqx]

Both get float R'G'B' and write the same codec with the same options. Ours converts on the device, and the process of
the encoder maps the planes; the other one rounds to 16 bits, pipes them, and converts with swscale.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from engine.compute.devices import create_executor
from engine.export.movie_frames import to_planes
from engine.movies.codecs import codec_for
from engine.movies.encode_options import encoder_options
from engine.movies.encode_settings import EncodeSettings
from engine.movies.encode_tags import tags_of
from engine.movies.encoding import MovieWriter
from engine.movies.movie_options import FramePlanes
from engine.movies.plane_files import write_planes
from engine.movies.plane_folder import plane_folder
from engine.movies.plane_header import PlaneHeader

PIPED = """
import sys, av, numpy as np
path, encoder, options, pixels, width, height = *sys.argv[1:3], eval(sys.argv[3]), sys.argv[4], *map(int, sys.argv[5:])
movie = av.open(path, "w")
stream = movie.add_stream(encoder, rate=24, options=options)
stream.width, stream.height, stream.pix_fmt = width, height, pixels
stream.codec_context.thread_count = 0
stream.codec_context.thread_type = "SLICE" if encoder == "dnxhd" else "FRAME"
while data := sys.stdin.buffer.read(width * height * 6):
    frame = av.VideoFrame.from_ndarray(np.frombuffer(data, "<u2").reshape(height, width, 3), format="rgb48le")
    movie.mux(stream.encode(frame.reformat(format=pixels, dst_colorspace="ITU709", dst_color_range="MPEG")))
movie.mux(stream.encode(None))
movie.close()
"""


def frames(width: int, height: int) -> list[np.ndarray]:
    """Return a few frames with detail and motion, as R'G'B'A."""
    rng = np.random.default_rng(3)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / height
    grain = rng.normal(0.0, 0.01, (height, width, 1)).astype(np.float32)
    found = []
    for number in range(8):
        waves = [0.5 + 0.4 * np.sin(6 * x + number / 4 + n) * np.cos(5 * y - number / 5) for n in range(3)]
        rgb = np.stack([*waves, np.ones_like(x)], axis=-1)
        found.append(np.ascontiguousarray(np.clip(rgb + np.roll(grain, 17 * number, axis=1), 0.0, 1.0), np.float32))
    return found


Seconds = tuple[float, float]
"""Of the clock, and of processors, those of child processes included."""


def clock() -> Seconds:
    times = os.times()
    return time.perf_counter(), times.user + times.system + times.children_user + times.children_system


def since(start: Seconds) -> Seconds:
    now = clock()
    return now[0] - start[0], now[1] - start[1]


def ours(path: Path, settings: EncodeSettings, planes: FramePlanes, images: list[np.ndarray], count: int) -> Seconds:
    primitives = create_executor("auto").primitives
    to_planes(primitives, images[0], planes)
    header = PlaneHeader(planes.pixels.chroma, planes.pixels.depth, planes.width, planes.height)
    with plane_folder() as folder:
        start = clock()
        writer = MovieWriter(path, settings, force=True)
        for number in range(count):
            frame = folder / f"{number % 2}.planes"
            write_planes(frame, header, to_planes(primitives, images[number % len(images)], planes))
            writer.write(frame)
        writer.finish()
        return since(start)


def piped(path: Path, settings: EncodeSettings, images: list[np.ndarray], count: int) -> Seconds:
    words = [str(path), settings.encoder, repr(dict(settings.options)), settings.format]
    start = clock()
    command = [sys.executable, "-c", PIPED, *words, str(settings.width), str(settings.height)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    for number in range(count):
        rgb = images[number % len(images)][..., :3]
        process.stdin.write((np.clip(rgb, 0.0, 1.0) * 65535.0 + 0.5).astype("<u2").tobytes())
    process.stdin.close()
    assert process.wait() == 0
    return since(start)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--frames", type=int, default=48)
    words.add_argument("--size", default="1920x1080")
    words.add_argument("--codec", nargs="+", default=["prores_422_hq", "dnxhr_hqx", "h264"])
    words.add_argument("--runs", type=int, default=3)
    asked = words.parse_args()
    width, height = map(int, asked.size.split("x"))
    images = frames(width, height)
    print(f"{asked.frames} frames of {asked.size}: frames per second, and how much faster ours is (medians)")
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.codec:
            suffix = ".mp4" if name in ("h264", "h265") else ".mov" if not name.startswith("av1") else ".mkv"
            path = Path(folder) / f"movie{suffix}"
            codec = codec_for(path, name)
            pixels, tags = codec.pixels[0], tags_of("g24_rec709_display")
            planes = FramePlanes(width, height, pixels, tags)
            options = encoder_options(codec, "", planes.siting)
            settings = EncodeSettings(
                codec.encoder, pixels.ffmpeg, width, height, Fraction(24), tags, options, codec.tag
            )
            pairs = [
                (ours(path, settings, planes, images, asked.frames), piped(path, settings, images, asked.frames))
                for _ in range(asked.runs)
            ]
            for number, kind in enumerate(("clock", "processors")):
                mine, other = (float(np.median([pair[n][number] for pair in pairs])) for n in (0, 1))
                ratio = float(np.median([pair[1][number] / pair[0][number] for pair in pairs]))
                rates = f"ours {asked.frames / mine:6.1f}   pipe {asked.frames / other:6.1f}   {ratio:.2f} x"
                print(f"{name:16} by {kind:10}  {rates}")


if __name__ == "__main__":
    main()
