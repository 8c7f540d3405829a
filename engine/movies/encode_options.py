"""Options of FFmpeg's encoders for a codec: quality, profile, siting of chroma, and the light of PQ."""

from __future__ import annotations

from collections.abc import Callable

from engine.movies.codecs import Codec
from engine.movies.encode_tags import ContentLight, MasteringDisplay

PARAMETERS = {"libx264": "x264-params", "libx265": "x265-params", "libsvtav1": "svtav1-params"}
"""FFmpeg's option for parameters that only an encoder itself knows."""
_TOP_LEFT = {"libx264": "chromaloc=2", "libx265": "chromaloc=2", "libsvtav1": "chroma-sample-position=colocated"}
WRITES_LIGHT = ("libx265", "libsvtav1")
"""Encoders that write mastering displays and content light into the stream, and so must know them at the start."""


def encoder_options(
    codec: Codec,
    quality: str,
    siting: str,
    mastering: MasteringDisplay | None = None,
    light: ContentLight | None = None,
) -> tuple[tuple[str, str], ...]:
    """Return the options of the encoder of a codec; `siting` is that of its chroma samples, left or topleft."""
    chosen = ("profile", codec.profile) if codec.profile else ("crf", codec.quality(quality))
    words = [_TOP_LEFT[codec.encoder]] if siting == "topleft" and codec.encoder in _TOP_LEFT else []
    if codec.encoder == "libx265":
        words += _x265_light(mastering, light)
    elif codec.encoder == "libsvtav1":
        words += _svt_light(mastering, light)
    parameters = ((PARAMETERS[codec.encoder], ":".join(words)),) if words else ()
    return (*codec.options, chosen, *parameters)


def _x265_light(mastering: MasteringDisplay | None, light: ContentLight | None) -> list[str]:
    words = [f"max-cll={light.max_cll},{light.max_fall}", "hdr10=1"] if light else []
    if mastering is not None:
        red, green, blue, white = _pairs(mastering, lambda value: str(round(value * 50_000)))
        nits = f"L({round(mastering.most * 10_000)},{round(mastering.least * 10_000)})"
        words.append(f"master-display=G{green}B{blue}R{red}WP{white}{nits}")
    return words


def _svt_light(mastering: MasteringDisplay | None, light: ContentLight | None) -> list[str]:
    words = [f"content-light={light.max_cll},{light.max_fall}"] if light else []
    if mastering is not None:
        red, green, blue, white = _pairs(mastering, lambda value: f"{value:g}")
        nits = f"L({mastering.most:g},{mastering.least:f})"
        words.append(f"mastering-display=G{green}B{blue}R{red}WP{white}{nits}")
    return words


def _pairs(mastering: MasteringDisplay, text: Callable[[float], str]) -> list[str]:
    """Return x and y of red, green, blue and white in parentheses."""
    values = [text(value) for value in mastering.primaries]
    return [f"({values[n]},{values[n + 1]})" for n in range(0, 8, 2)]
