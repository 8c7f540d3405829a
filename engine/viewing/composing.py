"""Comparison of frames side by side, and marks drawn over frames. All images are bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import LUMA
from engine.viewing.backdrop import Backdrop
from engine.viewing.requests import Region

RgbaBytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]
SEAM = 200
"""Shade of the line between the two sides."""
STRIPE = 6
"""Width of a zebra stripe in pixels."""
COLOURS = {"nan": (255, 0, 255), "negative": (0, 190, 255), "clipped": (255, 70, 40)}
"""Colours of the marks; zebra stripes are black and white."""

BAND = 32
RED = (230, 20, 20)
"""The colour of a matte that is painted over a frame, as of a rubylith film."""


def aligned(pixels: NDArray[Any], region: Region, like: NDArray[Any], over: Region) -> NDArray[Any]:
    """Return (height, width, channels) values of `region` on the pixels of `over`, by nearest neighbour; 0 outside."""
    if region == over and pixels.shape == like.shape:
        return pixels
    height, width = pixels.shape[:2]
    rows = _places(height, region[1::2], like.shape[0], over[1::2])
    columns = _places(width, region[::2], like.shape[1], over[::2])
    found = pixels[np.ix_(np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1))]
    outside = ((rows < 0) | (rows >= height))[:, None] | ((columns < 0) | (columns >= width))
    found[outside, :3] = 0
    return found


def wiped(first: RgbaBytes, second: RgbaBytes, x: float, y: float, angle: float) -> RgbaBytes:
    """Return a wipe: `first` on one side of a line and `second` on the other.

    The line goes through (x, y), as shares of width and height. `angle` is its direction in degrees, anticlockwise from
    the right; at 90 `first` is on the left.
    """
    height, width = first.shape[:2]
    across, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    columns = np.arange(width, dtype=np.float32) + 0.5 - x * width
    rows = y * height - (np.arange(height, dtype=np.float32) + 0.5)
    distance = columns * up - rows[:, None] * across
    out = np.where((distance < 0.0)[..., None], first, second)
    out[np.abs(distance) < 0.75, :3] = SEAM
    return out


def split(first: RgbaBytes, second: RgbaBytes) -> RgbaBytes:
    """Return the middle half of `first` on the left, and the same half of `second` on the right."""
    width = first.shape[1]
    half, start = width // 2, width // 4
    out = np.concatenate([first[:, start : start + half], second[:, start : start + width - half]], axis=1)
    out[:, half : half + 1, :3] = SEAM
    return out


def side_by_side(left: RgbaBytes, right: RgbaBytes) -> RgbaBytes:
    """Return two frames of the same size beside each other, with as much black above and below as keeps their shape."""
    height, width = left.shape[:2]
    out = np.zeros((2 * height, 2 * width, 4), np.uint8)
    out[..., 3] = 255
    top = height // 2
    out[top : top + height, :width], out[top : top + height, width:] = left, right
    return out


def anaglyph(left: RgbaBytes, right: RgbaBytes) -> RgbaBytes:
    """Return an image for red and cyan glasses: red of the left eye, green and blue of the right one."""
    out = right.copy()
    out[..., 0] = left[..., 0]
    return out


def painted(frame: RgbaBytes, where: Bools, colour: tuple[int, int, int]) -> RgbaBytes:
    """Return a frame with a colour at some of its pixels."""
    out = frame.copy()
    out[where, :3] = colour
    return out


def marked(
    frame: RgbaBytes, marks: RgbaBytes | None, names: Iterable[str], zebra: float
) -> tuple[RgbaBytes, dict[str, float]]:
    """Draw the marks of these names over a frame; return it, and the share 0..1 of marked pixels for each mark.

    `marks` are the display values of `looking.Marks`, for `nan` and `negative`. `clipped` and `zebra` are computed from
    the frame: a channel at its maximum, and luma (BT.709 weights) from `zebra` (0..1) on.
    """
    out, shares = frame.copy(), dict[str, float]()
    for name in names:
        where = _where(name, frame, marks, zebra)
        shares[name] = float(where.mean())
        if name == "zebra":
            _stripe(out, where)
        else:
            out[where, :3] = COLOURS[name]
    return out, shares


def marked_outside(frame: RgbaBytes, bands: RgbaBytes) -> tuple[RgbaBytes, float]:
    """Draw how far pixels lie outside of a gamut over a frame; return it, and the share 0..1 of marked pixels.

    `bands` are the display values of `gamut_ops.GamutBands`.
    """
    from engine.viewing.gamut_ops import BANDS

    numbers = (bands[..., 0].astype(np.uint16) * len(BANDS) + 127) // 255
    colours = np.array([(0, 0, 0), *(colour for _, colour in BANDS)], np.uint8)
    out, where = frame.copy(), numbers > 0
    out[where, :3] = colours[numbers[where]]
    return out, float(where.mean())


def rubylith(frame: RgbaBytes, coverage: RgbaBytes) -> RgbaBytes:
    """Return a frame with RED over it, to a share of a half where the coverage (grey) is full."""
    out = np.empty_like(frame)
    for rows in _bands(frame):
        share = (coverage[rows, :, 0].astype(np.uint16) + 1) >> 1  # 0..128 of 256
        rest = 256 - share
        for channel, red in enumerate(RED):
            mixed = frame[rows, :, channel].astype(np.uint16)
            mixed *= rest
            mixed += share * np.uint16(red)
            out[rows, :, channel] = (mixed + 128) >> 8
    out[..., 3] = 255
    return out


def cut_out(frame: RgbaBytes, coverage: RgbaBytes, backdrop: Backdrop) -> RgbaBytes:
    """Return a frame where a coverage (grey) is full, and the backdrop, or black, where it is 0."""
    out = np.empty_like(frame)
    for rows in _bands(frame):
        out[rows] = _scaled(frame[rows], coverage[rows, :, :1])
    out[..., 3] = 255
    return backdrop.behind(out, [coverage[..., 0]]) if backdrop.kind else out


def _bands(frame: RgbaBytes) -> Iterator[slice]:
    """Yield the rows of a frame, a few at a time, so that intermediate results stay in the cache."""
    return (slice(top, top + BAND) for top in range(0, len(frame), BAND))


def tinted(coverage: RgbaBytes) -> RgbaBytes:
    """Return RED with half of a coverage (grey) as its alpha, premultiplied."""
    share = ((coverage[..., 0].astype(np.uint16) + 1) >> 1).clip(0, 127).astype(np.uint8)
    return np.dstack([*(_scaled(np.uint8(red), share) for red in RED), share])


def _scaled(values: Any, share: Any) -> Any:
    """Return bytes times bytes / 255, rounded."""
    product = np.asarray(values).astype(np.uint16) * share + 128
    return ((product + (product >> 8)) >> 8).astype(np.uint8)


def _where(name: str, frame: RgbaBytes, marks: RgbaBytes | None, zebra: float) -> Bools:
    if name == "clipped":
        found: Bools = (frame[..., :3] == 255).any(axis=-1)
    elif name == "zebra":
        luma = frame[..., :3].astype(np.float32) @ np.array(LUMA, np.float32)
        found = luma >= 255.0 * zebra - 0.5
    else:
        assert marks is not None
        found = marks[..., 0 if name == "nan" else 1] > 127
    return found


def _stripe(out: RgbaBytes, where: Bools) -> None:
    height, width = where.shape
    stripes = (np.arange(height)[:, None] + np.arange(width)) // STRIPE % 2
    shade = np.where(stripes[where] == 0, 20, 235).astype(np.uint8)
    out[where, :3] = shade[:, None]


def _places(size: int, span: tuple[float, ...], wanted: int, over: tuple[float, ...]) -> NDArray[np.intp]:
    """Return, for each of `wanted` pixels over the range `over` (start, length), the index of `size` pixels over `span`
    that lies there."""
    middles = over[0] + (np.arange(wanted) + 0.5) * over[1] / wanted
    return np.floor((middles - span[0]) * size / span[1]).astype(np.intp)
