"""Contact sheets of the looks of `resources/looks` on images, to be looked at: one sheet for each image.

python -m tools.look_sheet DIR IMAGE ...

Prints for each look how much of the image is black or white in the view, and which colour a grey has.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from engine import Grade
from engine.color.management import manage
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.io import describe, read_image
from resources.make_looks import MADE, look_of

WIDTH, LABEL, COLUMNS = 260, 20, 6
VIEW = Viewing("sRGB - Display")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("images", metavar="IMAGE", type=Path, nargs="+")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    app = QGuiApplication.instance() or QGuiApplication(["look_sheet", "-platform", "offscreen"])
    with tempfile.TemporaryDirectory() as made:
        for image in asked.images:
            target = asked.folder / f"looks_{image.stem}.jpg"
            sheet(image, Path(made)).save(str(target), quality=88)
            print(target, flush=True)
    del app
    return 0


def sheet(image: Path, folder: Path) -> QImage:
    """Return a sheet of all looks on an image."""
    part = describe(image).parts[0]
    height = max(1, round(WIDTH * part.height / part.width))
    options = ExportOptions(resize=(WIDTH, height), viewing=VIEW, force=True, backend="cpu")
    if not manage(options.colour, image, part.metadata).converts:
        options = replace(options, colour=ColourSetup(input="lin_rec709_scene"))
    grades = {"No look": Grade()} | {name: look_of(name) for name in MADE}
    rows = -(-len(grades) // COLUMNS)
    found = QImage(COLUMNS * WIDTH, rows * (height + LABEL), QImage.Format.Format_RGB32)
    found.fill(Qt.GlobalColor.darkGray)
    with QPainter(found) as painter:
        for place, (name, grade) in enumerate(grades.items()):
            x, y = place % COLUMNS * WIDTH, place // COLUMNS * (height + LABEL)
            tile = folder / "tile.jpg"
            export_image(image, tile, grade, options)
            painter.drawImage(x, y + LABEL, QImage(str(tile)))
            painter.drawText(QRect(x + 4, y, WIDTH - 8, LABEL), Qt.AlignmentFlag.AlignVCenter, name)
            print(f"  {name:<18} {figures(tile)}")
    return found


def figures(path: Path) -> str:
    """Return how much of an image is black and white, and its mean."""
    pixels = np.asarray(read_image(path).pixels, np.float32)[..., :3]
    black, white = (pixels <= 0.004).all(-1).mean(), (pixels >= 0.996).all(-1).mean()
    mean = pixels.mean((0, 1))
    return f"black {black:6.1%}  white {white:6.1%}  mean {mean[0]:.3f} {mean[1]:.3f} {mean[2]:.3f}"


if __name__ == "__main__":
    sys.exit(main())
