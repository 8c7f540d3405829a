"""Small valid images: OpenEXR of every storage and compression, and other formats, by the libraries' own writers."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio

from tools.fuzz.kind import Seed
from tools.fuzz.mutations import icc
from tools.fuzz.samples import grades

WIDTH, HEIGHT = 19, 13
TIME = ("DateTime", "2026:01:01 00:00:00")
"""Else the library would write the time at which a seed is made."""
COMPRESSIONS = (
    *("NO", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB", "ZSTD", "HTJ2K256", "HTJ2K32"),
)
OTHERS = ("tga", "sgi", "bmp", "ppm", "hdr", "rla", "fits", "webp", "ico", "pfm")
"""Formats beside the documented ones, which OpenImageIO reads."""

GIF = (
    *(b"GIF89a\2\0\2\0\x91\0\0", bytes((0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255)), b"!\xf9\4\0\0\0\0\0"),
    *(b",\0\0\0\0\2\0\2\0\0", b"\2\3\x44\x02\x05\0", b";"),
)


def _plane(kind: str = "half", seed: int = 0, size: tuple[int, int] = (HEIGHT, WIDTH)) -> np.ndarray:
    values = np.random.default_rng(seed).uniform(0.0, 2.0 if kind != "uint" else 4e9, size)
    if kind != "uint":
        values[0, 0] = np.inf
    return values.astype({"half": "f2", "float": "f4", "uint": "u4"}[kind])


def _window(x: int, y: int, width: int = WIDTH, height: int = HEIGHT) -> tuple[np.ndarray, np.ndarray]:
    return np.array([x, y], "i4"), np.array([x + width - 1, y + height - 1], "i4")


def _header(compression: str = "ZIP", **more: Any) -> dict[str, Any]:
    kept = {"compression": getattr(OpenEXR, f"{compression}_COMPRESSION"), "type": OpenEXR.Storage.scanlineimage}
    return kept | more


def _tiled(compression: str, mode: str = "ONE_LEVEL", **more: Any) -> dict[str, Any]:
    tiles: Any = OpenEXR.TileDescription()
    tiles.xSize = tiles.ySize = 8
    tiles.mode = getattr(OpenEXR.LevelMode, mode)
    return _header(compression, type=OpenEXR.Storage.tiledimage, tiles=tiles, **more)


def _planes(names: str | tuple[str, ...] = "RGBA", kind: str = "half") -> dict[str, Any]:
    return {name: _plane(kind, n) for n, name in enumerate(names)}


def exrs(folder: Path) -> Iterator[Seed]:
    """Seeds of OpenEXR; `folder` is for temporary files."""
    path = folder / "seed.exr"

    def written(name: str, header: dict[str, Any], planes: dict[str, Any]) -> Seed:
        OpenEXR.File(header, planes).write(str(path))
        return Seed(name, ".exr", path.read_bytes())

    for compression in COMPRESSIONS:
        yield written(compression.lower(), _header(compression), _planes())
        yield written(f"tiled {compression.lower()}", _tiled(compression), _planes("RGB", "float"))
    mixed = _planes(("R", "G", "B", "Z", "diffuse.R", "diffuse.G", "diffuse.B", "N.x"))
    mixed |= {"id": _plane("uint", 9), "depth": _plane("float", 8)}
    yield written("mixed", _header("ZIPS", dataWindow=_window(-5, 7), displayWindow=_window(0, 0, 32, 20)), mixed)
    yield written("decreasing", _header("PIZ", lineOrder=OpenEXR.LineOrder.DECREASING_Y), _planes("YA"))
    yield written("attributes", _header("ZIP", **_attributes()), _planes("RGB"))
    text = json.dumps(grades.PLAIN | {"entries": [*grades.PLAIN["entries"], grades.TABLE]})
    recorded = {
        "tessera:grade": text,
        "tessera:layers": "main",
        "tessera:export": "0" * 32,
        "colorInteropID": "lin_ap1_scene",
    }
    yield written("recorded", _header("ZIP", **recorded), _planes("RGB"))
    parts = [
        OpenEXR.Part(_header("ZIP", view="left"), _planes("RGB"), "left"),
        OpenEXR.Part(_tiled("ZIPS", view="right"), _planes("RGB"), "right"),
        OpenEXR.Part(_header("RLE"), {"Z": _plane("float")}, "depth"),
    ]
    OpenEXR.File(parts).write(str(path))
    yield Seed("multipart", ".exr", path.read_bytes())
    for compression in ("ZIP", "PIZ", "NO"):
        yield Seed(f"mip {compression.lower()}", ".exr", _mip(path, compression.lower().replace("no", "none")))
    yield from _deep(path)
    yield Seed("luminance-chroma", ".exr", _luminance_chroma())


def _attributes() -> dict[str, Any]:
    return {
        "comments": "made for a test",
        "owner": "Ünïcode",
        "chromaticities": (0.713, 0.293, 0.165, 0.83, 0.128, 0.044, 0.32168, 0.33767),
        "adoptedNeutral": np.array([0.32168, 0.33767], "f4"),
        "worldToCamera": np.eye(4, dtype="f4"),
        "pixelAspectRatio": 2.0,
        "colorInteropID": "lin_ap1_scene",
        "a name that is longer than the thirty-one letters of old": 1,
    }


def _mip(path: Path, compression: str) -> bytes:
    """A tiled file with all of its mip levels."""
    output: Any = oiio.ImageOutput.create(str(path))
    width, height, level = 33, 21, 0
    while True:
        spec = oiio.ImageSpec(width, height, 3, "half")
        spec.tile_width = spec.tile_height = 8
        for name, value in (("compression", compression), ("textureformat", "Plain Texture"), TIME):
            spec[name] = value
        spec["openexr:levelmode"], spec["openexr:roundingmode"] = 1, 1
        output.open(str(path), spec, "AppendMIPLevel" if level else "Create")
        output.write_image(np.full((height, width, 3), 0.5**level, np.float16))
        if width == height == 1:
            break
        level, width, height = level + 1, -(-width // 2), -(-height // 2)
    output.close()
    del output  # or the file is not yet written to its end
    return path.read_bytes()


def _deep(path: Path) -> Iterator[Seed]:
    for name, tile in (("deep scanline", 0), ("deep tiled", 8)):
        spec = oiio.ImageSpec(9, 7, 5, "float")
        spec.channelnames, spec.deep = ("R", "G", "B", "A", "Z"), True
        spec["compression"], spec[TIME[0]] = "zips", TIME[1]
        spec.tile_width = spec.tile_height = tile
        deep = oiio.DeepData()
        deep.init(spec)
        for pixel in range(9 * 7):
            deep.set_samples(pixel, pixel % 3)
            for sample in range(pixel % 3):
                for channel in range(5):
                    deep.set_deep_value(pixel, channel, sample, 0.25 * (channel + sample))
        output: Any = oiio.ImageOutput.create(str(path))
        output.open(str(path), spec)
        if tile:
            output.write_deep_tiles(0, 9, 0, 7, 0, 1, deep)
        else:
            output.write_deep_scanlines(0, 7, 0, deep)
        output.close()
        yield Seed(name, ".exr", path.read_bytes())


def _luminance_chroma() -> bytes:
    """Full-size luminance and every second sample of chroma, byte by byte: no library here writes it."""
    names = ((b"BY", 2), (b"RY", 2), (b"Y", 1))
    channels = b"".join(name + b"\0" + struct.pack("<iB3xii", 1, 0, each, each) for name, each in names) + b"\0"
    box = struct.pack("<4i", 0, 0, WIDTH, HEIGHT)
    attributes = (
        (b"channels", b"chlist", channels),
        (b"compression", b"compression", b"\0"),
        (b"dataWindow", b"box2i", box),
        (b"displayWindow", b"box2i", box),
        (b"lineOrder", b"lineOrder", b"\0"),
        (b"pixelAspectRatio", b"float", struct.pack("<f", 1.0)),
        (b"screenWindowCenter", b"v2f", bytes(8)),
        (b"screenWindowWidth", b"float", struct.pack("<f", 1.0)),
    )
    head = b"\x76\x2f\x31\x01\2\0\0\0"
    head += b"".join(n + b"\0" + k + b"\0" + struct.pack("<i", len(d)) + d for n, k, d in attributes) + b"\0"
    table, chunks, start = b"", b"", len(head) + 8 * (HEIGHT + 1)
    for line in range(HEIGHT + 1):
        samples = (WIDTH + 1) + (0 if line % 2 else 2 * ((WIDTH + 1) // 2))
        data = np.linspace(0.1, 0.9, samples).astype("<f2").tobytes()
        table += struct.pack("<Q", start + len(chunks))
        chunks += struct.pack("<ii", line, len(data)) + data
    return head + table + chunks


def others(folder: Path) -> Iterator[Seed]:
    """Seeds of the other formats that are documented: TIFF, PNG, DPX and JPEG."""

    def written(name: str, suffix: str, kind: str, channels: int = 3, **more: Any) -> Seed:
        return Seed(name, suffix, _written(folder / f"seed{suffix}", kind, channels, more))

    yield written("tiff", ".tif", "uint16", 4, compression="zip")
    for compression in ("none", "lzw", "packbits"):
        yield written(f"tiff {compression}", ".tif", "uint8", compression=compression)
    yield written("tiff half", ".tif", "half", compression="zip")
    yield written("tiff float", ".tif", "float", 1, compression="none", ICCProfile=icc.SOUND[0])
    yield written("tiff tiled", ".tif", "uint16", tile=16, compression="zip")
    yield written("tiff planar", ".tif", "uint8", planarconfig="separate", compression="none")
    yield written("png", ".png", "uint8")
    yield written("png 16", ".png", "uint16", 4)
    yield written("png grey", ".png", "uint8", 1, ICCProfile=icc.SOUND[3])
    yield written("png code points", ".png", "uint16", CICP=(9, 16, 0, 1))
    for bits in (8, 10, 12, 16):
        depth: dict[str, Any] = {"oiio:BitsPerSample": bits}
        yield written(f"dpx {bits}", ".dpx", "uint8" if bits == 8 else "uint16", **depth)
    film: dict[str, Any] = {"dpx:Transfer": "Printing density", "oiio:BitsPerSample": 10}
    yield written("dpx film", ".dpx", "uint16", **film)
    yield written("jpeg", ".jpg", "uint8", ICCProfile=icc.SOUND[1])
    yield written("jpeg grey", ".jpg", "uint8", 1)


def unusual(folder: Path) -> Iterator[Seed]:
    """Seeds of formats that OpenImageIO reads and nobody asked for; those that this build writes, and a GIF."""
    yield Seed("gif", ".gif", b"".join(GIF))
    for suffix in OTHERS:
        path = folder / f"seed.{suffix}"
        try:
            yield Seed(suffix, f".{suffix}", _written(path, "uint8", 3, {}))
        except ValueError:
            continue


def _written(path: Path, kind: str, channels: int, more: dict[str, Any]) -> bytes:
    spec = oiio.ImageSpec(WIDTH, HEIGHT, channels, kind)
    spec.tile_width = spec.tile_height = more.pop("tile", 0)
    for name, value in (TIME, *more.items()):
        if name == "ICCProfile":
            spec.attribute(name, oiio.TypeDesc(f"uint8[{len(value)}]"), np.frombuffer(value, np.uint8))
        elif name == "CICP":
            spec.attribute(name, oiio.TypeDesc("int[4]"), value)
        else:
            spec[name] = value
    output: Any = oiio.ImageOutput.create(str(path))
    if output is None:
        raise ValueError(path)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    ramp = np.stack([(x + y + n) / 40.0 for n in range(channels)], -1).astype(np.float32)
    sound = output.open(str(path), spec) and output.write_image(ramp) and output.close()
    if not sound:
        raise ValueError(output.geterror())
    own = str(path).encode()  # which some formats hold
    return path.read_bytes().replace(own, path.name.encode().ljust(len(own), b"\0"))
