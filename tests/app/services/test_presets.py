"""Presets: their files, the folder that several windows share, and the favourites."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.model.preset import name_problem, preset_json
from app.services.preset_files import DELETED, read_preset, read_presets, rename_preset, write_preset
from app.services.presets import Presets
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, Layer, load_grade, ops
from engine.errors import TargetExists, TesseraError
from engine.grade.curves import Curve, Key, Keys
from engine.grade.entries import Entry, Group
from engine.mattes.tree import Branch, Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.app.conftest import end, window_in

WARM = ops.Cdl(slope=(1.2, 1.0, 0.8))
MATTE = Matte(Branch("union", (Leaf(Ellipse()),)))
KEYS = Keys({"stops": Curve([Key(1, 0.0), Key(9, 1.0)])})


def saved(folder: Path, name: str, entry: Entry, tag: str = "", mattes: bool = True, replaces: bool = False) -> Path:
    return write_preset(folder, name, preset_json(entry, tag, mattes), replaces)


def entry_in(path: Path) -> Entry:
    (entry,) = read_preset(path).grade.entries
    return entry


def test_a_group_comes_back_without_solo_and_with_its_keys(tmp_path: Path) -> None:
    inner, second = Layer(ops.Exposure(0.5), mix=0.25, keys=KEYS), Group((Layer(WARM, matte=MATTE),), "inner")
    group = Layer(Group((replace(inner, solo=True), second), "look"), enabled=False, matte=MATTE)
    path = saved(tmp_path / "new", "my look", group, "show A")
    assert path == tmp_path / "new" / "my look.json" and read_preset(path).tag == "show A"
    kept = Layer(Group((inner, second), "look"), enabled=False, matte=MATTE)
    assert Grade([entry_in(path)]) == Grade([kept])
    bare = entry_in(saved(tmp_path, "bare", group, mattes=False))
    assert "matte" not in json.dumps(Grade([bare]).to_json()) and '"keys"' in json.dumps(Grade([bare]).to_json())


def test_the_command_line_reads_a_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, "warm", WARM, "day")
    assert load_grade(path) == Grade([WARM])  # as `export --grade` and `bake --grade` do
    assert main(["info", str(path)]) == 0 and "Cdl: slope (1.2, 1, 0.8)" in capsys.readouterr().out


def test_nothing_is_replaced_unasked_and_nothing_is_lost(tmp_path: Path) -> None:
    first = saved(tmp_path, "Warm", WARM)
    with pytest.raises(TargetExists, match="already exists; choose another name"):
        saved(tmp_path, "warm", ops.Exposure(1.0))
    assert entry_in(first) == WARM
    saved(tmp_path, "warm", ops.Exposure(1.0), replaces=True)
    assert entry_in(tmp_path / "warm.json") == ops.Exposure(1.0)
    assert entry_in(tmp_path / DELETED / "Warm.json") == WARM
    assert [preset.name for preset in read_presets(tmp_path, {}).presets] == ["warm"]
    for _ in range(30):
        saved(tmp_path, "warm", WARM, replaces=True)
    assert {path.stem for path in (tmp_path / DELETED).iterdir()} == {"Warm", *(f"warm {n}" for n in range(2, 32))}
    other = saved(tmp_path, "other", WARM)
    with pytest.raises(TargetExists):
        rename_preset(other, "warm")
    assert rename_preset(other, "Other").name == "Other.json"


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", ".x", "x" * 61, "a:b", "new\nline"])
def test_names_that_can_not_be_are_refused(tmp_path: Path, name: str) -> None:
    assert name_problem(name)
    with pytest.raises(TesseraError, match="not a valid name of a preset"):
        saved(tmp_path, name, WARM)
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_one_line_each_and_kept(tmp_path: Path) -> None:
    saved(tmp_path, "good", WARM)
    contents = {
        "text": "words",
        "empty": '{"tessera": "grade", "version": 1, "entries": []}',
        "list": "[]",
        "cut": '{"te',
    }
    contents["later"] = '{"tessera": "grade", "version": 99, "entries": []}'
    for name, content in contents.items():
        (tmp_path / f"{name}.json").write_text(content)
    found = read_presets(tmp_path, {})
    assert [preset.name for preset in found.presets] == ["good"]
    lines = {path.stem: line for path, _, line in found.problems}
    assert lines.keys() == contents.keys()
    assert all(
        f"The preset {name} can't be used and is kept: " in line and "\n" not in line for name, line in lines.items()
    )
    assert all((tmp_path / f"{name}.json").read_text() == content for name, content in contents.items())
    assert read_presets(tmp_path / "none", {}).presets == ()


def test_missing_luts_are_named(tmp_path: Path) -> None:
    there = tmp_path / "there.cube"
    there.touch()
    looks = (FileLook(str(there), (WARM,)), FileLook(str(tmp_path / "gone.cube"), (WARM,)))
    preset = read_preset(saved(tmp_path, "film", Group(looks)))
    assert preset.missing == (str(tmp_path / "gone.cube"),)
    assert preset.warning == "gone.cube of the preset film is missing; the copy in the preset is used."
    assert "Missing: " in preset.about
    assert preset.grade.effective == (WARM, WARM)


# -- the service


@pytest.fixture
def window(tmp_path: Path, qtbot: Any) -> Iterator[MainWindow]:
    made = window_in(tmp_path / "settings")
    qtbot.addWidget(made)
    yield made
    end(made)


def names(presets: Presets) -> list[str]:
    return [preset.name for preset in presets.items]


def test_presets_are_kept_renamed_deleted_and_brought_back(window: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    presets = window.workspace.presets
    presets.save("warm", WARM, "day")
    qtbot.waitUntil(lambda: names(presets) == ["warm"])
    presets.star(presets.items[0].key, True)
    presets.star("Exposure", True)
    presets.rename(presets.items[0], "warmer")
    qtbot.waitUntil(lambda: names(presets) == ["warmer"])
    assert presets.favourites == ["preset/warmer", "Exposure"]
    presets.save("warmer", ops.Exposure(1.0))
    qtbot.waitUntil(lambda: "already exists" in window.bar.text)
    presets.delete(presets.items[0])
    qtbot.waitUntil(lambda: names(presets) == [] and window.bar.text == "Deleted the preset warmer.")
    window.bar.button.click()
    qtbot.waitUntil(lambda: names(presets) == ["warmer"])
    assert presets.items[0].tag == "day" and presets.find("WARMER") is presets.items[0]
    presets.star("Exposure", False)
    assert presets.favourites == ["preset/warmer"]
    (tmp_path / "settings" / "presets" / "broken.json").write_text("{")
    qtbot.waitUntil(lambda: "broken can't be used and is kept" in window.bar.text)
    assert names(presets) == ["warmer"]


def test_what_another_window_keeps_is_listed(window: MainWindow, tmp_path: Path, qtbot: Any) -> None:
    window.workspace.presets.watch()
    qtbot.waitUntil(lambda: window.workspace.presets.known)
    saved(tmp_path / "settings" / "presets", "cool", WARM)
    qtbot.waitUntil(lambda: names(window.workspace.presets) == ["cool"])
