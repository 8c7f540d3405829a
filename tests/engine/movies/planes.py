"""Planes of frames for tests of encoders, and what FFmpeg makes of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from engine.movies.codecs import Pixels
from engine.movies.plane_files import write_planes
from engine.movies.plane_header import PlaneHeader


def drawn(pixels: Pixels, width: int, height: int, number: int) -> list[np.ndarray]:
    """Return the planes of a frame: smooth, moving, and different in every plane."""
    top, dtype = 219 << (pixels.depth - 8), np.uint8 if pixels.depth == 8 else np.uint16
    planes = []
    for plane, (rows, columns) in enumerate(pixels.planes(width, height)):
        y, x = np.mgrid[0:rows, 0:columns]
        wave = 0.5 + 0.4 * np.sin(x / columns * 5 + plane + number / 3) * np.cos(y / rows * 3 + number / 5)
        planes.append(((16 << (pixels.depth - 8)) + wave * top + 0.5).astype(dtype))
    return planes


def write_frames(folder, pixels: Pixels, width: int, height: int, count: int, light=(0.0, 0.0)):
    """Write frames to a folder; return their paths and planes."""
    header = PlaneHeader(pixels.chroma, pixels.depth, width, height, "made", light[0], light[1], pixels.alpha)
    frames = [drawn(pixels, width, height, number) for number in range(count)]
    paths = [folder / f"{number}.planes" for number in range(count)]
    for path, planes in zip(paths, frames, strict=True):
        write_planes(path, header, planes)
    return paths, frames


def encoded_by_ffmpeg(av, path, settings, frames) -> None:
    """Encode planes with PyAV alone, in the plainest way."""
    with av.open(str(path), "w") as movie:
        stream = movie.add_stream(settings.encoder, rate=Fraction(settings.rate), options=dict(settings.options))
        stream.width, stream.height, stream.pix_fmt = settings.width, settings.height, settings.format
        for planes in frames:
            frame = av.VideoFrame(settings.width, settings.height, settings.format)
            for target, source in zip(frame.planes, planes, strict=True):
                padded = np.zeros((source.shape[0], target.line_size // source.itemsize), source.dtype)
                padded[:, : source.shape[1]] = source
                target.update(padded.tobytes())
            movie.mux(stream.encode(frame))
        movie.mux(stream.encode(None))


def decoded(av, path) -> list[list[np.ndarray]]:
    """Return the planes of every frame, as FFmpeg decodes them."""
    with av.open(str(path)) as movie:
        return [[_rows(plane, frame) for plane in frame.planes] for frame in movie.decode(video=0)]


def _rows(plane, frame) -> np.ndarray:
    dtype = np.uint8 if frame.format.components[0].bits == 8 else np.uint16
    rows = np.frombuffer(plane, dtype).reshape(plane.height, -1)
    return rows[:, : plane.width].copy()
