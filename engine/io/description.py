"""Descriptions of image files (ImageInfo), read from their headers alone."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import OpenEXR

from engine.core.file_errors import AGAIN, reading, short
from engine.core.file_watch import state_of
from engine.core.small_files import changing
from engine.errors import UnreadableFile
from engine.io.colour_tags import colour_tag
from engine.io.exr import header as exr_header
from engine.io.exr.attributes import metadata, number
from engine.io.exr.header import RawFile, RawHeader
from engine.io.info import ChannelInfo, ImageInfo, PartInfo
from engine.io.png_check import check_png, is_png
from engine.io.problems import check_readable
from engine.io.tiff_header import check_tags

_STORAGE = {"": "scanline", "scanlineimage": "scanline", "tiledimage": "tiled"}
_OIIO_TYPES = {"uint32": "uint"}
PIXEL_ASPECTS = (1e-6, 1e6)
MAX_SIDE = 1 << 20
EXPANSION = {"png": 1100, "tiff": 1 << 16, "jpeg": 1 << 12, "dpx": 8}
"""The largest ratio of pixel bytes to file bytes in other formats; 2**20 for those not listed."""


def describe(path: str | Path, cut_off: bool = False) -> ImageInfo:
    """Return the description of an image file.

    With `cut_off` an EXR may be shorter than its headers claim. Raises UnreadableFile if the file is missing, damaged
    or not an image.
    """
    path = Path(path)
    check_readable(path)
    stamp = state_of(path)
    with reading(path):
        is_exr = exr_header.is_exr(path)
        info = exr_info(exr_header.parse(path, cut_off)) if is_exr else _describe_other(path)
    return replace(info, stamp=stamp)


def check_unchanged(info: ImageInfo) -> None:
    """Raise UnreadableFile if the file has changed since it was described: its pixels may come from two versions."""
    if state_of(info.path) != info.stamp:
        raise changing(info.path)


def exr_info(raw: RawFile) -> ImageInfo:
    """Return the description of a parsed EXR. Raises UnreadableFile if OpenEXR disagrees about its parts."""
    try:
        with OpenEXR.File(str(raw.path), header_only=True) as file:
            count = len(file.parts)
    except UnicodeDecodeError:
        count = len(raw.headers)  # text in another encoding is not damage: it is passed through as bytes
    if count != len(raw.headers):
        raise UnreadableFile(raw.path, "its header is damaged", AGAIN)
    return ImageInfo(raw.path, "openexr", tuple(exr_part(n, header) for n, header in enumerate(raw.headers)))


def exr_part(index: int, header: RawHeader) -> PartInfo:
    """Return the description of the part `index` with this header."""
    tiles = header.tiles
    storage = header.storage
    return PartInfo(
        index=index,
        name=header.text("name"),
        type=_STORAGE.get(storage, storage),
        channels=tuple(ChannelInfo(c.name, c.type, c.x_sampling, c.y_sampling) for c in header.channels),
        data_window=header.box("dataWindow"),
        display_window=header.box("displayWindow"),
        pixel_aspect=number(header, "pixelAspectRatio", 1.0),
        compression=_compression(header),
        tile_size=tiles[:2] if tiles else None,
        levels=len(header.level_sizes()),
        line_order=header.line_order,
        view=header.text("view"),
        metadata=metadata(header),
    )


def _compression(header: RawHeader) -> str:
    name = header.compression
    level = number(header, "dwaCompressionLevel", math.nan)
    return f"{name}:{level:g}" if name.startswith("dwa") and level >= 0 else name


def _describe_other(path: Path) -> ImageInfo:
    source = open_oiio(path)
    size = path.stat().st_size
    try:
        parts: list[PartInfo] = []
        while source.seek_subimage(len(parts), 0):
            _check_claim(path, size, source.spec(), source.format_name())
            parts.append(_oiio_part(path, len(parts), source.spec(), source.format_name()))
        source.geterror()
        return ImageInfo(path, source.format_name(), tuple(parts))
    finally:
        source.close()


def open_oiio(path: Path) -> Any:
    """Open `path` as an OpenImageIO ImageInput. Raises UnreadableFile if it is not an image."""
    import OpenImageIO as oiio  # takes a twentieth of the window's start

    check_tags(path)
    if is_png(path):
        check_png(path)
    source: Any = oiio.ImageInput.open(str(path))
    problem = short(oiio.geterror()) if source is None else ""
    if source is None:
        if "could not find a format reader" in problem.lower() or not problem:
            problem = f"unknown kind of file{path.suffix and f' {path.suffix}'}"
        raise UnreadableFile(path, f"is not an image that can be read ({problem})", "give an EXR, TIFF, DPX or PNG")
    return source


def _check_claim(path: Path, size: int, spec: Any, kind: str) -> None:
    """Refuse an image size that the file can't hold, before any memory is allocated for it."""
    possible = 0 < spec.width <= MAX_SIDE and 0 < spec.height <= MAX_SIDE and spec.nchannels > 0
    if not possible or spec.image_bytes() > size * EXPANSION.get(kind, 1 << 20):
        what = f"claims {spec.width} x {spec.height} pixels of {spec.nchannels} channels, but the file is too small"
        raise UnreadableFile(path, what, AGAIN)


def _oiio_part(path: Path, index: int, spec: Any, kind: str) -> PartInfo:
    types = [str(t) for t in spec.channelformats] or [str(spec.format)] * spec.nchannels
    names = _channel_names(spec)
    attributes = {a.name: a for a in spec.extra_attribs}
    return PartInfo(
        index=index,
        name=str(attributes["oiio:subimagename"].value) if "oiio:subimagename" in attributes else "",
        type="image",
        channels=tuple(ChannelInfo(n, _OIIO_TYPES.get(t, t)) for n, t in zip(names, types, strict=True)),
        data_window=(spec.x, spec.y, spec.x + spec.width - 1, spec.y + spec.height - 1),
        display_window=(
            *(spec.full_x, spec.full_y),
            *(spec.full_x + max(spec.full_width, 1) - 1, spec.full_y + max(spec.full_height, 1) - 1),
        ),
        pixel_aspect=_aspect(spec.get_float_attribute("PixelAspectRatio", 1.0)),
        compression=spec.get_string_attribute("compression"),
        tile_size=(spec.tile_width, spec.tile_height) if spec.tile_width else None,
        metadata={"format": kind}
        | {name: _plain(a.value) for name, a in attributes.items()}
        | colour_tag(path, kind, spec),
    )


def _aspect(aspect: float) -> float:
    """Return the pixel aspect ratio of the file, or 1 where OpenEXR would refuse a file with that ratio."""
    return float(aspect) if PIXEL_ASPECTS[0] <= aspect <= PIXEL_ASPECTS[1] else 1.0


def _channel_names(spec: Any) -> list[str]:
    """Return the channel names of the file, with empty and repeated ones replaced."""
    names: list[str] = []
    for n, name in enumerate(spec.channelnames):
        names.append(name if name and name not in names else f"channel{n}")
    return names


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value[:64]]
    return f"{value.nbytes} bytes" if hasattr(value, "nbytes") else type(value).__name__
