"""Windows of mattes with keys: their handles show and edit the window at the frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.services.keyframes import Keyframes
from engine.grade.curves import Curve
from engine.grade.keys import keys_of
from engine.mattes.windows import Ellipse
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import PATH, drag, edit, handle_at, source_of
from tests.app.hands import ALT

CENTER = ["matte.tree.0.center.0", "matte.tree.0.center.1"]


def go_to(bench: Bench, frame: int) -> None:
    """Show another frame of the same size."""
    bench.document.update(image_path=Path(f"s.{frame:04}.exr"))
    bench.document.image_changed.emit()


def keyframes(bench: Bench) -> Keyframes:
    return bench.workspace.keyframes


def curves(bench: Bench) -> dict[str, Curve]:
    return dict(keys_of(bench.document.entries[0]))


def test_a_drag_at_another_frame_sets_keys(calm: Bench, qtbot: Any) -> None:
    edit(calm, Ellipse(center=(80.0, 50.0), size=(30.0, 20.0)))
    go_to(calm, 1)
    keyframes(calm).set(0, CENTER, "Ellipse centre")
    go_to(calm, 9)
    drag(qtbot, calm, (86.0, 54.0), (106.0, 64.0))
    assert calm.document.history[-2:] == ["key of Ellipse centre at 1", "key of Exposure matte: ellipse position at 9"]
    assert [curves(calm)[path].frames for path in CENTER] == [(1, 9), (1, 9)]
    assert source_of(calm).center == pytest.approx((100.0, 60.0))
    assert handle_at(calm, "right") == pytest.approx((130.0, 60.0))
    go_to(calm, 5)
    assert source_of(calm).center == pytest.approx((90.0, 55.0))
    assert handle_at(calm, "right") == pytest.approx((120.0, 55.0))
    go_to(calm, 1)
    assert source_of(calm).center == (80.0, 50.0)
    calm.document.undo()
    go_to(calm, 9)
    assert source_of(calm).center == (80.0, 50.0)


def test_the_vertices_of_a_path_have_keys_and_new_ones_follow(calm: Bench, qtbot: Any) -> None:
    edit(calm, PATH)
    go_to(calm, 1)
    keyframes(calm).toggle(0, ["matte.tree.0.points.*"], "Path points")
    assert len(curves(calm)) == 24
    go_to(calm, 9)
    drag(qtbot, calm, (60.0, 80.0), (80.0, 80.0))
    assert source_of(calm).points[3][:2] == pytest.approx((80.0, 80.0))
    drag(qtbot, calm, (110.0, 80.0), (110.0, 85.0), ALT)  # on the line between the last two vertices
    points = source_of(calm).points
    assert len(points) == 5
    assert points[3] == pytest.approx((110.0, 80.0, 0.0, -5.0, 0.0, 5.0), abs=0.3)
    assert points[4][:2] == pytest.approx((80.0, 80.0))
    go_to(calm, 1)
    before = source_of(calm).points
    assert [each for at, each in enumerate(before) if at != 3] == list(PATH.points), "as it was drawn"
    assert before[3][:2] == pytest.approx((100.0, 80.0), abs=0.3), "half as far as the vertex beside it"


def test_a_key_of_a_path_is_removed_whole(calm: Bench) -> None:
    edit(calm, PATH)
    points = ["matte.tree.0.points.*"]
    keyframes(calm).toggle(0, points, "Path points")
    assert keyframes(calm).has_key(0, points)
    keyframes(calm).toggle(0, points, "Path points")
    assert curves(calm) == {}
    assert source_of(calm) == PATH
