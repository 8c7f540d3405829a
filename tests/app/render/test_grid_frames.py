"""Cells of a grid on the preview's thread: images that are decoded meanwhile, and spaces that a config lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import UNMANAGED
from app.model.viewport import Placement
from app.render.grid_requests import CellRequest, cell_request
from app.render.preview import Preview
from engine import Grade, ops
from engine.color.management import Managed, manage
from engine.errors import GradeError
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.viewing import Levels, WholeLevels, opening
from tests.app.command_line import write_exr
from tests.app.fakes import FakeExecutor

SMALL = WholeLevels(np.full((40, 60, 3), 0.25, np.float32))


def cell(levels: Levels, stops: float = 0.0, managed: Managed = UNMANAGED) -> CellRequest:
    place = Placement(0, 0, 60, 40, (0.0, 0.0, float(levels.width), float(levels.height)))
    grade = Grade([ops.Exposure(stops)]) if stops else Grade()
    return cell_request(levels, grade, place, managed, None, Viewing(), "", "")


@pytest.fixture
def preview(qtbot: Any) -> Any:
    made = Preview(lambda _name: FakeExecutor())
    made.set_image(SMALL)
    made.start()
    yield made
    made.stop()


def srgb(value: float) -> int:
    return round(255 * (1.055 * value ** (1 / 2.4) - 0.055))


def answers(preview: Preview) -> dict[int, tuple[Any, str]]:
    """The last exact answer for each place: the red of its first pixel, and why there is no image."""
    found: dict[int, tuple[Any, str]] = {}

    def take(place: int, image: Any, _request: Any, exact: bool, problem: str) -> None:
        if exact:
            found[place] = (None if image is None else image.pixelColor(30, 20).red(), problem)

    preview.cell.connect(take)
    return found


def test_large_images_are_decoded_for_their_cells(
    preview: Preview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(opening, "DIRECT_SAMPLES", 1000)
    large = []
    for number, value in enumerate((0.5, 0.125)):
        planes = {name: np.full((400, 600), value, np.float16) for name in "RGB"}
        image = opening.open_image(write_exr(tmp_path / f"{number}.exr", **planes))
        assert isinstance(image, opening.LargeImage)
        large.append(image.levels)
    found = answers(preview)
    preview.submit_grid([cell(SMALL), cell(large[0]), None, cell(large[1], 1.0)])
    qtbot.waitUntil(lambda: set(found) == {0, 1, 3})
    assert found == {0: (srgb(0.25), ""), 1: (srgb(0.5), ""), 3: (srgb(0.25), "")}
    preview.end_grid()
    qtbot.waitUntil(lambda: preview.idle)
    assert all(levels._resting for levels in large)


def test_a_cell_that_cannot_be_shown_says_why(preview: Preview, monkeypatch: pytest.MonkeyPatch, qtbot: Any) -> None:
    managed = manage(ColourSetup(config="raw"))

    def refuse(*_: object) -> Any:
        raise GradeError("the config has no display of this name", "choose another")

    monkeypatch.setattr(Managed, "converts", True)
    monkeypatch.setattr(Managed, "displayed", refuse)
    monkeypatch.setattr(Managed, "expanded", lambda _, grade: tuple(grade.effective))
    found = answers(preview)
    preview.submit_grid([cell(SMALL, 1.0, managed)])
    qtbot.waitUntil(lambda: bool(found))
    assert found == {0: (None, "the config has no display of this name; choose another")}


def test_cells_that_are_done_are_not_made_again(preview: Preview, qtbot: Any) -> None:
    found = answers(preview)
    cells = [cell(SMALL), cell(SMALL, 1.0)]
    preview.submit_grid(cells)
    qtbot.waitUntil(lambda: len(found) == 2)
    found.clear()
    preview.submit_grid([cells[0], cell(SMALL, -1.0)], [0])
    qtbot.waitUntil(lambda: bool(found))
    qtbot.waitUntil(lambda: preview.idle)
    assert found == {1: (srgb(0.125), "")}
