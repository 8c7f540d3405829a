"""Contact sheets of every layer of images, as the window shows them, to be looked at.

    python -m tools.contact_sheet DIR PATH ... [--size 1280x720] [--columns 4]

Each PATH is an image or a folder of images. DIR gets sheet_01.png and so on: a tile for each layer of each part, with
what the window says of it. A line for each tile names those that are black or white without a word about it, and a
line for each file that could not be opened says why.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QImage, QPainter

from app.model.layer_tree import LayerNode, layer_tree
from tools.screenshots.window import Shown

TILE = (400, 250)
LABEL = 30
ROWS = 6
DARK, BRIGHT = 6, 249
"""Display values below and above which a tile is black or white."""


@dataclass
class Tile:
    """A layer as the window shows it: the canvas, its name, and what the status bar says."""

    image: QImage
    name: str
    said: str
    doubt: str


def main() -> None:
    asked = arguments()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    folder = Path(asked.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tessera-sheet-", ignore_cleanup_errors=True) as made:
        shown = Shown(asked.size, Path(made))
        tiles: list[Tile] = []
        for path in images(asked.paths):
            tiles += tiles_of(shown, path)
        each = asked.columns * ROWS
        for number, start in enumerate(range(0, len(tiles), each), 1):
            target = folder / f"sheet_{number:02}.png"
            sheet(tiles[start : start + each], asked.columns).save(str(target))
            print(target, flush=True)
        os._exit(0)  # threads that still compile are not waited for


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Contact sheets of every layer of images.")
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("paths", metavar="PATH", nargs="+", type=Path)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--columns", type=int, default=4)
    return parser.parse_args()


def images(paths: list[Path]) -> Iterator[Path]:
    """Yield the files, and those in folders, in order."""
    for path in paths:
        yield from (each for each in sorted(path.rglob("*")) if each.is_file()) if path.is_dir() else (path,)


def tiles_of(shown: Shown, path: Path) -> list[Tile]:
    """Return a tile for each layer of a file; none, and a line, if it can't be opened."""
    workspace = shown.workspace
    shown.window.bar.dismiss()  # what was said of another file
    shown.open(path)
    image = workspace.document.image
    if image is None or workspace.document.image_path != path.absolute():
        print(f"{path.name}: not opened: {shown.window.bar.text.splitlines()[-1:]}", flush=True)
        return []
    found = []
    for part in layer_tree(image.info):
        for node in part.layers:
            workspace.files.open_image(path, node.part.index, node.layer.name)
            shown.wait()
            found.append(tile(shown, path, node))
    workspace.open_documents.close(workspace.document)
    return found


def tile(shown: Shown, path: Path, node: LayerNode) -> Tile:
    """Return the tile of the layer that is displayed."""
    grab = shown.window.canvas.grab().toImage()
    said = shown.window.status.left.text()
    name = f"{path.name}  {node.part.name}  {node.label}".replace("  ", " ")
    result = Tile(grab, name, said, doubt(shown, said))
    print(f"{name}: {said} {result.doubt}", flush=True)
    return result


def doubt(shown: Shown, said: str) -> str:
    """Return what is wrong with the displayed image: black or white, without a word about it; '' if nothing is."""
    canvas = shown.window.canvas
    viewport = canvas.viewport
    assert viewport is not None
    ratio = canvas.devicePixelRatioF()
    left, top, width, height = (round(v / ratio) for v in viewport.on_screen(viewport.data))
    area = QRect(left, top, width, height).intersected(canvas.rect())
    image = canvas.grab(area).toImage().convertToFormat(QImage.Format.Format_RGBX8888)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    values = pixels[:, : 4 * image.width()].reshape(image.height(), image.width(), 4)[..., :3]
    low, high = np.percentile(values, (0.5, 99.5))
    if "value of" in said:
        return ""
    return "BLACK" if high < DARK else "WHITE" if low > BRIGHT else ""


def sheet(tiles: list[Tile], columns: int) -> QImage:
    """Return tiles in rows, each with its name and what is said of it."""
    rows = -(-len(tiles) // columns)
    out = QImage(columns * TILE[0], rows * (TILE[1] + LABEL), QImage.Format.Format_RGB32)
    out.fill(0x202020)
    painter = QPainter(out)
    for number, each in enumerate(tiles):
        x, y = number % columns * TILE[0], number // columns * (TILE[1] + LABEL)
        painter.setPen(0xFF6060 if each.doubt else 0xE0E0E0)
        for line, text in enumerate((f"{each.name} {each.doubt}", each.said)):
            painter.drawText(QRect(x + 2, y + line * LABEL // 2, TILE[0] - 4, LABEL // 2), 0, text)
        scaled = each.image.scaled(
            *TILE, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
        painter.drawImage(x, y + LABEL, scaled)
    painter.end()
    return out


if __name__ == "__main__":
    main()
