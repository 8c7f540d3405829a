"""Pages of contact sheets: every image once, inside the paper, and nothing over anything else."""

from __future__ import annotations

from itertools import combinations

import pytest

from app.model.contact_sheet import LABELS, MARGIN, Box, SheetOptions, field_shape, fitted, pages, pixels_of

OPTIONS = [
    SheetOptions(),
    SheetOptions("A4, portrait", 1, "Title", LABELS),
    SheetOptions("A3, landscape", 12, "", ()),
    SheetOptions("Letter, portrait", 3, "Title", ("name",)),
]


def apart(one: Box, other: Box) -> bool:
    (x, y, width, height), (left, top, across, down) = one, other
    e = 1e-6
    return x + width <= left + e or left + across <= x + e or y + height <= top + e or top + down <= y + e


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("shape", [16 / 9, 0.5])
def test_every_image_is_on_one_page_inside_the_margins(options: SheetOptions, shape: float) -> None:
    found = pages(options, 17, shape)
    assert [cell.index for page in found for cell in page.cells] == list(range(17))
    assert [page.number for page in found] == list(range(1, len(found) + 1))
    assert [page.title is not None for page in found] == [bool(options.title) and n == 0 for n in range(len(found))]
    width, height = options.size
    for page in found:
        boxes = [box for cell in page.cells for box in (cell.field, *cell.labels)] + (
            [page.title] if page.title else []
        )
        for x, y, across, down in boxes:
            assert x >= MARGIN - 1e-6 and y >= MARGIN - 1e-6
            assert x + across <= width - MARGIN + 1e-6 and y + down <= height - MARGIN + 1e-6
        assert all(apart(one, other) for one, other in combinations(boxes, 2))
        assert page.bottom <= height - MARGIN + 1e-6


def test_images_keep_their_shapes() -> None:
    x, y, width, height = fitted((10, 10, 160, 90), 1.0)
    assert (x, y, width, height) == (45, 10, 90, 90)
    assert pixels_of((10, 10, 160, 90), 300, 2.0) == (667, 333)
    assert field_shape([2.39, 2.39]) == 2.39 and field_shape([2.39, 0.5]) == 16 / 9 and field_shape([]) == 16 / 9


def test_a_sheet_of_nothing_is_one_empty_page() -> None:
    (page,) = pages(SheetOptions(title="Empty"), 0, 1.5)
    assert page.cells == () and page.title is not None
