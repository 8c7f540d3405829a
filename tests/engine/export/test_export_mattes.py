"""Exports of grades with mattes: planes of the file, places in the display window, sequences, and what is missing."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine import ExportOptions, Grade, ops
from engine.compute import pipeline
from engine.core.geometry import Place, Rect
from engine.errors import Cancelled, UnsupportedFile
from engine.export.image import export_image, preview_export
from engine.export.job import resolve
from engine.export.sequence import export_sequence
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Layer
from engine.grade.grade import load_grade, save_grade
from engine.io.planes import PlaneReader
from engine.mattes.channels import DepthRange, ObjectIds
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.images import ImageMatte
from engine.mattes.planes import ChannelPlane, CoveragePlane, Plane
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.engine.io.cryptomatte_files import layer
from tests.engine.matte_reference import graded

WIDTH, HEIGHT = 61, 47
DATA, DISPLAY = (5, -3), (0, 0, 79, 59)
PICKED = ("cryptoobject_1", "cryptoobject_4")


def pixels(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.0, 2.0, (HEIGHT, WIDTH, 4)).astype(np.float16)


def depth() -> np.ndarray:
    far = np.tile(np.linspace(1.0, 20.0, WIDTH, dtype=np.float32), (HEIGHT, 1))
    far[:5, :7] = np.nan
    return far


def make(path: Path, manifest: str = "", **changed: np.ndarray | None) -> Path:
    """A half RGBA image with depth and a Cryptomatte layer, whose data window lies beyond its display window.

    `changed` are other channels, None for those that it lacks.
    """
    crypto = layer(size=(WIDTH, HEIGHT))
    header = {
        "compression": OpenEXR.ZIP_COMPRESSION,
        "dataWindow": (np.array(DATA, np.int32), np.array((DATA[0] + WIDTH - 1, DATA[1] + HEIGHT - 1), np.int32)),
        "displayWindow": (np.array(DISPLAY[:2], np.int32), np.array(DISPLAY[2:], np.int32)),
    } | crypto.metadata(**{"manifest": manifest} if manifest else {})
    image = pixels()
    channels: dict[str, np.ndarray | None] = {n: np.ascontiguousarray(image[..., "RGBA".index(n)]) for n in "RGBA"}
    channels |= crypto.channels() | {"Z": depth()} | changed
    OpenEXR.File(header, {name: plane for name, plane in channels.items() if plane is not None}).write(str(path))
    return path


OBJECTS = Matte(Leaf(Cryptomatte("CryptoObject", PICKED)), frame=(80, 60))
NEAR = Leaf(DepthRange(channel="Z", near=4.0, far=12.0, falloff_near=2.0, falloff_far=3.0))
WINDOW = Leaf(Ellipse(center=(40.0, 25.0), size=(18.0, 12.0), softness_out=6.0), inverted=True)
BOTH = Matte(Branch("intersection", (NEAR, WINDOW)), feather=3.0, frame=(80, 60))
GRADE = Grade([Layer(ops.Exposure(1.0), matte=OBJECTS), Layer(ops.Cdl(slope=(0.5, 1.5, 1.0)), matte=BOTH)])
OPTIONS = ExportOptions(backend="cpu", type="float", colour=ColourSetup(config="raw"))


def channels_of(path: Path) -> dict[str, np.ndarray]:
    with OpenEXR.File(str(path), separate_channels=True) as file:
        return {name: channel.pixels.copy() for name, channel in file.parts[0].channels.items()}


def wanted() -> np.ndarray:
    crypto = layer(size=(WIDTH, HEIGHT))
    ids = [int(crypto.manifest[name], 16) for name in PICKED]
    planes: dict[Plane, np.ndarray] = {
        CoveragePlane("CryptoObject", PICKED): crypto.coverage(ids),
        ChannelPlane("Z"): depth(),
    }
    return graded(pixels(), tuple(GRADE), Place(column=DATA[0], row=DATA[1]), planes, (80, 60))


@pytest.mark.parametrize("tile", [None, 7], ids=["bands", "small bands"])
def test_an_export_grades_what_its_mattes_cover(tmp_path: Path, tile: int | None):
    source = make(tmp_path / "shot.exr")
    export_image(source, tmp_path / "out.exr", GRADE, ExportOptions(**{**vars(OPTIONS), "tile": tile}))
    made, before = channels_of(tmp_path / "out.exr"), channels_of(source)
    result = np.stack([made[name] for name in "RGB"], -1)
    np.testing.assert_allclose(result, wanted()[..., :3], rtol=0, atol=4e-6)
    assert not np.allclose(result, pixels()[..., :3])
    for name in set(before) - set("RGBA"):
        assert (before[name].view(np.uint8) == made[name].view(np.uint8)).all(), name


@pytest.mark.parametrize("around", [0, 1 << 28], ids=["apart", "with the image"])
def test_planes_around_bands_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: int):
    monkeypatch.setattr(pipeline, "SIDE_BYTES", around)
    rows, read = {True: 0, False: 0}, PlaneReader.read

    def counted(self: Any, planes: Any, rect: Rect, level: int = 0, shared: bool = True) -> Any:
        rows[shared] += rect.height
        return read(self, planes, rect, level, shared)

    monkeypatch.setattr(PlaneReader, "read", counted)
    source, grade = make(tmp_path / "shot.exr"), Grade([Layer(ops.Exposure(1.0), matte=replace(OBJECTS, feather=5.0))])
    export_image(source, tmp_path / "whole.exr", grade, OPTIONS)
    assert rows == {True: HEIGHT, False: 0}
    monkeypatch.setattr(pipeline, "DEFAULT_BAND_BYTES", 1)
    assert export_image(source, tmp_path / "bands.exr", grade, OPTIONS).tiles == 3
    results = [channels_of(tmp_path / f"{name}.exr") for name in ("whole", "bands")]
    assert all((results[0][name].view(np.uint8) == values.view(np.uint8)).all() for name, values in results[1].items())
    assert rows == {True: 2 * HEIGHT, False: 0 if around else HEIGHT}


def test_a_saved_grade_carries_its_mattes(tmp_path: Path):
    save_grade(GRADE, tmp_path / "grade.json")
    assert load_grade(tmp_path / "grade.json") == GRADE


def test_channel_mattes_follow_each_frame_of_a_sequence(tmp_path: Path):
    for number in (1, 2, 3):
        make(tmp_path / f"shot.{number:04}.exr")
    export_sequence(tmp_path / "shot.####.exr", tmp_path / "out.####.exr", GRADE, OPTIONS)
    for number in (1, 3):
        made = channels_of(tmp_path / f"out.{number:04}.exr")
        np.testing.assert_allclose(np.stack([made[n] for n in "RGB"], -1), wanted()[..., :3], rtol=0, atol=4e-6)


def test_what_is_missing_stops_an_export_before_it_begins(tmp_path: Path):
    source = make(tmp_path / "shot.exr", Z=None)
    with pytest.raises(UnsupportedFile, match=r"shot\.exr: .*Z.*--skip-missing") as raised:
        export_image(source, tmp_path / "out.exr", GRADE, OPTIONS)
    assert str(raised.value).count("shot.exr") == 1
    assert not (tmp_path / "out.exr").exists()


def test_entries_with_missing_mattes_are_skipped_if_asked_for(tmp_path: Path):
    source = make(tmp_path / "shot.exr", Z=None)
    report = export_image(source, tmp_path / "out.exr", GRADE, ExportOptions(**{**vars(OPTIONS), "skip_missing": True}))
    (note,) = report.notes
    assert note.startswith("Skipped an entry with a matte: ") and "Z" in note
    alone = export_image(source, tmp_path / "alone.exr", Grade(GRADE.entries[:1]), OPTIONS)
    assert alone.notes == ()
    for name in "RGB":
        assert (channels_of(tmp_path / "out.exr")[name] == channels_of(tmp_path / "alone.exr")[name]).all()


SKIPPING = replace(OPTIONS, skip_missing=True)


def test_an_object_that_no_manifest_lists_is_named(tmp_path: Path):
    source = make(tmp_path / "shot.exr")
    grade = Grade([Layer(ops.Exposure(1.0), matte=Matte(Leaf(Cryptomatte("CryptoObject", ("nobody", "no*")))))])
    line = "has no objects 'nobody', 'no\\*' in the Cryptomatte layer 'CryptoObject'"
    for export in (export_image, preview_export):
        with pytest.raises(UnsupportedFile, match=rf"shot\.exr: {line}; .*--skip-missing"):
            export(source, tmp_path / "out.exr", grade, OPTIONS)
    assert not (tmp_path / "out.exr").exists()
    first, second = preview_export(source, tmp_path / "out.exr", grade, SKIPPING).notes
    assert first.startswith("'nobody' is not listed") and second == f"shot.exr {line}.".replace("\\", "")
    frame = preview_export(source, tmp_path / "out.exr", grade, OPTIONS, of_sequence=True)
    assert frame.notes == (first, second), "objects leave the frame"


def test_an_object_that_is_only_in_the_image_is_there(tmp_path: Path):
    source = make(tmp_path / "shot.exr", manifest='{"other": "00000001"}')
    grade = Grade([Layer(ops.Exposure(1.0), matte=OBJECTS)])
    (note,) = preview_export(source, tmp_path / "out.exr", grade, OPTIONS).notes
    assert note.endswith("found by their hashes.")


@pytest.mark.parametrize("kind", ["uint", "float"])
def test_ids_that_no_pixel_has_are_named(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch):
    source = make(tmp_path / "shot.exr", id=np.tile(np.arange(WIDTH, dtype=kind + "32"), (HEIGHT, 1)))
    hashes = tuple(int(value, 16) for value in layer(size=(WIDTH, HEIGHT)).manifest.values())[:2]
    sources = ObjectIds("id", (3, 60, 61, 4000000000)), Cryptomatte("CryptoObject", (), (*hashes, 5))
    matte = Matte(Branch("union", tuple(map(Leaf, sources))))
    grade = Grade([Layer(ops.Exposure(1.0), matte=matte), Layer(ops.Exposure(1.0), matte=matte)])
    wanted = (
        "shot.exr has no IDs 61, 4000000000 in the channel 'id'.",
        "shot.exr has no ID 5 in the Cryptomatte layer 'CryptoObject'.",
    )
    assert preview_export(source, tmp_path / "out.exr", grade, SKIPPING).notes == wanted
    with pytest.raises(Cancelled):
        export_image(source, tmp_path / "out.exr", grade, OPTIONS, cancelled=iter((False, True)).__next__)


def test_a_copy_says_that_every_entry_was_skipped(tmp_path: Path):
    source = make(tmp_path / "shot.exr", Z=None)
    report = export_image(source, tmp_path / "out.exr", Grade(GRADE.entries[1:]), replace(OPTIONS, skip_missing=True))
    assert report.strategy == "copy"
    assert [note[:13] for note in report.notes] == ["Skipped an en"]


def test_a_digest_tells_that_the_image_of_a_matte_changed(tmp_path: Path):
    source, image = make(tmp_path / "shot.exr"), tmp_path / "m.exr"
    grade = Grade([Layer(ops.Exposure(1.0), matte=Matte(Leaf(ImageMatte(str(image)))))])
    digests = []
    for size in (8, 9, 9):
        if size == 9:
            OpenEXR.File({}, {"Y": np.ones((size, size), np.float32)}).write(str(image))
            os.utime(image, ns=(10**18, 10**18))
        else:
            OpenEXR.File({}, {"Y": np.zeros((size, size), np.float32)}).write(str(image))
        digests.append(resolve(source, tmp_path / "out.exr", grade, OPTIONS, made_by="x").digest())
    assert digests[0] != digests[1] == digests[2]
