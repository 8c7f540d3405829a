"""Cells of a grid, and the zoom that they share."""

from __future__ import annotations

import pytest

from app.model.grid import SHAPES, GridZoom, ImageShape, cells

SHAPE, SMALL = ImageShape(2000, 1000), ImageShape(500, 250)
CELL = (400, 300)


@pytest.mark.parametrize("count", SHAPES)
def test_cells_fill_the_grid_without_overlap(count: int) -> None:
    found = cells(1001, 700, count, 2)
    assert len(found) == count and len({size[2:] for size in found}) == 1
    pixels = {
        (x, y) for left, top, width, height in found for x in (left, left + width - 1) for y in (top, top + height - 1)
    }
    assert len(pixels) == 4 * count and all(0 <= x < 1001 and 0 <= y < 700 for x, y in pixels)
    width, height = found[0][2:]
    assert (
        1001 - SHAPES[count][0] * (width + 2) < SHAPES[count][0]
        and 700 - SHAPES[count][1] * (height + 2) < SHAPES[count][1]
    )


def test_a_zoom_keeps_what_is_under_the_pointer() -> None:
    zoom, at = GridZoom(4.0, 0.5, 0.5), (301.0, 107.0)
    before = zoom.viewport(SHAPE, *CELL).source_at(*at)
    after = zoom.zoomed(2.5, SHAPE, CELL, at).viewport(SHAPE, *CELL)
    assert after.scale == pytest.approx(zoom.viewport(SHAPE, *CELL).scale * 2.5)
    assert after.source_at(*at) == pytest.approx(before, abs=1.0 / after.scale)


def test_a_drag_moves_the_image_with_the_pointer() -> None:
    zoom = GridZoom(4.0, 0.4, 0.6)
    before, after = zoom.viewport(SHAPE, *CELL), zoom.panned(37.0, -11.0, SHAPE, CELL).viewport(SHAPE, *CELL)
    assert (after.left - before.left, after.top - before.top) == pytest.approx((37.0, -11.0), abs=1.0)


def test_images_of_other_sizes_show_the_same_part() -> None:
    zoom = GridZoom(3.0, 0.25, 0.75)
    one, other = (zoom.viewport(shape, *CELL) for shape in (SHAPE, SMALL))
    assert one.on_screen((0, 0, 2000, 1000)) == pytest.approx(other.on_screen((0, 0, 500, 250)), abs=1.0)


def test_fit_and_actual_size() -> None:
    fitted = GridZoom().viewport(SHAPE, *CELL)
    assert fitted.fitted and fitted.scale == 0.2
    assert GridZoom().at_scale(1.0, SHAPE, CELL).viewport(SHAPE, *CELL).scale == pytest.approx(1.0)
    window = ImageShape(100, 100, 1.0, (-50, -25, 200, 150))
    assert GridZoom().viewport(window, *CELL).on_screen((-50, -25, 200, 150)) == pytest.approx((0, 0, 400, 300))


def test_the_middle_stays_in_the_image() -> None:
    zoom = GridZoom(8.0)
    for _ in range(40):
        zoom = zoom.panned(900.0, 900.0, SHAPE, CELL)
    assert (zoom.x, zoom.y) == (0.0, 0.0)
