"""With an image, the panels of a window follow once that is painted, and show all that happened before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.services.engine_calls import Services
from app.shell import later
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.core.registry import Registry
from tests.app.command_line import ROOT, write_exr
from tests.app.conftest import begin_with, end, make_image
from tests.app.fakes import FakeExecutor

HEAVY = (
    "app.dialogs.apply_grade app.dialogs.export_dialog app.panels.grade_panel app.services.export_job "
    "app.shell.control_surface app.shell.preferences cupy dask distributed engine.viewing.scopes fileseq "
    "importlib.metadata numba numpy.ma psutil pyopencl rtmidi wgpu"
)
"""Modules that the first image does not need, and that take long."""
UNUSED = (
    "app.canvas.mattes.tools app.canvas.pixel_values app.model.matte_geometry app.services.export_options "
    "engine.color.matte_ops engine.compute.filter_images engine.compute.pipeline "
    "engine.compute.planar engine.compute.ycbcr engine.io.encoders engine.io.icc "
    "engine.kernel.filter_op engine.luts.look_files engine.mattes.channels engine.mattes.qualifiers "
    "engine.mattes.windows engine.ocio.files engine.ocio.grading engine.ops.bloom engine.ops.denoise "
    "engine.ops.grading_tone engine.ops.hdr_wheels engine.viewing.device_opening engine.viewing.large "
    "engine.viewing.peaking"
)
"""Some of the many small modules that this image does not need: each takes a millisecond or two."""
PROGRAM = """
import sys
from pathlib import Path
from app.services.memory import begin_loading
begin_loading()
from app.services.read_ahead import ReadAhead
image = Path(sys.argv[1])
ahead = ReadAhead(image)
from PySide6.QtWidgets import QApplication
from app.shell import start
from app.services.engine_calls import Services
from functools import partial
from tests.app.fakes import FakeExecutor
start.Services = partial(Services, create_executor=lambda *_: FakeExecutor())
app = QApplication([])
start.prepare(app)
window = start.open_window(image, "cpu", ahead=ahead)
seen = []
def look():
    if window.canvas.has_frame:
        seen.append(sorted(set(sys.argv[2].split()) & set(sys.modules)))
window.canvas.painted.connect(look)
while not seen:
    app.processEvents()
print("at the first frame:", seen[0])
window.close()
"""


@pytest.fixture
def waiting(qtbot: Any) -> Iterator[MainWindow]:
    """A window on the screen that waits for its first image."""
    services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    shown = MainWindow(services=services)
    qtbot.addWidget(shown)
    shown.later.wait_for(shown.canvas)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    end(shown)


def made(window: MainWindow) -> list[str]:
    return [name for name, dock in window.docks.docks.items() if dock.is_made]


def test_panels_wait_for_the_first_image(waiting: MainWindow, image_file: Path, qtbot: Any):
    begin_with(waiting.document, Grade([ops.Exposure(0.5), ops.Saturation(0.9)]))
    qtbot.wait(20)
    assert made(waiting) == []
    width = waiting.docks.docks["grade"].width()
    waiting.files.open_image(image_file)
    qtbot.waitUntil(lambda: made(waiting) == ["grade"])
    assert waiting.canvas.has_frame
    qtbot.waitUntil(waiting.panel.isVisible)
    assert [type(card.op) for card in waiting.panel.cards] == [ops.Exposure, ops.Saturation]
    assert waiting.docks.docks["grade"].width() == width  # the image stays where it is
    waiting.docks.show("history")
    qtbot.waitUntil(lambda: "history" in made(waiting))


def test_without_an_image_panels_are_made_at_once(window: MainWindow):
    assert "grade" in made(window)


def test_a_panel_that_something_asks_for_is_made(waiting: MainWindow):
    assert waiting.panel is waiting.docks.panel("grade")
    assert made(waiting) == ["grade"]


def test_panels_do_not_wait_for_an_image_that_does_not_come(waiting: MainWindow, tmp_path: Path, qtbot: Any):
    waiting.later.timer.start(1)
    waiting.files.open_image(tmp_path / "gone.exr")
    qtbot.waitUntil(lambda: made(waiting) == ["grade"])


def test_a_module_that_can_not_be_imported_costs_no_panel(
    waiting: MainWindow, image_file: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(later, "MODULES", ("app.shell.broken",))
    lines = list[str]()
    waiting.workspace.messages.warned.connect(lambda warned: lines.append(warned.text))
    waiting.files.open_image(image_file)
    qtbot.waitUntil(lambda: made(waiting) == ["grade"])
    assert any("app.shell.broken" in line for line in lines)


def test_panels_behind_a_tab_may_be_narrow_again(waiting: MainWindow, image_file: Path, qtbot: Any):
    waiting.files.open_image(image_file)
    qtbot.waitUntil(lambda: made(waiting) == ["grade"])
    assert {dock.widget().minimumWidth() for dock in waiting.docks.docks.values() if not dock.is_made} == {0}


def test_everything_is_loaded_soon_after(window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    asked = list[str]()

    class Ops(Registry[object]):
        def __getitem__(self, name: str) -> type[object]:
            asked.append(name)
            return object

    registry = Ops()
    registry.announce("engine.ops", {"Late": "late"})
    monkeypatch.setattr(later, "REGISTRY", registry)
    window.later.timer.start(1)
    qtbot.waitUntil(lambda: "surface" in vars(window))
    assert asked == ["Late"]
    assert set(window.docks.modules()) | set(later.MODULES) <= set(sys.modules)


def test_the_first_image_needs_no_heavy_modules(tmp_path: Path):
    write_exr(tmp_path / "first.exr", 64, 36)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "first.exr"), f"{HEAVY} {UNUSED}"]
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout == "at the first frame: []\n", done.stderr
