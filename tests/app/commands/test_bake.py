"""`tessera bake`."""

from __future__ import annotations

from engine import Grade, save_grade
from engine.ops import Exposure
from tests.app.shell import CDL, run


def test_bake(tmp_path, capsys):
    target = tmp_path / "look.cube"
    save_grade(Grade([Exposure(-1.0)]), tmp_path / "g.json")
    assert run("bake", tmp_path / "g.json", target, "--size", "5") == 0
    assert "5 entries" in capsys.readouterr().out
    lines = target.read_text().splitlines()
    assert "LUT_3D_SIZE 5" in lines
    assert [float(x) for x in lines[-1].split()] == [0.5, 0.5, 0.5]
    before = target.read_bytes()
    assert run("bake", CDL, target) == 1
    assert target.read_bytes() == before
    assert run("bake", CDL, target, "--force", "--size", "3", "--highest", "16") == 0
    assert "LUT_1D_INPUT_RANGE 0 16" in target.read_text()
