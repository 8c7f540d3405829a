"""Images that another program writes while they are read: an error, and the target as it was."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from engine.errors import UnreadableFile
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.io import FileSource
from engine.ops import Exposure
from tests.app.command_line import write_exr

CPU = ExportOptions(backend="cpu", threads=1, tile=8, force=True)


def replaced(path: Path) -> None:
    """Another image under the name, as programs that write in a safe way do."""
    write_exr(path.with_name("new.exr"), 40, 31)
    path.with_name("new.exr").replace(path)


def rewritten(path: Path) -> None:
    """The same bytes, perhaps in part, written where they are."""
    about = path.stat()
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 1_000_000))


def cut_off(path: Path) -> None:
    """The first half of what another program writes."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("change", [replaced, rewritten])
@pytest.mark.parametrize("suffix", [".exr", ".tif"])
def test_an_image_that_changes_while_it_is_graded(change, suffix: str, tmp_path: Path) -> None:
    shot, out = write_exr(tmp_path / "shot.exr"), tmp_path / f"out{suffix}"
    out.write_bytes(b"mine")
    seen = list[float]()

    def progress(share: float) -> None:
        if not seen:
            change(shot)
        seen.append(share)

    with pytest.raises(UnreadableFile, match=r"shot\.exr: changes while it is read; wait until"):
        export_image(shot, out, Grade([Exposure(1.0)]), CPU, progress=progress)
    assert seen and out.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [out.name, "shot.exr"]
    export_image(shot, out, Grade([Exposure(1.0)]), CPU)


def test_an_image_that_changes_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shot, out = write_exr(tmp_path / "shot.exr"), tmp_path / "out.exr"
    true = shutil.copyfile

    def copied(source, target):
        rewritten(shot)
        return true(source, target)

    monkeypatch.setattr(shutil, "copyfile", copied)
    with pytest.raises(UnreadableFile, match=r"shot\.exr: changes while it is read"):
        export_image(shot, out, Grade([]), CPU)
    assert [path.name for path in tmp_path.iterdir()] == ["shot.exr"]


def test_half_of_an_image_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shot = write_exr(tmp_path / "shot.exr", 40, 300)
    true, left = FileSource.read, [True]

    def read(self, rect):
        if left and left.pop():
            cut_off(shot)
        return true(self, rect)

    monkeypatch.setattr(FileSource, "read", read)
    with pytest.raises(UnreadableFile, match=r"shot\.exr: changes while it is read"):
        export_image(shot, tmp_path / "out.exr", Grade([Exposure(1.0)]), CPU)
    with pytest.raises(UnreadableFile, match="cut off"):  # and is once nobody writes it
        export_image(shot, tmp_path / "out.exr", Grade([Exposure(1.0)]), CPU)
    assert [path.name for path in tmp_path.iterdir()] == ["shot.exr"]


def test_an_image_can_be_graded_onto_itself(tmp_path: Path) -> None:
    shot = write_exr(tmp_path / "shot.exr")
    for _ in range(2):
        export_image(shot, shot, Grade([Exposure(1.0)]), CPU)
