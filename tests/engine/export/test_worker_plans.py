"""When worker processes are worth their start, and how many."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.export import frame_workers, worker_process
from engine.export.frame_workers import plan_workers
from engine.export.frames import FrameJob, Recipe
from engine.export.worker_pool import WORKER_MEMORY, WorkerPlan
from tests.engine.drawn_frames import CPU, GRADE


@pytest.mark.parametrize(("program", "expected"), [("python3.12", True), ("pythonw.exe", True), ("Nuke15.1", False)])
def test_programs_that_hold_python_start_no_processes(program, expected, monkeypatch):
    monkeypatch.setattr(sys, "executable", f"/opt/{program}")
    assert worker_process.starts_python() is expected
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert not worker_process.starts_python()


GB = 1 << 30


@pytest.mark.parametrize(
    ("seconds", "frames", "threads", "memory", "devices", "expected"),
    [
        (1000.0, 100, 16, 64 * GB, ["cpu"], (16, 1, 16)),
        (1000.0, 100, 4, 64 * GB, ["cpu"], (4, 1, 4)),
        (1000.0, 100, 3, 64 * GB, ["cpu"], None),
        (1000.0, 10, 16, 64 * GB, ["cpu"], (10, 1, 16)),
        (1000.0, 100, 16, WORKER_MEMORY * 9, ["cpu"], (4, 1, 16)),
        (1000.0, 100, 16, WORKER_MEMORY, ["cpu"], None),
        (1000.0, 100, 1, 64 * GB, ["cpu"], None),
        (1000.0, 1, 16, 64 * GB, ["cpu"], None),
        (1.0, 100, 16, 64 * GB, ["cpu"], None),
        (10.0, 100, 16, 64 * GB, ["cpu"], (4, 1, 16)),
        (1000.0, 100, 16, 64 * GB, ["cuda"], None),
        (1000.0, 100, 16, 64 * GB, ["wgpu"], None),
        (1000.0, 100, 16, 64 * GB, ["cuda", "cuda:1"], (2, 8, 16)),
        (1.0, 100, 16, 64 * GB, ["cuda", "cuda:1"], None),
    ],
)
def test_processes_are_as_many_as_pay(seconds, frames, threads, memory, devices, expected, monkeypatch):
    monkeypatch.setattr(frame_workers, "memory_for_frames", lambda _: (memory, 0))
    monkeypatch.setattr(frame_workers, "_seconds", lambda *_: seconds)
    jobs = [FrameJob(n, Path("a"), Path("b")) for n in range(frames)]
    plan = plan_workers(Recipe(GRADE, CPU), jobs, threads, devices)
    assert (plan and (plan.processes, plan.frames, plan.threads)) == expected


def test_frames_that_are_there_do_not_start_processes(shot, out, monkeypatch):
    jobs = [
        FrameJob(frame, shot.with_name(f"s.{frame}.exr"), out.with_name(f"g.{frame}.exr"))
        for frame in range(1001, 1007)
    ]
    monkeypatch.setattr(frame_workers, "SAMPLE_SECONDS", 1.0)
    for recipe in (Recipe(GRADE, CPU, resume=True), Recipe(GRADE, CPU, existing="skip")):
        assert plan_workers(recipe, jobs, 4, ["cpu"]) == WorkerPlan(4, 1, 4, ["cpu"])
        for job in jobs:
            job.target.touch()
        assert plan_workers(recipe, jobs, 4, ["cpu"]) is None
        for job in jobs:
            job.target.unlink()
