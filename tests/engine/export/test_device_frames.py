"""Exports through a device's codec give the same files, to the sample, as those through main memory."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from engine.errors import (
    BackendUnavailable,
    UnsupportedFile,
)
from engine.export import image as image_module
from engine.export.frames import FrameExporter, FrameJob, Recipe
from engine.export.image import run_export
from engine.export.job import resolve
from engine.export.sequence import export_sequence
from engine.grade.grade import Grade
from engine.ops import Blur, Exposure
from tests.engine.export.device_exports import CPU, GRADE, both, export, shared, shot
from tests.engine.host_codec import HostCodec
from tests.engine.io.exr import colour, header, tiles, window
from tests.engine.io.generated import Made, images, read_by_openexr, write
from tests.thorough import examples

EXAMPLES = int(os.environ.get("TESSERA_EXAMPLES", examples(10)))
CODED = ("NO", "RLE", "ZIPS", "ZIP")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(made=images())
def test_generated_files(made: Made) -> None:
    kinds = [replace(s, compression=CODED[(s.size[0] + n) % 4], coarse=False) for n, s in enumerate(made.parts)]
    made = Made(kinds, made.graded, made.layers)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "a.exr"
        write(made, source)
        options = replace(CPU, part=made.graded, layer=made.layers, force=True)
        assert both(source, Path(folder), options=options).encoder == "gpu"
        assert sorted(path.name for path in Path(folder).iterdir()) == ["a.exr", "device.exr", "host.exr"]


@pytest.mark.parametrize("kind", CODED)
@pytest.mark.parametrize("after", [None, "zip", "zips", "rle", "none"])
def test_other_compressions(kind: str, after: str | None, tmp_path: Path) -> None:
    report = both(shot(tmp_path / "a.exr", kind), tmp_path, options=replace(CPU, compression=after))
    assert report.encoder == "gpu"
    assert report.strategy == "single pass"


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "float"},
        {"type": "half"},
        {"storage": "tiled:16"},
        {"storage": "tiled:33"},
        {"only_graded": True},
        {"only_graded": True, "resize": (31, 17)},
        {"resize": (90, 41)},
    ],
    ids=str,
)
@pytest.mark.parametrize("tiled", [False, True])
def test_other_types_storages_and_sizes(changes: dict[str, Any], tiled: bool, tmp_path: Path) -> None:
    more = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(24, 16)} if tiled else {}
    source = shot(tmp_path / "a.exr", dataWindow=window(-7, 5, 60, 40), **more)
    assert both(source, tmp_path, options=replace(CPU, **changes)).encoder == "gpu"


def test_filters_and_several_layers(tmp_path: Path) -> None:
    shape = 40, 60
    planes = {name: colour(shape, seed=n) for n, name in enumerate(["R", "G", "B", "x.R", "x.G", "x.B", "x.A"])}
    OpenEXR.File(header(), {n: OpenEXR.Channel(p) for n, p in planes.items()}).write(str(tmp_path / "a.exr"))
    grade = Grade([Exposure(0.5), Blur(3.0)])
    assert both(tmp_path / "a.exr", tmp_path, grade, replace(CPU, layer=("", "x"))).encoder == "gpu"


def test_without_a_grade_only_the_coding_changes(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr")
    assert both(source, tmp_path, Grade(), replace(CPU, compression="rle")).encoder == "gpu"


def test_grey_and_single_channels(tmp_path: Path) -> None:
    planes = {"Y": colour((20, 30)), "A": colour((20, 30), seed=1)}
    OpenEXR.File(header(), {n: OpenEXR.Channel(p) for n, p in planes.items()}).write(str(tmp_path / "a.exr"))
    assert both(tmp_path / "a.exr", tmp_path).encoder == "gpu"


@pytest.mark.parametrize(
    "changes",
    [{"compression": "piz"}, {"compression": "zip:6"}, {"crop": "0,0,20,20"}, {"salvage": True}],
    ids=str,
)
def test_what_the_device_leaves_to_the_cpu(changes: dict[str, Any], tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr")
    assert both(source, tmp_path, options=replace(CPU, **changes)).encoder == "cpu"
    report = export(source, tmp_path / "c.exr", options=replace(CPU, encoder="gpu", **changes))
    assert report.encoder == "cpu"
    assert [note for note in report.notes if note.startswith("Encoded on the CPU: ")]


def test_black_frames_and_other_formats(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.exr")
    black = resolve(source, tmp_path / "b.exr", GRADE, CPU, black=True)
    assert run_export(black, shared=shared()).encoder == "cpu"
    assert export(source, tmp_path / "b.tif").encoder == "cpu"


@pytest.mark.parametrize("kind", ["PIZ", "PXR24", "ZSTD", "mip levels"])
def test_sources_that_the_device_does_not_decode(kind: str, tmp_path: Path) -> None:
    source = tmp_path / "a.exr"
    if kind == "mip levels":
        more = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(16, 16, OpenEXR.LevelMode.MIPMAP_LEVELS)}
        planes = {name: colour((40, 60), seed=n) for n, name in enumerate("RGB")}
        OpenEXR.File(header(**more), {n: OpenEXR.Channel(p) for n, p in planes.items()}).write(str(source))
    else:
        shot(source, kind, dataWindow=window(3, -9, 60, 40))
    assert both(source, tmp_path).encoder == "cpu"
    if kind != "mip levels":
        for name in ("host.exr", "device.exr"):
            (tmp_path / name).unlink()
        report = both(source, tmp_path, options=replace(CPU, compression="zip"))
        assert (report.decoder, report.encoder) == ("cpu", "gpu")


def test_asking_for_a_device_that_does_not_encode(tmp_path: Path) -> None:
    source = shot(tmp_path / "a.0001.exr")
    with pytest.raises(BackendUnavailable, match="does not encode EXRs; use --backend cuda"):
        image_module.export_image(source, tmp_path / "b.exr", GRADE, replace(CPU, encoder="gpu"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.0001.exr"]
    with pytest.raises(BackendUnavailable, match="does not encode EXRs"):
        export_sequence(tmp_path / "a.#.exr", tmp_path / "b.#.exr", GRADE, replace(CPU, encoder="gpu"))
    with pytest.raises(UnsupportedFile, match="can't be encoded by 'abacus'; use one of auto, gpu, cpu"):
        resolve(source, tmp_path / "b.exr", GRADE, replace(CPU, encoder="abacus"))


def test_the_encoder_does_not_change_what_a_frame_is(tmp_path: Path) -> None:
    """Frames exported by the device are kept by an export that resumes on the CPU."""
    source, target = shot(tmp_path / "a.1.exr"), tmp_path / "b.1.exr"
    exporter = FrameExporter(Recipe(GRADE, CPU), 1, 1, ["cpu"])
    exporter._executors = [shared().executor]
    result = exporter.run(FrameJob(1, source, target))
    assert (result.state, result.encoder, result.file_size) == ("done", "gpu", target.stat().st_size)
    again = FrameExporter(Recipe(GRADE, replace(CPU, encoder="cpu"), resume=True), 1, 1, ["cpu"])
    assert again.run(FrameJob(1, source, target)).state == "kept"


def test_the_report_as_json(tmp_path: Path) -> None:
    said = json.loads(json.dumps(export(shot(tmp_path / "a.exr"), tmp_path / "b.exr").to_json()))
    assert (said["encoder"], said["file_size"]) == ("gpu", (tmp_path / "b.exr").stat().st_size)


def test_only_packed_bytes_cross(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else is read from the file or given to an encoder of a library."""
    source, codec = shot(tmp_path / "a.exr"), HostCodec()

    def refused(*_: Any) -> Any:
        raise AssertionError("pixels went through main memory")

    monkeypatch.setattr("engine.io.source.FileSource.read", refused)
    monkeypatch.setattr("engine.io.output.FileOutput.write", refused)
    assert export(source, tmp_path / "b.exr", resources=shared(codec)).encoder == "gpu"
    assert codec.calls == ["decode", "image", "put", "encode"]
    assert np.isfinite(read_by_openexr(tmp_path / "b.exr")[0][1]["R"]).all()
