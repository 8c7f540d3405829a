"""The options of `tessera export` for movies: a part of the table in `option_table`.

The names of codecs and pixel formats stand here, too, since the table does not load the engine; a test compares them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.model.option import Field, Group, Option
from app.model.option_values import rate

if TYPE_CHECKING:
    from pathlib import Path

CODECS = {
    "prores_422_proxy": "ProRes 422 Proxy",
    "prores_422_lt": "ProRes 422 LT",
    "prores_422": "ProRes 422",
    "prores_422_hq": "ProRes 422 HQ",
    "prores_4444": "ProRes 4444",
    "prores_4444_xq": "ProRes 4444 XQ",
    "dnxhr_sq": "DNxHR SQ",
    "dnxhr_hq": "DNxHR HQ",
    "dnxhr_hqx": "DNxHR HQX",
    "dnxhr_444": "DNxHR 444",
    "h264": "H.264",
    "h265": "H.265",
    "av1": "AV1",
}
DEFAULT_CODECS = {".mov": "prores_422_hq", ".mp4": "h264", ".mkv": "av1", ".webm": "av1"}
"""The codec that `auto` is, by the suffix of the movie."""
AUTO = "auto"
PIXELS = (*(f"yuv{chroma}p{depth}" for depth in ("", "10", "12") for chroma in ("420", "422", "444")), "yuva444p10")


def is_movie_name(name: str | Path) -> bool:
    """Return whether a file of this name is written as a movie."""
    return str(name).lower().endswith(tuple(DEFAULT_CODECS))


MOVIES = Group(
    "movies: OUT like review.mov, .mp4, .mkv or .webm",
    (
        Option(
            "codec",
            "default: prores_422_hq in .mov, h264 in .mp4, av1 in .mkv and .webm",
            choices=(AUTO, *CODECS),
            default=AUTO,
            field=Field("Movie", "Codec", tip="Codec of the movie", labels=("Default of the format", *CODECS.values())),
        ),
        Option(
            "quality",
            "quality of H.264, H.265 and AV1: low, medium, high (default), best, or a constant rate factor",
            metavar="QUALITY",
            default="",
            field=Field(
                "Movie",
                "Quality",
                tip="Quality of H.264, H.265 and AV1: low, medium, high, best, or a constant rate factor",
                default="High",
                example="best, or 18",
            ),
        ),
        Option(
            "pixel-format",
            "chroma subsampling and bits of H.264, H.265 and AV1, such as yuv422p10; default: yuv420p, with PQ and HLG "
            "yuv420p10; yuva444p10 is ProRes 4444 with alpha",
            metavar="FORMAT",
            default="",
            field=Field(
                "Movie",
                "Pixel format",
                tip="Chroma subsampling and bits of H.264, H.265 and AV1; yuva444p10 is ProRes 4444 with alpha",
                default="Default of the codec",
                known="pixel formats",
            ),
        ),
        Option(
            "rate",
            "frames per second, such as 24, 23.976 or 30000/1001; default: that of the source, else 24",
            metavar="FPS",
            parse=rate,
            field=Field(
                "Movie",
                "Frame rate",
                tip="Frames per second",
                default="Same as the source, else 24",
                example="24, 23.976, 30000/1001",
            ),
        ),
        Option(
            "timecode",
            "timecode of the first frame: HH:MM:SS:FF, source (default) or none",
            metavar="TIMECODE",
            default="source",
            field=Field(
                "Movie",
                "Timecode",
                tip="Timecode of the first frame, or none",
                default="Same as the source",
                example="01:00:00:00, or none",
            ),
        ),
        Option(
            "audio",
            "audio of the movie: a file, source (default: that of a movie) or none",
            metavar="FILE",
            default="source",
            field=Field(
                "Movie",
                "Audio",
                tip="A file with the audio of the movie, or none",
                default="Same as the source",
                example="mix.wav, or none",
            ),
        ),
        Option(
            "burn-in",
            "texts, logo, masks and slate drawn over the frames: a preset (standard, slate, or your own), or a file",
            metavar="PRESET",
            default="",
            field=Field(
                "Movie",
                "Burn-in",
                tip="Texts, logo, masks and slate drawn over the frames",
                default="None",
                known="burn-ins",
            ),
        ),
        Option(
            "frames-in",
            "a folder that keeps the frames until the movie is complete, and whose frames are used if they are up to "
            "date",
            metavar="FOLDER",
            field=Field(elsewhere="for farms"),
        ),
        Option(
            "make-only",
            "make only these of the frames in --frames-in, and write no movie: another run encodes them",
            metavar="LIST",
            signed=True,
            field=Field(elsewhere="for farms"),
        ),
    ),
)
