"""Writing of formats other than EXR, through OpenImageIO."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
from numpy.typing import NDArray

from engine.core.attribute_names import EXPORT, EXPORT_IN_SOFTWARE
from engine.errors import WriteFailed
from engine.io.encoders import Encoder, OiioEncoder, reserve
from engine.io.icc_writing import icc_profile
from engine.io.output_options import OutputOptions
from engine.io.source import FileSource

PLAIN_SUFFIXES = (".tif", ".tiff", ".png", ".dpx", ".jpg", ".jpeg")
_INTEGER = {".png": "uint16", ".dpx": "uint16", ".jpg": "uint8", ".jpeg": "uint8"}
_FORMAT = {".tif": "tiff", ".tiff": "tiff", ".png": "png", ".dpx": "dpx", ".jpg": "jpeg", ".jpeg": "jpeg"}
DPX_TRANSFERS = {"g24_rec709": "ITU-R 709-4", "ocio:itu709_rec709": "ITU-R 709-4", "lin_rec709": "Linear"}
"""Colour spaces that the fields of a DPX can express. OpenImageIO would write sRGB's curve as ITU-R 709-4."""
SRGB = "srgb_rec709"
PNG_CHUNKS = {f"g{gamma}_rec709" for gamma in (18, 22, 24)} | {"lin_rec709", "lin_rec2020", "srgb_p3d65"}
PNG_CHUNKS |= {"pq_p3d65", "pq_rec2020", "hlg_rec2020"}
"""Spaces that OpenImageIO writes as a gamma or code points; for others it would write the curve alone."""
CODED_BYTES = 1 << 18
"""Bytes of noise after which zlib has certainly produced output."""
_ENDS = {".png": b"IEND\xaeB`\x82", ".jpg": b"\xff\xd9", ".jpeg": b"\xff\xd9"}
"""The last bytes of a complete file."""


class _WithoutAlpha(OiioEncoder):
    """Writes the first three channels, for formats without alpha."""

    def write(self, y: int, rows: NDArray[Any]) -> None:
        super().write(y, rows[..., :3])


class _Png(OiioEncoder):
    """Writes a PNG. libpng prints to stderr if it is closed before it has encoded anything."""

    _end = 0

    def write(self, y: int, rows: NDArray[Any]) -> None:
        super().write(y, rows)
        self._end = y + rows.shape[0]

    def abandon(self) -> None:
        spec = self._spec
        count = min(spec.height - self._end, -(-CODED_BYTES // spec.scanline_bytes()))
        if count > 0:
            noise = np.random.default_rng(0).bytes(count * spec.scanline_bytes())
            samples = np.frombuffer(noise, np.uint16).reshape(count, spec.width, spec.nchannels)
            self._file.write_scanlines(spec.y + self._end, spec.y + self._end + count, 0, samples)
        super().abandon()


def open_plain(
    path: Path, target: Path, source: FileSource | None, options: OutputOptions, size: tuple[int, int], channels: int
) -> tuple[Encoder, list[str]]:
    """Return an encoder for RGB or RGBA rows, and sentences about what the format can't hold."""
    suffix = target.suffix.lower()
    name = suffix[1:].upper()
    notes = []
    kept = 3 if suffix in (".jpg", ".jpeg") else channels
    if kept < channels:
        notes.append(f"Left out, because {name} can't hold it: the alpha channel.")
    sample = _INTEGER.get(suffix) or _tiff_type(source, options)
    if suffix in _INTEGER:
        bits = "8" if sample == "uint8" else "10" if suffix == ".dpx" else "16"
        notes.append(f"{name} holds {bits} bits from 0 to 1: values outside this range are clamped.")
    spec = _spec(source, suffix, size)
    spec.width, spec.height, spec.nchannels = *size, kept
    spec.set_format(sample)
    spec.channelformats = ()
    spec.channelnames = tuple("RGBA"[:kept])
    spec.alpha_channel = 3 if kept == 4 else -1
    if suffix == ".dpx":
        spec.attribute("oiio:BitsPerSample", 10)
    if options.output_space is not None or source is None or source.info.format != _FORMAT[suffix]:
        notes += _tag_colour_space(spec, suffix, options.result_space)
    if compression := options.plain_compression():
        spec.attribute("compression", compression)
    if digest := dict(options.record).get(EXPORT):
        spec.attribute("Software", EXPORT_IN_SOFTWARE + digest)
    if suffix in (".jpg", ".jpeg"):
        _check_disk_space(path, size[0] * size[1] * 3)
    encoder = _WithoutAlpha if kept < channels else _Png if suffix == ".png" else OiioEncoder
    return encoder(path, target, spec), notes


def _tag_colour_space(spec: Any, suffix: str, space: str) -> list[str]:
    """Tag the file with its colour space, by fields, chunks or a profile. Return a note if the format can't."""
    for name in ("CICP", "ICCProfile", "Exif:ColorSpace", "oiio:Gamma", "dpx:Transfer", "dpx:Colorimetric"):
        spec.erase_attribute(name)
    bare = space.removesuffix("_scene").removesuffix("_display")
    if suffix == ".dpx":
        if bare in DPX_TRANSFERS:
            spec.attribute("dpx:Transfer", DPX_TRANSFERS[bare])
            spec.attribute("dpx:Colorimetric", "ITU-R 709-4")
        tagged = bare in DPX_TRANSFERS
    elif bare == SRGB or (suffix == ".png" and bare in PNG_CHUNKS):
        spec.attribute("oiio:ColorSpace", space)
        tagged = True
    else:
        profile = icc_profile(space)
        spec.attribute("oiio:ColorSpace", "unknown")  # otherwise a PNG would be tagged sRGB
        if profile:
            spec.attribute("ICCProfile", oiio.TypeDesc(f"uint8[{len(profile)}]"), np.frombuffer(profile, np.uint8))
        tagged = bool(profile)
    if tagged or space in ("unknown", "data"):
        return []
    return [f"{suffix[1:].upper()} can't be tagged with the colour space {space}: set it by hand when you read it."]


def _check_disk_space(path: Path, size: int) -> None:
    """Raise OSError unless `size` bytes are free on the disk. The JPEG library ends the process on a full disk."""
    reserve(path, size)
    path.unlink()


def check_plain(path: Path, target: Path) -> None:
    """Raise WriteFailed if the file is incomplete: not every library notices that a disk is full."""
    suffix = target.suffix.lower()
    if suffix in _ENDS:
        with path.open("rb") as file:
            file.seek(-len(_ENDS[suffix]), os.SEEK_END)
            complete = file.read() == _ENDS[suffix]
    else:
        complete = _has_last_scanline(path)
    if not complete:
        raise WriteFailed(target, "could not be written completely", "check the disk's free space")


def _has_last_scanline(path: Path) -> bool:
    written: Any = oiio.ImageInput.open(str(path))
    if written is None:
        return False
    spec = written.spec()
    bottom = spec.y + spec.height
    scanline = written.read_scanlines(0, 0, bottom - 1, bottom, 0, 0, spec.nchannels, "float")
    written.geterror()
    written.close()
    return scanline is not None


def _tiff_type(source: FileSource | None, options: OutputOptions) -> str:
    if options.type != "source":
        return options.type
    return "half" if source is not None and source.dtype == np.float16 else "float"


def _spec(source: FileSource | None, suffix: str, size: tuple[int, int]) -> Any:
    """Return a spec with the source's metadata if it has the same format, else with its size alone."""
    if source is None:
        return oiio.ImageSpec(*size, 3, "float")
    if source.info.format == _FORMAT[suffix]:
        with_metadata = oiio.ImageInput.open(str(source.path))
        if with_metadata is not None:
            spec = oiio.ImageSpec(with_metadata.spec())
            with_metadata.close()
            spec.tile_width = spec.tile_height = spec.tile_depth = 0
            return spec
    spec = oiio.ImageSpec(*size, 3, "float")
    spec.attribute("PixelAspectRatio", source.part.pixel_aspect)
    return spec
