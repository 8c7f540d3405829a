"""EXRs of every kind, drawn by hypothesis, and a comparison of what an export should have kept."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
from hypothesis import strategies as st

from engine.io.encoders import Coding
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import PartSource, assemble
from engine.io.exr.header import Attribute, RawChannel
from engine.io.exr.subsampled import SubsampledEncoder
from tests.engine.io.exr import colour, header, same_bits, samples, tiles, window

LOSSLESS = ("NO", "RLE", "ZIPS", "ZIP", "PIZ", "ZSTD", "HTJ2K256", "HTJ2K32")
LOSSY = ("PXR24", "B44", "B44A", "DWAA", "DWAB", "LJ2K")
EXTRA = (
    "Z",
    "id",
    "mask.A",
    "N.x",
    "crypto00.red",
    "crypto00.green",
    "uv.u",
    "höhe",
    "a very long name of a channel, 45 letters long",
)
OPAQUE = {
    "raw:thing": Attribute("studioBlob", bytes(range(40))),
    "a name that is longer than the thirty-one letters of old": Attribute("string", b"kept"),
    "preview": Attribute("preview", struct.pack("<2I", 2, 1) + bytes(8)),
    "empty": Attribute("string", b""),
    "not text": Attribute("string", b"\xff\xfe\x80"),
}


@dataclass
class Spec:
    """One part to generate."""

    size: tuple[int, int]
    corner: tuple[int, int]
    compression: str
    layers: tuple[str, ...]
    alpha: bool
    colour_type: str
    extra: dict[str, str]
    tile: tuple[int, int] | None
    decreasing: bool
    coarse: bool
    display: tuple[int, int, int, int]
    opaque: tuple[str, ...] = ()
    view: str = ""


@dataclass
class Made:
    """A file, what is in it, and which of its parts is graded."""

    parts: list[Spec]
    graded: int
    layers: tuple[str, ...]
    channels: list[dict[str, np.ndarray]] = field(default_factory=list)


@st.composite
def specs(draw: Any, display: tuple[int, int, int, int], multipart: bool) -> Spec:
    compression = draw(st.sampled_from(LOSSLESS + LOSSY))
    tile = draw(st.none() | st.tuples(st.integers(8, 40), st.integers(8, 40)))
    coarse = tile is None and not multipart and compression in ("NO", "ZIPS", "ZIP") and draw(st.booleans())
    size, corner = draw(st.tuples(st.integers(1, 70), st.integers(1, 90))), draw(st.tuples(*[st.integers(-50, 50)] * 2))
    if coarse:
        size, corner = (size[0] * 2, size[1] * 2), (corner[0] * 2, corner[1] * 2)
    names = draw(st.lists(st.sampled_from(EXTRA), unique=True, max_size=4))
    return Spec(
        size=size,
        corner=corner,
        compression=compression,
        layers=tuple(draw(st.lists(st.sampled_from(["", "spec", "diffuse.left"]), unique=True, min_size=1))),
        alpha=draw(st.booleans()),
        colour_type=draw(st.sampled_from(["half", "float"])),
        extra={name: draw(st.sampled_from(["half", "float", "uint"])) for name in names},
        tile=tile,
        decreasing=tile is None and draw(st.booleans()),
        coarse=coarse,
        display=display,
        opaque=tuple(draw(st.lists(st.sampled_from(sorted(OPAQUE)), unique=True, max_size=3))),
    )


@st.composite
def images(draw: Any) -> Made:
    display = draw(st.tuples(st.integers(-90, 90), st.integers(-90, 90), st.integers(1, 80), st.integers(1, 80)))
    count = draw(st.integers(1, 3))
    parts = [draw(specs(display, count > 1)) for _ in range(count)]
    graded = draw(st.integers(0, count - 1))
    asked = draw(st.lists(st.sampled_from(parts[graded].layers), unique=True, min_size=1))
    return Made(parts, graded, tuple(asked))


def write(made: Made, path: Path) -> None:
    """Write the file with OpenEXR, then give its headers attributes that OpenEXR would not write."""
    parts = []
    for number, spec in enumerate(made.parts):
        planes, entries = _planes(spec, number)
        made.channels.append(planes)
        parts.append(OpenEXR.Part(_header(spec, number), entries, f"part {number}"))
    plain = path.with_suffix(".plain.exr")
    if len(parts) == 1:
        single = {k: v for k, v in parts[0].header.items() if k not in ("name", "chunkCount")}
        OpenEXR.File(single, parts[0].channels).write(str(plain))
    else:
        OpenEXR.File(parts).write(str(plain))
    if made.parts[0].coarse:
        finer, plain = plain, path.with_suffix(".coarse.exr")
        _add_coarse(plain, finer)
        finer.unlink()
    raw = exr_header.parse(plain)
    headers = [
        found.with_attributes({name: OPAQUE[name] for name in spec.opaque})
        for spec, found in zip(made.parts, raw.headers, strict=True)
    ]
    assemble(path, raw.flags, [PartSource(plain, n, found) for n, found in enumerate(headers)])
    plain.unlink()


def _header(spec: Spec, number: int) -> dict[str, Any]:
    more: dict[str, Any] = {"type": OpenEXR.Storage.tiledimage if spec.tile else OpenEXR.Storage.scanlineimage}
    if spec.tile:
        more["tiles"] = tiles(*spec.tile)
    if spec.decreasing:
        more["lineOrder"] = OpenEXR.LineOrder.DECREASING_Y
    return header(
        compression=getattr(OpenEXR, f"{spec.compression}_COMPRESSION"),
        dataWindow=window(*spec.corner, *spec.size),
        displayWindow=window(*spec.display),
        view=("left", "right", "left")[number],
        **more,
    )


def _planes(spec: Spec, seed: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    shape = spec.size[1], spec.size[0]
    planes: dict[str, np.ndarray] = {}
    for layer in spec.layers:
        dot = f"{layer}." if layer else ""
        for n, name in enumerate("RGBA" if spec.alpha else "RGB"):
            planes[dot + name] = colour(shape, spec.colour_type, seed + n + len(layer))
    for n, (name, kind) in enumerate(spec.extra.items()):
        planes[name] = samples(shape, kind, seed + n)
        if kind != "uint" and spec.compression in LOSSY:
            planes[name] = colour(shape, kind, seed + n)
    entries: dict[str, Any] = {name: OpenEXR.Channel(plane) for name, plane in planes.items()}
    return planes, entries


def _add_coarse(path: Path, plain: Path) -> None:
    """The file `plain` with one more channel, of a sample for every 2 x 2 pixels."""
    raw = exr_header.parse(plain)
    made = raw.headers[0]
    width, height = made.size
    coarse = samples((height // 2, width // 2), "half", width)
    with OpenEXR.File(str(plain), separate_channels=True) as file:
        full = {name: channel.pixels.copy() for name, channel in file.channels(0).items()}
    made = made.with_channels((*made.channels, RawChannel("coarse", "half", 2, 2)))
    encoder = SubsampledEncoder(path, made, Coding(tuple(full), made.compression), lambda: {"coarse": coarse})
    rows = [p.view(np.float32) if p.dtype == np.uint32 else p.astype(np.float32) for p in full.values()]
    encoder.write(0, np.stack(rows, -1))
    encoder.close()


def read_by_openexr(path: Path) -> list[tuple[dict[str, str], dict[str, np.ndarray]]]:
    """Attributes as text and planes of every part."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        return [
            (
                {name: str(value) for name, value in file.header(n).items()},
                {name: channel.pixels.copy() for name, channel in file.channels(n).items()},
            )
            for n in range(len(file.parts))
        ]


def read_by_oiio(path: Path, part: int) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """The same by OpenImageIO; None for what it can't read."""
    file: Any = oiio.ImageInput.open(str(path))
    if file is None or not file.seek_subimage(part, 0):
        oiio.geterror()
        return None
    spec = file.spec()
    formats = [str(kind) for kind in spec.channelformats] or [str(spec.format)] * spec.nchannels
    found = {}
    for n, (name, kind) in enumerate(zip(spec.channelnames, formats, strict=True)):
        plane = file.read_image(part, 0, n, n + 1, {"uint32": "uint"}.get(kind, kind))
        found[name] = np.asarray(plane).reshape(spec.height, spec.width)
    attributes = {a.name: str(a.value) for a in spec.extra_attribs}
    shape = {"origin": (spec.x, spec.y), "display": (spec.full_x, spec.full_y, spec.full_width, spec.full_height)}
    return attributes | shape | {"tile": (spec.tile_width, spec.tile_height), "formats": formats}, found


def without_ours(attributes: dict[str, Any], *more: str) -> dict[str, Any]:
    """Attributes but for the record of the grade and what a test names."""
    return {k: v for k, v in attributes.items() if not k.startswith("tessera:") and k not in more}


def assert_carried(before: dict[str, np.ndarray], after: dict[str, np.ndarray], graded: set[str], lossy: bool) -> None:
    """What is not graded is the same: to the bit, or nearly so where the compression itself loses something."""
    assert set(before) == set(after)
    for name, plane in before.items():
        if name in graded:
            continue
        if not lossy or plane.dtype == np.uint32:
            assert same_bits(plane, after[name]), name
        else:
            error = np.abs(after[name].astype(np.float64) - plane.astype(np.float64))
            assert np.median(error) <= 0.1, name
