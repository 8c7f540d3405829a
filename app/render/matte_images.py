"""Images of single mattes, made on the preview's thread: of an object under the pointer, and thumbnails of entries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QImage

from app.model.matte_view import matte_at
from app.render.plane_gate import lacked, there
from app.render.requests import HighlightRequest, ThumbnailRequest
from engine.grade.masking import planes_read
from engine.grade.matte_planes import planes_of, without_planes
from engine.viewing import FrameMaker
from engine.viewing.composing import RgbaBytes, tinted
from engine.viewing.plane_store import HIGHLIGHT, THUMBNAILS

if TYPE_CHECKING:
    from app.render.answers import Answers


MOST_PIXELS = 1 << 20
"""The most pixels of a highlight: it follows the pointer."""


def highlight(maker: FrameMaker, work: HighlightRequest, preview: Answers) -> None:
    """Answer with the coverage of a matte in red, or None if it can't be read; nothing while it is being read."""
    from engine.color.matte_ops import matte_ops

    view, grade = work.frame.view, work.frame.grade
    ops = () if view.data is not None else matte_ops(view.managed, grade, view.entry, work.matte)
    shrink = max(1, math.ceil(math.sqrt(view.width * view.height / MOST_PIXELS)))
    size = max(1, view.width // shrink), max(1, view.height // shrink)
    if not ops or lacked(maker.levels.planes, planes_read(ops)):
        preview.answer(work.serial, preview.highlighted, None, view.region, work.matte)
        return
    if not there(maker, HIGHLIGHT, (view.region, *size), planes_read(ops)):
        return
    maker.set_backdrop("", view.width)
    frame = maker.exact(view.region, *size, ops, (), preview.waits)
    if frame is not None:
        image = _copied(tinted(frame.pixels), QImage.Format.Format_RGBA8888_Premultiplied)
        preview.answer(work.serial, preview.highlighted, image, frame.region, work.matte)


def thumbnails(maker: FrameMaker, work: ThumbnailRequest, preview: Answers) -> None:
    """Answer with thumbnails of mattes, grey, until a newer frame is requested; nothing while they are being read.

    Those that are not all made are requested again: with the next frame, or once their planes are there.
    """
    from engine.color.matte_ops import matte_ops

    levels = maker.levels
    if not levels.complete:
        return
    scale = min(work.size[0] / levels.width, work.size[1] / levels.height)
    size = max(1, round(levels.width * scale)), max(1, round(levels.height * scale))
    lacks = lacked(levels.planes, planes_of(work.grade))
    grade = without_planes(work.grade, lacks)
    for path in work.paths:
        matte = matte_at(grade, path)
        ops = () if matte is None else matte_ops(work.managed, grade, path, matte)
        if preview.waits():
            return
        if not ops or lacked(levels.planes, planes_read(ops)):
            preview.answer(work.serial, preview.matte_thumbnail, work.key, path, None)
        elif there(maker, THUMBNAILS, ((0.0, 0.0, float(levels.width), float(levels.height)), *size), planes_read(ops)):
            image = _copied(maker.covered(*size, ops), QImage.Format.Format_RGBX8888)
            preview.answer(work.serial, preview.matte_thumbnail, work.key, path, image)
        else:
            return
    preview.thumbnails_made(work)


def _copied(pixels: RgbaBytes, form: QImage.Format) -> QImage:
    """Return RGBA bytes as an image with memory of its own."""
    pixels = np.ascontiguousarray(pixels)
    height, width = pixels.shape[:2]
    return QImage(pixels.data, width, height, 4 * width, form).copy()
