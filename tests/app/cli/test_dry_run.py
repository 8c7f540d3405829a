"""`tessera export --dry-run` and what `tessera info` says of an exported image."""

from __future__ import annotations

import json

import numpy as np
import OpenEXR
import pytest

from tests.app.command_line import run


@pytest.fixture
def shot(tmp_path):
    channels = {"RGB": np.full((8, 10, 3), 0.25, np.float16), "Z": np.ones((8, 10), np.float32)}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "comments": "kept"}, channels).write(str(tmp_path / "a.exr"))
    return tmp_path / "a.exr"


def test_a_dry_run_prints_the_header_as_a_diff(shot, capsys):
    target = shot.with_name("b.exr")
    words = ("--exposure", "1", "--only-graded", "--compression", "piz", "--crop", "2,2,4,4", "--dry-run")
    assert run("export", shot, target, *words) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[:2] == [f"--- {shot}", f"+++ {target}"]
    for line in ("-  channel Z float", "-  compression = zip", "+  compression = piz", "   comments = kept"):
        assert line in lines
    assert "+  dataWindow = (2, 2) - (5, 5), 4 x 4" in lines
    assert any(line.startswith('+  tessera:grade = {"tessera":"grade"') for line in lines)
    assert said.err == ""
    assert [path.name for path in shot.parent.iterdir()] == ["a.exr"]


def test_a_dry_run_of_nothing_says_so(shot, capsys):
    assert run("export", shot, shot, "--dry-run", "--force") == 0
    assert capsys.readouterr().out == "no change\n"
    assert run("export", shot, shot, "--dry-run") == 1
    assert "already exists" in capsys.readouterr().err


def test_info_tells_the_grade_of_an_exported_image(shot, capsys):
    target = shot.with_name("b.exr")
    assert run("export", shot, target, "--exposure", "1", "--backend", "cpu", "--threads", "1") == 0
    capsys.readouterr()
    assert run("info", target) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("  grade that it was written with")
    assert "Exposure" in lines[at + 1]
    assert run("info", target, "--json") == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    assert part["grade"] == [{"op": "Exposure", "stops": 1.0}]
    assert part["metadata"]["tessera:software"] == "Tessera"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--resize", "0x9"), "is not a valid size"),
        (("--storage", "strips"), "'strips' is not a valid storage; use scanline, tiled or tiled:64"),
        (("--crop", "9,9,3"), "can't be cropped to '9,9,3'; use data, display or x,y,w,h"),
        (("--crop", "90,90,3,3"), "would have no pixels after the crop; the data window is (0, 0) - (9, 7)"),
        (("--compression", "zip:12"), "can't use 'zip:12'; the level of zip is from 1 to 9"),
    ],
)
def test_a_wrong_option_is_one_line(shot, capsys, words, said):
    assert run("export", shot, shot.with_name("b.exr"), "--exposure", "1", *words) in (1, 2)
    assert said in capsys.readouterr().err
    assert not shot.with_name("b.exr").exists()
