"""Commands run as a shell would run them, and what they are run on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import OpenEXR

import resources
from app.cli.main import main
from tests.nursery import Ended, nursery

ROOT = Path(__file__).resolve().parents[2]
CDL = resources.path("looks/warm_evening.cc")
LUT = resources.path("looks/soft_film.cube")
QUICK = ("--backend", "cpu", "--threads", "1")
COMMAND = "import sys; from app.cli.main import main; sys.exit(main())"


def write_exr(path, width=40, height=30, **channels):
    """A small image with a ramp to 4, or with these channels."""
    ramp = np.linspace(0.0, 4.0, width * height, dtype=np.float32).reshape(height, width)
    planes = channels or {name: (ramp / (n + 1)).astype(np.float16) for n, name in enumerate("RGB")}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "owner": "a person"}, planes).write(str(path))
    return path


def run(*words):
    """The exit code of a command, as a shell would see it."""
    try:
        return main([str(word) for word in words])
    except SystemExit as left:
        return left.code or 0


def start(*words, **kwargs):
    """The command in a process of its own."""
    kwargs = {
        "env": os.environ | {"PYTHONPATH": str(ROOT)},
        "preexec_fn": _heed_signals if os.name == "posix" else None,
    } | kwargs
    command = [sys.executable, "-m", "app", *map(str, words)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kwargs)


def _heed_signals():
    """What started the tests may ignore signals, as nohup does."""
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def forked(*words) -> Ended:
    """The command in a process of its own, for what a process prints or takes; it has its modules already."""
    return nursery("app.cli.commands.export", "engine.export.image", "engine.compute.backends.cpu").run(COMMAND, *words)


def python(code):
    """What a program prints."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout
