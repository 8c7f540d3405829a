"""`tessera [IMAGE]`: open the window."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from app.model.frame_names import may_be_pattern
from app.model.option import Parser
from app.model.option_table import named
from engine.core.file_errors import exists
from engine.errors import TesseraError, UnreadableFile

HELP = """\
commands:
  tessera export IN OUT     grade an image and write it
  tessera job JOB IN OUT    write the export of a sequence as a job template for farms
  tessera info FILE         describe an image, a LUT, a CDL or a grade
  tessera devices           list the backends and their devices
  tessera colorspaces       list the colour spaces, displays and looks of a config
  tessera bake GRADE OUT    write a grade as a LUT or CDL file for other programs
  tessera ops               list the files of your own ops, or write an example
  tessera COMMAND --help    show the options of a command
"""


def parser() -> argparse.ArgumentParser:
    options = Parser(
        prog="tessera",
        description="View and grade scene-linear images. Without a command, open the window.",
        epilog=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument(
        "image", nargs="?", metavar="IMAGE", help="the image to open, or a sequence such as shot.####.exr"
    )
    options.add_option(named("backend"))
    options.add_option(named("threads"))
    options.add_argument("--version", action="store_true", help="print the version and exit")
    return options


def run(asked: argparse.Namespace) -> None:
    """Open the window, with an image if one is given."""
    if asked.version:
        from importlib.metadata import version

        print(f"tessera {version('tessera')}")
        return
    image = _image(asked.image) if asked.image is not None else None
    if image is not None and not exists(image):
        raise UnreadableFile(image, "does not exist", "check the name")
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in screens):
        raise TesseraError("there is no display", "set DISPLAY, or grade with `tessera export`")
    from engine.core.address_space import check_address_space, needed_to_compute

    check_address_space(needed_to_compute(asked.threads))
    from app.shell.loading import prepare_process

    prepare_process()
    from app.services.read_ahead import ReadAhead

    ahead = ReadAhead(image) if image is not None else None  # it reads while the window is loaded
    from app.shell import start

    code = start.run(image, asked.backend, asked.threads, ahead)
    if code:
        raise SystemExit(code)


def _image(name: str) -> Path:
    """Return the file to open: for a sequence, its first existing frame."""
    path = Path(name)
    if exists(path) or not may_be_pattern(path):
        return path
    from engine.export.frame_patterns import is_pattern, parse_pattern

    if not is_pattern(path):
        return path
    pattern = parse_pattern(path)
    there = set(pattern.on_disk())
    frames = [frame for frame in pattern.frames or sorted(there) if frame in there]
    return pattern.path(frames[0]) if frames else path
