"""What frames of PyAV are: their description, and their planes as arrays. PyAV itself is not imported here."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.compute.planar import PlanarFormat
from engine.errors import UnsupportedFile
from engine.movies.colour_rules import UNSPECIFIED, ColourTags, is_full_range, matrix_of, siting_of
from engine.movies.info import MovieInfo, sensible_aspect, sensible_rate
from engine.movies.pixel_formats import nearest_format, planar_format

_TIMECODE = re.compile(r"\d{1,2}:\d{2}:\d{2}[:;.]\d{2,3}")
_CLOCKWISE = {-90: 90, -180: 180, -270: 270, 90: 270, 180: 180, 270: 90}
"""FFmpeg's rotation, degrees counterclockwise, as degrees clockwise."""
_CONVERT = "convert it to R'G'B' or Y'CbCr"


def described(path: Path, container: Any, video: Any, frame: Any) -> MovieInfo:
    """Return the description of a movie by its container, its video stream and its first frame.

    Raises UnsupportedFile if its samples, or its matrix, are of a kind that Tessera does not read.
    """
    context, name = video.codec_context, frame.format.name
    planes = planar_format(stored(frame.format), frame.width, frame.height)
    if planes is None or frame.format.is_bayer or name.startswith("xyz"):
        raise UnsupportedFile(path, f"has samples of the format {name}, which Tessera does not support", _CONVERT)
    tags = ColourTags(
        primaries=_stated(frame, context, "color_primaries", UNSPECIFIED),
        transfer=_stated(frame, context, "color_trc", UNSPECIFIED),
        matrix=_stated(frame, context, "colorspace", UNSPECIFIED),
        range=_stated(frame, context, "color_range", 0),
    )
    is_rgb = planes.matrix == "identity"
    matrix = matrix_of(tags, is_rgb, planes.height)
    if not matrix:
        what = f"has the matrix {tags.matrix} of H.273, which Tessera does not support"
        raise UnsupportedFile(path, what, "convert it to BT.709 or BT.2020 with non-constant luminance")
    return MovieInfo(
        format=replace(
            planes,
            matrix=matrix,
            full_range=is_full_range(tags, is_rgb, name),
            siting=siting_of(tags, context.name, name),
        ),
        rate=sensible_rate(video.average_rate or video.guessed_rate),
        start_timecode=_timecode(container, video),
        pixel_aspect=sensible_aspect(video.sample_aspect_ratio or context.sample_aspect_ratio),
        rotation=_CLOCKWISE.get(int(frame.rotation), 0),
        tags=tags,
        has_audio=bool(container.streams.audio),
        container=container.format.name,
        codec=context.name,
        pixel_format=name,
    )


def _stated(frame: Any, context: Any, name: str, unstated: int) -> int:
    """Return a code point of the first frame, else of its stream."""
    found = (getattr(each, name, None) for each in (frame, context))
    return next((int(each) for each in found if each is not None and int(each) != unstated), unstated)


def _timecode(container: Any, video: Any) -> str:
    """Return the timecode of the first frame: of the video, of a timecode track, or of the file; '' without one."""
    places = (video, *container.streams, container)
    texts = (each.metadata.get("timecode", "") for each in places)
    return next((text for text in texts if _TIMECODE.fullmatch(text)), "").replace(".", ";")


def stored(format: Any) -> str:
    """Return the name of the planar format that holds the samples of a format: its own if it is one."""
    if planar_format(format.name, 2, 2) is not None:
        return str(format.name)
    parts, halves = format.components, (format.chroma_width(64), format.chroma_height(64))
    chroma = {(32, 32): "420", (32, 64): "422"}.get(halves, "444")
    has_alpha = format.has_palette or any(part.is_alpha for part in parts)
    has_chroma = sum(not part.is_alpha for part in parts) > 1
    depth = max(part.bits for part in parts)
    return nearest_format(format.is_rgb or format.has_palette, has_chroma, has_alpha, depth, chroma)


def arrays_of(frame: Any, planes: PlanarFormat) -> list[Any]:
    """Return the planes of a frame as arrays of rows and samples, which share its memory."""
    found = []
    for plane, (rows, columns, samples) in zip(frame.planes, planes.shapes, strict=False):
        lines = np.frombuffer(plane, np.uint8, rows * plane.line_size).reshape(rows, plane.line_size)
        found.append(lines[:, : columns * samples * planes.dtype.itemsize].view(planes.dtype))
    return found
