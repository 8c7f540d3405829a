"""`tessera match`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import resources
from engine import Grade, save_grade
from engine.grade import load_grade
from engine.io import read_image
from engine.ops import Exposure
from tests.app.command_line import QUICK, run, write_exr
from tests.engine.sample_chart import sample_chart

SAMPLE = resources.path("sample.exr")


@pytest.fixture
def files(tmp_path):
    """An image and its reference: 1.5 stops brighter, with a warm balance."""
    random = np.random.default_rng(1)
    planes = {name: np.exp2(random.normal(-2.5, 1.2, (48, 64))).astype(np.float32) for name in "RGB"}
    write_exr(tmp_path / "shot.exr", **planes)
    gains = {"R": 3.6, "G": 2.8, "B": 2.0}
    write_exr(tmp_path / "hero.exr", **{name: plane * np.float32(gains[name]) for name, plane in planes.items()})
    return tmp_path


@pytest.mark.parametrize("method", ["balance", "smooth"])
def test_a_matched_export_looks_like_the_reference(files, method, capsys):
    words = "match", files / "shot.exr", files / "match.json", "--reference", files / "hero.exr"
    assert run(*words, "--method", method) == 0
    assert "Match to hero.exr" in capsys.readouterr().out
    assert run("export", files / "shot.exr", files / "out.exr", "--grade", files / "match.json", *QUICK) == 0
    found, wanted = (read_image(files / name).pixels[..., :3] for name in ("out.exr", "hero.exr"))
    off = np.abs(np.log2(found / wanted))
    assert np.median(off) < 0.02
    assert run(*words) == 1
    assert "match.json: already exists" in capsys.readouterr().err


def test_a_grade_with_a_missing_op_is_refused(files, capsys):
    (files / "before.json").write_text('{"tessera": "grade", "version": 4, "entries": [{"op": "LaterBlur"}]}')
    words = "match", files / "shot.exr", files / "match.json", "--reference", files / "hero.exr"
    assert run(*words, "--grade", files / "before.json") == 1
    assert "LaterBlur: there is no op named 'LaterBlur'" in capsys.readouterr().err
    assert not (files / "match.json").exists()


def test_areas_strength_and_the_grade_before(files, capsys):
    save_grade(Grade([Exposure(1.5)]), files / "before.json")
    words = "match", files / "shot.exr", files / "match.json", "--reference", files / "hero.exr", "--method", "balance"
    given = (
        "--grade",
        files / "before.json",
        "--strength",
        "0.5",
        "--area",
        "0,0,20,20",
        "--reference-area",
        "0,0,20,20",
    )
    assert run(*words, *given, "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["ops"][0]["red"][0] == pytest.approx(3.6 / 2.0**1.5, rel=1e-3)
    grade = load_grade(files / "match.json")
    assert grade.entries[0] == Exposure(1.5)
    assert grade.to_json()["entries"][1]["mix"] == 0.5
    assert run(*words, "--force", "--area", "500,0,20,20") == 1
    assert "the area is outside of shot.exr; choose another area" in capsys.readouterr().err


def test_a_chart(tmp_path, capsys):
    corners = ",".join(f"{value:.1f}" for corner in sample_chart().corners for value in corner)
    assert run("match", SAMPLE, tmp_path / "chart.json", "--chart", corners, "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["mean"]["after"] < 1.5 < 8.0 < about["mean"]["before"]
    assert [each["name"] for each in about["patches"] if not each["used"]] == ["Black"]
    assert run("match", SAMPLE, tmp_path / "chart.json", "--chart", corners, "--keep", "white", "--force") == 0
    assert "left out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--chart", "1,2,3"), "does not have x and y of four corners"),
        (("--chart", "1,2,3,4,5,6,7,8"), "convex"),
        (("--reference", "hero.exr", "--strength", "2"), "is not a number from 0 to 1"),
        (("--reference", "hero.exr", "--area", "1,2,0,4"), "is not a rectangle"),
        ((), "required"),
        (("--reference", "gone.exr"), "gone.exr"),
    ],
)
def test_what_is_wrong_is_said(files, monkeypatch, words, line, capsys):
    monkeypatch.chdir(files)
    assert run("match", "shot.exr", "match.json", *words) in (1, 2)
    assert line in capsys.readouterr().err
    assert not (files / "match.json").exists()
    assert run("match", "shot.exr", "match.exr", "--reference", "hero.exr") == 1
    assert "is not the name of a grade; end it in .json" in capsys.readouterr().err
