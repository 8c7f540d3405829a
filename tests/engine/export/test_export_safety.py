"""Exports that go wrong: killed, out of disk or memory, from damaged files. The target is intact or complete."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import psutil
import pytest

from engine.core import atomic
from engine.errors import FileError, MemoryLimitError, UnreadableFile, WriteFailed
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.io import describe
from engine.io import disk_space as room
from engine.ops import Exposure, Saturation
from tests.engine.io.exr import REPOSITORY, attributes, colour, header, planes, same_bits, samples, tiles
from tests.thorough import cases

KILLS = int(os.environ.get("TESSERA_KILLS", "6"))
FULL_DISKS = int(os.environ.get("TESSERA_FULL_DISKS", "4"))
GRADE = Grade([Exposure(1.0), Saturation(1.0)])
TILED = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(64, 32)}
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def options(**changes: Any) -> ExportOptions:
    fields: dict[str, Any] = {"backend": "cpu", "threads": 1, "force": True, **changes}
    return ExportOptions(**fields)


def shot(path: Path, height: int = 600, **more: Any) -> Path:
    channels = {"RGB": colour((height, 400, 3)), "Z": samples((height, 400), "float")}
    OpenEXR.File(header(**more), dict(channels)).write(str(path))
    return path


# -- killed, or out of disk

NURSERY = """
import os, resource, sys
from pathlib import Path
import engine.compute.devices, engine.compute.backends.cpu
from engine.export.options import ExportOptions
from engine.export.image import export_image
from engine.grade.grade import Grade
from engine.ops import Exposure
from engine.errors import TesseraError

def child(source, target, limit):
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    done = lambda share: os.write(1, b"%f\\n" % share)
    options = ExportOptions(backend="cpu", threads=1, force=True, tile=16)
    try:
        export_image(source, target, Grade([Exposure(1.0)]), options, progress=done)
    except TesseraError as error:
        os.write(2, str(error).encode() + b"\\n")
        return 1
    return 0

for line in sys.stdin:
    source, target, limit = line.split()
    number = os.fork()
    if number == 0:
        os._exit(child(source, target, int(limit)))
    print("pid", number, flush=True)
    print("end", os.waitpid(number, 0)[1], flush=True)
"""


class Nursery:
    """A process with everything imported, which forks one that exports when it is asked to."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
            text=True,
        )

    def export(self, source: Path, target: Path, limit: int = 0, kill_after: float = -1.0) -> tuple[int, float]:
        """Run one; its exit status, and the seconds it took. It is killed `kill_after` seconds."""
        assert self.process.stdin and self.process.stdout
        print(source, target, limit, file=self.process.stdin, flush=True)
        start = time.monotonic()
        number = int(self.process.stdout.readline().split()[1])
        if kill_after >= 0:
            time.sleep(kill_after)
            with contextlib.suppress(ProcessLookupError):  # it was faster
                os.kill(number, signal.SIGKILL)
        while not (line := self.process.stdout.readline()).startswith("end"):
            pass
        return int(line.split()[1]), time.monotonic() - start

    def close(self) -> str:
        return self.process.communicate(timeout=60)[1]


@pytest.fixture
def nursery():
    process = Nursery()
    yield process
    if process.process.poll() is None:
        process.close()


@needs_fork
@pytest.mark.parametrize("more", cases([{}], {"lineOrder": OpenEXR.LineOrder.DECREASING_Y}))
def test_a_killed_export_leaves_the_target_whole_and_no_litter_after_the_next(tmp_path, nursery, more):
    source, target = shot(tmp_path / "a.exr", **more), tmp_path / "b.exr"
    target.write_bytes(b"what was there")
    other = tmp_path / ".b.exr.mine.tmp"
    other.write_bytes(b"another's")
    status, seconds = nursery.export(source, tmp_path / "complete.exr")
    assert status == 0
    complete = (tmp_path / "complete.exr").read_bytes()
    killed = litter = 0
    while killed < max(KILLS // 2, 1):
        status, took = nursery.export(source, target, kill_after=random.uniform(0, seconds))
        if status == signal.SIGKILL:
            killed += 1
        else:
            seconds = took  # it was faster than the last
        assert target.read_bytes() in (b"what was there", complete)
        litter += len(list(tmp_path.glob(".b.*.tessera-*")))
    status, _ = nursery.export(source, target)
    assert (status, target.read_bytes()) == (0, complete)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.exr", "b.exr", "complete.exr", other.name])
    if KILLS > 50:
        print(f"{killed} were killed before their end; {litter} files were left in all")


@needs_fork
def test_a_file_size_limit_is_one_line_and_leaves_nothing(tmp_path, nursery):
    source, target = shot(tmp_path / "a.exr"), tmp_path / "b.exr"
    target.write_bytes(b"what was there")
    size = source.stat().st_size
    for _ in range(FULL_DISKS):
        status, _ = nursery.export(source, target, limit=random.randrange(1, size * 9 // 10))
        assert os.waitstatus_to_exitcode(status) == 1
        assert target.read_bytes() == b"what was there"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.exr", "b.exr"]
    lines = nursery.close().splitlines()
    assert len(lines) == FULL_DISKS
    assert all(line.startswith(f"{target}: ") for line in lines)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path, monkeypatch):
    source, small = shot(tmp_path / "a.exr"), tmp_path / "small"
    small.mkdir()
    size = source.stat().st_size
    monkeypatch.setattr(room, "CERTAIN", 0.0)  # or it is refused before
    for _ in range(FULL_DISKS):
        room_there = random.randrange(1 << 16, size * 9 // 10)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room_there}", "tmpfs", small], check=False)
        if mounted.returncode:
            pytest.skip("mounting is not allowed here")
        try:
            (small / "b.exr").write_bytes(b"what was there")
            with pytest.raises(WriteFailed, match=r"the disk is full|free space"):
                export_image(source, small / "b.exr", GRADE, options())
            assert [path.name for path in small.iterdir()] == ["b.exr"]
            assert (small / "b.exr").read_bytes() == b"what was there"
        finally:
            subprocess.run(["umount", small], check=True)


def test_too_little_disk_is_said_before_the_work(tmp_path, monkeypatch):
    source = shot(tmp_path / "a.exr")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=100_000))
    for grade in (GRADE, Grade()):
        with pytest.raises(WriteFailed, match=r"b\.exr: needs about .* of disk space, but only 0\.1 MB are free; "):
            export_image(source, tmp_path / "b.exr", grade, options(), progress=lambda _: pytest.fail("it worked"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_litter_is_known_by_its_target_and_a_dead_process(tmp_path, monkeypatch):
    target = tmp_path / "shot.exr"
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    names = {}
    for whose, number in (("dead", dead.pid), ("alive", os.getppid())):
        monkeypatch.setattr(os, "getpid", lambda number=number: number)
        names[whose] = atomic.TemporaryFile(target, True).path
        names[f"other {whose}"] = atomic.TemporaryFile(tmp_path / "shot2.exr", True).path
    monkeypatch.undo()
    names["mine"] = atomic.TemporaryFile(target, True).path
    for path in names.values():
        path.write_bytes(b"x")
    old = names["reborn"] = atomic.TemporaryFile(target, True).path
    old.write_bytes(b"x")
    os.utime(old, (1000, 1000))  # written before this process began: its number had another then
    atomic.remove_stale_files(target)
    left = {whose for whose, path in names.items() if path.exists()}
    assert left == {"alive", "other dead", "other alive", "mine"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_not_replaced(tmp_path):
    source, target = shot(tmp_path / "a.exr"), tmp_path / "b.exr"
    os.mkfifo(target)
    with pytest.raises(WriteFailed, match=r"b\.exr: is a device or pipe; give a file name"):
        export_image(source, target, GRADE, options())
    assert target.is_fifo()


def test_the_mode_of_a_replaced_file_is_kept(tmp_path):
    source, target = shot(tmp_path / "a.exr"), tmp_path / "b.exr"
    target.write_bytes(b"")
    target.chmod(0o640)
    export_image(source, target, GRADE, options())
    assert target.stat().st_mode & 0o777 == 0o640


# -- memory


def test_what_does_not_fit_the_memory_is_said_before(tmp_path):
    source = shot(tmp_path / "a.exr")
    with pytest.raises(MemoryLimitError, match=r"a\.exr: 10 MB of memory are too little.*; allow at least \d+ MB"):
        export_image(source, tmp_path / "b.exr", GRADE, options(max_memory=10_000_000))
    assert [path.name for path in tmp_path.iterdir()] == ["a.exr"]


def test_a_small_memory_gives_small_bands_and_the_same_file(tmp_path):
    source = shot(tmp_path / "a.exr", 4000)
    plain = export_image(source, tmp_path / "b.exr", GRADE, options())
    held = int(psutil.Process().memory_info().rss)
    small = export_image(source, tmp_path / "c.exr", GRADE, options(max_memory=held + (6 << 20)))
    assert small.tile < plain.tile
    assert (tmp_path / "b.exr").read_bytes() == (tmp_path / "c.exr").read_bytes()


def test_large_tiles_are_cut_into_pieces_of_tiles(tmp_path):
    about = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(64, 512)}
    source = tmp_path / "a.exr"
    OpenEXR.File(header(**about), {"RGB": colour((512, 2048, 3)), "id": samples((512, 2048), "uint")}).write(
        str(source)
    )
    plain = export_image(source, tmp_path / "b.exr", GRADE, options())
    held = int(psutil.Process().memory_info().rss)
    small = export_image(source, tmp_path / "c.exr", GRADE, options(max_memory=held + (36 << 20)))
    assert plain.tiles == 1 < small.tiles
    before, after = planes(tmp_path / "b.exr"), planes(tmp_path / "c.exr")
    assert all(same_bits(before[name], after[name]) for name in before)


# -- damaged sources


def cut(path: Path, share: float) -> Path:
    """The file without its end."""
    damaged = path.with_name(f"cut{path.name}")
    damaged.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    return damaged


@pytest.mark.parametrize(
    "more", [{}, {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(64, 32)}], ids=["lines", "tiles"]
)
@pytest.mark.parametrize("compression", ["ZIP", "NO"])
def test_a_truncated_file_names_the_place_and_can_be_salvaged(tmp_path, more, compression):
    kind = getattr(OpenEXR, f"{compression}_COMPRESSION")
    whole = shot(tmp_path / "a.exr", compression=kind, **more)
    damaged, target = cut(whole, 0.6), tmp_path / "b.exr"
    with pytest.raises(UnreadableFile) as caught:
        export_image(damaged, target, GRADE, options())
    if compression == "ZIP":
        assert ("at tile (" if more else "at scanline ") in str(caught.value)
        assert "--salvage" in str(caught.value)
    assert not target.exists()
    report = export_image(damaged, target, GRADE, options(salvage=True))
    (note,) = [note for note in report.notes if "damaged" in note]
    assert attributes(target)["tessera:missing"]
    before, after = planes(whole), planes(target)
    there = after["R"] != 0
    assert 0.3 < there.mean() < 0.7
    assert same_bits(after["R"][there], (before["R"] * np.float16(2))[there])
    assert same_bits(after["Z"][there], before["Z"][there])
    assert not after["Z"][~there & (before["R"] != 0)].any()
    assert ("lines" in note) != bool(more)
    assert export_image(damaged, target, Grade(), options(salvage=True)).notes == report.notes
    assert describe(target).parts[0].compression == describe(whole).parts[0].compression


def test_salvage_of_a_sound_file_marks_nothing(tmp_path):
    source, target = shot(tmp_path / "a.exr"), tmp_path / "b.exr"
    report = export_image(source, target, GRADE, options(salvage=True))
    assert report.notes == ()
    assert "tessera:missing" not in attributes(target)


def test_other_parts_that_are_cut_off_are_left_out_of_what_is_salvaged(tmp_path):
    parts = [OpenEXR.Part(header(), {"RGB": colour((200, 100, 3), seed=n)}, f"p{n}") for n in range(2)]
    OpenEXR.File(parts).write(str(tmp_path / "a.exr"))
    damaged, target = cut(tmp_path / "a.exr", 0.7), tmp_path / "b.exr"
    with pytest.raises(FileError, match="is cut off at scanline"):
        export_image(damaged, target, GRADE, options())
    report = export_image(damaged, target, GRADE, options(salvage=True))
    assert report.notes == ("Other parts are cut off too; only this one is written.",)
    assert [part.name for part in describe(target).parts] == ["p0"]
