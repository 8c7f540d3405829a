"""What happens in which order before the window is loaded."""

from __future__ import annotations

from pathlib import Path

from tests.app.services.test_threads import said_by


def test_threads_are_prepared_before_one_starts_and_numpy_is_imported():
    code = """
import sys, threading
from app.cli.main import main
from app.services import threads

def prepare():
    print("numpy" in sys.modules, threading.active_count())
    raise SystemExit

threads.prepare_threads = prepare
main([])
"""
    assert said_by(code) == "False 1"


def test_no_thread_imports_modules_before_pyside_is_imported(image_file: Path):
    """Otherwise one of some dozens of starts aborts: PySide6 iterates over the loaded modules."""
    code = f"""
import sys
from app.cli.main import main
from app.services import read_ahead

def begin(path):
    print("shiboken6.Shiboken" in sys.modules, path.name)
    raise SystemExit

read_ahead.ReadAhead = begin
main([{str(image_file)!r}])
"""
    assert said_by(code) == f"True {image_file.name}"
