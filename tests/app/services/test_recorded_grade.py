"""The grade that an exported EXR tells of, brought back into the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.services.engine_calls import Services
from app.shell.empty_state import SAMPLE
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.errors import UnreadableFile
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.export.provenance import grade_from_file
from tests.app.conftest import end
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT

GRADE = Grade([ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.9), saturation=0.8), ops.Lut1d([0.0, 0.4, 1.0])])


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "graded.exr"
    export_image(SAMPLE, path, GRADE, ExportOptions(backend="cpu", resize=(64, 36)))
    return path


@pytest.fixture
def reading(qtbot: Any, executor: FakeExecutor) -> Iterator[MainWindow]:
    """A window that reads images for real."""
    shown = MainWindow(services=Services(create_executor=lambda _name, _threads: executor))
    qtbot.addWidget(shown)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    end(shown)


def test_a_grade_is_opened_from_an_exported_image(opened: MainWindow, exported: Path, qtbot: Any):
    before = opened.document.image_path
    opened.files.open_grade(exported)
    qtbot.waitUntil(lambda: opened.document.grade.entries == GRADE.entries)
    assert opened.document.grade_path is None, "saving must not write into the image"
    assert opened.document.image_path == before


def test_an_image_without_a_grade_is_reported(opened: MainWindow, qtbot: Any):
    grade = opened.document.grade
    opened.files.open_grade(SAMPLE)
    qtbot.waitUntil(lambda: "sample.exr: has no grade in its header" in opened.bar.text)
    assert opened.document.grade == grade


def test_an_exported_image_offers_its_grade(reading: MainWindow, exported: Path, qtbot: Any):
    reading.files.open_image(exported)
    qtbot.waitUntil(lambda: "graded.exr was exported with a grade" in reading.bar.text)
    assert reading.document.image_path == exported
    before = reading.document.grade
    assert not before.effective, "nothing is done to it by itself"
    qtbot.mouseClick(reading.bar.button, LEFT)
    assert reading.document.grade.entries == GRADE.entries
    assert reading.bar.text == ""
    reading.document.undo()
    assert reading.document.grade == before
    reading.workspace.messages.warn("something is wrong")
    assert not reading.bar.button.isVisible()


def test_a_damaged_or_missing_record_is_one_line(exported: Path, tmp_path: Path):
    data = exported.read_bytes()
    damaged = tmp_path / "damaged.exr"
    damaged.write_bytes(data.replace(b'"tessera":"grade"', b'"tessera":"grape"'))
    with pytest.raises(UnreadableFile, match=r"damaged\.exr: this is not a Tessera grade"):
        grade_from_file(damaged)
    assert grade_from_file(exported).entries == GRADE.entries
