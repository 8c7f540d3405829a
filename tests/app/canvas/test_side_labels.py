"""The labels of a comparison: on their own sides of the line, inside the image, and readable on any image."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF

from app.canvas.side_labels import BESIDE, beside_line
from app.model.comparison_target import DocumentTarget, VersionTarget
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from tests.app.conftest import image

INSIDE = QRectF(10, 20, 600, 400)
SIZE = QSizeF(80, 20)


def distance(point: QPointF, middle: QPointF, angle: float) -> float:
    """As `composing.wiped` has it: negative on the side of the displayed image."""
    turned = math.radians(angle)
    return (point.x() - middle.x()) * math.sin(turned) + (point.y() - middle.y()) * math.cos(turned)


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 90.0, 135.0, 180.0, 200.0, 270.0, 359.0])
@pytest.mark.parametrize("middle", [QPointF(310, 220), QPointF(150, 330)])
def test_a_label_lies_on_its_side_of_the_line(angle: float, middle: QPointF):
    for side in (-1, 1):
        place = beside_line(middle, angle, side, SIZE, INSIDE, BESIDE)
        assert place is not None and place.size() == SIZE
        assert INSIDE.adjusted(-0.001, -0.001, 0.001, 0.001).contains(place)
        corners = (place.topLeft(), place.topRight(), place.bottomLeft(), place.bottomRight())
        assert min(side * distance(corner, middle, angle) for corner in corners) == pytest.approx(BESIDE)


def test_labels_of_an_upright_line_are_at_the_bottom_left_and_right_of_it():
    first, second = (beside_line(QPointF(310, 220), 90.0, side, SIZE, INSIDE, 8.0) for side in (-1, 1))
    assert first == QRectF(222, 400, 80, 20) and second == QRectF(318, 400, 80, 20)


@pytest.mark.parametrize(("x", "angle"), [(30.0, 90.0), (-40.0, 90.0), (30.0, 270.0)])
def test_there_is_no_label_without_room(x: float, angle: float):
    side = -1 if angle == 90.0 else 1
    assert beside_line(QPointF(x, 220), angle, side, SIZE, INSIDE, 8.0) is None


def labels(window: MainWindow, qtbot: Any, **changes: Any) -> list[tuple[str, QRectF]]:
    """The labels of the frame of a changed view."""
    window.workspace.set_view(**changes)
    stage, preview = window.workspace.stage, window.preview

    def shown() -> bool:
        found, last = stage.shown_request, preview._last
        if stage._is_due or found is None or last is None or not found.exact:
            return False
        return (found.grade, replace(found.view, region=last.view.region)) == (last.grade, last.view)

    qtbot.waitUntil(shown)
    window.canvas.grab()
    return stage.labels.painted


def test_both_sides_are_labelled_with_what_they_show(opened: MainWindow, tmp_path: Path, qtbot: Any):
    version = opened.document.keep_version("Warmer")
    assert labels(opened, qtbot, exposure=0.5) == []
    first, second = labels(opened, qtbot, compare="wipe")
    assert (first[0], second[0]) == ("Grade", "Source")
    assert first[1].right() < second[1].left()
    turned = labels(opened, qtbot, wipe_angle=0.0)
    assert turned[0][1].bottom() < turned[1][1].top()
    assert [text for text, _ in labels(opened, qtbot, against=VersionTarget(version.number))] == ["Grade", "Warmer"]
    split = labels(opened, qtbot, compare="split")
    assert split[0][1].right() < opened.canvas.scene.place[0] + opened.canvas.scene.place[2] / 2 < split[1][1].left()
    assert [text for text, _ in labels(opened, qtbot, compare="difference")] == ["Grade − Warmer"]
    assert labels(opened, qtbot, compare="") == []


def test_another_image_and_a_tried_lut_are_named(opened: MainWindow, tmp_path: Path, qtbot: Any):
    first = opened.document
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document is not first and opened.document.image is not None)
    other = opened.document
    opened.workspace.open_documents.show(first)
    names = [text for text, _ in labels(opened, qtbot, compare="wipe", against=DocumentTarget(other.id))]
    assert names == ["ramp.exr", "other.exr"]
    opened.workspace.stage.preview_lut(FileLook("dark.cube", (ops.Exposure(-1.0),)))
    assert [text for text, _ in labels(opened, qtbot)] == ["With dark.cube", "Without dark.cube"]


def test_a_narrow_side_has_a_shorter_label_or_is_named_on_the_other(opened: MainWindow, qtbot: Any):
    opened.document.keep_version("Client's warmer one for the trailer, v012, the second try")
    target = VersionTarget(opened.document.versions.items[-1].number)
    long = labels(opened, qtbot, compare="wipe", against=target)[1]
    assert "…" in long[0] and long[0].startswith("Client")
    short = labels(opened, qtbot, wipe_x=0.85)[1]
    assert len(short[0]) < len(long[0]) and short[1].width() < long[1].width()
    (grade, own), (named, above) = labels(opened, qtbot, wipe_x=0.99)
    assert grade == "Grade" and named.startswith("→ Client") and above.bottom() < own.top()
    assert above.right() == own.right()
    (_, own), (named, above) = labels(opened, qtbot, wipe_x=0.01)
    assert named == "← Grade" and above.left() == own.left()
    assert [text for text, _ in labels(opened, qtbot, wipe_x=1.0)] == ["Grade"], "the other side is not in sight"
    opened.workspace.set_view(wipe_x=0.5)
    labels_are_readable_on_white(opened, qtbot)


def labels_are_readable_on_white(opened: MainWindow, qtbot: Any) -> None:
    (_, place), _ = labels(opened, qtbot, wipe_x=0.5, exposure=8.0)
    grab = opened.canvas.grab().toImage()
    box = place.toAlignedRect().adjusted(2, 2, -2, -2)
    columns = range(box.left(), box.right())
    greys = np.array([grab.pixelColor(x, box.center().y()).lightnessF() for x in columns])
    shades = np.where(greys <= 0.04045, greys / 12.92, ((greys + 0.055) / 1.055) ** 2.4)
    assert (shades.max() + 0.05) / (shades.min() + 0.05) >= 4.5
