"""Requests for the cells of a compare grid."""

from __future__ import annotations

from app.model.data_view import ShownData
from app.model.viewport import Placement
from app.render.requests import View
from engine import Grade
from engine.color.management import Managed
from engine.core.records import dataclass
from engine.grade.colour_settings import Viewing
from engine.viewing import Levels


@dataclass(frozen=True)
class CellRequest:
    """A cell: an image, its grade, and the part of it that is shown, on how many pixels."""

    levels: Levels
    grade: Grade
    view: View


@dataclass(frozen=True)
class GridRequest:
    """The cells of a grid; None for one that is empty, or whose image is not there yet. `done` are the places of cells
    whose exact frames are on the screen."""

    serial: int
    cells: tuple[CellRequest | None, ...]
    done: frozenset[int] = frozenset()


def cell_request(
    levels: Levels,
    grade: Grade,
    placement: Placement,
    managed: Managed,
    data: ShownData | None,
    viewing: Viewing,
    channel: str,
    backdrop: str,
) -> CellRequest:
    """Return the request for an image in some spaces, or of data, where it lies in its cell."""
    place = placement.region, placement.width, placement.height
    return CellRequest(levels, grade, View(*place, managed, viewing, channel, backdrop=backdrop, data=data))
