"""A window whose image the GPU draws, on a display of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine import detect_backends
from tests.app.canvas.surface_window import BLENDED

SECONDS = 300
"""Far more than it takes, on a machine that does nothing else."""


@pytest.mark.skipif(not (shutil.which("xvfb-run") and shutil.which("xauth")), reason="there is no Xvfb with xauth")
@pytest.mark.skipif(
    not any(info.name == "wgpu" and info.usable for info in detect_backends()), reason="wgpu has no adapter here"
)
def test_the_gpu_draws_the_window(image_file: Path):
    words = ["xvfb-run", "-a", "-s", "-screen 0 1280x900x24", sys.executable, "-m", "tests.app.canvas.surface_window"]
    run = subprocess.run(
        [*words, str(image_file)],
        env={**os.environ, "QT_QPA_PLATFORM": "xcb"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    if not found["draws"]:
        pytest.skip(f"drawn by {found['line']}")
    assert found["line"].startswith("a GPU surface on ")
    assert found["on_device"] and found["same"] and found["resized"] and found["again"]
    assert found["bar"] and found["chips"]
    assert found["pan"] == [30, 20] and found["hover"] and found["wheel"] == pytest.approx(1.25)
    assert found["pin"][0] == 1 and found["pin"][1] <= BLENDED
    assert found["by_qt_and_back"] == [True, True]
    assert not found["docks"]
    assert found["close_image"]
    assert found["lose"] == [True, True, True]
