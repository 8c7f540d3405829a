"""A summary of an export in plain words: how many files, their format, and the colour space of the result."""

from __future__ import annotations

from typing import Any

from app.model.movie_options import CODECS, DEFAULT_CODECS, is_movie_name
from app.services.export_options import YES, ExportOrder
from app.services.export_targets import Targets

FORMATS = {".exr": "EXR", ".tif": "TIFF", ".tiff": "TIFF", ".jpg": "JPEG", ".jpeg": "JPEG"}
"""Names of formats whose suffix is not their name."""
_MOVIE_WORDS = {"rate": "{} fps", "timecode": "timecode {}", "audio": "audio {}", "burn-in": "burn-in {}"}
UNKNOWN = "colour space unknown"


def summary(order: ExportOrder, image: Any, space: str, targets: Targets | None) -> str:
    """Describe an export, such as "18 frames 1012-1029, EXR half ZIP, ACEScg".

    `image` is the source if it is open, else None; `space` is the colour space of the result; `targets` is None until
    they are known.
    """
    options = order.options
    words = [_count(order, targets), _format(order, image), space or UNKNOWN]
    if "resize" in options:
        words.append(f"resized to {options['resize']}")
    if "crop" in options:
        words.append(f"cropped to {options['crop']}")
    if "layer" in options:
        words.append(f"layer {options['layer']}")
    if options.get("alpha") == "unpremultiplied":
        words.append("graded unpremultiplied")
    if mattes := options.get("matte-channel", "").strip():
        words.append(f"with matte{'s' * (',' in mattes)} {mattes}")
    if options.get("only-graded") == YES:
        words.append("graded channels only")
    if is_movie_name(order.target):
        words += [_MOVIE_WORDS[name].format(value) for name, value in options.items() if name in _MOVIE_WORDS]
    if "dask" in options:
        words.append(f"on {options['dask']}")
    return ", ".join(word for word in words if word)


def space_of(order: ExportOrder, space: str) -> str:
    """Return the colour space or view of the result; `space` is the one that the grade ends in."""
    display, view = order.options.get("display"), order.options.get("view")
    if display:
        return f"{view} on {display}" if view else display
    return order.options.get("output") or space


def _count(order: ExportOrder, targets: Targets | None) -> str:
    if targets is None:
        return ""
    if is_movie_name(order.target):
        return f"Movie of {targets.count} frame{'s' * (targets.count != 1)} {targets.frames}".rstrip()
    if not targets.sequence:
        return "1 image"
    if not targets.count:
        return "frames as they appear"
    return f"{targets.count} frame{'s' * (targets.count != 1)} {targets.frames}"


def _format(order: ExportOrder, image: Any) -> str:
    """Return format, sample type and compression as far as they are known."""
    suffix = order.target.suffix.lower()
    if suffix in DEFAULT_CODECS:
        label = CODECS[order.options.get("codec") or DEFAULT_CODECS[suffix]]
        return " ".join(filter(None, (label, order.options.get("pixel-format", ""))))
    name = FORMATS.get(suffix, suffix.removeprefix(".").upper())
    kind, compression = order.options.get("type", ""), order.options.get("compression", "")
    if suffix == ".exr" and image is not None and image.info.frame is not None:
        kind, compression = kind or "float", compression or "zip"  # that of EXRs made of other formats
    elif suffix == ".exr" and image is not None:
        kind = kind or _type_of(image)
        compression = compression or image.part.compression
    method, _, level = compression.partition(":")
    words = {"": "", "none": "uncompressed"}.get(method, f"{method.upper()} {level}")
    return " ".join(word for word in (name, kind, words.strip()) if word)


def _type_of(image: Any) -> str:
    """Return the sample type of the layer, or '' if its channels differ."""
    types = {channel.type for channel in image.part.channels if channel.name in image.layer.channels}
    return str(types.pop()) if len(types) == 1 else ""
