"""Drawing of burn-ins over the R'G'B' of a frame, in the values of its display."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.file_watch import state_of
from engine.io import read_image
from engine.movies.burn_in import Overlay, expanded
from engine.movies.stroke_font import text_mask

Pixels = NDArray[Any]
MARGIN = 0.02
"""The distance of texts from the edges, in heights of the frame."""
_PADDING = 0.3
"""The space around a text within its backing, in heights of a line."""
_SLATE_GREY = 0.18
_SLATE_SCALE = 2.0
"""How much larger the first line of a slate is."""
_GUIDE = 0.6
"""The opacity of the lines around safe areas."""


def burn(pixels: Pixels, overlay: Overlay, facts: dict[str, str]) -> None:
    """Draw a burn-in over a frame of float32 (height, width, 3|4), in place."""
    height, width = pixels.shape[:2]
    about = overlay.burn_in
    if about.mask:
        _draw_mask(pixels, about.mask, about.mask_opacity)
    for share in about.safe:
        _draw_frame(pixels, share, _GUIDE * overlay.white)
    line = max(6.0, about.size * height)
    taken = dict.fromkeys([text.place for text in about.texts], 0)
    counts = {place: sum(text.place == place for text in about.texts) for place in taken}
    if about.logo:
        _draw_logo(pixels, overlay)
    for text in about.texts:
        words = expanded(text.text, facts)
        row, taken[text.place] = taken[text.place], taken[text.place] + 1
        if words.strip():
            mask = text_mask(words, line)
            x, y = _spot(text.place, mask.shape, (height, width))
            step = round(line * (1 + 2 * _PADDING))
            y += step * (row if text.place.startswith("top") else row - counts[text.place] + 1)
            _draw_text(pixels, mask, (x, y), overlay, about.backing)


def draw_slate(pixels: Pixels, overlay: Overlay, facts: dict[str, str]) -> None:
    """Fill a frame with the slate: its lines, the first one larger."""
    height, width = pixels.shape[:2]
    pixels[..., :3] = _SLATE_GREY * overlay.white
    lines = [expanded(text, facts) for text in overlay.burn_in.slate_lines]
    size = max(8.0, 0.045 * height)
    heights = [size * (_SLATE_SCALE if number == 0 else 1.0) for number in range(len(lines))]
    y = (height - 1.6 * sum(heights)) / 2
    for words, high in zip(lines, heights, strict=True):
        if words.strip():
            mask = text_mask(words, high)
            scale = min(1.0, 0.9 * width / mask.shape[1])
            mask = mask if scale == 1.0 else text_mask(words, high * scale)
            _draw_text(pixels, mask, ((width - mask.shape[1]) // 2, round(y)), overlay, 0.0)
        y += 1.6 * high
    if overlay.burn_in.logo:
        _draw_logo(pixels, overlay)


def _spot(place: str, shape: tuple[int, ...], size: tuple[int, int]) -> tuple[int, int]:
    """Return the left and the top of something of a shape at a place."""
    (height, width), margin = size, round(MARGIN * size[0])
    x, y = (width - shape[1]) // 2, (height - shape[0]) // 2
    x = margin if place.endswith("left") else width - shape[1] - margin if place.endswith("right") else x
    y = margin if place.startswith("top") else height - shape[0] - margin if place.startswith("bottom") else y
    return x, y


def _draw_text(
    pixels: Pixels, mask: NDArray[np.float32], at: tuple[int, int], overlay: Overlay, backing: float
) -> None:
    padding = round(_PADDING * mask.shape[0])
    if backing:
        _part(pixels, at[0] - padding, at[1], mask.shape[1] + 2 * padding, mask.shape[0])[...] *= 1.0 - backing
    _blend(pixels, np.full(3, overlay.white, np.float32), mask * overlay.burn_in.opacity, at)


def _blend(pixels: Pixels, colour: Pixels, mask: NDArray[np.float32], at: tuple[int, int]) -> None:
    """Blend a colour, or an image of the mask's size, where the mask covers the frame."""
    x, y = at
    left, top = max(0, -x), max(0, -y)
    part = _part(pixels, x, y, mask.shape[1], mask.shape[0])
    cover = mask[top : top + part.shape[0], left : left + part.shape[1], None]
    colour = colour[top : top + part.shape[0], left : left + part.shape[1]] if colour.ndim == 3 else colour
    part += (colour - part) * cover


def _part(pixels: Pixels, x: int, y: int, width: int, height: int) -> Pixels:
    """Return the colours of a rectangle, as far as it lies in the frame."""
    return pixels[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width), :3]


def _draw_mask(pixels: Pixels, aspect: float, opacity: float) -> None:
    """Darken what lies outside of an aspect ratio."""
    height, width = pixels.shape[:2]
    rows = max(0, round((height - width / aspect) / 2))
    columns = max(0, round((width - height * aspect) / 2))
    for part in (pixels[:rows], pixels[height - rows :], pixels[:, :columns], pixels[:, width - columns :]):
        part[..., :3] *= 1.0 - opacity


def _draw_frame(pixels: Pixels, share: float, white: float) -> None:
    """Draw a line around the middle of the frame, of a share of its width and height."""
    height, width = pixels.shape[:2]
    thick = max(1, round(height / 540))
    high, wide = round(share * height), round(share * width)
    y, x = (height - high) // 2, (width - wide) // 2
    box = _part(pixels, x, y, wide, high)
    inner = np.ones(box.shape[:2], np.float32)
    inner[thick:-thick, thick:-thick] = 0.0
    box += (white - box) * inner[..., None]


def _draw_logo(pixels: Pixels, overlay: Overlay) -> None:
    height, width = pixels.shape[:2]
    about = overlay.burn_in
    path = Path(about.logo)
    logo = _scaled_logo(path, state_of(path), max(1, round(about.logo_size * height)))
    at = _spot(about.logo_place, logo.shape, (height, width))
    _blend(pixels, logo[..., :3] * overlay.white, logo[..., 3] * about.opacity, at)


@lru_cache(maxsize=4)
def _scaled_logo(path: Path, state: object, height: int) -> NDArray[np.float32]:
    """Return an image of straight R'G'B' and alpha, scaled to a height by averaging. Raises FileError."""
    image = read_image(path).pixels.astype(np.float32)
    alpha = image[..., 3:] if image.shape[2] == 4 else np.ones((*image.shape[:2], 1), np.float32)
    width = max(1, round(image.shape[1] * height / image.shape[0]))
    premultiplied = np.concatenate([image[..., :3], alpha], axis=2)
    rows, columns = _weights(image.shape[0], height), _weights(image.shape[1], width)
    scaled = np.einsum("ij,jkc,lk->ilc", rows, premultiplied, columns, optimize=True).astype(np.float32)
    scaled[..., :3] /= np.maximum(scaled[..., 3:], 1e-6)
    return np.asarray(np.clip(scaled, 0.0, 1.0))


def _weights(source: int, target: int) -> NDArray[np.float32]:
    """Return the matrix (target, source) that averages the samples that a wider one covers."""
    edges = np.arange(target + 1) * source / target
    low = np.clip(np.arange(source)[None], edges[:-1, None], edges[1:, None])
    high = np.clip(np.arange(1, source + 1)[None], edges[:-1, None], edges[1:, None])
    return np.asarray((high - low) * target / source, np.float32)
