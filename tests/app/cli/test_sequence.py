"""`tessera export` on sequences, and `tessera job`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from app.cli.progress import clock
from engine import Grade, load_grade
from engine.io import describe
from engine.ops import Exposure
from tests.app.command_line import QUICK, ROOT, run, start, write_exr
from tests.engine.shows import write_show

LOOK = ("--exposure", "1")


@pytest.fixture
def frames(tmp_path):
    """Frames 1-4 without 3."""
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for frame in (1, 2, 4):
        write_exr(tmp_path / "in" / f"s.{frame:04}.exr", 20, 10)
    return tmp_path / "in" / "s.####.exr"


@pytest.fixture
def graded(tmp_path):
    return tmp_path / "out" / "g.%04d.exr"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_sequence_with_a_gap_ends_with_1_and_lists_it(frames, graded, capsys):
    assert run("export", frames, graded, *LOOK, *QUICK) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == [
        f"tessera: {frames.with_name('s.0003.exr')}: does not exist; render it, or use --missing skip, hold or black",
        "tessera: 1 of 4 frames failed: 3; fix them and use --resume",
    ]
    assert names(graded.parent) == ["g.0001.exr", "g.0002.exr", "g.0004.exr"]
    assert run("export", frames, graded, *LOOK, *QUICK, "--resume", "--missing", "hold", "--progress", "bar") == 0
    said = capsys.readouterr().err
    assert "4/4 frames" in said
    assert "3 were there already" in said
    assert "3: Missing; replaced with s.0002.exr." in said


def test_a_report_never_replaces_a_frame(frames, graded, capsys):
    before = names(frames.parent)
    for option, path in (("IN", frames.with_name("s.0002.exr")), ("OUT", graded.with_name("g.0007.exr"))):
        assert run("export", frames, graded, *LOOK, *QUICK, "--report", path) == 1
        said = capsys.readouterr().err
        assert said == f"tessera: {path}: is also the file that {option} names; give the report another name\n"
    assert (names(frames.parent), names(graded.parent)) == (before, [])


def test_progress_and_report_for_programs(frames, graded, tmp_path, capsys):
    report = tmp_path / "report.json"
    words = (*LOOK, *QUICK, "--frames=1-2,4", "--progress", "json", "--report", report)
    assert run("export", frames, graded, *words) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["event"] for event in events} == {"progress", "done"}
    assert events[-2]["done"] == events[-2]["total"] == 3
    assert events[-1]["report"]["made"] == [1, 2, 4]
    assert json.loads(report.read_text())["made"] == [1, 2, 4]


def test_what_becomes_of_frames_that_are_there(frames, graded, capsys):
    def export(*words):
        code = run("export", frames, graded, "--exposure", "2", "--frames", "1-2,4", *QUICK, *words)
        return code, capsys.readouterr().err

    def stamps():
        return {path.name: path.stat().st_mtime_ns for path in graded.parent.iterdir()}

    assert export("--frames", "1-2")[0] == 0
    before = stamps()
    code, said = export()
    assert code == 1 and "g.0001.exr: already exists (and 1 more)" in said
    code, said = export("--existing", "2")
    assert code == 1 and "g.0001.exr: already exists; " in said
    assert stamps() == before
    assert export("--existing", "skip")[0] == 0
    assert {**stamps(), **before} == stamps() and len(stamps()) == 3
    before = stamps()
    assert export("--existing=1,2,4")[0] == export("--existing", "replace")[0] == export("--force")[0] == 0
    assert not set(stamps().values()) & set(before.values())


@pytest.mark.parametrize(
    ("words", "code", "wanted"),
    [
        (("--existing", "guess"), 2, "'guess' is neither fail, skip or replace nor frames such as 1001-1010"),
        (("--existing", "skip", "--force"), 2, "not allowed with argument"),
    ],
)
def test_what_is_there_is_treated_in_one_way(words, code, wanted, frames, graded, capsys):
    assert run("export", frames, graded, *LOOK, *words) == code
    assert wanted in capsys.readouterr().err


def test_one_image_is_replaced_or_not(tmp_path, capsys):
    source, target = write_exr(tmp_path / "in.exr"), tmp_path / "out.exr"
    assert run("export", source, target, *LOOK, *QUICK) == 0
    for words in ((), ("--existing", "fail")):
        assert run("export", source, target, *LOOK, *QUICK, *words) == 1
        assert "already exists" in capsys.readouterr().err
    assert run("export", source, target, *LOOK, *QUICK, "--existing", "skip") == 1
    assert "is one image; --existing is for sequences" in capsys.readouterr().err
    assert run("export", source, target, *LOOK, *QUICK, "--existing", "replace") == 0


def test_a_view_ends_every_frame(frames, graded):
    words = ("--frames", "1", "--display", "sRGB - Display", "--input", "ACEScg", *QUICK)
    assert run("export", frames, graded, *words) == 0
    assert describe(graded.with_name("g.0001.exr")).parts[0].metadata["tessera:export"]


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--frames", "one"), "'one' is not a list of frames"),
        (("--frames", "1-4", "--dask", "local", "--watch", "1"), "--watch works only on this machine"),
        (("--watch", "0"), "is not a number of seconds"),
    ],
)
def test_what_makes_no_sense_is_said(words, wanted, frames, graded, capsys):
    assert run("export", frames, graded, *LOOK, *QUICK, *words) in (1, 2)
    assert wanted in capsys.readouterr().err
    assert names(graded.parent) == []


def test_one_image_is_no_sequence(frames, graded, capsys):
    one = frames.with_name("s.0001.exr")
    assert run("export", one, graded, *LOOK) == 1
    assert "has a place for a frame number, but IN has none" in capsys.readouterr().err
    assert run("export", one, graded.with_name("g.exr"), *LOOK, "--resume") == 1
    assert "is one image; --resume is for sequences" in capsys.readouterr().err


def test_a_dry_run_shows_the_first_frame_and_writes_nothing(frames, graded, capsys):
    assert run("export", frames, graded, *LOOK, *QUICK, "--dry-run") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["3 frames: 1-2,4", "missing: 3"]
    assert any(line.startswith("+") and "tessera:grade" in line for line in said)
    assert names(graded.parent) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_an_interrupt_leaves_whole_frames_and_says_so(frames, graded):
    process = start("export", frames, graded, *LOOK, *QUICK, "--watch", "60", "--progress", "json")
    assert process.stdout is not None
    while json.loads(process.stdout.readline())["done"] < 3:
        pass
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said == "tessera: cancelled after 3 frames; --resume does the rest\n"
    assert names(graded.parent) == ["g.0001.exr", "g.0002.exr", "g.0004.exr"]


def test_a_job_is_written_with_its_grade(frames, graded, tmp_path, capsys):
    job = tmp_path / "shot.yaml"
    words = ("--type", "float", "--layer", "a", "--layer", "b", "--resize", "8x6", "--context", "SHOT=a1")
    mattes = ("--matte-channel", "hero=1", "--matte-channel", "sky=2.1", "--skip-missing")
    assert run("job", job, frames, graded, *LOOK, *words, *mattes, "--frames=1-4") == 0
    assert "openjd run" in capsys.readouterr().out
    text = job.read_text()
    for word in ("--type=float", "--layer=a", "--layer=b", "--resize=8x6", "--context=SHOT=a1", "--resume"):
        assert f'- "{word}"' in text
    for word in ("--matte-channel=hero=1", "--matte-channel=sky=2.1", "--skip-missing"):
        assert f'- "{word}"' in text
    assert load_grade(tmp_path / "shot.grade.json") == Grade([Exposure(1.0)])
    assert run("job", job, frames, graded, *LOOK) == 1
    assert "already exists" in capsys.readouterr().err
    for name in (tmp_path / "shot.txt", ""):
        assert run("job", name, frames, graded, *LOOK) == 1
        assert "end it in .yaml" in capsys.readouterr().err


def test_a_job_takes_the_config_of_the_one_who_writes_it(frames, graded, tmp_path, monkeypatch):
    job, show = tmp_path / "shot.yaml", write_show(tmp_path / "show")
    monkeypatch.setenv("OCIO", str(show))
    monkeypatch.setenv("SHOT", "sc020")
    assert run("job", job, frames, graded, *LOOK, "--frames=1-4") == 0
    assert f'variables:\n      OCIO: "{show}"\n      GAIN: "2"\n      SHOT: "sc020"\n' in job.read_text()
    assert run("job", job, frames, graded, *LOOK, "--frames=1-4", "--force", f"--config={show}") == 0
    assert 'variables:\n      GAIN: "2"\n      SHOT: "sc020"\n' in job.read_text()
    monkeypatch.delenv("OCIO")
    assert run("job", job, frames, graded, *LOOK, "--frames=1-4", "--force") == 0
    assert "variables" not in job.read_text()


def test_a_job_runs_as_a_farm_runs_it(frames, graded, tmp_path):
    pytest.importorskip("openjd.cli")
    job = tmp_path / "shot.yaml"
    assert run("job", job, frames, graded, *LOOK, "--frames=1-2", *QUICK) == 0
    tool = [sys.executable, "-c", "import sys; from openjd.cli import main; sys.exit(main())"]
    # The farm finds `tessera` by its name.
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tessera").write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m app "$@"\n')
    (folder / "tessera").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    words = ["-p", f"InputFolder={frames.parent}", "-p", f"OutputFolder={graded.parent}"]
    done = subprocess.run([*tool, "run", job, *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout
    job_files = {path.name: path.read_bytes() for path in graded.parent.iterdir()}
    assert run("export", frames, graded, *LOOK, "--frames=1-2", "--force", *QUICK) == 0
    assert job_files == {path.name: path.read_bytes() for path in graded.parent.iterdir()}


def test_a_scheduler_without_tls_is_warned_of(frames, graded, monkeypatch, capsys):
    pytest.importorskip("distributed")
    from engine.export import farm_cluster

    monkeypatch.setattr(farm_cluster, "WAIT_SECONDS", 0.2)
    words = ("export", frames, graded, *LOOK, *QUICK, "--frames", "1")
    assert run(*words, "--dask", "tcp://127.0.0.1:9") == 1
    warning, error = capsys.readouterr().err.splitlines()
    assert warning == "tessera: tcp://127.0.0.1:9: has no TLS: anyone who can reach it can run code on its workers"
    assert error.startswith("tessera: there is no scheduler at tcp://127.0.0.1:9 (")
    assert run(*words, "--dask", "tls://127.0.0.1:9", "--dask-tls", "a.pem,b.pem,c.pem") == 1
    assert capsys.readouterr().err.endswith("a.pem: does not exist; check the name and the folder\n")
    assert run(*words, "--dask-tls", "a.pem,b.pem,c.pem") == 1
    assert "--dask-tls is for the scheduler of a farm; give --dask, too" in capsys.readouterr().err
    assert run(*words, "--dask", "tls://a:9", "--dask-tls", "a.pem") == 2
    assert "does not name three files; give ca.pem,cert.pem,key.pem" in capsys.readouterr().err


def test_workers_here_say_nothing_of_their_own(frames, graded, tmp_path):
    pytest.importorskip("distributed")
    words = (frames, graded, *LOOK, *QUICK, "--frames", "1-2", "--dask", "local:2", "--progress", "json")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)}
    process = start("export", *words, env=environment)
    said, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(said.splitlines()[-1])["report"]["made"] == [1, 2]
    assert names(scratch) == []


def test_clock():
    assert [clock(seconds) for seconds in (0.4, 61, 3661)] == ["0:00", "1:01", "1:01:01"]
