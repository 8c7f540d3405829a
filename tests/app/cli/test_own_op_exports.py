"""Exports with ops of the user's: on the command line, from the window's orders, in worker processes, on farms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.services.export_job import GRADE, write_grade
from app.services.export_options import OWN_OPS, ExportOrder, arguments
from engine.export import frame_workers
from engine.export.frames import FrameExporter
from engine.export.options import ExportOptions
from engine.export.sequence import export_sequence
from engine.grade.colour_settings import RAW, ColourSetup
from engine.grade.entries import layer_of
from engine.grade.grade import Grade, save_grade
from engine.grade.missing import MissingOp
from engine.grade.own_ops import OwnFile, forbid, unload
from engine.grade.own_permissions import FOLDER, OwnPermissions, save_permissions
from engine.io import read_image
from tests.app.command_line import QUICK, forked, run, write_exr
from tests.engine.export.test_worker_processes import TWO
from tests.own_op import allowed, cleaned, gain, write

SETUP = ColourSetup(RAW)


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TESSERA_CONFIG", str(tmp_path / "settings"))
    monkeypatch.setenv("TESSERA_DATA", str(tmp_path / "data"))
    (tmp_path / "settings").mkdir()
    with cleaned():
        yield


@pytest.fixture
def file(tmp_path: Path) -> OwnFile:
    return write(tmp_path / "data" / FOLDER, gain())


@pytest.fixture
def look(tmp_path: Path, file: OwnFile) -> Path:
    """A saved grade with an own op, whose file is not loaded now."""
    save_grade(Grade([allowed(file)(gain=3.0)], SETUP), tmp_path / "look.json")
    withdraw(file)
    return tmp_path / "look.json"


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return write_exr(tmp_path / "shot.exr")


def withdraw(file: OwnFile) -> None:
    unload(file.name)
    forbid([file.sha256])


def export(shot: Path, look: Path, *more: Any) -> tuple[int, Path]:
    out = shot.with_name("out.exr")
    return run("export", shot, out, "--grade", look, *QUICK, "--force", *more), out


def is_scaled(out: Path, shot: Path, by: float = 3.0) -> bool:
    wanted = read_image(shot).pixels.astype(np.float32) * np.float32(by)
    return np.array_equal(read_image(out).pixels, wanted.astype(np.float16))


def test_a_missing_op_stops_an_export_that_does_not_skip_it(
    shot: Path, look: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = export(shot, look)
    assert code == 1
    assert not out.exists()
    assert capsys.readouterr().err == (
        "tessera: Gain: gain.py is not allowed, or not here; allow it in the Preferences or with --allow-op, "
        "or go on without it (--skip-missing)\n"
    )
    code, out = export(shot, look, "--skip-missing")
    assert code == 0
    assert np.array_equal(read_image(out).pixels, read_image(shot).pixels)
    assert "Skipped Gain: gain.py is not allowed" in capsys.readouterr().err
    assert run("bake", look, shot.with_name("a.clf")) == 1


def test_the_command_line_executes_what_an_option_names_or_the_user_allows(
    shot: Path, look: Path, file: OwnFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = write(tmp_path / "elsewhere", gain())
    for allows in (file.path, file.sha256, f"{file.sha256}:{elsewhere.path}"):
        code, out = export(shot, look, "--allow-op", allows)
        assert code == 0
        assert is_scaled(out, shot)
        assert capsys.readouterr().err == ""
        withdraw(file)
    assert run("info", out) == 0  # executes nothing
    shown = capsys.readouterr().out
    assert "1  Gain: missing gain.py is not allowed, or not here" in shown
    save_permissions(OwnPermissions(False).with_file(file))
    assert export(shot, look)[0] == 1  # off
    save_permissions(OwnPermissions(True).with_file(file))
    code, out = export(shot, look)
    assert code == 0
    assert is_scaled(out, shot)
    withdraw(file)
    write(tmp_path / "data" / FOLDER, gain(maths=" + 1.0"))  # tampered with after it was allowed
    assert export(shot, look)[0] == 1
    assert export(shot, look, "--allow-op", f"{file.sha256}:{file.path}")[0] == 1
    assert f"not {file.sha256}; allow what it is now, or restore it" in capsys.readouterr().err
    assert export(shot, look, "--allow-op", "f" * 64)[0] == 1
    assert "has the SHA-256 fff" in capsys.readouterr().err


def test_a_bad_allowed_file_does_not_stop_others(
    shot: Path, look: Path, file: OwnFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = write(tmp_path / "data" / FOLDER, "oops(", "bad.py")
    save_permissions(OwnPermissions(True).with_file(file).with_file(bad))
    code, out = export(shot, look)
    assert code == 0
    assert is_scaled(out, shot)
    assert "bad.py: line 1: " in capsys.readouterr().err
    assert export(shot, look, "--allow-op", bad.path)[0] == 1


def test_a_process_of_the_window_gets_the_files_as_they_were(shot: Path, file: OwnFile, tmp_path: Path) -> None:
    """The file has another content by now, is not allowed any more, and the export makes what was ordered."""
    order = ExportOrder(shot, shot.with_name("out.exr"), Grade([allowed(file)(gain=3.0)], SETUP), {"backend": "cpu"})
    write(tmp_path / "data" / FOLDER, gain(default=7.0))
    with write_grade(order.grade) as folder:
        words = arguments(order, Path(folder) / GRADE)
        assert (Path(folder) / OWN_OPS / "gain.py").read_bytes() == file.content
        done = forked(*words[2:])
    assert done.code == 0, done
    assert is_scaled(order.target, shot)


def test_worker_processes_get_the_files(
    file: OwnFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for frame in (1, 2):
        write_exr(tmp_path / f"s.{frame:04}.exr", 8, 8 + frame)
    op = allowed(file)(gain=3.0)
    Path(file.path).unlink()
    monkeypatch.setattr(frame_workers, "plan_workers", lambda *_: TWO)
    monkeypatch.setattr(FrameExporter, "run", None)  # this process exports nothing
    options = ExportOptions(backend="cpu", threads=1)
    report = export_sequence(tmp_path / "s.#.exr", tmp_path / "g.#.exr", Grade([op], SETUP), options)
    assert not report.failures
    assert report.made == (1, 2)
    assert all(is_scaled(tmp_path / f"g.{frame:04}.exr", tmp_path / f"s.{frame:04}.exr") for frame in report.made)


def test_a_job_carries_file_and_hash(
    look: Path, file: OwnFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_exr(tmp_path / "s.0001.exr")
    words = ("job", tmp_path / "j.yaml", tmp_path / "s.#.exr", tmp_path / "g.#.exr", "--grade", look)
    assert run(*words) == 1
    assert run(*words, "--skip-missing") == 0
    assert "OwnOp" not in (tmp_path / "j.yaml").read_text()
    assert run(*words, "--allow-op", file.path, "--force") == 0
    said = capsys.readouterr().err
    assert f"the farm will execute {tmp_path / 'j.ops' / 'gain.py'} (SHA-256 {file.sha256})" in said
    text = (tmp_path / "j.yaml").read_text()
    assert f'"--allow-op={file.sha256}:{{{{Param.OwnOp1}}}}"' in text
    assert 'default: "j.ops/gain.py"' in text
    assert (tmp_path / "j.ops" / "gain.py").read_bytes() == file.content
    (tmp_path / "j.yaml").unlink()
    (tmp_path / "j.grade.json").unlink()
    assert run(*words, "--allow-op", file.path) == 1  # never replaces a file unasked
    assert "gain.py: already exists" in capsys.readouterr().err


def test_the_list_of_ops_executes_nothing(tmp_path: Path, file: OwnFile, capsys: pytest.CaptureFixture[str]) -> None:
    Path(file.path).write_text("raise SystemExit('executed')")
    save_permissions(OwnPermissions(True).with_file(file))
    assert run("ops", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["on"] is True
    assert [(each["file"], each["allowed"]) for each in about["files"]] == [(file.path, False)]
    assert run("ops") == 0
    assert "not allowed" in capsys.readouterr().out
    assert run("ops", "--new", "Gain") == 1  # gain.py is there
    assert run("ops", "--new", "Lift") == 0
    assert (tmp_path / "data" / FOLDER / "lift.py").exists()


def test_a_header_with_an_own_op_opens_without_it(shot: Path, look: Path, file: OwnFile) -> None:
    from engine.export.provenance import grade_from_image

    _, out = export(shot, look, "--allow-op", file.path)
    withdraw(file)
    grade = grade_from_image(out)
    assert grade is not None
    missing = layer_of(grade.entries[0]).entry
    assert isinstance(missing, MissingOp)
    assert missing.to_json()["own"] == {"file": "gain.py", "sha256": file.sha256}
