"""Controls the compare grid: what its cells show, and the requests for their frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from app.canvas.grid.cells import Content, Kind, Source
from app.model.grid import SHAPES, GridZoom, ImageShape
from app.model.viewport import Box, Viewport
from app.render.grid_preview import GridPreview
from app.render.grid_requests import CellRequest, cell_request
from app.services.settings import Settings
from engine.core.records import dataclass
from engine.grade.colour_settings import Viewing
from engine.viewing import levels_of

KIND, COUNT = "grid.kind", "grid.count"
"""The settings of the kind and of the number of cells."""


@dataclass
class Cell:
    """A cell on the screen: its source, what it shows, its last frame with the region that it covers, and whether that
    is the exact one of its request."""

    source: Source
    content: Content
    shape: ImageShape | None = None
    image: QImage | None = None
    region: Box = (0.0, 0.0, 1.0, 1.0)
    problem: str = ""
    exact: bool = False
    request: CellRequest | None = None

    @property
    def note(self) -> str:
        """What an empty cell says."""
        return self.problem or self.content.note


class GridStage(QObject):
    """The grid, shown instead of the image between `show` and `leave`. `size` is that of a cell, in device pixels."""

    changed = Signal()  # it was shown or left, or has other cells
    framed = Signal()  # a frame of a cell is there, or the zoom has changed
    left = Signal()
    _due = Signal()

    def __init__(
        self,
        kinds: tuple[Kind, ...],
        preview: GridPreview,
        view: Callable[[], tuple[Viewing, str, str]],
        settings: Settings,
        parent: QObject,
    ) -> None:
        """`view` returns how images are shown, the channel, and the backdrop."""
        super().__init__(parent)
        self.kinds = kinds
        self._preview, self._view, self._settings = preview, view, settings
        self.shown = False
        self.size = (1, 1)
        self.zoom = GridZoom()
        self.sources: list[Source] = []
        self.cells: list[Cell] = []
        self.first = self.current = 0
        """The indices of the first source that is shown, and of the current one."""
        self._is_due = False
        self._due.connect(self._update, Qt.ConnectionType.QueuedConnection)
        preview.cell.connect(self._take)

    @property
    def kind(self) -> Kind:
        """The kind of the cells."""
        name = self._settings.get(KIND, self.kinds[0].name)
        return next((each for each in self.kinds if each.name == name), self.kinds[0])

    @property
    def count(self) -> int:
        """The number of cells."""
        count = self._settings.get(COUNT, 4)
        return count if count in SHAPES else 4

    def show(self, kind: str = "", count: int = 0) -> None:
        """Show the grid, of another kind or with another number of cells if these are given."""
        if kind:
            self._settings.set(KIND, kind)
        if count:
            self._settings.set(COUNT, count)
        if kind and kind != (self.cells[0].source.kind if self.cells else ""):
            self.first = self.current = 0
        self.shown = True
        self.changed.emit()  # so that the size of a cell is known
        self.refresh()

    def leave(self) -> bool:
        """Show the image again; return whether the grid was shown."""
        if not self.shown:
            return False
        self.shown = False
        self.cells, self.sources, self.first, self.current = [], [], 0, 0
        self._preview.end_grid()
        self.changed.emit()
        self.left.emit()
        return True

    def take(self) -> None:
        """Open the current cell, and leave the grid."""
        source = self.source
        if source is not None and source.key is not None:
            self.kind.take(source)
        self.leave()

    @property
    def source(self) -> Source | None:
        """The source of the current cell."""
        return self.sources[self.current] if self.current < len(self.sources) else None

    def select(self, index: int) -> None:
        """Make the cell of a source current, and show its page."""
        if self.sources:
            self.current = min(max(index, 0), len(self.sources) - 1)
            self.first = self.current // self.count * self.count
            self.refresh()

    def choose(self, index: int) -> None:
        """Make the cell of a source current by a click; an open image is then the current image as well."""
        self.select(index)
        source = self.source
        if source is not None:
            self.kind.choose(source)

    def turn(self, pages: int) -> None:
        """Show another page."""
        self.select(min(self.first + pages * self.count, len(self.sources) - 1) if pages > 0 else self.first - 1)

    def set_zoom(self, zoom: GridZoom) -> None:
        """Set the zoom and pan of all cells."""
        if zoom != self.zoom:
            self.zoom = zoom
            self.framed.emit()
            self.refresh()

    def set_size(self, size: tuple[int, int]) -> None:
        """Set the size of a cell."""
        if size != self.size:
            self.size = size
            self.refresh()

    def viewport(self, cell: Cell) -> Viewport | None:
        """Return the viewport of a cell; None without an image."""
        return None if cell.shape is None else self.zoom.viewport(cell.shape, *self.size)

    def refresh(self, *_: object) -> None:
        """Show and request what has changed, soon."""
        if self.shown and not self._is_due:
            self._is_due = True
            self._due.emit()

    # -- inside

    def _update(self) -> None:
        self._is_due = False
        if not self.shown:
            return
        kind = self.kind
        self.sources = kind.sources()
        self.current = min(self.current, max(0, len(self.sources) - 1))
        self.first = self.current // self.count * self.count
        shown = self.sources[self.first : self.first + self.count]
        kind.want(shown)
        known = {(cell.source.kind, cell.source.key): cell for cell in self.cells}
        self.cells = [self._cell(source, known.get((source.kind, source.key))) for source in shown]
        done = [place for place, cell in enumerate(self.cells) if cell.exact]
        self._preview.submit_grid([cell.request for cell in self.cells], done)
        self.changed.emit()

    def _cell(self, source: Source, before: Cell | None) -> Cell:
        """Return a cell, with the last frame of its source until there is another one."""
        content = self.kind.content(source)
        part = content.image.part if content.image is not None else None
        shape = None
        if part is not None:
            x0, y0, x1, y1 = part.display_window
            left, top = part.data_window[:2]
            window = (
                None if part.display_window == part.data_window else (x0 - left, y0 - top, x1 - x0 + 1, y1 - y0 + 1)
            )
            shape = ImageShape(part.width, part.height, part.pixel_aspect, window)
        cell = Cell(source, content, shape)
        cell.request = self._request(cell)
        if before is not None and before.shape == shape:
            cell.image, cell.region, cell.problem = before.image, before.region, before.problem
            cell.exact = before.exact and before.request == cell.request
        return cell

    def _request(self, cell: Cell) -> CellRequest | None:
        viewport, content = self.viewport(cell), cell.content
        placement = viewport.placement() if viewport is not None else None
        if placement is None or content.managed is None:
            return None
        shown = content.managed, content.data, *self._view()
        return cell_request(levels_of(content.image), content.grade, placement, *shown)

    def _take(self, place: int, image: QImage | None, request: CellRequest, exact: bool, problem: str) -> None:
        """Show a frame, unless its cell shows another image by now."""
        if not self.shown or place >= len(self.cells):
            return
        cell = self.cells[place]
        wanted = cell.request
        if wanted is None or wanted.levels is not request.levels:
            return
        same = wanted == replace(request, view=replace(request.view, region=wanted.view.region))
        if same and cell.exact:
            return  # made for an earlier request of the grid: the newest one asks for no frame of this cell any more
        cell.image, cell.region, cell.exact, cell.problem = image, request.view.region, exact and same, problem
        self.framed.emit()
