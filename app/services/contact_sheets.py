"""Contact sheets: their images for the screen, and their files, whole or not at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage, QPainter

from app.model.contact_sheet import SheetOptions, SheetPage, field_shape, pages, pixels_of
from app.services.jobs import Jobs
from app.services.sheet_images import SheetImage, SheetImages, SheetItem
from app.services.sheet_painting import image_of_values, paint_page, pdf_bytes, png_page
from engine.core.atomic import write_bytes
from engine.core.geometry import Rect
from engine.errors import UnsupportedFile
from engine.grade.colour_settings import Viewing

PREVIEW = 480
"""The most columns of an image on the screen."""
DPI = (100, 150, 300)
"""The resolutions of files."""
MOST_SIDE = 32000
"""The most columns and rows of a PNG."""
BAND = 256
"""Rows of a PNG that are written at once."""
KEY = "preview"
PNG, PDF = ".png", ".pdf"


class ContactSheets(QObject):
    """Makes the images of one sheet in turn, and writes it."""

    made = Signal()  # an image for the screen is there, or can't be made

    def __init__(self, images: SheetImages, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._images, self._jobs = images, jobs
        self.items: list[SheetItem] = []
        self._found: dict[SheetItem, tuple[QImage, float]] = {}
        self.problems: dict[SheetItem, str] = {}
        """Why images can't be made."""
        self._stopped = threading.Event()

    def show(self, items: Sequence[SheetItem]) -> None:
        """Make the images of a sheet for the screen, in their order."""
        self.items = list(items)
        self._next()

    def stop(self) -> None:
        """Make no more images for the screen."""
        self._stopped.set()
        self.items = []
        self._jobs.drop(self, KEY)

    @property
    def missing(self) -> int:
        """The number of images that are not made yet."""
        return sum(item not in self._found and item not in self.problems for item in self.items)

    def image(self, index: int) -> QImage | None:
        """Return an image for the screen; None while there is none."""
        found = self._found.get(self.items[index])
        return found[0] if found is not None else None

    @property
    def shapes(self) -> list[float]:
        """The shapes of the images, width by height; 16:9 until they are known."""
        return [self._found[item][1] if item in self._found else 16.0 / 9.0 for item in self.items]

    def pages(self, options: SheetOptions) -> list[SheetPage]:
        """Return the pages, as far as the shapes of the images are known."""
        return pages(options, len(self.items), field_shape(self.shapes))

    def paint(self, painter: QPainter, page: SheetPage, options: SheetOptions) -> None:
        """Paint a page for the screen, in points."""
        texts = [item.texts(options.labels) for item in self.items]
        paint_page(painter, page, options, self.image, texts, self.shapes)

    def save(
        self, path: Path, options: SheetOptions, dpi: int, done: Callable[[None], None], failed: Callable[[str], object]
    ) -> None:
        """Write the sheet as a PDF or a PNG, by its suffix, on a thread; an existing file is replaced. The images for
        the screen must be there."""
        items = tuple(zip(self.items, self.shapes, strict=True))
        work = partial(write_sheet, self._images, items, path, options, dpi, self._images.viewing)
        self._jobs.write(path, work, done, failed, None, f"Writing {path.name}…")

    def _next(self) -> None:
        item = next((each for each in self.items if each not in self._found and each not in self.problems), None)
        if item is None or self._jobs.waits(self, KEY):
            return
        stop, viewing = self._stopped.is_set, self._images.viewing
        work = partial(self._images.make, item, _preview_size, viewing, stop)
        self._jobs.latest(self, KEY, work, partial(self._take, item), partial(self._refuse, item))

    def _take(self, item: SheetItem, image: SheetImage) -> None:
        self._found[item] = image_of_values(image.values), image.shape
        self.made.emit()
        self._next()

    def _refuse(self, item: SheetItem, line: str) -> None:
        self.problems[item] = line
        self.made.emit()
        self._next()


def _preview_size(shape: float) -> tuple[int, int]:
    return (PREVIEW, max(1, round(PREVIEW / shape))) if shape >= 1.0 else (max(1, round(PREVIEW * shape)), PREVIEW)


def write_sheet(
    images: SheetImages,
    items: Sequence[tuple[SheetItem, float]],
    path: Path,
    options: SheetOptions,
    dpi: int,
    viewing: Viewing,
) -> None:
    """Write a sheet of items with the shapes of their images, on a thread.

    Raises TesseraError if an image can't be made or the file can't be written; nothing is left behind then.
    """
    shapes = [shape for _, shape in items]
    found = pages(options, len(items), field_shape(shapes))
    if path.suffix.lower() == PNG:
        _check_size(path, found, options, dpi)
    fields = {cell.index: cell.field for page in found for cell in page.cells}
    made: list[QImage] = []
    space = ""
    for index, (item, _) in enumerate(items):
        image = images.make(item, partial(pixels_of, fields[index], dpi), viewing, _never)
        made.append(image_of_values(image.values))
        space = space or image.space

    def paint(painter: QPainter, page: SheetPage) -> None:
        paint_page(painter, page, options, made.__getitem__, [item.texts(options.labels) for item, _ in items], shapes)

    if path.suffix.lower() == PNG:
        _write_png(path, png_page(found, options, dpi, paint), space)
    else:
        write_bytes(path, pdf_bytes(found, options, dpi, paint))


def _check_size(path: Path, found: Sequence[SheetPage], options: SheetOptions, dpi: int) -> None:
    width, height = (round(side * dpi / 72.0) for side in options.size)
    if max(width, height * len(found)) > MOST_SIDE:
        what = f"would have {width} x {height * len(found)} pixels"
        raise UnsupportedFile(path, what, "lower the resolution, add columns, or write a PDF")


def _write_png(path: Path, image: QImage, space: str) -> None:
    """Write an image of 16 bits per channel through the engine's writer."""
    from engine.io import open_output

    width, height = image.width(), image.height()
    codes = np.frombuffer(image.constBits(), np.uint16).reshape(height, image.bytesPerLine() // 8, 4)[:, :width, :3]
    output = open_output(path, None, force=True, result_space=space)
    try:
        output.init(width, height, 3)
        for top in range(0, height, BAND):
            rows = codes[top : top + BAND].astype(np.float32) / np.float32(65535.0)
            output.write_region(Rect(0, top, width, rows.shape[0]), rows)
        output.finish()
    finally:
        output.abort()


def _never() -> bool:
    return False
