"""Exports through a codec, and comparisons of what they write with exports through main memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import OpenEXR

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.devices import create_executor
from engine.compute.memory_budget import MemoryBudget
from engine.export.image import SharedResources, run_export
from engine.export.job import resolve
from engine.export.options import ExportOptions, ExportReport
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import Grade
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import check_complete
from engine.ops import Cdl, Exposure, Saturation
from tests.engine.host_codec import HostCodec
from tests.engine.io.exr import colour, header, same_bits, samples
from tests.engine.io.generated import read_by_oiio, read_by_openexr

RAW = ColourSetup(config="raw")
CPU = ExportOptions(backend="cpu", threads=1, colour=RAW)
GRADE = Grade([Exposure(0.4), Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0, 0), power=(1.1, 1, 0.9)), Saturation(1.2)])


def shared(codec: HostCodec | None = None, memory: int = 1 << 34) -> SharedResources:
    """An executor whose device decodes and encodes EXRs."""
    executor = create_executor("cpu", 1)
    assert isinstance(executor.primitives, CpuPrimitives)
    executor.primitives.chunk_codec = codec or HostCodec(executor.primitives)
    if codec is not None:
        codec.primitives = executor.primitives
    return SharedResources(executor, MemoryBudget(memory, 1, 1))


def export(
    source: Path,
    target: Path,
    grade: Grade = GRADE,
    options: ExportOptions = CPU,
    resources: SharedResources | None = None,
    **asked: Any,
) -> ExportReport:
    return run_export(resolve(source, target, grade, options), shared=resources or shared(), **asked)


def both(source: Path, folder: Path, grade: Grade = GRADE, options: ExportOptions = CPU) -> ExportReport:
    """Export through main memory and through the codec, compare the files, and return the latter's report."""
    host, device = folder / "host.exr", folder / "device.exr"
    plain = export(source, host, grade, replace(options, encoder="cpu"))
    report = export(source, device, grade, options)
    assert plain.encoder == "cpu"
    assert report.notes == plain.notes
    assert report.file_size == device.stat().st_size
    assert_same(host, device)
    return report


def assert_same(one: Path, other: Path) -> None:
    """The same headers and samples, by both libraries, and complete."""
    before, after = exr_header.parse(one), exr_header.parse(other)
    check_complete(after)
    assert (after.flags, after.headers) == (before.flags, before.headers)
    text = [a.data for h in after.headers for a in h.attributes.values() if a.type == "string"]
    if all(_is_text(data) for data in text):  # OpenEXR's Python can't read other headers
        for (_, old), (_, new) in zip(read_by_openexr(one), read_by_openexr(other), strict=True):
            assert list(old) == list(new)
            assert all(same_bits(old[name], new[name]) for name in old)
    for part in range(len(after.headers)):
        seen, wanted = read_by_oiio(other, part), read_by_oiio(one, part)
        assert (seen is None) == (wanted is None)
        if seen and wanted:
            assert seen[0] == wanted[0]
            assert all(same_bits(wanted[1][name], seen[1][name]) for name in wanted[1])


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def shot(path: Path, kind: str = "ZIP", size: tuple[int, int] = (60, 40), channels: str = "RGBA", **more: Any) -> Path:
    """RGBA in half, depth in float and IDs in uint."""
    shape = size[1], size[0]
    planes = {name: colour(shape, seed=n) for n, name in enumerate(channels)}
    planes |= {"Z": samples(shape, "float"), "id": samples(shape, "uint")}
    made = header(compression=getattr(OpenEXR, f"{kind}_COMPRESSION"), **more)
    OpenEXR.File(made, {name: OpenEXR.Channel(plane) for name, plane in planes.items()}).write(str(path))
    return path
