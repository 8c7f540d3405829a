"""Planar frames against FFmpeg's swscale: every layout, range, matrix and siting that both have."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.compute.planar import PHASES, PlanarFormat
from tests.engine.compute.test_planar import converted
from tests.engine.compute.test_planar_making import made
from tests.engine.planar_reference import codes_of, planes_of
from tests.thorough import cases

av = pytest.importorskip("av")

WIDTH, HEIGHT = 64, 48
BOUND = 4.0 / 65535.0
"""swscale computes with coefficients of 16 bits and rounds to 16 bits."""
CODES = {False: 1, True: 2}
"""Codes, in video and in full range: it rounds to 15 bits before it takes chroma."""
FLAGS = "bilinear+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"
MATRICES = {"bt601": "smpte170m", "bt709": "bt709", "bt2020ncl": "bt2020nc", "smpte240m": "smpte240m"}
PLACES = {"left": (0, 128), "center": (128, 128), "topleft": (0, 0)}
UNSET = -513
NAMES = {
    ("420", "planar", 8): "yuv420p",
    ("422", "planar", 10): "yuv422p10le",
    ("420", "semiplanar", 10): "p010le",
    ("444", "planar", 12): "yuv444p12le",
    ("422", "planar", 8): "yuv422p",
    ("444", "planar", 8): "yuv444p",
    ("420", "planar", 10): "yuv420p10le",
    ("444", "planar", 10): "yuv444p10le",
    ("444", "planar", 16): "yuv444p16le",
    ("420", "planar", 12): "yuv420p12le",
    ("420", "semiplanar", 8): "nv12",
    ("422", "semiplanar", 10): "p210le",
}


def muted(format: PlanarFormat) -> list[NDArray[Any]]:
    """Smooth planes whose colours are all inside of R'G'B', since swscale clamps."""
    luma, *chroma = planes_of(format, smooth=True)
    zero, shift = int(format.chroma_codes[0]) << format.shift, format.dtype.type(3)
    step = format.dtype.type(1 << format.shift)
    return [luma, *((plane >> shift) // step * step + format.dtype.type(zero // 8 * 7) for plane in chroma)]


def frame_of(planes: list[NDArray[Any]], format: PlanarFormat, name: str) -> Any:
    frame = av.VideoFrame(format.width, format.height, name)
    for plane, samples in zip(frame.planes, planes, strict=True):
        rows = samples.reshape(len(samples), -1)
        content = np.zeros((plane.buffer_size // plane.line_size, plane.line_size), np.uint8)
        content[: len(rows), : rows.nbytes // len(rows)] = rows.view(np.uint8)
        plane.update(content)
    return frame


def run(frame: Any, described: str, scale: str, wanted: str) -> Any:
    """The frame after swscale, with these options."""
    graph = av.filter.Graph()
    source = graph.add("buffer", f"video_size={WIDTH}x{HEIGHT}:pix_fmt={frame.format.name}:time_base=1/25:{described}")
    filters = graph.add("scale", f"flags={FLAGS}:{scale}"), graph.add("format", f"pix_fmts={wanted}")
    for one, next in itertools.pairwise((source, *filters, graph.add("buffersink"))):
        one.link_to(next)
    graph.configure()
    graph.push(frame)
    return graph.pull()


def options(format: PlanarFormat, side: str) -> str:
    """The options of one side, `in` or `out`."""
    both = zip(PLACES[format.siting], format.subsampling, strict=True)
    across, down = (place if half else UNSET for place, half in both)
    matrix, levels = MATRICES[format.matrix], "full" if format.full_range else "limited"
    colours = f"{side}_color_matrix={matrix}:{side}_range={levels}"
    return f"{colours}:{side}_h_chr_pos={across}:{side}_v_chr_pos={down}"


def scaled(planes: list[NDArray[Any]], format: PlanarFormat, name: str) -> NDArray[np.float64]:
    """R'G'B' by swscale, of 16 bits. Its white is 2 ** 8 times that of 8 bits, or for full range of the depth."""
    levels = f"colorspace={MATRICES[format.matrix]}:range={'pc' if format.full_range else 'tv'}"
    result = run(frame_of(planes, format, name), levels, options(format, "in"), "gbrp16le")
    channels = [np.frombuffer(result.planes[n], np.uint16).reshape(HEIGHT, -1)[:, :WIDTH] for n in (2, 0, 1)]
    white = 65536.0 - 2.0 ** (16 - (format.depth if format.full_range else 8))
    return np.stack(channels, axis=-1) / white


def scaled_back(pixels: NDArray[np.float64], format: PlanarFormat, name: str) -> list[NDArray[Any]]:
    """Planes by swscale, from R'G'B' of 16 bits, whose white is 2 ** 8 times that of 8 bits."""
    words = [np.rint(pixels[..., channel] * 65280.0).astype(np.uint16) for channel in (1, 2, 0)]
    source = frame_of(words, PlanarFormat(WIDTH, HEIGHT, 16, "444", matrix="identity"), "gbrp16le")
    result, planes = run(source, "colorspace=gbr:range=pc", options(format, "out"), name), []
    for plane, (rows, columns, samples) in zip(result.planes, format.shapes, strict=True):
        content = np.frombuffer(plane, format.dtype).reshape(-1, plane.line_size // format.dtype.itemsize)
        planes.append(content[:rows, : columns * samples].reshape(rows, columns, samples).squeeze())
    return planes


@pytest.mark.parametrize("layout", cases(list(NAMES)[:4], *list(NAMES)[4:]))
def test_planes_against_swscale(layout: tuple[str, str, int], executor: TiledExecutor) -> None:
    chroma, packing, depth = layout
    for full, matrix, siting in itertools.product((False, True), MATRICES, PHASES):
        format = PlanarFormat(WIDTH, HEIGHT, depth, chroma, packing, full, matrix, siting)
        planes = muted(format)
        result = converted(executor.primitives, planes, format)[..., :3].astype(np.float64)
        theirs = scaled(planes, format, NAMES[layout])
        inside = ((result > 0.0) & (result < 1.0)).all(axis=-1)
        assert inside.mean() > 0.7
        assert np.abs(result - theirs)[inside].max() < BOUND, (format, np.abs(result - theirs)[inside].max())


@pytest.mark.parametrize("layout", cases(list(NAMES)[:4], *(layout for layout in list(NAMES)[4:] if layout[2] < 16)))
def test_planes_that_are_made_against_swscale(layout: tuple[str, str, int], executor: TiledExecutor) -> None:
    chroma, packing, depth = layout
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH] / WIDTH
    waves = (np.sin(3.0 * x + 2.0 * y), np.cos(2.0 * x - y), np.sin(x - 4.0 * y + 1.0))
    pixels = 0.5 + 0.4 * np.stack(waves, axis=-1)
    for full, matrix, siting in itertools.product((False, True), MATRICES, PHASES):
        format = PlanarFormat(WIDTH, HEIGHT, depth, chroma, packing, full, matrix, siting)
        ours = codes_of(made(executor.primitives, pixels.astype(np.float32), format), format)
        theirs = codes_of(scaled_back(pixels, format, NAMES[layout]), format)
        errors = [np.abs(a - b).max() for a, b in zip(ours, theirs, strict=True)]
        assert max(errors) <= CODES[full], (format, errors)
