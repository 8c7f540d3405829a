"""`tessera export` of movies, `tessera devices --encoders`, and movies in `tessera job`."""

from __future__ import annotations

import json
import shutil

import pytest

from app.model import movie_options
from app.model.movie_options import MOVIES
from engine.movies import codecs
from tests.app.command_line import QUICK, run, write_exr

av = pytest.importorskip("av", reason="movies need PyAV")


@pytest.fixture
def shot(tmp_path):
    first = write_exr(tmp_path / "s.0001.exr", 48, 32)
    for frame in (2, 3):
        shutil.copy(first, tmp_path / f"s.{frame:04}.exr")
    return tmp_path / "s.####.exr"


def test_a_movie_is_exported(shot, tmp_path, capsys):
    report = tmp_path / "report.json"
    words = (*QUICK, "--rate", "25", "--timecode", "01:00:00:00", "--codec", "prores_422", "--burn-in", "standard")
    assert run("export", shot, tmp_path / "a.mov", *words, "--report", report, "--progress", "json") == 0
    with av.open(str(tmp_path / "a.mov")) as movie:
        stream = movie.streams.video[0]
        assert (stream.frames, stream.average_rate, stream.profile) == (3, 25, "Standard")
        assert stream.metadata["timecode"] == "01:00:00:00"
    assert json.loads(report.read_text())["made"] == [1, 2, 3]
    assert "colour space is unknown" in json.loads(capsys.readouterr().out.splitlines()[-1])["report"]["notes"][0]
    assert run("export", shot, tmp_path / "a.mov", *words) == 1
    assert "already exists; use --force to replace it" in capsys.readouterr().err


def test_a_missing_frame_ends_it_with_one_line(shot, tmp_path, capsys):
    (tmp_path / "s.0002.exr").unlink()
    assert run("export", shot, tmp_path / "a.mov", *QUICK, "--frames", "1-3") == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.removeprefix(f"tessera: {tmp_path / 'a.mov'}: ") == (
        "was not written: 1 frame failed; fix them, or use --missing skip, hold or black"
    )
    assert not (tmp_path / "a.mov").exists()


def test_a_dry_run_says_what_it_will_be(shot, tmp_path, capsys):
    assert run("export", shot, tmp_path / "a.mp4", *QUICK, "--dry-run", "--quality", "best") == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "3 frames: 1-3",
        "codec: H.264, yuv420p, rate factor 12",
        "size: 48 x 32 pixels",
    ]
    assert not (tmp_path / "a.mp4").exists()


REFUSED = [
    (("a.exr", "--codec", "h264"), "is not a movie; --codec is for movies"),
    (("a.mov", "--watch", "3"), "--watch is for images"),
    (("a.mov", "--existing", "1-2"), "replaced as a whole"),
    (("a.mov", "--make-only", "1"), "give --frames-in"),
    (("a.mov", "--codec", "av1"), "MOV does not hold AV1"),
    (("a.mov", "--rate", "fast"), "is not a rate"),
    (("a.mov", "--burn-in", "gone"), "is neither a burn-in nor a file"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED)
def test_options_that_do_not_go_together_are_refused(words, line, shot, tmp_path, capsys):
    assert run("export", shot, tmp_path / words[0], *QUICK, *words[1:]) in (1, 2)
    assert line in capsys.readouterr().err


def test_codecs_are_listed(capsys):
    assert run("devices", "--encoders", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert [codec["name"] for codec in about["codecs"]] == list(codecs.NAMES)
    assert {codec["name"] for codec in about["codecs"] if codec["usable"]} >= {"prores_422_hq", "dnxhr_hq"}


def test_the_table_of_options_names_what_the_engine_has():
    assert tuple(movie_options.CODECS) == codecs.NAMES
    assert [movie_options.CODECS[codec.name] for codec in codecs.CODECS] == [codec.label for codec in codecs.CODECS]
    assert movie_options.DEFAULT_CODECS == codecs.DEFAULTS
    assert {pixels.name for codec in codecs.CODECS for pixels in codec.pixels} <= set(movie_options.PIXELS)
    assert [option.name for option in MOVIES.options][:3] == ["codec", "quality", "pixel-format"]


def test_a_job_makes_frames_in_tasks_and_encodes_them_once(shot, tmp_path, monkeypatch):
    yaml = pytest.importorskip("yaml")
    monkeypatch.setenv("TESSERA_CONFIG", str(tmp_path / "config"))
    assert run("job", tmp_path / "j.yaml", shot, tmp_path / "out" / "a.mov", "--codec", "dnxhr_hq", "--rate", "24") == 0
    data = yaml.safe_load((tmp_path / "j.yaml").read_text())
    making, encoding = data["steps"]
    assert encoding["dependencies"] == [{"dependsOn": making["name"]}]
    words = [step["script"]["actions"]["onRun"]["args"] for step in (making, encoding)]
    assert words[0][-1] == "--make-only={{Task.Param.Frame}}" and words[0][:-1] == words[1]
    assert {"--frames=1-3", "--frames-in={{Param.OutputFolder}}/a.frames", "--codec=dnxhr_hq", "--rate=24"} <= set(
        words[1]
    )
    model = pytest.importorskip("openjd.model")
    model.decode_job_template(template=data, supported_extensions=["TASK_CHUNKING"])
