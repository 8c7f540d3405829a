"""The first image is read once, before the window asks for it; whatever else is asked for is read as usual."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from app.services.read_ahead import ReadAhead
from engine.errors import UnreadableFile
from engine.viewing import opening


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The names of the files that are read, each with the thread that reads it."""
    found: list[tuple[str, str]] = []

    def open_image(path: Path, *what: Any) -> Any:
        found.append((path.name, threading.current_thread().name))
        if path.name == "gone.exr":
            raise UnreadableFile(path, "does not exist", "check the name")
        return (path, *what, len(found))

    monkeypatch.setattr(opening, "open_image", open_image)
    return found


def test_the_first_call_returns_what_was_read_ahead(reads: list[tuple[str, str]], tmp_path: Path):
    read = ReadAhead(tmp_path / "a.exr").wrapping(opening.open_image)
    assert read(tmp_path / "a.exr") == (tmp_path / "a.exr", 1)
    assert reads == [("a.exr", "tessera-ahead")]


def test_a_later_call_reads_the_file_again(reads: list[tuple[str, str]], tmp_path: Path):
    read = ReadAhead(tmp_path / "a.exr").wrapping(opening.open_image)
    read(tmp_path / "a.exr")
    assert read(tmp_path / "a.exr") == (tmp_path / "a.exr", None, None, 2)


@pytest.mark.parametrize("asked", [("b.exr", None, None), ("a.exr", 1, None), ("a.exr", None, "diffuse")])
def test_what_was_not_read_ahead_is_read_as_usual(reads: list[tuple[str, str]], tmp_path: Path, asked: Any):
    name, part, layer = asked
    read = ReadAhead(tmp_path / "a.exr").wrapping(lambda *what: ("as usual", *what))
    assert read(tmp_path / name, part, layer) == ("as usual", tmp_path / name, part, layer)


def test_the_image_waits_while_others_are_read(reads: list[tuple[str, str]], tmp_path: Path):
    read = ReadAhead(tmp_path / "a.exr").wrapping(opening.open_image)
    read(tmp_path / "b.exr")
    assert read(tmp_path / "a.exr") == (tmp_path / "a.exr", 1)
    assert sorted(reads) == [("a.exr", "tessera-ahead"), ("b.exr", "MainThread")]


def test_an_error_is_raised_where_the_image_is_wanted(reads: list[tuple[str, str]], tmp_path: Path):
    read = ReadAhead(tmp_path / "gone.exr").wrapping(opening.open_image)
    with pytest.raises(UnreadableFile, match="does not exist"):
        read(tmp_path / "gone.exr")


def test_the_image_is_passed_on_once(reads: list[tuple[str, str]], tmp_path: Path):
    ahead, heard = ReadAhead(tmp_path / "a.exr"), list[Any]()
    ahead.then(heard.append)
    ahead.wrapping(opening.open_image)(tmp_path / "a.exr")
    assert heard == [(tmp_path / "a.exr", 1)]
    ahead.then(heard.append)
    assert len(heard) == 1  # it was taken already


def test_nothing_is_passed_on_after_an_error(reads: list[tuple[str, str]], tmp_path: Path):
    ahead, heard = ReadAhead(tmp_path / "gone.exr"), list[Any]()
    ahead.then(heard.append)
    with pytest.raises(UnreadableFile):
        ahead.wrapping(opening.open_image)(tmp_path / "gone.exr")
    assert not heard
