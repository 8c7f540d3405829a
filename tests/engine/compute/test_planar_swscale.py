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
from tests.engine.planar_reference import planes_of
from tests.thorough import cases

av = pytest.importorskip("av")

WIDTH, HEIGHT = 64, 48
BOUND = 4.0 / 65535.0
"""swscale computes with coefficients of 16 bits and rounds to 16 bits."""
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


def scaled(planes: list[NDArray[Any]], format: PlanarFormat, name: str) -> NDArray[np.float64]:
    """R'G'B' by swscale, of 16 bits. Its white is a code of 2 ** 8 times that of 8 bits, or of the source's depth."""
    both = zip(PLACES[format.siting], format.subsampling, strict=True)
    across, down = (place if half else UNSET for place, half in both)
    matrix, graph = MATRICES[format.matrix], av.filter.Graph()
    described = f"video_size={WIDTH}x{HEIGHT}:pix_fmt={name}:time_base=1/25:colorspace={matrix}"
    source = graph.add("buffer", f"{described}:range={'pc' if format.full_range else 'tv'}")
    reads = f"in_color_matrix={matrix}:in_range={'full' if format.full_range else 'limited'}"
    scale = graph.add("scale", f"flags={FLAGS}:{reads}:in_h_chr_pos={across}:in_v_chr_pos={down}")
    wanted, sink = graph.add("format", "pix_fmts=gbrp16le"), graph.add("buffersink")
    for one, next in itertools.pairwise((source, scale, wanted, sink)):
        one.link_to(next)
    graph.configure()
    graph.push(frame_of(planes, format, name))
    result = graph.pull()
    channels = [np.frombuffer(result.planes[n], np.uint16).reshape(HEIGHT, -1)[:, :WIDTH] for n in (2, 0, 1)]
    white = 65536.0 - 2.0 ** (16 - (format.depth if format.full_range else 8))
    return np.stack(channels, axis=-1) / white


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
