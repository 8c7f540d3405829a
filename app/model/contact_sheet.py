"""Contact sheets: their options, and where images and texts lie on their pages. Lengths are in points, 1/72 inch."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.records import dataclass

PAGES = {
    "A4, landscape": (842.0, 595.0),
    "A4, portrait": (595.0, 842.0),
    "A3, landscape": (1191.0, 842.0),
    "A3, portrait": (842.0, 1191.0),
    "Letter, landscape": (792.0, 612.0),
    "Letter, portrait": (612.0, 792.0),
}
"""Width and height of the paper."""
PAPERS = {"White": ("#ffffff", "#202020"), "Grey": ("#767676", "#101010"), "Dark": ("#262626", "#dedede")}
"""Colours of the paper and of the text; all neutral."""
LABELS = ("name", "about", "note")
"""What is written below an image: its name; image, frame and date; and the note."""
MARGIN, GAP, TITLE, LINE, FONT, TITLE_FONT = 30.0, 10.0, 26.0, 11.0, 8.0, 14.0
"""Margins, distances between cells, heights of the title and of a label, and font sizes."""
SHAPE = (16.0, 9.0)
"""The shape of the field of an image, unless all images are of another one."""
LEAST_COLUMNS, MOST_COLUMNS = 1, 12
Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True)
class SheetOptions:
    """How a sheet looks. `labels` are of LABELS, in their order."""

    page: str = "A4, landscape"
    columns: int = 4
    title: str = ""
    labels: tuple[str, ...] = ("name", "about")
    paper: str = "White"

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a page."""
        return PAGES[self.page]


@dataclass(frozen=True)
class SheetCell:
    """The place of one image: its index, the field that it is fitted into, and that of each label."""

    index: int
    field: Box
    labels: tuple[Box, ...]


@dataclass(frozen=True)
class SheetPage:
    """A page: its number from 1, the place of the title on the first, and the cells."""

    number: int
    title: Box | None
    cells: tuple[SheetCell, ...]

    @property
    def bottom(self) -> float:
        """The lower edge of the lowest cell."""
        boxes = [box for cell in self.cells for box in (cell.field, *cell.labels)]
        return max((box[1] + box[3] for box in boxes), default=MARGIN)


def field_shape(shapes: Iterable[float]) -> float:
    """Return width by height of the fields: that of the widest image if all are at least as wide as SHAPE, so that no
    field has empty bands; that of SHAPE for any mix."""
    known = list(shapes)
    normal = SHAPE[0] / SHAPE[1]
    return min(known) if known and (min(known) >= normal or max(known) - min(known) < 0.01) else normal


def pages(options: SheetOptions, count: int, shape: float) -> list[SheetPage]:
    """Return the pages of `count` images, in rows of equal cells; `shape` is width by height of their fields."""
    width, height = options.size
    across = (width - 2 * MARGIN - (options.columns - 1) * GAP) / options.columns
    texts = LINE * len(options.labels)
    down = min(across / shape, height - 2 * MARGIN - TITLE - texts)
    found: list[SheetPage] = []
    at = 0
    while at < count or not found:
        title = (MARGIN, MARGIN, width - 2 * MARGIN, TITLE) if options.title and not found else None
        top = MARGIN + (TITLE if title else 0.0)
        rows = max(1, int((height - MARGIN - top + GAP) // (down + texts + GAP)))
        number = min(rows * options.columns, count - at)
        cells = tuple(_cell(options, at, n, top, across, down) for n in range(number))
        found.append(SheetPage(len(found) + 1, title, cells))
        at += number
    return found


def _cell(options: SheetOptions, first: int, place: int, top: float, across: float, down: float) -> SheetCell:
    row, column = divmod(place, options.columns)
    lines = len(options.labels)
    x, y = MARGIN + column * (across + GAP), top + row * (down + lines * LINE + GAP)
    labels = tuple((x, y + down + n * LINE, across, LINE) for n in range(lines))
    return SheetCell(first + place, (x, y, across, down), labels)


def fitted(field: Box, shape: float) -> Box:
    """Return where an image of a shape, width by height, lies in its field: in the middle, as large as it fits."""
    x, y, width, height = field
    across, down = min(width, height * shape), min(height, width / shape)
    return x + (width - across) / 2, y + (height - down) / 2, across, down


def pixels_of(field: Box, dpi: int, shape: float) -> tuple[int, int]:
    """Return the columns and rows of an image in its field at a resolution."""
    _, _, across, down = fitted(field, shape)
    return max(1, round(across * dpi / 72.0)), max(1, round(down * dpi / 72.0))
