"""Paints pages of contact sheets, for the screen, PNG and PDF. Works on any thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter

from app.model.contact_sheet import FONT, MARGIN, PAPERS, TITLE_FONT, Box, SheetOptions, SheetPage, fitted

Texts = Sequence[Sequence[str]]
"""The labels of each image, by its index."""
Images = Callable[[int], QImage | None]
"""Returns an image by its index; None while there is none."""
EMPTY = "#505050"
"""The colour of a field whose image is not there."""


def image_of_values(values: NDArray[np.float32]) -> QImage:
    """Return display values (rows, columns, 3|4), 0..1, as an opaque image of 16 bits per channel."""
    height, width = values.shape[:2]
    codes = np.full((height, width, 4), 65535, np.uint16)
    codes[..., :3] = np.round(np.clip(np.nan_to_num(values[..., :3]), 0.0, 1.0) * 65535.0)
    return QImage(codes.data, width, height, 8 * width, QImage.Format.Format_RGBX64).copy()


def paint_page(
    painter: QPainter, page: SheetPage, options: SheetOptions, images: Images, texts: Texts, aspects: Sequence[float]
) -> None:
    """Paint a page in points, without its paper; `aspects` are width by height of each image."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
    ink = QColor(PAPERS[options.paper][1])
    if page.title is not None:
        _write(painter, page.title, options.title, ink, TITLE_FONT)
    for cell in page.cells:
        image, place = images(cell.index), QRectF(*fitted(cell.field, aspects[cell.index]))
        if image is None:
            painter.fillRect(place, QColor(EMPTY))
        else:
            painter.drawImage(place, image)
        for box, text in zip(cell.labels, texts[cell.index], strict=True):
            _write(painter, box, text, ink, FONT)


def png_page(
    pages: Sequence[SheetPage], options: SheetOptions, dpi: int, paint: Callable[[QPainter, SheetPage], None]
) -> QImage:
    """Return all pages below each other as one image of 16 bits per channel, as high as what they hold."""
    scale, (width, height) = dpi / 72.0, options.size
    ends = [height] * (len(pages) - 1) + [min(height, pages[-1].bottom + MARGIN)]
    image = QImage(round(width * scale), round(sum(ends) * scale), QImage.Format.Format_RGBA64_Premultiplied)
    image.fill(QColor(PAPERS[options.paper][0]))
    with QPainter(image) as painter:
        painter.scale(scale, scale)
        for page, end in zip(pages, ends, strict=True):
            paint(painter, page)
            painter.translate(0.0, end)
    return image


def pdf_bytes(
    pages: Sequence[SheetPage], options: SheetOptions, dpi: int, paint: Callable[[QPainter, SheetPage], None]
) -> bytes:
    """Return the pages as a PDF, whose images keep their pixels."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(options.title or "Contact sheet")
    writer.setCreator("Tessera")
    writer.setResolution(dpi)
    size = QPageSize(QSizeF(*options.size), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF()))
    with QPainter(writer) as painter:
        painter.scale(dpi / 72.0, dpi / 72.0)
        for page in pages:
            if page.number > 1:
                writer.newPage()
            painter.fillRect(QRectF(0.0, 0.0, *options.size), QColor(PAPERS[options.paper][0]))
            paint(painter, page)
    return bytes(buffer.data().data())


def _write(painter: QPainter, box: Box, text: str, ink: QColor, size: float) -> None:
    """Write a text on one line, shortened in the middle."""
    font = QFont(painter.font())
    font.setPixelSize(round(size))
    painter.setFont(font)
    painter.setPen(ink)
    short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, int(box[2]))
    painter.drawText(QRectF(*box), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, short)
