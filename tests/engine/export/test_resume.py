"""What `resume` keeps: frames that would come out the same, whatever it is that would change them."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import PyOpenColorIO as ocio
import pytest

from engine.core.attribute_names import EXPORT
from engine.export.frames import FrameExporter, recorded_digest
from engine.export.options import ExportOptions
from engine.export.sequence import SequenceReport, export_sequence
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import Grade
from engine.io import read_image
from engine.io.exr.header import parse
from engine.io.source import FileSource
from engine.ocio import config_files, look_from_file
from engine.ops import Cdl, Exposure
from tests.engine.shows import CC, SHOW, write_show

CPU = ExportOptions(backend="cpu", threads=2)
GRADE = Grade([Exposure(0.5), Cdl(slope=(1.1, 1.0, 0.9))])
FILM = Viewing("Monitor", "Film")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OCIO", "SHOT", "GAIN", "OCIO_ACTIVE_VIEWS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def show(tmp_path: Path) -> Path:
    return write_show(tmp_path / "show")


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    for frame in (1, 2, 3):
        pixels = np.random.default_rng(frame).gamma(1.0, 0.5, (16, 24)).astype(np.float16)
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "colorInteropID": "lin_ap0_scene"}
        OpenEXR.File(header, dict.fromkeys("RGB", pixels)).write(str(tmp_path / "in" / f"s.{frame:04}.exr"))
    return tmp_path / "in" / "s.####.exr"


def fresh() -> None:
    """As a new process begins: nothing of a config is known."""
    config_files._KEPT.clear()
    ocio.ClearAllCaches()


def export(shot: Path, options: ExportOptions = CPU, grade: Grade = GRADE, suffix: str = "exr") -> SequenceReport:
    fresh()
    return export_sequence(shot, shot.parent.parent / "out" / f"g.####.{suffix}", grade, options, resume=True)


def of_config(show: Path, **more: Any) -> ExportOptions:
    return replace(CPU, colour=ColourSetup(str(show)), **more)


@pytest.mark.parametrize("suffix", ["exr", "tif"])
def test_a_lut_of_the_config_that_changed(shot: Path, show: Path, suffix: str) -> None:
    options = of_config(show, viewing=FILM)
    assert export(shot, options, suffix=suffix).made == (1, 2, 3)
    assert export(shot, options, suffix=suffix).kept == (1, 2, 3)
    before = read_image(shot.parent.parent / "out" / f"g.0001.{suffix}").pixels
    look = show.parent / "luts" / "look_sc010.cc"
    stamp = look.stat()
    look.write_text(CC.format("sc010", 0.25) + "</ColorCorrection>")
    os.utime(look, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # times tell nothing: content counts
    assert export(shot, options, suffix=suffix).made == (1, 2, 3)
    after = read_image(shot.parent.parent / "out" / f"g.0001.{suffix}").pixels
    assert (after[..., 0] != before[..., 0]).all()
    assert export(shot, options, suffix=suffix).kept == (1, 2, 3)


def test_a_lut_of_the_config_that_is_not_used(shot: Path, show: Path) -> None:
    options = of_config(show, viewing=FILM)
    export(shot, options)
    (show.parent / "luts" / "look_sc020.cc").write_text(CC.format("sc020", 9.0) + "</ColorCorrection>")
    assert export(shot, options).kept == (1, 2, 3)


def test_a_config_that_changed(shot: Path, show: Path) -> None:
    options = of_config(show, viewing=FILM)
    export(shot, options)
    show.write_text("# a remark\n" + SHOW, encoding="utf-8")
    assert export(shot, options).kept == (1, 2, 3)
    show.write_text(SHOW.replace("matrix: [0.5,", "matrix: [0.4,"), encoding="utf-8")
    assert export(shot, options).made == (1, 2, 3)


def test_the_config_of_the_variable_that_changed(shot: Path, show: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCIO", str(show))
    options = replace(CPU, viewing=FILM)
    export(shot, options)
    assert export(shot, options).kept == (1, 2, 3)
    show.write_text(SHOW.replace("log_side_slope: 0.2", "log_side_slope: 0.3"), encoding="utf-8")
    assert export(shot, options).made == (1, 2, 3)


def test_context_variables_of_the_environment(shot: Path, show: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = of_config(show, viewing=FILM)
    export(shot, options)
    monkeypatch.setenv("SHOT", "sc020")
    assert export(shot, options).made == (1, 2, 3)
    monkeypatch.setenv("GAIN", "7")  # which nothing uses
    assert export(shot, options).kept == (1, 2, 3)


def test_default_views_of_the_environment(shot: Path, show: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = of_config(show, viewing=Viewing("Monitor"))
    export(shot, options)
    monkeypatch.setenv("OCIO_ACTIVE_VIEWS", "Film")
    assert export(shot, options).made == (1, 2, 3)


def test_a_rule_that_says_another_input_space(shot: Path, show: Path) -> None:
    for path in shot.parent.iterdir():
        OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, OpenEXR.File(str(path)).channels()).write(str(path))
        os.utime(path, (1, 1))
    options = of_config(show)
    export(shot, options)
    rule = '{name: Mattes, regex: ".*/in/.*", colorspace: Plate Log}'
    show.write_text(SHOW.replace('{name: Mattes, regex: ".*_matte_.*", colorspace: Mask}', rule), encoding="utf-8")
    assert export(shot, options).made == (1, 2, 3)


def test_a_look_of_the_grade_whose_file_changed(shot: Path, tmp_path: Path) -> None:
    look = tmp_path / "look.cc"
    look.write_text(CC.format("a", 1.5) + "</ColorCorrection>")
    export(shot, grade=Grade([look_from_file(look)]))
    assert export(shot, grade=Grade([look_from_file(look)])).kept == (1, 2, 3)
    look.write_text(CC.format("a", 2.5) + "</ColorCorrection>")
    assert export(shot, grade=Grade([look_from_file(look)])).made == (1, 2, 3)


def test_frames_whose_digest_an_earlier_version_made_are_made_again(shot: Path) -> None:
    export(shot)
    for path in (shot.parent.parent / "out").iterdir():
        digest, data = recorded_digest(path), path.read_bytes()
        assert re.fullmatch(r"[0-9a-f]{32}", digest) and data.count(digest.encode()) == 1
        path.write_bytes(data.replace(digest.encode(), b"0123456789abcdef" * 2))
        assert parse(path).headers[0].text(EXPORT) == "0123456789abcdef" * 2
    assert export(shot).made == (1, 2, 3)


def test_a_source_that_was_replaced_by_an_older_file(shot: Path) -> None:
    export(shot)
    first = shot.with_name("s.0001.exr")
    first.write_bytes(shot.with_name("s.0002.exr").read_bytes() + b"\0")
    os.utime(first, (1, 1))
    assert export(shot).made == (1,)


def test_a_source_that_was_replaced_while_its_frame_was_made(shot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read is of no one state of the source: the frame is not made, until the next run makes it."""
    first, true = shot.with_name("s.0001.exr"), FileSource.read

    def replaced(self: FileSource, rect: Any) -> Any:
        pixels = true(self, rect)
        if self.path == first:
            new = first.with_suffix(".new")
            new.write_bytes(first.read_bytes() + b"\0")
            new.replace(first)
        return pixels

    with monkeypatch.context() as patch:
        patch.setattr(FileSource, "read", replaced)
        report = export(shot)
    assert report.made == (2, 3)
    assert len(report.failures) == 1 and "changes while it is read" in str(report.failures)
    assert export(shot).made == (1,)
    assert export(shot).kept == (1, 2, 3)


def test_frames_of_one_job_are_made_with_one_state_of_the_config(
    shot: Path, show: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The config is written again while frames are made: the rest are made as the first; the next run makes all."""
    options = of_config(show, viewing=FILM, threads=1)
    true: Any = FrameExporter._export

    def writing(self: FrameExporter, *args: Any) -> Any:
        try:
            return true(self, *args)
        finally:
            show.write_text(SHOW.replace("matrix: [0.5,", "matrix: [0.4,"), encoding="utf-8")

    with monkeypatch.context() as patch:
        patch.setattr(FrameExporter, "_export", writing)
        assert export(shot, options).made == (1, 2, 3)
    show.write_text(SHOW, encoding="utf-8")
    assert export(shot, options).kept == (1, 2, 3)
    show.write_text(SHOW.replace("matrix: [0.5,", "matrix: [0.4,"), encoding="utf-8")
    assert export(shot, options).made == (1, 2, 3)
