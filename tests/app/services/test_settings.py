"""Settings that several processes share: no process loses the changes of another."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QLockFile, QObject
from PySide6.QtWidgets import QApplication, QInputDialog

from app.dialogs.export_dialog import ExportDialog
from app.dialogs.export_presets import OWN
from app.services.jobs import Jobs
from app.services.settings import FILE, Settings
from tests.app.command_line import ROOT
from tests.app.conftest import end, image, window_in
from tests.app.late import Orders, PausedJobs, act

pytestmark = pytest.mark.usefixtures("qapp")
Actions = list[Callable[[], object]]

MANY = 40
PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.services.jobs import Jobs
from app.services.settings import Settings

app = QCoreApplication([])
jobs = Jobs()
settings = Settings(Path(sys.argv[1]), jobs)
print("ready", flush=True)
sys.stdin.readline()
for n in range(int(sys.argv[3])):
    settings.put("presets", f"{sys.argv[2]}{n}", {"type": "half"})
    settings.add("recent", f"{sys.argv[2]}{n}")
    settings.set(f"own {sys.argv[2]}", n)
    settings.sync()
jobs.close()
sys.exit(len(jobs.finish(60.0)))
"""


def kept(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / FILE).read_text())
    return found


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path):
    names = "abc"
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    programs = [subprocess.Popen([*words, name, str(MANY)], **pipes) for name in names]
    for program in programs:
        assert program.stdout is not None and program.stdout.readline() == "ready\n"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    assert [program.communicate()[1:] and program.returncode for program in programs] == [0, 0, 0]
    found = kept(tmp_path)
    wanted = {f"{name}{n}" for name in names for n in range(MANY)}
    assert set(found["presets"]) == wanted and set(found["recent"]) == wanted
    assert [found[f"own {name}"] for name in names] == [MANY - 1] * 3
    assert not list(tmp_path.glob("*.tmp")) and not (tmp_path / f"{FILE}.lock").exists()


def test_entries_of_two_processes_stay_in_every_order(tmp_path: Path):
    for number, order in enumerate(Orders(limit=150)):
        folder = tmp_path / str(number)
        owners = [QObject(), QObject()]
        jobs = [PausedJobs(owner) for owner in owners]
        for each in jobs:
            each.works_at_once = False
        one, two = (Settings(folder, each, owner) for each, owner in zip(jobs, owners, strict=True))
        one.entries("presets", {}), two.entries("presets", {})
        actions: Actions = [
            partial(one.put, "presets", "a", 1),
            partial(two.put, "presets", "b", 2),
            one.sync,
            two.sync,
            partial(one.put, "presets", "c", 3),
            partial(two.remove, "presets", "a"),
            partial(one.set, "plain", "one"),
            one.sync,
            two.sync,
            one.sync,
        ]
        act(order, jobs, actions)
        found = kept(folder)
        assert found["plain"] == "one"
        assert {name: value for name, value in found["presets"].items() if name != "a"} == {"b": 2, "c": 3}, order
        act(order, jobs, [one.sync, two.sync])
        assert one.get("presets", {}) == two.get("presets", {}) == kept(folder)["presets"], order
        assert two.get("plain", "") == "", "a running window is not changed by another"
        for each in jobs:
            each.close()


def test_the_newest_file_is_first_and_no_more_than_so_many_stay(tmp_path: Path):
    jobs = Jobs()
    settings = Settings(tmp_path, jobs)
    for name in "abcabd":
        settings.add("recent", name, most=3)
    assert settings.get("recent", []) == ["d", "b", "a"]
    settings.remove("recent", "b")
    assert settings.get("recent", []) == ["d", "a"]
    settings.close()
    jobs.close()
    assert jobs.finish(30.0) == [] and kept(tmp_path) == {"recent": ["d", "a"]}


def test_presets_of_two_windows_are_all_there(tmp_path: Path, qtbot: Any):
    windows = [window_in(tmp_path / "config") for _ in range(2)]
    dialogs = []
    for number, window in enumerate(windows):
        qtbot.addWidget(window)
        window.files.open_image(image(tmp_path, f"{number}.exr"))
        qtbot.waitUntil(lambda window=window: window.canvas.has_frame)
        ws = window.workspace
        dialog = ExportDialog(window.document, ws.colour, ws.stage, ws.preview, ws.settings, ws.jobs, window)
        dialogs.append(dialog)
        dialog.form.set_values({"type": "half"})
        dialog.presets.save()
        name = next(each for each in dialog.findChildren(QInputDialog) if each.isVisible())
        name.textValueSelected.emit(f"preset {number}")
        name.close()
        window.workspace.settings.set("exposure of " + str(number), 1)
    for window in windows:
        window.workspace.settings.sync()
        qtbot.waitUntil(lambda window=window: not window.workspace.jobs.active)
    QApplication.sendEvent(windows[0], QEvent(QEvent.Type.ActivationChange))
    qtbot.waitUntil(lambda: set(windows[0].workspace.settings.get(OWN, {})) == {"preset 0", "preset 1"})
    dialogs[0].presets.fill()
    assert dialogs[0].presets.box.findText("preset 1") > 0
    for dialog, window in zip(dialogs, windows, strict=True):
        dialog.close()
        end(window)
    assert set(kept(tmp_path / "config")[OWN]) == {"preset 0", "preset 1"}
    assert {"exposure of 0", "exposure of 1"} <= set(kept(tmp_path / "config"))


def test_a_lock_that_a_crash_left_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.services.settings.LOCK_MS", 10)
    lock = QLockFile(str(tmp_path / f"{FILE}.lock"))
    assert lock.lock()
    jobs = Jobs()
    settings = Settings(tmp_path, jobs)
    settings.set("anything", 1)
    settings.close()
    jobs.close()
    assert jobs.finish(30.0) == [] and kept(tmp_path) == {"anything": 1}
    lock.unlock()


def test_what_could_not_be_written_is_written_with_the_next(tmp_path: Path):
    jobs = PausedJobs()
    (tmp_path / "config").write_text("a file where the folder should be")
    settings = Settings(tmp_path / "config", jobs)
    settings.set("one", 1)
    settings.sync()
    jobs.release_all()
    (tmp_path / "config").unlink()
    settings.set("two", 2)
    settings.sync()
    jobs.release_all()
    assert kept(tmp_path / "config") == {"one": 1, "two": 2}
    jobs.close()


def test_entries_of_another_type_are_left_out(tmp_path: Path):
    (tmp_path / FILE).write_text(json.dumps({"list": ["a", 1, None], "keys": {"a": ["F1"], "b": [1], "c": "F2"}}))
    settings = Settings(tmp_path, Jobs())
    assert settings.get("list", list[str](), str) == ["a"]
    assert settings.get("keys", dict[str, list[str]](), list[str]) == {"a": ["F1"]}
    assert settings.get("keys", list[str](), str) == []


def test_characters_that_no_name_can_have_are_replaced(tmp_path: Path):
    (tmp_path / FILE).write_text('{"config": "a\\ud800b\\u0000", "presets": {"\\udfff": 1}}')
    settings = Settings(tmp_path, Jobs())
    assert settings.get("config", "") == "a?b?" and settings.get("presets", {}) == {"?": 1}
