"""engine.export.sequence: every frame as if it were exported alone, and what becomes of those that can't be."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from engine.compute.memory_budget import MemoryBudget
from engine.errors import Cancelled, MemoryLimitError, TesseraError, UnreadableFile, UnsupportedFile
from engine.export.frames import FrameExporter, FrameJob, FrameResult, Recipe
from engine.export.image import export_image
from engine.export.sequence import export_sequence
from engine.grade.grade import Grade
from engine.io import describe
from engine.ops import Exposure
from tests.engine.drawn_frames import CPU, GRADE, hashes, image, pixels


def test_every_frame_is_as_if_it_were_exported_alone(shot, out, tmp_path):
    reports: list[Any] = []
    report = export_sequence(shot, out, GRADE, CPU, progress=reports.append)
    assert report.made == (1001, 1002, 1003, 1004, 1005, 1006)
    assert not (report.failures or report.kept or report.skipped)
    assert not report.cancelled
    assert [each.name for each in sorted(out.parent.iterdir())] == [f"g.{frame}.exr" for frame in report.made]
    for frame in report.made:
        export_image(shot.with_name(f"s.{frame}.exr"), tmp_path / "alone.exr", GRADE, replace(CPU, force=True))
        target = out.with_name(f"g.{frame}.exr")
        assert pixels(target).tobytes() == pixels(tmp_path / "alone.exr").tobytes()
        assert describe(target).parts[0].metadata["comments"] == f"s.{frame}.exr"
        assert "Z" in [channel.name for channel in describe(target).parts[0].channels]
    assert reports[-1].done == reports[-1].total == 6
    assert [each.done for each in reports] == sorted(each.done for each in reports)
    assert report.frames_per_second > 0.0


def test_one_thread_two_or_many_and_any_limit_give_the_same_files(shot, out):
    seen = []
    for asked in (CPU, replace(CPU, threads=1), replace(CPU, threads=9), replace(CPU, tile=16)):
        export_sequence(shot, out, GRADE, replace(asked, force=True))
        seen.append(hashes(out.parent))
    assert all(each == seen[0] for each in seen)


def test_frames_at_once_are_as_many_as_the_threads(shot, out, monkeypatch):
    at_work, most, lock = [], [], threading.Lock()
    true = FrameExporter._export

    def counted(self, *args):
        cores = self._budget.cores
        taken = cores._initial_value - cores._value
        with lock:
            at_work.append(1)
            most.append((len(at_work), taken))
        try:
            return true(self, *args)
        finally:
            with lock:
                at_work.pop()

    monkeypatch.setattr(FrameExporter, "_export", counted)
    export_sequence(shot, out, GRADE, CPU)
    assert max(count for count, _ in most) <= 3  # two at work, and one that waits for the disk
    assert max(taken for _, taken in most) <= 2


def test_a_memory_limit_that_is_taken_already_is_said_at_once(shot, out):
    with pytest.raises(MemoryLimitError, match="allow"):
        export_sequence(shot, out, GRADE, replace(CPU, max_memory=1 << 20))
    assert list(out.parent.iterdir()) == []


def test_frames_asked_for(shot, out):
    assert export_sequence(shot, out, GRADE, CPU, frames="1002,1004-1005").made == (1002, 1004, 1005)
    ranged = shot.with_name("s.1001-1006x5#.exr")
    assert export_sequence(ranged, out, GRADE, CPU).made == (1001, 1006)
    assert export_sequence(shot, out.with_name("n.1-6@.exr"), GRADE, CPU).made == tuple(range(1001, 1007))
    assert out.with_name("n.6.exr").exists()


def test_bad_and_missing_frames_do_not_stop_the_others(shot, out):
    shot.with_name("s.1002.exr").unlink()
    bad = shot.with_name("s.1004.exr")
    bad.write_bytes(bad.read_bytes()[:700])
    report = export_sequence(shot, out, GRADE, CPU)
    assert report.made == (1001, 1003, 1005, 1006)
    (missing, line, _), (damaged, other, log) = report.failures
    assert (missing, damaged) == (1002, 1004)
    assert line.startswith(str(shot.with_name("s.1002.exr"))) and "does not exist" in line
    assert other.startswith(str(bad)) and "\n" not in other
    assert "Traceback" in log
    assert sorted(hashes(out.parent)) == [f"g.{frame}.exr" for frame in report.made]


def test_an_unexpected_failure_is_one_line_of_its_frame(shot, out, monkeypatch):
    def broken(*_args, **_kinds):
        raise ZeroDivisionError("so")

    monkeypatch.setattr("engine.export.frames.run_export", broken)
    report = export_sequence(shot, out, GRADE, CPU, frames="1001")
    assert report.failures[0][1] == f"{shot.with_name('s.1001.exr')}: unexpected: ZeroDivisionError: so"


@pytest.mark.parametrize("missing", ["skip", "hold", "black"])
def test_what_becomes_of_missing_frames(missing, shot, out):
    for frame in (1001, 1003, 1004):
        shot.with_name(f"s.{frame}.exr").unlink()
    report = export_sequence(shot, out, GRADE, CPU, frames="1001-1006", missing=missing)
    assert report.failures == ()
    if missing == "skip":
        assert (report.made, report.skipped) == ((1002, 1005, 1006), (1001, 1003, 1004))
        return
    assert report.made == tuple(range(1001, 1007))
    first = pixels(out.with_name("g.1002.exr"))
    for frame in (1001, 1003, 1004):
        wanted = first if missing == "hold" else np.zeros_like(first)
        assert pixels(out.with_name(f"g.{frame}.exr")).tobytes() == wanted.tobytes()
    if missing == "black":
        names = [channel.name for channel in describe(out.with_name("g.1003.exr")).parts[0].channels]
        assert sorted(names) == ["A", "B", "G", "R"]
    assert "Missing" in " ".join(report.notes) and "1001,1003-1004" in " ".join(report.notes)
    # A frame that comes late takes the place of what stood in for it, however old its file is.
    image(shot.with_name("s.1003.exr"), 1003)
    os.utime(shot.with_name("s.1003.exr"), (1, 1))
    again = export_sequence(shot, out, GRADE, CPU, frames="1001-1006", missing=missing, resume=True)
    assert again.made == ((1003, 1004) if missing == "hold" else (1003,))  # which held what came before 1003


def test_gaps_are_failures_unless_it_is_said_otherwise(shot, out):
    shot.with_name("s.1003.exr").unlink()
    assert [frame for frame, _, _ in export_sequence(shot, out, GRADE, CPU).failures] == [1003]


def test_what_can_not_begin_is_said(shot, out, tmp_path):
    with pytest.raises(UnreadableFile, match="no frames"):
        export_sequence(shot.with_name("other.####.exr"), out, GRADE, CPU)
    with pytest.raises(TesseraError, match="folder does not exist"):
        export_sequence(shot, tmp_path / "nowhere" / "g.####.exr", GRADE, CPU)
    with pytest.raises(UnsupportedFile, match="placeholder for the frame number"):
        export_sequence(shot, tmp_path / "out" / "g.exr", GRADE, CPU)
    with pytest.raises(TesseraError, match="error, skip, hold, black"):
        export_sequence(shot, out, GRADE, CPU, missing="guess")
    with pytest.raises(TesseraError, match="fail, skip, replace"):
        export_sequence(shot, out, GRADE, CPU, existing="guess")
    assert list(out.parent.iterdir()) == []


def test_cancelling_leaves_whole_frames_alone(shot, out):
    done = []

    def progress(state):
        if state.done:
            done.append(state.done)

    report = export_sequence(
        shot, out, GRADE, replace(CPU, threads=1, tile=16), progress=progress, cancelled=lambda: bool(done)
    )
    assert report.cancelled
    assert 0 < len(report.made) < 6
    assert sorted(hashes(out.parent)) == [f"g.{frame}.exr" for frame in report.made]
    rest = export_sequence(shot, out, GRADE, CPU, resume=True)
    assert set(rest.made) | set(report.made) == set(range(1001, 1007))
    assert set(rest.kept) == set(report.made)


def test_an_interrupt_ends_the_workers_and_leaves_no_litter(shot, out):
    def progress(state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_sequence(shot, out, GRADE, CPU, progress=progress)
    assert threading.active_count() < 50
    assert not [name for name in hashes(out.parent) if ".tmp" in name]


def test_a_failure_of_ours_in_any_worker_ends_them_all(shot, out, monkeypatch):
    waited = []

    def run(self, job, turn=0, cancelled=None):
        if job.frame == 1002:
            raise ZeroDivisionError("of ours")
        until = time.monotonic() + 20.0
        while not cancelled() and time.monotonic() < until:
            time.sleep(0.01)
        waited.append(cancelled())
        return FrameResult(job.frame, str(job.target), "cancelled")

    monkeypatch.setattr(FrameExporter, "run", run)
    with pytest.raises(ZeroDivisionError):
        export_sequence(shot, out, GRADE, CPU)
    assert waited and all(waited)


def test_where_no_frame_can_begin_no_device_is_opened(shot, out):
    for frame in (1001, 1002):
        shot.with_name(f"s.{frame}.exr").unlink()
    report = export_sequence(shot, out, GRADE, replace(CPU, backend="wgpu:none such"), frames="1001-1002")
    assert [frame for frame, _, _ in report.failures] == [1001, 1002]


def test_litter_of_a_killed_run_is_removed_also_beside_frames_that_stay(shot, out):
    from engine.core.atomic import _beginning

    export_sequence(shot, out, GRADE, CPU)
    litter = out.with_name(f"{_beginning(out.with_name('g.1003.exr'))}4194305-0123abcd.tmp.exr")
    other = out.with_name(f"{_beginning(out.with_name('other.exr'))}4194305-0123abcd.tmp.exr")
    litter.touch()
    other.touch()
    assert len(export_sequence(shot, out, GRADE, CPU, resume=True).kept) == 6
    assert not litter.exists()
    assert other.exists()


def test_a_growing_sequence_is_followed(shot, out, tmp_path, monkeypatch):
    monkeypatch.setattr("engine.export.watching.LOOK_SECONDS", 0.05)
    growing = tmp_path / "growing"
    growing.mkdir()

    def render():
        for frame in (1001, 1002, 1004):
            whole = shot.with_name(f"s.{frame}.exr").read_bytes()
            with (growing / f"s.{frame}.exr").open("wb") as file:
                file.write(whole[:600])
                file.flush()
                time.sleep(0.15)
                file.write(whole[600:])

    writer = threading.Thread(target=render)
    writer.start()
    report = export_sequence(growing / "s.####.exr", out, GRADE, CPU, watch=0.8)
    writer.join()
    assert report.made == (1001, 1002, 1004)
    assert [frame for frame, _, _ in report.failures] == [1003]
    start = time.monotonic()
    ranged = export_sequence(shot, out, GRADE, CPU, frames="1001-1006", watch=60.0, resume=True)
    assert time.monotonic() - start < 30.0  # ends when all that is wanted is there
    assert set(ranged.made) | set(ranged.kept) == set(range(1001, 1007))


def test_watching_ends_when_asked(shot, out):
    start = time.monotonic()
    report = export_sequence(
        shot.with_name("none.####.exr"), out, GRADE, CPU, watch=60.0, cancelled=lambda: time.monotonic() - start > 0.3
    )
    assert report.cancelled
    assert report.made == ()


def test_a_digest_tells_grades_and_options_apart():
    recipes = [
        Recipe(GRADE, CPU),
        Recipe(Grade([Exposure(0.5)]), CPU),
        *(Recipe(GRADE, replace(CPU, **change)) for change in ({"type": "float"}, {"crop": "data"}, {"part": 1})),
    ]
    assert len({recipe.digest() for recipe in recipes}) == len(recipes)
    first = recipes[0].digest()
    same = replace(CPU, backend="auto", threads=7, max_memory=5, tile=3, force=True)
    assert Recipe(GRADE, same).digest() == first


def test_frames_take_the_devices_in_turn(shot, out, monkeypatch):
    exporter = FrameExporter(Recipe(GRADE, CPU), 2, 2, ["cpu", "cpu"])
    used = []

    def noted(executor, execute, *words):
        used.append(executor)
        return execute(*words)

    for executor in exporter._executors:
        monkeypatch.setattr(
            executor, "execute_color_streaming", partial(noted, executor, executor.execute_color_streaming)
        )
    for turn, frame in enumerate((1001, 1002, 1003)):
        job = FrameJob(frame, shot.with_name(f"s.{frame}.exr"), out.with_name(f"g.{frame}.exr"))
        assert exporter.run(job, turn).state == "done"
    assert used == [exporter._executors[0], exporter._executors[1], exporter._executors[0]]


def test_the_public_name():
    import engine

    assert engine.export_sequence is export_sequence


def test_memory_that_is_taken_is_waited_for():
    room, order = MemoryBudget(100, 1, 2), []

    def second():
        with room.taken(60):
            order.append("second")

    with room.taken(60):
        waiting = threading.Thread(target=second)
        waiting.start()
        waiting.join(0.1)
        order.append("first")
    waiting.join(10)
    assert order == ["first", "second"]
    # More than there is: all of it.
    with room.taken(1000), pytest.raises(Cancelled), room.taken(1, lambda: True):
        pass
    with room.taken(100):
        pass


def test_all_cuda_devices_take_turns_and_one_where_it_is_named(monkeypatch):
    from engine.compute import devices as detect

    monkeypatch.setattr(detect, "_cuda_names", lambda: ["cuda", "cuda:1"])
    monkeypatch.delenv(detect.VARIABLE, raising=False)
    assert detect.devices_in_turn("cuda") == ["cuda", "cuda:1"]
    assert detect.devices_in_turn("cuda:0") == ["cuda:0"]
    assert detect.devices_in_turn("cpu") == ["cpu"]
    monkeypatch.setattr(detect, "select_best_backend", lambda: "cuda")
    assert detect.devices_in_turn() == ["cuda", "cuda:1"]
    monkeypatch.setenv(detect.VARIABLE, "cpu")
    assert detect.devices_in_turn() == ["cpu"]


def test_cuda_devices_are_counted_by_the_driver(monkeypatch):
    from engine.compute import devices as detect
    from engine.compute.backends.cuda import driver

    class Driver:
        def __init__(self, name):
            assert name == driver.LIBRARY

        def cuInit(self, flags):
            return 0

        def cuDeviceGetCount(self, count):
            count._obj.value = 2
            return 0

    monkeypatch.setattr("ctypes.CDLL", Driver)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name)
    assert detect.devices_in_turn("cuda") == ["cuda", "cuda:1"]
    monkeypatch.setattr(Driver, "cuInit", lambda self, flags: 100)  # no device
    assert (driver.device_count(), detect.devices_in_turn("cuda")) == (0, ["cuda"])
