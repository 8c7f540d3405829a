"""Worker processes of a sequence: they make what threads make, and survive what may happen to them."""

from __future__ import annotations

import errno
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from engine.compute.memory_budget import MemoryBudget
from engine.errors import BackendError, MemoryLimitError
from engine.export import frame_workers, worker_process
from engine.export.frames import FrameExporter, FrameJob, Recipe, is_complete
from engine.export.sequence import export_sequence
from engine.export.worker_messages import Channel, Start
from engine.export.worker_pool import WORKER_MEMORY, WorkerPlan, WorkerPool
from tests.engine.drawn_frames import CPU, GRADE, hashes

TWO = WorkerPlan(2, 1, 2, ["cpu"])
ONE = WorkerPlan(1, 1, 1, ["cpu"])
PYTHONPATH = {"PYTHONPATH": os.pathsep.join((str(worker_process.ROOT), os.environ.get("PYTHONPATH", "")))}


def never() -> bool:
    return False


@pytest.fixture
def two_processes(monkeypatch):
    """Every sequence is exported by two processes."""
    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: TWO)
    monkeypatch.setattr(FrameExporter, "run", None)  # this process exports nothing


def command_of(process: psutil.Process) -> str:
    """Return the command line; '' if the process is over."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def no_process_is_left() -> bool:
    until = time.monotonic() + 10.0
    while workers := [each for each in psutil.Process().children() if "engine.export.worker" in command_of(each)]:
        if time.monotonic() > until:
            return not workers
        time.sleep(0.02)
    return True


def opened(plan, options=CPU):
    return WorkerPool(lambda: Recipe(GRADE, options), options, plan)


def frame_job(shot, out, frame=1001):
    return FrameJob(frame, shot.with_name(f"s.{frame}.exr"), out.with_name(f"g.{frame}.exr"))


def test_processes_make_and_say_what_threads_do(shot, out, monkeypatch):
    shot.with_name("s.1002.exr").unlink()
    bad = shot.with_name("s.1004.exr")
    bad.write_bytes(bad.read_bytes()[:700])
    alone = export_sequence(shot, out, GRADE, CPU, missing="hold")
    wanted = hashes(out.parent)
    for frame in (1001, 1002, 1003):
        out.with_name(f"g.{frame}.exr").unlink()
    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: TWO)
    monkeypatch.setattr(FrameExporter, "run", None)  # this process exports nothing
    reports: list[Any] = []
    report = export_sequence(shot, out, GRADE, CPU, missing="hold", resume=True, progress=reports.append)
    assert hashes(out.parent) == wanted
    assert report.kept == (1005, 1006)  # with the digests that threads recorded
    assert (report.made, *report.kept) == ((1001, 1002, 1003), *alone.made[3:])
    assert report.notes == ("1002: Missing; replaced with s.1001.exr.",) == alone.notes
    assert [each[:2] for each in report.failures] == [each[:2] for each in alone.failures]
    assert "Traceback" in report.failures[0][2]
    assert report.devices == alone.devices and report.seconds_write > 0.0
    assert report.peak_memory > alone.peak_memory
    assert (reports[-1].done, reports[-1].failed, reports[-1].total) == (5, 1, 6)
    assert no_process_is_left()


@pytest.mark.usefixtures("two_processes")
def test_a_growing_sequence_is_followed_by_processes(shot, out, monkeypatch):
    monkeypatch.setattr("engine.export.watching.LOOK_SECONDS", 0.02)
    assert export_sequence(shot, out, GRADE, CPU, frames="1001-1006", watch=60.0).made == tuple(range(1001, 1007))


@pytest.mark.usefixtures("two_processes")
def test_cancelling_ends_the_processes(shot, out):
    done = []

    def progress(state):
        if state.done:
            done.append(state.done)

    report = export_sequence(shot, out, GRADE, replace(CPU, tile=16), progress=progress, cancelled=lambda: bool(done))
    assert report.cancelled
    assert 0 < len(report.made) < 6
    assert sorted(hashes(out.parent)) == [f"g.{frame}.exr" for frame in report.made]
    assert no_process_is_left()


@pytest.mark.usefixtures("two_processes")
def test_an_interrupt_ends_the_processes_and_leaves_no_litter(shot, out):
    def progress(state):
        if state.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_sequence(shot, out, GRADE, CPU, progress=progress)
    assert no_process_is_left()
    assert not [name for name in hashes(out.parent) if ".tmp" in name]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGSTOP")
def test_the_frame_of_a_killed_process_fails_and_another_process_goes_on(shot, out):
    pool = opened(ONE)
    try:
        victim = pool._processes[0]._process.pid
        os.kill(victim, signal.SIGSTOP)
        with pool.slot(0, never) as run:
            killer = threading.Timer(0.05, os.kill, (victim, signal.SIGKILL))
            killer.start()
            failed = run(frame_job(shot, out))
        assert failed.state == "failed"
        assert failed.error.startswith(
            f"{shot.with_name('s.1001.exr')}: the process that exported it was killed (SIGKILL)"
        )
        with pool.slot(0, never) as run:
            assert run(frame_job(shot, out, 1002)).state == "done"
        assert pool._processes[0]._process.pid != victim
    finally:
        pool.close()
    assert sorted(hashes(out.parent)) == ["g.1002.exr"]


DIES_WITH_MEMORY = """
import os, sys
from pathlib import Path
from engine.export.worker_messages import *
channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
start = channel.read()
channel.write(Ready())
channel.write(Logged(30, "said by a worker"))
asked = channel.read()
channel.write(Ask(asked.number, 60))
assert isinstance(channel.read(), Grant)
job = asked.job
(job.target.parent / os.environ["LITTER"].format(os.getpid())).touch()
os._exit(3)
"""


def stand_in(text, **environment):
    """A process that runs `text` in place of a worker."""
    words = [sys.executable, "-c", text]
    return subprocess.Popen(
        words, env=os.environ | PYTHONPATH | environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


def test_a_process_that_dies_gives_its_memory_back_and_leaves_no_litter(shot, out, monkeypatch, caplog):
    from engine.core.atomic import _beginning

    litter = _beginning(out.with_name("g.1001.exr")) + "{}-0123abcd.tmp.exr"
    monkeypatch.setattr(worker_process, "_popen", lambda _: stand_in(DIES_WITH_MEMORY, LITTER=litter))
    pool = opened(ONE)
    pool._budget = MemoryBudget(100, 1, 1)
    with caplog.at_level(logging.WARNING, "tessera"):
        with pool.slot(0, never) as run:
            failed = run(frame_job(shot, out))
        with pool._budget.taken(100, lambda: True):
            pass
    pool.close()
    assert "ended with the exit code 3" in failed.error
    assert "said by a worker" in caplog.text
    assert list(out.parent.iterdir()) == []


WAITS_FOR_CANCEL = """
import sys
from engine.export.worker_messages import *
channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
channel.read()
channel.write(Ready())
asked = channel.read()
channel.write(Ask(asked.number, 60))
order = channel.read()
result = FrameResult(asked.job.frame, "", "cancelled" if order == Cancel(asked.number) else "failed")
channel.write(Done(asked.number, result, 0))
channel.read()
"""


def test_a_frame_that_waits_for_memory_is_cancelled(shot, out, monkeypatch):
    monkeypatch.setattr(worker_process, "_popen", lambda _: stand_in(WAITS_FOR_CANCEL))
    pool = opened(ONE)
    pool._budget = MemoryBudget(100, 1, 1)
    stop = threading.Event()
    with pool._budget.taken(100), pool.slot(0, stop.is_set) as run:
        threading.Timer(0.3, stop.set).start()
        assert run(frame_job(shot, out)).state == "cancelled"
    pool.close()


@pytest.mark.skipif(os.name != "posix", reason="needs SIGSTOP")
def test_a_process_that_does_not_answer_is_killed_when_its_frame_is_cancelled(shot, out, monkeypatch):
    monkeypatch.setattr(worker_process, "CANCEL_SECONDS", 0.1)
    pool = opened(ONE)
    stop = threading.Event()
    with pool.slot(0, stop.is_set) as run:
        os.kill(pool._processes[0]._process.pid, signal.SIGSTOP)
        stop.set()
        assert run(frame_job(shot, out)).state == "cancelled"
    pool.close()


def test_where_processes_can_not_start_threads_export(shot, out, monkeypatch, caplog):
    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: TWO)
    for popen in (lambda _: stand_in("raise SystemExit(1)"), refused):
        monkeypatch.setattr(worker_process, "_popen", popen)
        with caplog.at_level(logging.WARNING, "tessera"):
            assert len(export_sequence(shot, out, GRADE, replace(CPU, force=True)).made) == 6
        assert "continuing with threads" in caplog.text
        caplog.clear()


def test_a_grade_that_can_not_be_sent_is_exported_by_threads(shot, out, monkeypatch, caplog):
    def unknown(_):
        raise pickle.PicklingError("so")

    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: TWO)
    monkeypatch.setattr(frame_workers, "pickle", SimpleNamespace(dumps=unknown, PicklingError=pickle.PicklingError))
    with caplog.at_level(logging.WARNING, "tessera"):
        assert len(export_sequence(shot, out, GRADE, CPU).made) == 6
    assert "can't be sent to them: so" in caplog.text


def refused(_):
    raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")


def kill(process):
    process._process.kill()
    while not process.ended:
        time.sleep(0.01)


def test_processes_that_can_not_start_again_are_said(shot, out, monkeypatch):
    pool = opened(WorkerPlan(2, 1, 2, ["cpu"]))
    try:
        while pool._free.qsize() < 2:
            time.sleep(0.01)
        for popen, words in ((lambda _: stand_in("raise SystemExit(1)"), "exit code 1"), (refused, "unavailable")):
            monkeypatch.setattr(worker_process, "_popen", popen)
            with pool.slot(0, never) as run:
                kill(pool._processes[run.args[0].process])
                result = run(frame_job(shot, out))
            assert result.state == "failed" and words in result.error
        with pytest.raises(BackendError, match="can't be started again"), pool.slot(0, never):
            pass
    finally:
        pool.close()


def test_a_process_that_takes_the_place_of_another_gets_the_recipe_first(shot, out, monkeypatch):
    true = Channel.write

    def late(self, message):
        time.sleep(0.3 if isinstance(message, Start) else 0.0)
        return true(self, message)

    pool = opened(ONE)
    monkeypatch.setattr(Channel, "write", late)
    kill(pool._processes[0])
    with pool.slot(0, never) as run:
        assert run(frame_job(shot, out)).state == "done"
    pool.close()


SENDS_WHAT_NOBODY_KNOWS = """
import sys
from engine.export.worker_messages import *
channel = Channel(sys.stdin.buffer, sys.stdout.buffer)
channel.read()
channel.write(Ready())
channel.read()
sys.stdout.buffer.write(b"cno.such.module\\nName\\n.")
sys.stdout.buffer.flush()
channel.read()
"""


def test_a_process_that_sends_what_nobody_knows_is_killed(shot, out, monkeypatch):
    monkeypatch.setattr(worker_process, "_popen", lambda _: stand_in(SENDS_WHAT_NOBODY_KNOWS))
    pool = opened(ONE)
    with pool.slot(0, never) as run:
        assert "the process that exported it was killed" in run(frame_job(shot, out)).error
    pool.close()


def test_a_device_that_can_not_be_used_is_said():
    with pytest.raises(BackendError, match="none such"):
        opened(WorkerPlan(1, 1, 1, ["wgpu:none such"]))
    assert no_process_is_left()


def test_a_memory_limit_below_that_of_the_processes_is_said():
    with pytest.raises(MemoryLimitError, match="allow"):
        opened(TWO, replace(CPU, max_memory=WORKER_MEMORY))


DIES_AFTER_A_FRAME = """
import os, signal, sys
from engine.export import frame_workers
from engine.export.sequence import export_sequence
from engine.export.worker_messages import Channel, Start
from engine.export.worker_pool import WorkerPlan
from tests.engine.drawn_frames import CPU, GRADE

def progress(state):
    if state.done:
        os.kill(os.getpid(), signal.SIGKILL)

frame_workers.plan_workers = lambda *_: WorkerPlan(2, 1, 2, ["cpu"])
export_sequence(sys.argv[1], sys.argv[2], GRADE, CPU, progress=progress)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_processes_end_with_a_killed_parent_and_leave_no_litter(shot, out):
    words = [sys.executable, "-c", DIES_AFTER_A_FRAME, str(shot), str(out)]
    # Its workers have the pipe as their standard error: it is closed when they have all ended.
    done = subprocess.run(words, env=os.environ | PYTHONPATH, stderr=subprocess.PIPE, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, b"")
    names = [path.name for path in out.parent.iterdir()]
    assert names and all(is_complete(out.with_name(name)) and name.startswith("g.") for name in names)
