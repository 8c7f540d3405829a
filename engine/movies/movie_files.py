"""Which files are movies, and the limits of what is believed of them."""

from __future__ import annotations

from pathlib import Path

MOVIE_SUFFIXES = (
    *(".mov", ".mp4", ".m4v", ".mkv", ".webm", ".avi", ".mxf", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".vob"),
    *(".wmv", ".asf", ".flv", ".ogv", ".gxf", ".nut", ".y4m", ".dv", ".3gp", ".3g2", ".ivf", ".wtv", ".mj2"),
    *(".h264", ".264", ".h265", ".265", ".hevc", ".m2v", ".m1v"),
)
"""Files with these suffixes are read as movies, whatever they hold."""
CONTAINERS = (
    *("mov", "mp4", "m4a", "3gp", "3g2", "mj2", "matroska", "webm", "avi", "mxf", "mpegts", "mpeg", "asf", "flv"),
    *("ogg", "gxf", "nut", "yuv4mpegpipe", "dv", "ivf", "wtv", "h264", "hevc", "m4v", "mpegvideo", "obu", "av1"),
)
"""FFmpeg's names of the formats that are read. Playlists, devices and lists of files are not among them: they would
open what the file names."""
MOST_SIDE = 1 << 15
"""The largest width and height in pixels."""
MOST_PIXELS = 1 << 27
"""The most pixels of a frame: 16K with an aspect of 2:1."""
MOST_FRAMES = 1_000_000
"""The most frames of a movie; later ones are left out."""
MISSING_LIBRARY = "needs PyAV, which is not installed"
INSTALL = 'install it: pip install "tessera[movies]"'


def is_movie(path: str | Path) -> bool:
    """Return whether a file is read as a movie, by its suffix."""
    return Path(path).suffix.lower() in MOVIE_SUFFIXES
