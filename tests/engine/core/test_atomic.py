"""What Tessera writes appears whole or not at all, through no link that somebody planted, with the rights it had."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.model.session import Session, save_session
from engine import Grade, save_grade
from engine.core import atomic
from engine.core.atomic import write_bytes, write_text
from engine.errors import TargetExists, WriteFailed
from engine.luts.baking import bake
from engine.luts.look_files import write_look
from engine.ops import Cdl, Exposure

GRADE = Grade([Exposure(0.5)])
SLOPES = Grade([Cdl(slope=(1.1, 1.0, 0.9))])
WRITERS: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: write_text(path, "new"), "any.txt"),
    (lambda path: save_grade(GRADE, path), "look.json"),
    (lambda path: save_session(Session((), 0), path), "day.tessera"),
    (lambda path: bake(GRADE, path, 2), "look.cube"),
    (lambda path: write_look(SLOPES, path), "look.cc"),
    (lambda path: write_look(SLOPES, path), "look.clf"),
]
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")
every_writer = pytest.mark.parametrize(("write", "name"), WRITERS, ids=[name for _, name in WRITERS])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@needs_links
@every_writer
def test_a_link_planted_at_a_name_that_can_be_foreseen_is_not_followed(write, name, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / f".{name}.{os.getpid()}.tmp").symlink_to(victim)
    write(tmp_path / name)
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / name).stat().st_size > 0


@needs_links
def test_a_link_at_the_very_name_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda size=32: "0" * 2 * size)
    victim, target = tmp_path / "victim", tmp_path / "look.json"
    planted = atomic.TemporaryFile(target, True).path
    planted.symlink_to(victim)
    with pytest.raises(WriteFailed, match=r"look\.json: can't be written"):
        write_text(target, "new")
    assert not victim.exists()
    assert not target.exists()


def test_no_two_temporary_files_have_a_name_in_common(tmp_path):
    found = {atomic.TemporaryFile(tmp_path / "a.json", True).path.name for _ in range(50)}
    assert len(found) == 50


@needs_links
@every_writer
def test_a_link_is_followed_and_the_mode_is_kept(write, name, tmp_path):
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / name, tmp_path / name
    link.symlink_to(real)
    write(link)  # to where a link leads that has nothing at its end yet
    real.chmod(0o640)
    write(link)
    assert link.is_symlink()
    assert names(tmp_path / "real") == [name]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="modes are of other kinds there")
def test_a_private_file_is_never_readable_by_others(tmp_path, monkeypatch):
    path = tmp_path / "private.json"
    path.write_text("{}")
    path.chmod(0o600)
    seen = []
    true = atomic._flush

    def flushed(temporary):
        seen.append(temporary.stat().st_mode)
        true(temporary)

    monkeypatch.setattr(atomic, "_flush", flushed)
    write_text(path, "new")
    assert [stat.S_IMODE(mode) for mode in seen] == [0o600]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@every_writer
def test_pipes_and_folders_are_refused(write, name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(WriteFailed, match=f"{name}: is a device or pipe; give a file name"):
        write(tmp_path / name)
    assert (tmp_path / name).is_fifo()
    (tmp_path / "folder" / name).mkdir(parents=True)
    with pytest.raises(WriteFailed, match="is a folder"):
        write(tmp_path / "folder" / name)
    assert names(tmp_path / "folder") == [name]


@needs_links
def test_links_in_a_circle_and_names_that_cannot_be_are_one_line(tmp_path):
    (tmp_path / "a.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    cases = {
        tmp_path / "a.json": "is a link that leads back to itself",
        tmp_path / ("a" * 300): "its name is too long",
        tmp_path / "\ud800.json": "has a name that is not text in UTF-8",
        tmp_path / "a\0.json": "has a name with a zero byte",
    }
    for path, says in cases.items():
        with pytest.raises(WriteFailed, match=says) as caught:
            write_text(path, "new")
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("problem", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_fails_leaves_what_was_there(problem, tmp_path, monkeypatch):
    path = tmp_path / "look.json"
    path.write_bytes(b"precious")

    def fail(*_):
        raise OSError(problem, os.strerror(problem))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WriteFailed, match=r"look\.json: "):
        write_text(path, "new")
    assert names(tmp_path) == ["look.json"]
    assert path.read_bytes() == b"precious"


def test_without_force_nothing_is_replaced(tmp_path):
    path = tmp_path / "a"
    write_bytes(path, b"one", force=False)
    with pytest.raises(TargetExists):
        write_bytes(path, b"two", force=False)
    assert path.read_bytes() == b"one"


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    path = tmp_path / "look.json"
    code = (
        "import os, signal, sys; from engine.core import atomic; "
        "atomic._flush = lambda path: os._exit(9); atomic.write_text(sys.argv[1], 'half')"
    )
    done = subprocess.run([sys.executable, "-c", code, path], cwd=Path(__file__).parents[3], check=False)
    assert done.returncode == 9
    assert len(names(tmp_path)) == 1
    write_text(path, "new")
    assert names(tmp_path) == ["look.json"]
