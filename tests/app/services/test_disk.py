"""When files are looked at for changes, on slow disks and on machines that stand still."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.services.disk import LOOK_SECONDS, SHARE, Disk, Rest
from engine.core.file_watch import QUIET_SECONDS, State, state_of


def test_a_machine_that_stands_still_during_a_look_delays_no_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    path, slept, changed = tmp_path / "a.cube", [0.0], list[Any]()
    path.write_text("one")

    def sleep_once(path: Path) -> State:
        slept[0] = 1000.0
        return state_of(path)

    monkeypatch.setattr("app.services.disk.time", SimpleNamespace(monotonic=lambda: time.monotonic() + slept[0]))
    monkeypatch.setattr("engine.core.file_watch.state_of", sleep_once)
    disk = Disk()
    disk.changed.connect(lambda _name, paths: changed.extend(paths))
    disk.watch("looks", {path: state_of(path)})
    qtbot.waitUntil(lambda: slept[0] > 0.0 and disk.known)
    path.write_text("another")
    qtbot.waitUntil(lambda: changed == [path])
    disk.stop()


def test_a_slow_disk_is_looked_at_for_a_share_of_the_time():
    rest = Rest()
    rests = [rest.after(seconds, settled=True) for seconds in (5.0, 4.0, 0.001, 6.0)]
    assert rests == [LOOK_SECONDS, 4.0 / SHARE, LOOK_SECONDS, LOOK_SECONDS]


def test_files_that_are_written_are_looked_at_again_once_they_may_be_complete():
    assert Rest().after(0.0, settled=False) == QUIET_SECONDS
