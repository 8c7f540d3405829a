"""Files that change while somebody looks: in place, by another file, half-written, gone and back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.core.file_watch import QUIET_SECONDS, FileWatch, FolderWatch, state_of

SOON, LATER = 0.5 * QUIET_SECONDS, 1.5 * QUIET_SECONDS


class Clock:
    """Looks at a watch at times that the test gives."""

    def __init__(self, watch: FileWatch, *files: Path) -> None:
        self.watch, self.files, self.now = watch, files, 100.0
        self.after(0.0)

    def after(self, seconds: float) -> list[Path]:
        self.now += seconds
        return self.watch.look(self.files, now=self.now)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.cube"
    write(path, "first")
    return path


STEP = [0]


def write(path: Path, text: str) -> None:
    """Write, with a time of its own: disks tell times more coarsely than tests write."""
    path.write_text(text)
    STEP[0] += 1
    os.utime(path, (1e9, 1e9 + STEP[0]))


def test_nothing_is_reported_of_what_stays(file):
    clock = Clock(FileWatch(), file)
    assert clock.after(LATER) == clock.after(LATER) == []
    assert clock.watch.settled


def test_a_change_is_reported_once_when_it_has_been_quiet(file):
    clock = Clock(FileWatch(), file)
    write(file, "second")
    assert clock.after(SOON) == clock.after(SOON) == []
    assert not clock.watch.settled
    assert clock.after(SOON) == [file]
    assert clock.after(LATER) == []
    assert clock.watch.settled


def test_what_is_still_being_written_is_not_reported(file):
    clock = Clock(FileWatch(), file)
    for length in range(1, 6):
        write(file, "x" * length)
        assert clock.after(SOON) == []
    assert clock.after(LATER) == [file]


def test_looks_in_quick_succession_are_no_proof(file):
    clock = Clock(FileWatch(), file)
    write(file, "second")
    assert [clock.after(0.01) for _ in range(10)] == [[]] * 10


def test_a_file_of_the_same_size_under_the_same_name(file, tmp_path):
    clock = Clock(FileWatch(), file)
    write(tmp_path / "new", "other")
    (tmp_path / "new").replace(file)
    clock.after(0.1)
    assert clock.after(LATER) == [file]


def test_a_file_that_goes_and_comes_back(file):
    clock = Clock(FileWatch(), file)
    before = file.stat()
    file.unlink()
    assert clock.after(LATER) == clock.after(LATER) == []
    assert clock.watch.settled
    file.write_text("first")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert clock.after(LATER) == clock.after(LATER) == []
    file.unlink()
    clock.after(LATER)
    write(file, "second")
    clock.after(SOON)
    assert clock.after(LATER) == [file]


def test_a_file_that_is_not_there_yet(tmp_path):
    path = tmp_path / "later.cube"
    clock = Clock(FileWatch(), path)
    write(path, "there")
    clock.after(SOON)
    assert clock.after(LATER) == [path]


def test_who_is_watched_anew_has_not_changed(file, tmp_path):
    watch = FileWatch()
    watch.look([file], now=0.0)
    write(file, "second")
    watch.look([], now=1.0)
    assert watch.look([file], now=2.0) == watch.look([file], now=9.0) == []


def test_a_change_between_reading_and_watching_is_reported(file):
    seen = state_of(file)
    write(file, "second")
    watch = FileWatch()
    assert watch.look([file], now=0.0, seen={file: seen}) == []
    assert watch.look([file], now=LATER, seen={file: seen}) == [file]
    assert watch.look([file], now=9.0, seen={file: seen}) == []
    assert FileWatch().look([file], now=0.0, seen={file: state_of(file)}) == []


def test_names_that_no_file_can_have():
    assert FileWatch().look([Path("a\0b")], now=0.0) == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a" * 5000])
def test_a_folder_whose_name_none_can_have_can_not_be_read(name):
    assert FolderWatch(Path(name), (".cube",)).look() is None


def test_a_folder_tells_what_is_there_and_what_changed(tmp_path, file):
    folder = FolderWatch(tmp_path, {".cube"})
    other, note = tmp_path / "B.CUBE", tmp_path / "note.txt"
    write(note, "no look")
    assert folder.look(0.0) == ([file], [])
    write(other, "half")
    assert folder.look(1.0) == ([file], [])
    write(other, "whole")
    assert folder.look(1.3) == ([file], [])
    assert folder.look(2.0) == ([file, other], [other])
    assert folder.look(3.0) == ([file, other], [])
    write(file, "changed")
    assert folder.look(4.0) == ([file, other], [])
    assert folder.look(5.0) == ([file, other], [file])
    file.unlink()
    assert folder.look(6.0) == ([other], [])
    other.unlink()
    note.unlink()
    tmp_path.rmdir()
    assert folder.look(7.0) is None
    tmp_path.mkdir()
    assert folder.look(8.0) == ([], [])
