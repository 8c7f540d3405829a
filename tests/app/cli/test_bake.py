"""`tessera bake`."""

from __future__ import annotations

import os

import pytest

from engine import Grade, save_grade
from engine.grade.keys import with_key
from engine.luts.look_files import LOOK_FORMATS
from engine.ops import Exposure
from tests.app.command_line import CDL, run


def test_bake(tmp_path, capsys):
    target = tmp_path / "look.cube"
    save_grade(Grade([Exposure(-1.0)]), tmp_path / "g.json")
    assert run("bake", tmp_path / "g.json", target, "--size", "5") == 0
    assert "5 entries" in capsys.readouterr().out
    lines = target.read_text().splitlines()
    assert "LUT_3D_SIZE 5" in lines
    assert [float(x) for x in lines[-1].split()] == [32.0, 32.0, 32.0]
    before = target.read_bytes()
    assert run("bake", CDL, target) == 1
    assert target.read_bytes() == before
    assert run("bake", CDL, target, "--force", "--size", "3", "--domain", "-0.5", "16") == 0
    assert "LUT_1D_INPUT_RANGE -0.5 16" in target.read_text()
    assert run("bake", CDL, target, "--force", "--size", "3", "--domain", "0", "16", "--no-shaper") == 0
    assert "LUT_3D_INPUT_RANGE 0 16" in target.read_text()
    assert "error" in capsys.readouterr().out


def test_a_grade_with_keys_is_baked_at_a_frame(tmp_path, capsys):
    save_grade(Grade([with_key(with_key(Exposure(), "stops", -3, 0.0), "stops", 5, 2.0)]), tmp_path / "g.json")
    for suffix in LOOK_FORMATS:
        assert run("bake", tmp_path / "g.json", tmp_path / f"look{suffix}") == 1
        said = capsys.readouterr().err
        assert f"a {suffix} holds one frame, and the grade has keys from frame -3 to 5; choose a frame" in said
    assert run("bake", tmp_path / "g.json", tmp_path / "look.cc", "--frame", "1") == 0
    assert run("bake", tmp_path / "g.json", tmp_path / "start.clf", "--frame", "-3") == 0
    assert "<Slope>2 2 2</Slope>" in (tmp_path / "look.cc").read_text()
    assert run("bake", CDL, tmp_path / "any.cc", "--frame", "7") == 0
    assert run("bake", CDL, tmp_path / "other.cc", "--frame", "1.5")
    assert "'1.5' is not a whole number" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_links_and_pipes_are_treated_as_an_export_does(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.cc")
    for words in ((), ("--force",)):
        assert run("bake", CDL, tmp_path / "pipe.cc", *words) == 1
        assert "pipe.cc: is a device or pipe; give a file name" in capsys.readouterr().err
    assert (tmp_path / "pipe.cc").is_fifo()
    link, real = tmp_path / "link.cc", tmp_path / "real.cc"
    link.symlink_to(real)
    assert run("bake", CDL, link) == 0
    real.chmod(0o640)
    assert run("bake", CDL, link) == 1
    assert "link.cc: already exists" in capsys.readouterr().err
    assert run("bake", CDL, link, "--force") == 0
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("suffix", [".clf", ".ctf", ".csp", ".spi3d", ".3dl", ".cc", ".ccc", ".cdl"])
def test_the_suffix_says_the_format(tmp_path, capsys, suffix):
    target = tmp_path / f"look{suffix}"
    size = ("--size", "5") if suffix in (".csp", ".spi3d", ".3dl") else ()
    assert run("bake", CDL, target, *size) == 0
    assert capsys.readouterr().out.startswith(f"{target}: ")
    assert target.stat().st_size


@pytest.mark.parametrize(("name", "words", "says"), [
    ("look.txt", (), "is not the name of a look file"),
    ("look.clf", ("--size", "5"), "a .clf is not baked"),
    ("look.cc", ("--domain", "0", "2"), "a .cc is not baked"),
    ("look.3dl", ("--domain", "0", "2"), "covers values of 0..1 only"),
    ("look.cube", ("--size", "500"), "bake 2 to 129"),
    ("look.amf", (), "specify the input space"),
])  # fmt: skip
def test_what_a_format_has_no_room_for_is_one_line(tmp_path, capsys, name, words, says):
    assert run("bake", CDL, tmp_path / name, *words) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / name).exists()
