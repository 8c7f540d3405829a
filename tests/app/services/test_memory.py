"""What the window does to the memory of its process."""

import subprocess
import sys

from tests.app.command_line import ROOT


def test_nothing_is_said_to_leak_when_the_window_is_closed():
    code = (
        "import OpenImageIO; from app.services.memory import begin_loading, keep_loaded; "
        "begin_loading(); roi = OpenImageIO.ROI(); keep_loaded()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
