"""engine.export.farm: the frames of a sequence by the workers of a cluster."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.color.job_config import pin_for_others
from engine.errors import TargetExists, TesseraError
from engine.export import farm, farm_cluster
from engine.export.frames import FrameExporter, FrameJob
from engine.export.movie import export_movie
from engine.export.movie_making import Farm
from engine.export.options import ExportOptions
from engine.export.sequence import export_sequence
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.curves import Curve, Key, Keys
from engine.grade.entries import Layer
from engine.grade.grade import Grade
from engine.movies.burn_in import BurnIn, Text
from engine.movies.movie_options import MovieOptions
from engine.ocio import config_files
from engine.ops import Cdl, Exposure
from tests.engine.shows import SHOW, write_show

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")

CPU = ExportOptions(backend="cpu", threads=1)
GRADE = Grade([Exposure(0.5), Cdl(slope=(1.1, 1.0, 0.9))])


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers of one thread, in this process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as found:
        yield found.scheduler_address


@pytest.fixture(autouse=True)
def no_clients_left():
    """A client that could not connect closes where it is collected, and must not do so while another one starts."""
    yield
    gc.collect()


@pytest.fixture
def shot(tmp_path):
    rng = np.random.default_rng(3)
    for name in ("in", "here", "there"):
        (tmp_path / name).mkdir()
    for frame in range(1, 9):
        channels = {name: rng.gamma(1.0, 0.5, (16, 24)).astype(np.float16) for name in "RGBA"}
        OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, channels).write(
            str(tmp_path / "in" / f"s.{frame:04}.exr")
        )
    return tmp_path / "in" / "s.####.exr"


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_frames_are_those_of_one_machine(shot, tmp_path, cluster, monkeypatch):
    monkeypatch.chdir(tmp_path)  # relative paths are those of the one who asks
    bad = shot.with_name("s.0004.exr")
    bad.write_bytes(bad.read_bytes()[:400])
    shot.with_name("s.0006.exr").unlink()
    reports: list[Any] = []
    here = export_sequence("in/s.####.exr", "here/g.####.exr", GRADE, CPU)
    there = farm.export_on_farm(
        "in/s.####.exr", "there/g.####.exr", GRADE, CPU, address=cluster, progress=reports.append
    )
    assert there.made == here.made == (1, 2, 3, 5, 7, 8)
    assert [frame for frame, _, _ in there.failures] == [4, 6]
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    (_, line, log), _ = there.failures
    assert "s.0004.exr" in line and "\n" not in line
    assert f"process {os.getpid()}" in log and "Traceback" in log
    assert (reports[-1].done, reports[-1].failed, reports[-1].total) == (6, 2, 8)
    again = farm.export_on_farm(shot, tmp_path / "there" / "g.####.exr", GRADE, CPU, address=cluster, resume=True)
    assert again.kept == there.made


def test_frames_of_a_grade_with_keys_are_those_of_one_machine(shot, tmp_path, cluster):
    stops, mix = (Curve([Key(1, 0.0), Key(5, 1.0), Key(8, 0.5)]) for _ in range(2))
    grade = Grade(
        [Layer(Exposure(), keys=Keys({"stops": stops})), Layer(Cdl(slope=(1.1, 1.0, 0.9)), keys=Keys({"mix": mix}))]
    )
    export_sequence(shot, tmp_path / "here" / "g.####.exr", grade, CPU)
    farm.export_on_farm(shot, tmp_path / "there" / "g.####.exr", grade, CPU, address=cluster)
    assert contents(tmp_path / "here") == contents(tmp_path / "there")
    assert len(set(contents(tmp_path / "here").values())) == 8
    again = farm.export_on_farm(shot, tmp_path / "here" / "g.####.exr", grade, CPU, address=cluster, resume=True)
    assert len(again.kept) == 8
    later = Curve([Key(1, 0.0), Key(5, 1.0), Key(8, 2.0)])  # the same up to frame 5; the workers know the job before
    grade = Grade([Layer(Exposure(), keys=Keys({"stops": later})), grade.entries[1]])
    changed = farm.export_on_farm(shot, tmp_path / "here" / "g.####.exr", grade, CPU, address=cluster, resume=True)
    assert (changed.kept, changed.made) == ((1, 5), (2, 3, 4, 6, 7, 8))


def test_frames_that_are_there_are_treated_as_on_one_machine(shot, tmp_path, cluster):
    out = tmp_path / "there" / "g.####.exr"

    def export(**how):
        return farm.export_on_farm(shot, out, Grade([Exposure(1.0)]), CPU, address=cluster, **how)

    farm.export_on_farm(shot, out, GRADE, CPU, address=cluster, frames="1-3")
    before = contents(out.parent)
    with pytest.raises(TargetExists, match=r"g\.0001\.exr"):
        export(existing=frozenset({2, 3}))
    report = export(existing="skip", frames="1-4")
    assert (report.kept, report.made) == ((1, 2, 3), (4,))
    assert {**contents(out.parent), **before} == contents(out.parent)
    report = export(existing=frozenset({1, 2, 3, 4}))
    assert (report.kept, report.made) == ((4,), (1, 2, 3, 5, 6, 7, 8))  # 4 is made so already
    assert not set(before.values()) & set(contents(out.parent).values())


def test_jobs_with_other_configs_do_not_mix_on_one_worker(shot, tmp_path, cluster, monkeypatch):
    """Two jobs at once in the same worker processes, each with its own $OCIO and $SHOT."""
    options = replace(CPU, viewing=Viewing("Monitor", "Film"), colour=ColourSetup(input="AP0"))
    settings = {"first": {"SHOT": "sc010"}, "second": {"SHOT": "sc020"}}
    for name, variables in settings.items():
        write_show(tmp_path / name, SHOW if name == "first" else SHOW.replace("matrix: [0.5,", "matrix: [0.3,"))
        variables["OCIO"] = str(tmp_path / name / "config.ocio")
        for folder in ("here", "there"):
            (tmp_path / name / folder).mkdir()
        with monkeypatch.context() as patch:
            for variable, value in variables.items():
                patch.setenv(variable, value)
            export_sequence(shot, tmp_path / name / "here" / "g.####.exr", GRADE, options)

    both, true, ready = threading.Barrier(2), pin_for_others, threading.Lock()

    def pinned(setup):
        """In the process of the one who asks, whose environment is its own."""
        job = threading.current_thread().name
        with ready, monkeypatch.context() as patch:
            for variable, value in settings[job].items():
                patch.setenv(variable, value)
            return true(setup)

    def slowly(self, job, turn=0, cancelled=None):
        time.sleep(0.05)
        return run(self, job, turn, cancelled)

    run = FrameExporter.run
    monkeypatch.setattr(FrameExporter, "run", slowly)
    monkeypatch.setattr(farm, "pin_for_others", pinned)
    reports = {}

    def export(name):
        both.wait()
        target = tmp_path / name / "there" / "g.####.exr"
        reports[name] = farm.export_on_farm(shot, target, GRADE, options, address=cluster)

    before = dict(os.environ)
    jobs = [threading.Thread(target=export, args=(name,), name=name) for name in settings]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert dict(os.environ) == before, "a worker leaves its environment alone"
    found = {}
    for name in settings:
        assert reports[name].made == tuple(range(1, 9)), reports[name].failures
        assert contents(tmp_path / name / "there") == contents(tmp_path / name / "here")
        found[name] = contents(tmp_path / name / "here")["g.0001.exr"]
    assert found["first"] != found["second"]


def test_a_config_that_differs_on_a_worker_is_said_before_anything_starts(shot, tmp_path, cluster, monkeypatch):
    path = write_show(tmp_path / "show")
    options = replace(CPU, colour=ColourSetup(str(path), input="AP0"))
    true = pin_for_others

    def changing(setup):
        pin = true(setup)
        (tmp_path / "show" / "luts" / "look_sc010.cc").write_text("another look")
        return pin

    monkeypatch.setattr(farm, "pin_for_others", changing)
    target = tmp_path / "there" / "g.####.exr"
    with pytest.raises(TesseraError, match=r"config\.ocio: differs from the config of the job.*on the worker tcp://"):
        farm.export_on_farm(shot, target, GRADE, options, address=cluster)
    assert list(target.parent.iterdir()) == []
    monkeypatch.setattr(farm, "pin_for_others", true)
    path.unlink()
    config_files._KEPT.clear()
    with pytest.raises(TesseraError, match=r"config\.ocio: does not exist"):
        farm.export_on_farm(shot, target, GRADE, options, address=cluster)


def test_cancelling_ends_soon_and_leaves_whole_frames(shot, tmp_path, cluster, monkeypatch):
    true, first = FrameExporter.run, threading.Event()

    def slow(self, job: FrameJob, turn=0, cancelled=None):
        first.set()
        if job.frame > 2:
            until = time.monotonic() + 20.0
            while time.monotonic() < until and not cancelled():
                time.sleep(0.02)
        return true(self, job, turn, cancelled)

    monkeypatch.setattr(FrameExporter, "run", slow)
    monkeypatch.setattr(farm._Halt, "SECONDS", 0.05)
    start = time.monotonic()
    report = farm.export_on_farm(
        shot, tmp_path / "there" / "g.####.exr", GRADE, CPU, address=cluster, cancelled=first.is_set
    )
    assert time.monotonic() - start < 15.0
    assert report.cancelled
    assert len(report.made) < 8
    assert sorted(contents(tmp_path / "there")) == [f"g.{frame:04}.exr" for frame in report.made]


def test_a_path_that_a_worker_can_not_reach_is_said_before_anything_starts(shot, tmp_path, cluster, monkeypatch):
    target = tmp_path / "there" / "g.####.exr"
    true = farm._reach
    monkeypatch.setattr(farm, "_reach", lambda source, token: true(source.with_name("gone.exr"), token))
    with pytest.raises(TesseraError, match=r"gone\.exr: can't be read .* by the worker tcp://.*; mount the storage"):
        farm.export_on_farm(shot, target, GRADE, CPU, address=cluster)
    monkeypatch.setattr(farm, "_reach", lambda source, token: true(source, token.with_name("other")))
    with pytest.raises(TesseraError, match="is not the same folder"):
        farm.export_on_farm(shot, target, GRADE, CPU, address=cluster)
    monkeypatch.setattr(farm, "_reach", lambda source, token: ("0.0", "elsewhere", ""))
    with pytest.raises(TesseraError, match=r"on elsewhere has Tessera 0\.0"):
        farm.export_on_farm(shot, target, GRADE, CPU, address=cluster)
    assert list(target.parent.iterdir()) == []


def test_a_job_that_no_worker_ends_is_a_failure_of_its_frames(shot, tmp_path, cluster, monkeypatch):
    def broken(*_):
        raise RuntimeError("no device")

    monkeypatch.setattr(farm, "_exporter", broken)
    report = farm.export_on_farm(shot, tmp_path / "there" / "g.####.exr", GRADE, CPU, address=cluster, frames="1-3")
    assert [frame for frame, _, _ in report.failures] == [1, 2, 3]
    assert "the workers failed (no device)" in report.failures[0][1]


def test_no_scheduler_is_said(shot, tmp_path, monkeypatch):
    monkeypatch.setattr(farm_cluster, "WAIT_SECONDS", 0.3)
    with pytest.raises(TesseraError, match=r"there is no scheduler at tcp://127\.0\.0\.1:9"):
        farm.export_on_farm(shot, tmp_path / "there" / "g.####.exr", GRADE, CPU, address="tcp://127.0.0.1:9")


def test_a_local_cluster_makes_frames_and_leaves_no_scratch_folder(shot, tmp_path, monkeypatch):
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    report = farm.export_on_farm(shot, tmp_path / "there" / "g.####.exr", GRADE, CPU, address="local:2", frames="1-4")
    assert report.made == (1, 2, 3, 4)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_scheduler_of_another_cluster_is_reached_with_its_credentials(shot, tmp_path, monkeypatch):
    made, other = distributed.Security.temporary(), distributed.Security.temporary()
    files = {"ca": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
    for name, text in files.items():
        (tmp_path / f"{name}.pem").write_text(text)
    ca, cert, key = (str(tmp_path / f"{name}.pem") for name in files)
    tls = (ca, cert, key)
    target = tmp_path / "there" / "g.####.exr"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tls", security=made
    ) as running:
        address = running.scheduler_address
        assert farm.export_on_farm(shot, target, GRADE, CPU, address=address, tls=tls, frames="1").made == (1,)
        bare = address.removeprefix("tls://")
        assert farm.export_on_farm(shot, target, GRADE, CPU, address=bare, tls=tls, frames="2").made == (2,)
        with pytest.raises(TesseraError, match=r"the scheduler at tls://.* requires credentials; give --dask-tls"):
            farm.export_on_farm(shot, target, GRADE, CPU, address=address, frames="3")
        names = {"ca-file": tls[0], "client": {"cert": tls[1], "key": tls[2]}}
        with dask.config.set({"distributed.comm.tls": dask.config.get("distributed.comm.tls") | names}):
            assert farm.export_on_farm(shot, target, GRADE, CPU, address=address, frames="3").made == (3,)
        for name, text in zip(files, (other.tls_ca_file, other.tls_client_cert, other.tls_client_key), strict=True):
            (tmp_path / f"{name}.pem").write_text(text)
        monkeypatch.setattr(farm_cluster, "WAIT_SECONDS", 1.0)
        with pytest.raises(TesseraError, match="there is no scheduler at tls://"):
            farm.export_on_farm(shot, target, GRADE, CPU, address=address, tls=tls, frames="4")
    with pytest.raises(TesseraError, match="does not use TLS; write tls:// before its name"):
        farm.export_on_farm(shot, target, GRADE, CPU, address="tcp://127.0.0.1:9", tls=tls, frames="5")
    with pytest.raises(TesseraError, match=r"gone\.pem: does not exist"):
        farm.export_on_farm(shot, target, GRADE, CPU, address=address, tls=(ca, cert, "gone.pem"), frames="5")
    with pytest.raises(TesseraError, match="have credentials of their own; leave out --dask-tls"):
        farm.export_on_farm(shot, target, GRADE, CPU, address="local", tls=tls, frames="5")


def test_a_movie_is_that_of_one_machine(shot, tmp_path, cluster):
    pytest.importorskip("av", reason="movies need PyAV")
    here, there = (tmp_path / name / "a.mov" for name in ("here", "there"))
    options = replace(CPU, movie=MovieOptions(burn_in=BurnIn((Text("{frame}", "center"),), size=0.3, slate=1)))
    export_movie(shot, here, GRADE, options)
    report = export_movie(shot, there, GRADE, options, farm=Farm(cluster))
    assert report.made == tuple(range(1, 9))
    assert here.read_bytes() == there.read_bytes()
    assert [each.name for each in there.parent.iterdir()] == ["a.mov"]
    bad = shot.with_name("s.0004.exr")
    bad.write_bytes(bad.read_bytes()[:400])
    failed = export_movie(shot, there, GRADE, replace(options, force=True), farm=Farm(cluster))
    assert (failed.made, [frame for frame, _, _ in failed.failures][:1]) == ((), [4])
    assert here.read_bytes() == there.read_bytes()
