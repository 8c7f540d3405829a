"""EXR files made for tests, and a view of any EXR's content that does not go through engine.io."""

from __future__ import annotations

import struct
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.core.geometry import Rect
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.io import FileOutput, FileSource, describe, open_output
from engine.io.exr.chunks import version_bytes
from engine.io.exr.header import RawChannel, RawHeader
from engine.io.exr.part_spec import REQUIRED
from engine.io.output import source_options
from engine.io.output_options import OutputOptions
from engine.io.selection import choose_layers, choose_part
from engine.io.source import SourceOptions
from tests.thorough import THOROUGH

PASSTHROUGH = SourceOptions(passthrough=True)
REPOSITORY = Path(__file__).resolve().parents[3]
CORPUS = REPOSITORY / ".." / "shared" / "corpus" / "exr"


def some_corpus_files() -> list[Any]:
    """Test parameters: the first file of each folder of the corpus, in thorough tests all."""
    found = corpus_files()
    folders = {each.values[0].parent: each for each in reversed(found)}
    return found if THOROUGH else [each for each in found if each in folders.values()]


def corpus_files(damaged: bool = False) -> list[Any]:
    """Test parameters: the corpus's files, or one that is skipped where there is no corpus."""
    root = CORPUS.resolve()
    if not root.is_dir():
        return [pytest.param(Path(), marks=pytest.mark.skip(reason="no corpus beside the repository"))]
    found = sorted(path for path in root.rglob("*") if path.suffix == ".exr" or "Damaged" in path.parts)
    found = [path for path in found if path.is_file() and ("Damaged" in path.parts) == damaged]
    return [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in found]


def samples(shape: tuple[int, ...], kind: str, seed: int = 0) -> np.ndarray:
    """Random samples with every trap of their type: NaNs with payloads, infinities, denormals, large numbers."""
    random = np.random.default_rng(seed)
    size = int(np.prod(shape))
    if kind == "uint":
        values = random.integers(0, 2**32, size, dtype=np.uint32)
        values[: min(size, 6)] = [0, 1, 0xFFFFFFFF, 0x7F800001, 0x3F800001, 16777217][: min(size, 6)]
        return values.reshape(shape)
    values = random.lognormal(-1, 2, size).astype(np.float32)
    if kind == "half":
        bits = np.minimum(values, 60000).astype(np.float16).view(np.uint16)
        bits[: min(size, 5)] = [0x7E01, 0x7C00, 0xFC00, 0x0001, 0x8000][: min(size, 5)]
        return bits.view(np.float16).reshape(shape)
    wide = values.view(np.uint32)
    wide[: min(size, 5)] = [0x7FC00ABC, 0x7F800000, 0xFF800000, 0x00000001, 0x80000000][: min(size, 5)]
    return wide.view(np.float32).reshape(shape)


def colour(shape: tuple[int, ...], kind: str = "half", seed: int = 0) -> np.ndarray:
    """Ordinary scene-linear values, exact in half."""
    values = np.random.default_rng(seed).uniform(0, 4, shape).astype(np.float16)
    return values if kind == "half" else values.astype(np.float32)


def header(**more: Any) -> dict[str, Any]:
    """A header with attributes of several types."""
    return {
        "compression": OpenEXR.ZIP_COMPRESSION,
        "type": OpenEXR.Storage.scanlineimage,
        "comments": "made for a test",
        "owner": "ÜñïTest",
        "framesPerSecond": Fraction(24000, 1001),
        "chromaticities": (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767),
        "studio:shot": 42,
        "worldToCamera": np.arange(16, dtype=np.float32).reshape(4, 4),
        "pixelAspectRatio": 2.0,
        "screenWindowWidth": 1.5,
        **more,
    }


def tiles(width: int, height: int, mode: Any = OpenEXR.LevelMode.ONE_LEVEL) -> Any:
    description = OpenEXR.TileDescription()
    description.xSize, description.ySize, description.mode = width, height, mode
    return description


def window(x: int, y: int, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array([x, y], np.int32), np.array([x + width - 1, y + height - 1], np.int32)


def luminance_chroma_file(
    path: Path, y: np.ndarray, ry: np.ndarray, by: np.ndarray, ids: np.ndarray | None = None
) -> None:
    """Write full-size luminance and every second sample of chroma, all half, byte by byte: no library can."""
    channels = (RawChannel("Y", "half"), RawChannel("RY", "half", 2, 2), RawChannel("BY", "half", 2, 2))
    made = RawHeader().with_channels(channels if ids is None else (*channels, RawChannel("id", "uint")))
    made = made.with_compression("none")
    for name in ("dataWindow", "displayWindow"):
        made = made.with_box(name, (0, 0, y.shape[1] - 1, y.shape[0] - 1))
    made = made.with_attributes(REQUIRED)
    start = version_bytes(0, [made]) + made.to_bytes()
    table, chunks, at = b"", b"", len(start) + 8 * y.shape[0]
    for line in range(y.shape[0]):
        planes = [y[line]] if line % 2 else [by[line, ::2], ry[line, ::2], y[line]]
        data = b"".join(plane.astype("<f2").tobytes() for plane in planes)
        data += b"" if ids is None else ids[line].astype("<u4").tobytes()
        table += struct.pack("<Q", at + len(chunks))
        chunks += struct.pack("<ii", line, len(data)) + data
    path.write_bytes(start + table + chunks)


def planes(path: Path, part: int = 0) -> dict[str, np.ndarray]:
    """Every channel of a part, decoded by OpenEXR."""
    with OpenEXR.File(str(path), separate_channels=True) as file:
        return {name: channel.pixels.copy() for name, channel in file.channels(part).items()}


def attributes(path: Path, part: int = 0) -> dict[str, str]:
    """Every attribute of a part as text, by OpenEXR."""
    with OpenEXR.File(str(path), header_only=True) as file:
        return {name: str(value) for name, value in file.header(part).items()}


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def peak_memory() -> int:
    """The most memory that this process held, in bytes; on Linux without what its parent held before it began."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) << 10
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def export(source: FileSource, output: FileOutput, gain: float = 1.0, band: int = 48, tile: int = 0) -> None:
    """Read, multiply the colours, write, in bands or in tiles of bands."""
    output.init(source.width, source.height, source.channels)
    for y in range(0, source.height, band):
        for x in range(0, source.width, tile or source.width):
            wide = min(tile or source.width, source.width - x)
            rect = Rect(x, y, wide, min(band, source.height - y))
            region = source.read(rect)
            if gain != 1.0:
                with np.errstate(over="ignore", invalid="ignore"):
                    for pixels in region.graded:
                        pixels[..., :3] *= pixels.dtype.type(gain)
            output.write(rect, region)
    output.finish()


def grade(source: Path, target: Path, gain: float = 2.0, band: int = 48, tile: int = 0, **options: Any) -> list[str]:
    """Export `source`, brightened, through the streaming path; the notes."""
    info, force = describe(source), options.pop("force", False)
    part = choose_part(info, options.pop("part", None))
    layers = choose_layers(info, part, options.pop("layer", None))
    asked = OutputOptions(target, **options)
    opened = FileSource(info, part, layers, source_options(asked, info, part, layers, (part.width, part.height)))
    output = open_output(target, opened, force=force, options=asked)
    try:
        export(opened, output, gain, band, tile)
    except BaseException:
        output.abort()
        raise
    finally:
        opened.close()
    return output.notes


def copy_image(source: Path, target: Path, **options: Any) -> list[str]:
    """Export without a grade; the notes."""
    return list(export_image(source, target, Grade(), ExportOptions(**options)).notes)
