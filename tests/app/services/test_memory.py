"""What the window does to the memory of its process."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest

from app.model.comparison_target import DocumentTarget
from app.shell.main_window import MainWindow
from engine import ops
from engine.viewing.levels import levels_of
from tests.app.command_line import ROOT
from tests.app.conftest import end, image, window_in


def test_nothing_is_said_to_leak_when_the_window_is_closed():
    code = (
        "import OpenImageIO; from app.services.memory import begin_loading, keep_loaded; "
        "begin_loading(); roi = OpenImageIO.ROI(); keep_loaded()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_what_is_left_without_images_is_excluded_from_later_collections():
    code = (
        "import gc; from app.services.memory import begin_loading, collect_all, keep_loaded; "
        "begin_loading(); keep_loaded(); made = [[n] for n in range(5000)]; collect_all(); print(len(gc.get_objects()))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1000


def test_a_closed_document_is_freed_without_a_collection(
    opened: MainWindow, uncollected: None, tmp_path: Path, qtbot: Any
):
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document.image is not None and opened.document.name == "other.exr")
    opened.document.add(ops.Exposure(1.0), "add")
    opened.actions_by_name["matte_add_ellipse"].trigger()
    opened.actions_by_name["undo"].trigger()
    closed = weakref.ref(opened.document)
    opened.workspace.open_documents.close(opened.document)
    qtbot.waitUntil(lambda: closed() is None)


def test_the_other_side_of_a_comparison_is_freed_with_the_last_image(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document.image is not None and opened.document.name == "other.exr")
    levels = weakref.ref(levels_of(opened.document.image))
    documents = opened.workspace.open_documents
    documents.show(documents.items[0])
    opened.workspace.set_view(compare="wipe", against=DocumentTarget(documents.items[1].id))
    qtbot.waitUntil(opened.workspace.stage.labels.drawn)
    for document in [*documents.items]:
        documents.close(document)

    def freed() -> bool:
        gc.collect()
        return levels() is None

    qtbot.waitUntil(freed)


def test_a_closed_window_returns_no_memory(qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    collected = list[int]()
    monkeypatch.setattr("app.workspace.RETURN_MS", (10, 20, 30))
    monkeypatch.setattr("app.workspace.collect_all", lambda: collected.append(0))
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.files.open_image(image(tmp_path, "one.exr"))
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.workspace.open_documents.close(window.document)
    end(window)
    qtbot.wait(60)
    assert not collected


def test_memory_is_returned_several_times_once_the_last_image_is_closed(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    returned, collected = list[int](), list[int]()
    monkeypatch.setattr("app.workspace.RETURN_MS", (0, 1, 2))
    monkeypatch.setattr("app.workspace.collect_all", lambda: collected.append(len(returned)))
    monkeypatch.setattr("app.workspace.give_back", lambda: returned.append(len(collected)))
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document.image is not None and opened.document.name == "other.exr")
    opened.workspace.open_documents.close(opened.document)
    qtbot.wait(20)
    assert not collected and not returned  # another image is open
    opened.workspace.open_documents.close(opened.document)
    qtbot.waitUntil(lambda: len(returned) == 3)
    assert len(collected) == 3 and collected[0] == 0 and returned[0] > 0
