"""Playing a sequence in the window: the pre-roll, the rate reached, what is dropped, and the longest turn of the loop.

    python -m tests.benchmarks.playback [--frames 48] [--seconds 15] [--rate 24] [--aces] [--mattes]
    python -m tests.benchmarks.playback --movie libx264 [--size 1920x1080] [--frames 120]

2K RGBA half ZIP, graded by an exposure and a CDL, on the CPU unless TESSERA_BACKEND names another. With --mattes, the
CDL has a matte of depth, a 32-bit channel of each frame. With --movie, it is a movie of that codec, 4:2:0 with 8 bits
or for ProRes 4:2:2 with 10, graded by a CDL and a LUT of 33 points; how fast it is decoded alone is printed, too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import OpenImageIO as oiio

from engine import Grade, Layer, ops, save_grade
from engine.mattes.channels import DepthRange
from engine.mattes.tree import Leaf, Matte
from engine.movies.movie import close_movies, open_movie
from tests.benchmarks.images import natural
from tests.benchmarks.start import make_window
from tests.benchmarks.window import make_turns, show_aces

WIDTH, HEIGHT = 2048, 1080


def make(folder: Path, count: int, depth: bool) -> Path:
    """`count` frames s.####.exr, with depth or without; the first of them."""
    base = natural(WIDTH, HEIGHT)
    if depth:
        base = np.concatenate([base, 10.0 * base[..., :1]], axis=2)
    for n in range(count):
        spec = oiio.ImageSpec(WIDTH, HEIGHT, base.shape[2], "half")
        spec.attribute("compression", "zip")
        if depth:
            spec.channelnames = ("R", "G", "B", "A", "Z")
            spec.channelformats = ("half", "half", "half", "half", "float")
        output = oiio.ImageOutput.create(str(folder / f"s.{1001 + n}.exr"))
        assert output is not None
        output.open(str(folder / f"s.{1001 + n}.exr"), spec)
        output.write_image(np.roll(base, (2 * n, 5 * n), (0, 1)))
        output.close()
    return folder / "s.1001.exr"


def make_movie(folder: Path, count: int, codec: str, size: tuple[int, int]) -> Path:
    """A movie of `count` frames; prints how fast it is decoded, each of its frames in order."""
    import av

    path = folder / "s.mov"
    pixels = np.uint8(255.0 * natural(*size)[..., :3].clip(0.0, 1.0))
    form = "yuv422p10le" if "prores" in codec else "yuv420p"
    with av.open(str(path), "w") as file:
        stream = file.add_stream(codec, rate=24)
        stream.width, stream.height = size
        stream.pix_fmt, stream.options = form, {"preset": "veryfast"} if codec.startswith("libx26") else {}
        for number in range(count):
            grain = np.random.default_rng(number).integers(0, 6, (size[1], size[0], 1), np.uint8)
            rolled = np.roll(np.minimum(pixels, 249) + grain, (2 * number, 5 * number), (0, 1))
            frame = av.VideoFrame.from_ndarray(rolled, "rgb24").reformat(format=form)
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
    movie = open_movie(path)
    movie.planes(0)
    begun = time.perf_counter()
    for number in range(1, movie.frames):
        movie.planes(number)
    rate = (movie.frames - 1) / (time.perf_counter() - begun)
    size_text = f"{size[0]} x {size[1]}, {path.stat().st_size / count / 1e3:.0f} kB a frame"
    print(f"{codec}, {size_text}: {rate:.1f} decoded a second")
    return path


def graded(mattes: bool, movie: bool = False) -> Grade:
    """The grade, its CDL in a matte of depth or everywhere."""
    cdl = ops.Cdl((1.05, 1.0, 0.95))
    if movie:
        axis = np.linspace(0.0, 1.0, 33)
        return Grade([cdl, ops.Lut3d(np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1) ** 0.9)])
    near = Matte(Leaf(DepthRange(near=0.0, far=2.0, falloff_far=1.0)))
    return Grade([ops.Exposure(0.2), Layer(cdl, matte=near) if mattes else cdl])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=48)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--rate", type=float, default=24.0)
    parser.add_argument("--aces", action="store_true", help="through the ACES 2 view")
    parser.add_argument("--mattes", action="store_true", help="with a matte of depth")
    parser.add_argument("--movie", metavar="CODEC", help="a movie of this codec, such as libx264 or prores_ks")
    parser.add_argument("--size", default="1920x1080", help="of the movie")
    asked = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.movie:
            wide, _, high = asked.size.partition("x")
            image = make_movie(folder, asked.frames, asked.movie, (int(wide), int(high)))
        else:
            image = make(folder, asked.frames, asked.mattes)
        grade = folder / "grade.json"
        save_grade(graded(asked.mattes, bool(asked.movie)), grade)
        turns = make_turns()
        window = make_window(image, grade, "auto")
        turns.wait(lambda: window.canvas.has_frame)
        if asked.aces:
            show_aces(window)
        player = window.workspace.player
        turns.wait(lambda: player.clip is not None)
        said: list[float] = []
        player.rate_changed.connect(said.append)
        player.set_rate(asked.rate)
        turns.spin(3.0)
        shown: list[float] = []
        window.canvas.painted.connect(lambda: shown.append(time.perf_counter()))
        turns.clear()
        turns.call(player.toggle)
        begun = time.perf_counter()
        turns.wait(lambda: not player.prerolls)
        preroll = time.perf_counter() - begun
        shown.clear()
        used = time.process_time()
        turns.spin(asked.seconds)
        used = time.process_time() - used
        dropped = player.dropped
        player.stop()
        rate = len(shown) / asked.seconds
        print(f"pre-roll of {preroll:.2f} s; {rate:.1f} frames a second painted of {asked.rate:g}, ", end="")
        print(f"{dropped} dropped; the panel says: {said[-2]:.1f}")
        print(f"{1e3 * used / max(len(shown), 1):.1f} ms of the processor for each, without a decoder's process")
        turns.tell()
        window.document.mark_saved(window.document.grade, grade)
        window.close()
        close_movies()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
