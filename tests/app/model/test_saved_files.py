"""Grades, sessions and presets that version 0.1.0 saved load as they were."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.model.comparison_target import DocumentTarget, VersionTarget
from app.model.session import load_session
from app.services.export_options import option_words
from app.services.jobs import Jobs
from app.services.settings import Settings
from engine import Grade, load_grade, ops

SAVED = Path(__file__).parent / "saved"
CDL = ops.Cdl((1.25, 1.0, 0.75), (0.0, 0.125, -0.0625), (1.0, 1.5, 0.5), 1.5)
FOUR = (ops.Exposure(0.75), CDL, ops.Saturation(0.5), ops.LogCamera())
CURVE = ops.Lut1d([(n / 15) ** 1.5 for n in range(16)])


def test_a_grade() -> None:
    assert load_grade(SAVED / "grade.json") == Grade(FOUR)


def test_a_session_with_its_history_versions_and_comparisons() -> None:
    session = load_session(SAVED / "session.tessera")
    first, second = session.documents
    assert session.current == 1
    assert (first.image_path, second.image_path) == (Path("/plates/one.exr"), Path("/plates/two.exr"))
    assert [step.grade for step in first.steps][-2:] == [Grade(FOUR), Grade((*FOUR, CURVE))]
    assert (first.grade, first.at, len(first.steps)) == (Grade(FOUR), 4, 6)
    (version,) = first.versions.items
    assert (version.name, version.grade) == ("Dusk", Grade(FOUR))
    assert (first.view.compare, first.view.exposure, first.view.channel) == ("wipe", 1.5, "red")
    assert first.view.against == VersionTarget(version.number)
    assert second.grade.entries[0] == ops.Exposure(-2.0)
    assert (second.view.compare, second.view.against) == ("split", DocumentTarget("0"))


def test_presets_make_the_same_command_line(tmp_path: Path, qapp: object) -> None:
    shutil.copy(SAVED / "settings.json", tmp_path)
    settings = Settings(tmp_path, Jobs())
    assert settings.get("export_last", dict[str, str](), str) == {"type": "float"}
    presets = settings.entries("export_presets", dict[str, dict[str, str]](), dict[str, str])
    words = {"--type=half", "--compression=dwaa:45", "--storage=tiled:64", "--only-graded", "--resize=1920x1080"}
    assert set(option_words(presets["dailies"])) == words
    settings.close()


@pytest.mark.parametrize("name", ["grade.json", "session.tessera", "settings.json"])
def test_the_files_are_there(name: str) -> None:
    assert (SAVED / name).stat().st_size > 100
