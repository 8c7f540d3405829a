"""What the tools that make the images of the documentation share: graded exports of the sample image."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import resources
from app.cli.main import main as tessera
from engine import Grade
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.kernel.op import Op

RESOURCES = Path(resources.__file__).parent
Grades = Mapping[str, Sequence[Op]]
"""The ops of each image, by its name."""
VIEWED = (
    *("--display", "sRGB - Display", "--view", "ACES 2.0 - SDR 100 nits (Rec.709)"),
    *("--resize", "640x360", "--force"),
)
"""How an export shows the whole sample in a view."""


def run(*words: object) -> None:
    """Run a command of Tessera; stop if it fails."""
    if code := tessera([str(word) for word in words]):
        raise SystemExit(code)


def folder_asked(about: str | None) -> Path:
    """Return the folder that the command line names, by default that of the resources."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", nargs="?", type=Path, default=RESOURCES)
    folder: Path = parser.parse_args().folder
    return folder


def write_images(folder: Path, page: str, grades: Grades, options: ExportOptions) -> None:
    """Write the sample with each grade, as the sRGB view shows it."""
    for name, ops in grades.items():
        target = folder / f"{page}_{name}.jpg"
        export_image(RESOURCES / "sample.exr", target, Grade(ops), options)
        print(target)
