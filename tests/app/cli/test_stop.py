"""Ctrl-C and SIGTERM in the middle of an export."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from app.cli.commands.stop import Stop
from engine.errors import Cancelled
from tests.app.command_line import QUICK, run, start


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """An image that takes seconds to export."""
    path = tmp_path_factory.mktemp("large") / "large.exr"
    ramp = np.linspace(0.0, 2.0, 6000, dtype=np.float16)
    plane = np.ascontiguousarray(np.broadcast_to(ramp, (4000, 6000)))
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, dict.fromkeys("RGBA", plane)).write(str(path))
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
@pytest.mark.parametrize("look", [("--exposure", "1"), ()], ids=["graded", "as it is"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_in_the_middle_leaves_the_target_as_it_was(name, look, large, out):
    out.write_bytes(b"mine")
    words = (*look, "--force", "--tile", "64", "--progress", "json", "--type", "float", *QUICK)
    process = start("export", large, out, *words)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    assert first["event"] == "progress"
    beside = [path.name for path in out.parent.iterdir() if path != out]
    process.send_signal(getattr(signal, name))
    rest, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said == "tessera: cancelled\n"
    assert '"done", "report"' not in rest
    assert len(beside) == 1, "the signal came before the work had begun"
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert out.read_bytes() == b"mine"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_a_signal_in_a_copy_of_bytes_leaves_the_target_as_it_was(shot, out, monkeypatch, capsys):
    import shutil

    def interrupted(source, target):
        Path(target).write_bytes(b"half of it")
        os.kill(os.getpid(), signal.SIGTERM)

    out.write_bytes(b"mine")
    monkeypatch.setattr(shutil, "copyfile", interrupted)
    assert run("export", shot, out, "--force") == 130
    assert capsys.readouterr().err == "tessera: cancelled\n"
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert out.read_bytes() == b"mine"
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no such signal")
def test_a_terminal_that_is_closed_ends_nothing_under_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Stop() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
        assert not stop.asked()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with pytest.raises(Cancelled), Stop() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
        assert stop.asked()
    finally:
        signal.signal(signal.SIGHUP, before)
