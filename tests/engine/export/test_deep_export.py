"""Exports of deep images: each sample is graded, and everything else keeps its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.compute.memory_budget import MemoryBudget
from engine.errors import Cancelled, MemoryLimitError, UnreadableFile, UnsupportedFile
from engine.export import deep as deep_export
from engine.export.image import SharedResources, export_image, preview_export, run_export
from engine.export.job import resolve
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Layer
from engine.grade.grade import Grade
from engine.grade.keys import with_key
from engine.io.exr import header as exr_header
from engine.io.exr.deep_chunks import DeepChunk, DeepPart
from engine.kernel.op import ColorOp, Op
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Ellipse
from engine.ops import Blur, Cdl, Exposure, Matrix, Saturation
from tests.engine.backends import USABLE, executor_on
from tests.engine.deep import COLOUR, Deep, deep_part, joined, read_by_oiio, read_by_openexr, same_samples, write_deep
from tests.engine.io.exr import colour, corpus_files, header, samples, window
from tests.tolerance import assert_close

CPU = ExportOptions(backend="cpu", threads=2, colour=ColourSetup(config="raw"))
GRADE = Grade([Exposure(0.4), Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0, 0), power=(1.1, 1, 0.9)), Saturation(1.2)])
RGBA = ("R", "G", "B", "A")
UNGRADED = {"A", "Z", "ZBack", "id"}
TILES = (None, (8, 4), (64, 64), (5, 11))
DEEP = [each for each in corpus_files() if each.marks or each.values[0].name == "Balls.exr"]


def reference(before: np.ndarray, alpha: str, ops: Iterable[Op] = GRADE) -> np.ndarray:
    """Graded samples (n, 4) in float64; with unpremultiplied alpha, divided by it outside of the ops."""
    graded = before.copy()
    factor = np.where(before[:, 3:] == 0.0, 1.0, before[:, 3:]) if alpha == "unpremultiplied" else 1.0
    graded[:, :3] /= factor
    for op in ops:
        assert isinstance(op, ColorOp)
        graded = op.reference(graded)
    graded[:, :3] *= factor
    return graded


def chunks(path: Path, part: int) -> list[bytes]:
    """The bytes of each chunk of a part, in the order of the offset table."""
    raw = exr_header.parse(path)
    data = path.read_bytes()
    where = zip(raw.tables, raw.headers, strict=True)
    tables = [np.frombuffer(data, "<u8", h.chunk_count(), at).astype(int).tolist() for at, h in where]
    every = sorted([*(at for table in tables for at in table), len(data)])
    return [data[at : every[every.index(at) + 1]] for at in tables[part]]


@pytest.mark.parametrize("alpha", ["stored", "unpremultiplied"])
@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("compression", ["NO", "RLE", "ZIPS"])
def test_each_sample_is_graded(tile, compression, alpha, tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part(compression=compression, tile=tile))
    report = export_image(source, tmp_path / "b.exr", GRADE, replace(CPU, alpha=alpha))
    assert (report.backend, report.strategy, report.encoder) == ("cpu", "streaming", "cpu")
    before, after = read_by_openexr(source), read_by_openexr(tmp_path / "b.exr")
    assert same_samples(before, after, UNGRADED)
    wanted = reference(joined(before, RGBA), alpha)
    assert_close(joined(after, RGBA), wanted, chain=True, storage=np.float16)
    assert not np.array_equal(joined(before, RGBA), joined(after, RGBA))
    was, now = (exr_header.parse(path).headers[0] for path in (source, tmp_path / "b.exr"))
    kept = [name for name in was.attributes if not name.startswith("tessera:")]
    assert {name: now.attributes[name] for name in kept} == {name: was.attributes[name] for name in kept}
    assert "tessera:grade" in now.attributes


@pytest.mark.parametrize("backend", USABLE)
def test_backends_agree(backend, tmp_path: Path) -> None:
    kinds = COLOUR | dict.fromkeys("RGB", "float")
    source = write_deep(tmp_path / "a.exr", deep_part(kinds=kinds))
    job = resolve(source, tmp_path / "b.exr", GRADE, replace(CPU, alpha="unpremultiplied"))
    run_export(job, shared=SharedResources(executor_on(backend), MemoryBudget(1 << 30, 2, 1)))
    before, after = read_by_openexr(source), read_by_openexr(tmp_path / "b.exr")
    wanted = reference(joined(before, RGBA), "unpremultiplied")
    assert_close(joined(after, RGBA), wanted, backend, chain=True)


def test_openimageio_reads_the_same(tmp_path: Path) -> None:
    for tile in (None, (8, 4)):
        source = write_deep(tmp_path / "a.exr", deep_part(tile=tile))
        export_image(source, tmp_path / "b.exr", GRADE, replace(CPU, force=True))
        one, other = read_by_openexr(tmp_path / "b.exr"), read_by_oiio(tmp_path / "b.exr")
        wanted = {name: one.channels[name].astype(other.channels[name].dtype) for name in COLOUR}
        assert same_samples(Deep(one.counts, wanted), other, set(COLOUR))


def test_samples_fall_into_bands_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part(shape=(40, 64), tile=(16, 8)))
    export_image(source, tmp_path / "whole.exr", GRADE, CPU)
    for size in (1, 5000, 20000):
        monkeypatch.setattr(deep_export, "BAND_BYTES", size)
        monkeypatch.setattr(deep_export, "WIDE", 100)
        report = export_image(source, tmp_path / "bands.exr", GRADE, replace(CPU, force=True))
        assert report.tiles > 1
        assert (tmp_path / "bands.exr").read_bytes() == (tmp_path / "whole.exr").read_bytes()


@pytest.mark.parametrize("part", [1, 2])
def test_other_parts_are_copied(part, tmp_path: Path) -> None:
    about = header(pixelAspectRatio=1.0, displayWindow=window(0, 0, 50, 40))
    flat = OpenEXR.Part(about, {"RGB": colour((20, 30, 3)), "Z": samples((20, 30), "float")}, "beauty")
    tiled = deep_part("two", tile=(8, 8), seed=5)
    source = write_deep(tmp_path / "a.exr", flat, deep_part("one"), tiled)
    export_image(source, tmp_path / "b.exr", GRADE, replace(CPU, part=part))
    for n in range(3):
        assert (chunks(source, n) == chunks(tmp_path / "b.exr", n)) == (n != part)
    before, after = read_by_openexr(source, part), read_by_openexr(tmp_path / "b.exr", part)
    assert same_samples(before, after, UNGRADED)
    wanted = reference(joined(before, RGBA), "stored")
    assert_close(joined(after, RGBA), wanted, chain=True, storage=np.float16)
    export_image(source, tmp_path / "c.exr", GRADE, replace(CPU, part=part, only_graded=True))
    assert len(exr_header.parse(tmp_path / "c.exr").headers) == 1
    assert same_samples(after, read_by_openexr(tmp_path / "c.exr"), set("RGBA"))


def test_layers_types_and_compressions(tmp_path: Path) -> None:
    kinds = COLOUR | {"diffuse.R": "half", "diffuse.G": "half", "diffuse.B": "float"}
    source = write_deep(tmp_path / "a.exr", deep_part(kinds=kinds))
    options = replace(CPU, layer=("", "diffuse"), type="float", compression="rle", alpha="unpremultiplied")
    report = export_image(source, tmp_path / "b.exr", GRADE, options)
    assert report.notes == ("Graded as stored, because they have no alpha: diffuse.",)
    before, after = read_by_openexr(source), read_by_openexr(tmp_path / "b.exr")
    assert same_samples(before, after, {"Z", "ZBack", "id"})
    written = exr_header.parse(tmp_path / "b.exr").headers[0]
    assert written.compression == "rle"
    assert {c.name: c.type for c in written.channels} == kinds | dict.fromkeys(
        ("R", "G", "B", "A", "diffuse.R", "diffuse.G", "diffuse.B"), "float"
    )
    wanted = reference(joined(before, RGBA), "unpremultiplied")
    assert_close(joined(after, RGBA), wanted, chain=True)
    diffuse = tuple(f"diffuse.{c}" for c in "RGB")
    opaque = np.column_stack([joined(before, diffuse), np.ones(len(wanted))])
    assert_close(joined(after, diffuse), reference(opaque, "stored")[:, :3], chain=True)


def test_a_grade_may_change_alpha(tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part())
    half = Matrix((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5))
    export_image(source, tmp_path / "b.exr", Grade([half]), CPU)
    before, after = read_by_openexr(source), read_by_openexr(tmp_path / "b.exr")
    assert_close(joined(after, RGBA), joined(before, RGBA) * (1, 1, 1, 0.5), storage=np.float16)


def test_without_a_grade_only_the_coding_changes(tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part(tile=(8, 4)))
    export_image(source, tmp_path / "b.exr", Grade(), CPU)
    assert source.read_bytes() == (tmp_path / "b.exr").read_bytes()
    report = export_image(source, tmp_path / "c.exr", Grade(), replace(CPU, compression="zips:9"))
    assert report.backend == "none"
    assert same_samples(read_by_openexr(source), read_by_openexr(tmp_path / "c.exr"), set(COLOUR))
    export_image(source, tmp_path / "d.exr", Grade(), replace(CPU, compression="none"))
    plain = write_deep(tmp_path / "e.exr", deep_part(tile=(8, 4), compression="NO"))  # it pads tables of clipped tiles
    assert [*map(len, chunks(tmp_path / "d.exr", 0))] == [*map(len, chunks(plain, 0))]


@pytest.mark.parametrize("path", DEEP)
def test_the_corpus(path: Path, tmp_path: Path) -> None:
    assert preview_export(path, tmp_path / "b.exr", GRADE, CPU).after
    export_image(path, tmp_path / "b.exr", GRADE, replace(CPU, alpha="unpremultiplied"))
    before, after = read_by_openexr(path), read_by_openexr(tmp_path / "b.exr")
    assert same_samples(before, after, {"A", "Z"})
    wanted = reference(joined(before, RGBA), "unpremultiplied")
    assert_close(joined(after, RGBA), wanted, chain=True, storage=np.float16)


MATTED, UNCHANGED = (Grade([Layer(Exposure(ev), matte=Matte(Leaf(Ellipse())))]) for ev in (1.0, 0.0))
REFUSED: tuple[tuple[Grade, dict[str, Any], str], ...] = (
    (Grade([Exposure(1.0), Blur(3.0)]), {}, "after Blur, which only a flat image can have"),
    (Grade([Layer(Blur(3.0), mix=0.5)]), {}, "after Blur"),
    (Grade([with_key(Blur(3.0), "radius", 1, 2.0)]), {}, "after Blur, which"),
    (MATTED, {}, r"graded with a matte \(Exposure\), which only a flat image"),
    (UNCHANGED, {"matte_channels": (("person", "1"),), "type": "half"}, "mattes as channels are flat; leave them out"),
    (GRADE, {"resize": (4, 4)}, "after Resize"),
    (GRADE, {"crop": "display"}, "no --crop"),
    (GRADE, {"storage": "tiled"}, "no --storage"),
    (GRADE, {"salvage": True}, "no --salvage"),
    (GRADE, {"compression": "zip"}, "can't use zip for deep samples; use one of none, rle, zips"),
    (GRADE, {"layer": "Z"}, "'Z', which is data"),
    (GRADE, {"alpha": "premultiplied"}, "can't be graded with alpha 'premultiplied'; use one of stored"),
)


@pytest.mark.parametrize(("grade", "options", "line"), REFUSED)
def test_what_deep_samples_can_not_have(grade, options, line, tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part())
    for run in (export_image, preview_export):
        with pytest.raises(UnsupportedFile, match=line):
            run(source, tmp_path / "b.exr", grade, replace(CPU, **options))
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_other_formats_hold_no_deep_samples(tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part())
    with pytest.raises(UnsupportedFile, match="is PNG, which can't hold deep samples; write an EXR"):
        export_image(source, tmp_path / "b.png", GRADE, CPU)


def test_a_compression_that_is_not_decoded(tmp_path: Path) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part(compression="ZSTD"))
    with pytest.raises(UnsupportedFile, match="zstd compression, which Tessera does not decode; write it with one of"):
        export_image(source, tmp_path / "b.exr", GRADE, CPU)


def decoded(path: Path) -> list[DeepChunk]:
    """All chunks of a file."""
    with path.open("rb") as file:
        part = DeepPart(file, exr_header.parse(path), 0)
        return [part.decoded(part.read(number)) for number in part.numbers]


@pytest.mark.parametrize("compression", ["NO", "RLE", "ZIPS"])
@pytest.mark.parametrize("tile", [None, (8, 4)])
def test_damage_is_one_line(compression, tile, tmp_path: Path) -> None:
    """Bytes behind the header are changed one by one, and the file is cut off in many places."""
    path = write_deep(tmp_path / "a.exr", deep_part(shape=(6, 9), compression=compression, tile=tile))
    data, start = path.read_bytes(), exr_header.parse(path).tables[0]
    damaged = [data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :] for at in range(start, len(data), 11)]
    damaged += [data[:end] for end in range(start, len(data), 31)]
    refused = list[bytes]()
    for each in damaged:
        path.write_bytes(each)
        try:
            decoded(path)
        except UnreadableFile as error:
            refused.append(each)
            assert "\n" not in str(error)
            assert str(error).startswith(f"{path}: ")
    assert len(refused) > len(damaged) // 5
    for each in (refused[0], refused[len(refused) // 2], refused[-1]):
        path.write_bytes(each)
        with pytest.raises(UnreadableFile):
            export_image(path, tmp_path / "b.exr", GRADE, CPU)
        assert [each.name for each in tmp_path.iterdir()] == ["a.exr"]


def test_a_memory_limit_below_one_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part())
    monkeypatch.setattr(deep_export, "resident_memory", lambda: 10_000_000)
    with pytest.raises(MemoryLimitError, match=r"a.exr: 10 MB of memory are too little for this image; allow at least"):
        export_image(source, tmp_path / "b.exr", GRADE, replace(CPU, max_memory=10_001_000))
    assert not (tmp_path / "b.exr").exists()


def test_cancelling_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_deep(tmp_path / "a.exr", deep_part())
    monkeypatch.setattr(deep_export, "BAND_BYTES", 1)
    done: list[float] = []
    with pytest.raises(Cancelled):
        export_image(source, tmp_path / "b.exr", GRADE, CPU, progress=done.append, cancelled=lambda: done[-1:] > [0.3])
    assert 0.3 < done[-1] < 0.9
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_a_sequence_of_deep_frames(tmp_path: Path) -> None:
    from engine import export_sequence

    for frame in (1, 3):
        write_deep(tmp_path / f"a.000{frame}.exr", deep_part(seed=frame))
    report = export_sequence(tmp_path / "a.#.exr", tmp_path / "b.#.exr", GRADE, CPU, frames="1-3", missing="black")
    assert not report.failures
    for frame in (1, 3):
        export_image(tmp_path / f"a.000{frame}.exr", tmp_path / "one.exr", GRADE, replace(CPU, force=True))
        one, other = read_by_openexr(tmp_path / "one.exr"), read_by_openexr(tmp_path / f"b.000{frame}.exr")
        assert same_samples(one, other, set(COLOUR))
    assert not any(read_by_openexr(tmp_path / "b.0002.exr").counts)
