"""Grade files: saved and read, whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from engine import Grade, load_grade, save_grade
from engine.errors import UnreadableFile, WriteFailed
from tests.engine.grade.test_grade import GRADE


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "night.json"
    save_grade(GRADE, path)
    assert load_grade(path) == GRADE
    save_grade(Grade(), path)
    assert load_grade(path) == Grade()
    assert [each.name for each in tmp_path.iterdir()] == ["night.json"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[" * 200 + b"]" * 200, "it is nested more than 50 levels deep; export it again"),
        (b"[]", "not a Tessera grade"),
        (b'{"tessera": "grade", "version": 9, "entries": []}', "newer than 4; update Tessera"),
        (b'{"tessera": "grade", "version": 1, "entries": [{"op": "Exposure", "stops": NaN}]}', "finite"),
    ],
)
def test_a_file_that_is_no_grade(tmp_path: Path, text: bytes, says: str) -> None:
    path = tmp_path / "night.json"
    path.write_bytes(text)
    with pytest.raises(UnreadableFile) as caught:
        load_grade(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UnreadableFile, match=r"does not exist; check the name|is a folder; give a file name"):
            load_grade(path)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_save_leaves_the_old_file_and_no_litter(
    tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "night.json"
    save_grade(GRADE, path)
    before = path.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full) if step == "fsync" else patch.setattr(Path, "replace", full)
        with pytest.raises(WriteFailed, match="the disk is full; free some space"):
            save_grade(Grade(), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["night.json"]


def test_saving_into_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WriteFailed, match=r"night\.json: "):
        save_grade(GRADE, tmp_path / "nowhere" / "night.json")
