"""The codecs of movies: their encoders in FFmpeg, the pixels that they hold, their qualities and their containers."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from engine.core.records import dataclass
from engine.errors import UnsupportedFile


@dataclass(frozen=True)
class Pixels:
    """The samples of a codec: `chroma` is 420, 422 or 444, `depth` the number of bits; `alpha` is a fourth plane."""

    chroma: str
    depth: int
    alpha: bool = False

    @property
    def name(self) -> str:
        """The name that the command line uses: yuv422p10; 8 bits are not named."""
        return f"yuv{'a' * self.alpha}{self.chroma}p" + (str(self.depth) if self.depth > 8 else "")

    @property
    def ffmpeg(self) -> str:
        """FFmpeg's name of the planar format."""
        return self.name + ("le" if self.depth > 8 else "")

    @property
    def block(self) -> tuple[int, int]:
        """The width and height in pixels that share a chroma sample."""
        return (1 if self.chroma == "444" else 2), (2 if self.chroma == "420" else 1)

    def planes(self, width: int, height: int) -> tuple[tuple[int, int], ...]:
        """Return the (height, width) of each plane of a frame."""
        across, down = self.block
        chroma = -(-height // down), -(-width // across)
        return ((height, width), chroma, chroma, *[(height, width)] * self.alpha)


QUALITIES = ("low", "medium", "high", "best")
_HIGH_444, _WITH_ALPHA = Pixels("444", 10), Pixels("444", 10, alpha=True)


@dataclass(frozen=True)
class Codec:
    """A codec of the export.

    `pixels` are the formats that it can hold, the default first; `hdr` is the default for PQ and HLG. `qualities` are
    its constant rate factors for QUALITIES, the default third; () if its profile decides, in which case `profile` is
    an option of the encoder. `smallest` are the least width and height of a frame.
    """

    name: str
    label: str
    encoder: str
    pixels: tuple[Pixels, ...]
    suffixes: tuple[str, ...]
    profile: str = ""
    qualities: tuple[int, ...] = ()
    worst: int = 0
    options: tuple[tuple[str, str], ...] = ()
    tag: str = ""
    hdr: Pixels | None = None
    smallest: tuple[int, int] = (2, 2)
    intra: bool = field(default=False)

    def quality(self, asked: str) -> str:
        """Return the rate factor for a quality by name or number. Raises ValueError with what is wrong."""
        if not self.qualities:
            if asked:
                raise ValueError(f"{self.label} has a fixed quality; choose another profile of it")
            return ""
        if asked in QUALITIES:
            return str(self.qualities[QUALITIES.index(asked)])
        if not asked:
            return str(self.qualities[2])
        if not asked.isdecimal() or int(asked) > self.worst:
            raise ValueError(
                f"'{asked}' is not a quality of {self.label}; use {', '.join(QUALITIES)} or 0-{self.worst}"
            )
        return asked

    def pixels_named(self, asked: str, hdr: bool) -> Pixels:
        """Return the pixel format of this name, or the default. Raises ValueError with what is wrong."""
        if not asked:
            return (self.hdr if hdr else None) or self.pixels[0]
        found = next((each for each in self.pixels if each.name == asked), None)
        if found is None:
            names = ", ".join(each.name for each in self.pixels)
            raise ValueError(f"{self.label} does not hold {asked}; use {names}")
        return found


def _prores(name: str, label: str, profile: int, *pixels: Pixels) -> Codec:
    options = (("vendor", "apl0"),)
    return Codec(
        name, f"ProRes {label}", "prores_ks", pixels, (".mov", ".mkv"), str(profile), (), 0, options, intra=True
    )


def _dnxhr(name: str, label: str, pixels: Pixels) -> Codec:
    suffixes = (".mov", ".mkv")
    return Codec(name, f"DNxHR {label}", "dnxhd", (pixels,), suffixes, name, smallest=(256, 120), intra=True)


def _several(*names: str) -> tuple[Pixels, ...]:
    return tuple(Pixels(name[:3], int(name[4:])) for name in names)


CODECS = (
    _prores("prores_422_proxy", "422 Proxy", 0, Pixels("422", 10)),
    _prores("prores_422_lt", "422 LT", 1, Pixels("422", 10)),
    _prores("prores_422", "422", 2, Pixels("422", 10)),
    _prores("prores_422_hq", "422 HQ", 3, Pixels("422", 10)),
    _prores("prores_4444", "4444", 4, _HIGH_444, _WITH_ALPHA),
    _prores("prores_4444_xq", "4444 XQ", 5, _HIGH_444, _WITH_ALPHA),
    _dnxhr("dnxhr_sq", "SQ", Pixels("422", 8)),
    _dnxhr("dnxhr_hq", "HQ", Pixels("422", 8)),
    _dnxhr("dnxhr_hqx", "HQX", Pixels("422", 10)),
    _dnxhr("dnxhr_444", "444", _HIGH_444),
    Codec(
        "h264",
        "H.264",
        "libx264",
        _several("420-8", "420-10", "422-8", "422-10", "444-8", "444-10"),
        (".mp4", ".mov", ".mkv"),
        qualities=(28, 23, 18, 12),
        worst=51,
        options=(("preset", "medium"),),
        hdr=Pixels("420", 10),
    ),
    Codec(
        "h265",
        "H.265",
        "libx265",
        _several("420-8", "420-10", "420-12", "422-8", "422-10", "422-12", "444-8", "444-10", "444-12"),
        (".mp4", ".mov", ".mkv"),
        qualities=(30, 25, 20, 14),
        worst=51,
        options=(("preset", "medium"),),
        tag="hvc1",
        hdr=Pixels("420", 10),
        smallest=(32, 32),
    ),
    Codec(
        "av1",
        "AV1",
        "libsvtav1",
        _several("420-10", "420-8"),
        (".mkv", ".webm", ".mp4"),
        qualities=(45, 35, 25, 15),
        worst=63,
        options=(("preset", "7"),),
        smallest=(64, 64),
    ),
)
"""In the order of the choices."""
NAMES = tuple(codec.name for codec in CODECS)
DEFAULTS = {".mov": "prores_422_hq", ".mp4": "h264", ".mkv": "av1", ".webm": "av1"}
"""The codec of a movie whose name alone is given, by its suffix."""
SUFFIXES = tuple(DEFAULTS)


def is_movie(target: str | Path) -> bool:
    """Return whether a name is that of a movie that can be written."""
    return Path(target).suffix.lower() in SUFFIXES


def codec_for(target: Path, asked: str = "") -> Codec:
    """Return the codec of this name, or the default of the container.

    Raises UnsupportedFile if there is no such codec, or if the container of the target does not hold it.
    """
    suffix = target.suffix.lower()
    name = asked or DEFAULTS[suffix]
    codec = next((each for each in CODECS if each.name == name), None)
    if codec is None:
        raise UnsupportedFile(target, f"'{name}' is not a valid codec", f"use one of {', '.join(NAMES)}")
    if suffix not in codec.suffixes:
        what = f"{suffix[1:].upper()} does not hold {codec.label}"
        raise UnsupportedFile(target, what, f"write {', '.join(codec.suffixes)}")
    return codec
