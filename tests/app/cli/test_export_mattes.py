"""Mattes on the command line: grades that have some, their export as channels, and what `tessera info` says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.model.option_values import matte_channel
from app.services.export_options import ExportOrder, check, option_words
from app.services.export_summary import summary
from engine import Grade, Group, Layer, ops, save_grade
from engine.export.image import export_image
from tests.app.command_line import QUICK, run
from tests.engine.export.test_export_mattes import GRADE, OPTIONS, channels_of, make

RAW = ("--config", "raw", "--type", "float")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    save_grade(GRADE, tmp_path / "grade.json")
    return make(tmp_path / "shot.exr")


def test_a_grade_with_mattes_is_exported_with_its_channels(source: Path, tmp_path: Path, capsys):
    out, wanted = tmp_path / "out.exr", tmp_path / "wanted.exr"
    words = ("--grade", tmp_path / "grade.json", "--matte-channel", "hero=1", "--matte-channel", "far.matte=2")
    assert run("export", source, out, *words, *RAW, *QUICK) == 0
    export_image(source, wanted, GRADE, replace(OPTIONS, matte_channels=(("hero", "1"), ("far.matte", "2"))))
    made, expected = channels_of(out), channels_of(wanted)
    assert set(made) == set(expected) and {"hero", "far.matte"} < set(made)
    assert all((made[name] == expected[name]).all() for name in made if name != "Z")
    capsys.readouterr()
    assert run("info", out) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["hero", "float"] in lines and ["far.matte", "float"] in lines
    assert any(line[:2] == ["Cryptomatte:", "layer"] for line in lines)  # in the grade of the header


def test_info_lists_the_mattes_of_a_grade(source: Path, tmp_path: Path, capsys):
    assert run("info", tmp_path / "grade.json") == 0
    said = capsys.readouterr().out
    assert "matte" in said and "Cryptomatte: layer CryptoObject" in said and "intersection" in said
    lines = said.splitlines()
    assert [line for line in lines if line[2].isdigit()] == [
        "  1  Exposure: stops 1",
        next(line for line in lines if line.startswith("  2  Cdl: slope (0.5, 1.5, 1)")),
    ]
    assert run("info", tmp_path / "grade.json", "--json") == 0
    first, second = json.loads(capsys.readouterr().out)["entries"]
    assert first["matte"]["root"]["source"] == "Cryptomatte" and second["matte"]["feather"] == 3.0


def test_info_numbers_entries_as_matte_channels_name_them(tmp_path: Path, capsys):
    inner = Group((ops.Saturation(0.5), Layer(ops.Exposure(2.0), enabled=False)), "inner")
    group = Group((Layer(ops.Exposure(0.5), mix=0.5), inner), "outer")
    save_grade(Grade([Layer(ops.Exposure(1.0), enabled=False), group, ops.Contrast(1.5)]), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[-2].strip() for line in lines] == ["1", "2", "2.1", "2.2", "2.2.1", "2.2.2", "3"]
    assert lines[0] == "  1  Exposure: stops 1, bypassed" and lines[1] == "  2  group outer"
    assert lines[4] == "      2.2.1  Saturation: saturation 0.5"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--matte-channel", "hero=3"), "out.exr: can't have the channel 'hero': the grade has no entry 3; "),
        (("--matte-channel", "Z=1"), "out.exr: has a channel 'Z' already, so no matte can be written as that; "),
    ],
)
def test_what_a_channel_can_not_be_is_said_in_one_line(source: Path, tmp_path: Path, capsys, words, line):
    for more in ((), ("--dry-run",)):
        code = run("export", source, tmp_path / "out.exr", "--grade", tmp_path / "grade.json", *words, *more, *QUICK)
        said = capsys.readouterr()
        assert code == 1 and line in said.err and said.err.count("\n") == 1 and said.out == ""
    assert not (tmp_path / "out.exr").exists()


def test_a_file_that_lacks_a_matte_stops_the_export_unless_it_is_skipped(tmp_path: Path, capsys):
    source, out = make(tmp_path / "shot.exr", Z=None), tmp_path / "out.exr"
    save_grade(GRADE, tmp_path / "grade.json")
    words = (source, out, "--grade", tmp_path / "grade.json", *RAW, *QUICK)
    assert run("export", *words) == 1
    said = capsys.readouterr().err
    assert "Z" in said and "--skip-missing" in said and said.count("\n") == 1 and not out.exists()
    assert run("export", *words, "--skip-missing") == 0
    assert "Skipped an entry with a matte" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "hero", "=1", "hero=", "hero=one", "hero=1.", "hero=-1"])
def test_what_is_no_name_and_entry_is_wrong_usage(text: str, capsys):
    assert run("export", "a.exr", "b.exr", f"--matte-channel={text}") == 2
    assert "--matte-channel" in capsys.readouterr().err


def test_a_name_may_have_an_equals_sign():
    assert matte_channel("a=b=2.1") == ("a=b", "2.1")


def test_the_dialog_separates_them_by_commas():
    values = {"matte-channel": "person=1, sky=2.1"}
    assert option_words(values) == ["--matte-channel=person=1", "--matte-channel=sky=2.1"]
    assert check(values).matte_channel == [("person", "1"), ("sky", "2.1")]


def test_the_summary_names_them(tmp_path: Path):
    order = ExportOrder(tmp_path / "a.exr", tmp_path / "b.exr", GRADE, {"matte-channel": "person=1, sky=2.1"})
    assert "with mattes person=1, sky=2.1" in summary(order, None, "", None)
