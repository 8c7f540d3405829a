"""Files appear whole or not at all, copies are the same, and whatever is wrong is said in one line."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.core import atomic
from engine.core.geometry import Rect
from engine.errors import FileError, TargetExists, UnreadableFile, UnsupportedFile, WriteFailed
from engine.io import describe, open_output, open_source, read_image
from tests.engine.deep import deep_part, write_deep
from tests.engine.io.exr import (
    PASSTHROUGH,
    attributes,
    colour,
    copy_image,
    corpus_files,
    grade,
    header,
    planes,
    same_bits,
    samples,
)
from tests.nursery import nursery


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_target_is_there_only_when_it_is_complete(image: Path) -> None:
    source = open_source(image, options=PASSTHROUGH)
    out = open_output(image.with_name("b.exr"), source)
    out.init(40, 100, 3)
    out.write(Rect(0, 0, 40, 64), source.read(Rect(0, 0, 40, 64)))
    assert not (image.parent / "b.exr").exists()
    out.write(Rect(0, 64, 40, 36), source.read(Rect(0, 64, 40, 36)))
    assert not (image.parent / "b.exr").exists()
    out.finish()
    assert names(image.parent) == ["a.exr", "b.exr"]


@pytest.mark.parametrize("rows", [0, 50, 100])
def test_abort_leaves_the_target_as_it_was(image: Path, rows: int) -> None:
    target = image.with_name("b.exr")
    target.write_bytes(b"precious")
    source = open_source(image, options=PASSTHROUGH)
    out = open_output(target, source, force=True)
    if rows:
        out.init(40, 100, 3)
        out.write(Rect(0, 0, 40, rows), source.read(Rect(0, 0, 40, rows)))
    out.abort()
    out.abort()
    assert target.read_bytes() == b"precious"
    assert names(image.parent) == ["a.exr", "b.exr"]


@pytest.mark.parametrize("suffix", [".exr", ".tif", ".png", ".dpx", ".jpg"])
def test_abort_in_the_middle_of_any_format(tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    out = open_output(tmp_path / f"b{suffix}", None)
    out.init(40, 30, 3)
    out.write_region(Rect(0, 0, 40, 10), np.zeros((10, 40, 3), np.float32))
    out.abort()
    assert names(tmp_path) == []
    assert capfd.readouterr() == ("", "")


def test_a_file_can_be_graded_onto_itself(image: Path) -> None:
    before = planes(image)
    with pytest.raises(TargetExists):
        grade(image, image)
    grade(image, image, force=True)
    after = planes(image)
    assert same_bits(after["R"], before["R"] * np.float16(2))
    assert same_bits(after["id"], before["id"])
    copy_image(image, image, force=True)
    assert all(same_bits(plane, after[name]) for name, plane in planes(image).items())
    assert names(image.parent) == ["a.exr"]


def test_a_target_that_came_up_meanwhile_is_not_overwritten(image: Path) -> None:
    source, target = open_source(image, options=PASSTHROUGH), image.with_name("b.exr")
    out = open_output(target, source)
    out.init(40, 100, 3)
    out.write(Rect(0, 0, 40, 100), source.read(Rect(0, 0, 40, 100)))
    target.write_bytes(b"precious")
    with pytest.raises(TargetExists):
        out.finish()
    out.abort()
    assert target.read_bytes() == b"precious"
    assert names(image.parent) == ["a.exr", "b.exr"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_is_followed(image: Path, tmp_path: Path) -> None:
    (tmp_path / "shots").mkdir()
    (tmp_path / "link.exr").symlink_to(tmp_path / "shots" / "real.exr")
    grade(image, tmp_path / "link.exr")
    assert (tmp_path / "link.exr").is_symlink()
    assert names(tmp_path / "shots") == ["real.exr"]


def test_targets_that_cannot_be(image: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.exr").mkdir()
    cases: list[tuple[Path, type[FileError], str]] = [
        (tmp_path / "folder.exr", WriteFailed, "is a folder"),
        (tmp_path / "none" / "b.exr", WriteFailed, "its folder does not exist"),
        (image / "b.exr", WriteFailed, "its folder is a file"),
        (tmp_path / "b.gif", UnsupportedFile, r"use one of \.exr, \.tif"),
        (tmp_path / ("b" * 300 + ".exr"), WriteFailed, "name is too long"),
        (image, TargetExists, "use --force"),
    ]
    for target, kind, says in cases:
        with pytest.raises(kind, match=says) as caught:
            open_output(target, open_source(image))
        assert str(caught.value).startswith(f"{target}: ")
        with pytest.raises(kind, match=says):
            copy_image(image, target)
    with pytest.raises(UnsupportedFile, match="pixel type"):
        open_output(tmp_path / "b.exr", None, type="double")
    assert names(tmp_path) == ["a.exr", "folder.exr"]


def test_a_folder_without_write_permission(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(WriteFailed, match="can't be written to"):
        open_output(image.with_name("b.exr"), None)


def test_a_disk_that_fails_at_the_end(image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic, "_flush", full)
    with pytest.raises(WriteFailed, match="disk is full; free some space"):
        grade(image, image.with_name("b.exr"))
    assert names(image.parent) == ["a.exr"]


LIMITED = """
import resource, sys
from pathlib import Path
from engine.errors import WriteFailed
from tests.engine.io.exr import grade
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
for options in {cases}:
    try:
        grade(Path(sys.argv[1]), Path(sys.argv[2]), **options)
    except WriteFailed as problem:
        print(problem)
"""


@pytest.mark.skipif(os.name == "nt", reason="no limits on file size there")
@pytest.mark.parametrize("suffix", [".exr", ".tif", ".png", ".dpx", ".jpg"])
def test_a_file_that_does_not_fit(tmp_path: Path, suffix: str) -> None:
    channels = {"RGB": samples((500, 400, 3), "half"), "id": samples((500, 400), "uint")}
    OpenEXR.File(header(), channels).write(str(tmp_path / "a.exr"))
    (tmp_path / "out").mkdir()
    cases = [{}, {"compression": "pxr24"}, {"compression": "none"}] if suffix == ".exr" else [{}]
    words = tmp_path / "a.exr", tmp_path / "out" / f"b{suffix}"
    done = nursery("tests.engine.io.exr").run(LIMITED.format(cases=cases), *words)
    assert done.err == ""
    lines = done.out.splitlines()
    assert len(lines) == len(cases)
    assert all(line.startswith(str(tmp_path / "out" / f"b{suffix}")) for line in lines)
    assert names(tmp_path / "out") == []


@pytest.mark.parametrize("path", corpus_files())
def test_a_copy_is_the_same_to_the_last_bit(path: Path, tmp_path: Path) -> None:
    assert copy_image(path, tmp_path / "b.exr") == []
    assert (tmp_path / "b.exr").read_bytes() == path.read_bytes()


def test_a_copy_with_another_compression_or_type(image: Path) -> None:
    before = planes(image)
    target = image.with_name("b.exr")
    assert copy_image(image, target, compression="piz") == []
    assert describe(target).parts[0].compression == "piz"
    assert all(same_bits(plane, before[name]) for name, plane in planes(target).items())
    copy_image(image, target, type="float", force=True)
    after = planes(target)
    assert all(same_bits(after[c], before[c].astype(np.float32)) for c in "RGB")
    assert same_bits(after["id"], before["id"])
    assert {k: v for k, v in attributes(target).items() if k != "channels"} == {
        k: v for k, v in attributes(image).items() if k != "channels"
    }


def test_a_copy_of_grey_and_of_data_keeps_its_channels(tmp_path: Path) -> None:
    for name, kind in (("Y", "half"), ("id", "uint"), ("Z", "float")):
        channels = {name: samples((30, 20), kind)}
        OpenEXR.File(header(), dict(channels)).write(str(tmp_path / "a.exr"))
        copy_image(tmp_path / "a.exr", tmp_path / "b.exr", compression="zips", force=True)
        after = planes(tmp_path / "b.exr")
        assert set(after) == {name}
        assert same_bits(after[name], channels[name])


def test_a_copy_of_what_is_cut_off_is_refused(image: Path) -> None:
    data = image.read_bytes()
    image.write_bytes(data[:-100])
    with pytest.raises(UnreadableFile, match="is cut off at scanline"):
        copy_image(image, image.with_name("b.exr"))
    assert names(image.parent) == ["a.exr"]


def test_a_deep_image_is_not_written_in_rows(tmp_path: Path) -> None:
    source = open_source(write_deep(tmp_path / "a.exr", deep_part()))
    with pytest.raises(
        UnsupportedFile, match="would hold deep pixels, which are not written in rows; use export_image"
    ):
        open_output(tmp_path / "b.exr", source)
    source.close()


def test_a_part_that_must_be_carried_is_checked_first(tmp_path: Path) -> None:
    parts = [
        OpenEXR.Part(header(), {"RGB": colour((64, 20, 3))}, "one"),
        OpenEXR.Part(header(), {"Z": samples((64, 20), "float")}, "two"),
    ]
    OpenEXR.File(parts).write(str(tmp_path / "a.exr"))
    data = (tmp_path / "a.exr").read_bytes()
    (tmp_path / "a.exr").write_bytes(data[:-1000])
    with pytest.raises(UnreadableFile, match="cut off"):
        grade(tmp_path / "a.exr", tmp_path / "b.exr")
    assert names(tmp_path) == ["a.exr"]


def test_the_libraries_say_nothing_of_their_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    OpenEXR.File(header(), {"RGB": samples((64, 20, 3), "half")}).write(str(tmp_path / "a.exr"))
    data = (tmp_path / "a.exr").read_bytes()
    (tmp_path / "a.exr").write_bytes(data[: len(data) - 500])
    for path in (tmp_path / "a.exr", tmp_path / "none.exr", tmp_path):
        with pytest.raises(UnreadableFile):
            read_image(path)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
