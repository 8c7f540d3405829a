"""The current document on the canvas: it asks the preview for frames and puts them there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.canvas.presenting.frames import DeviceFrame
from app.canvas.wipe import WipeTool
from app.model.comparison_target import SOURCE
from app.panels.probe.pins import PinTool
from app.render.frame_plan import Comparison
from app.render.requests import Request, View
from app.services.comparing import SIDES, document_compared, version_compared, what_is_missing
from engine import FileLook, Grade
from engine.viewing import Levels, levels_of

if TYPE_CHECKING:
    from app.shell.workspace import Workspace


class Stage(QObject):
    """Ties document, view, canvas and preview together; whoever changes what is seen calls `refresh`."""

    shown = Signal()  # a frame has reached the canvas
    tried_changed = Signal(object)  # the FileLook that is tried, or None

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.tried: FileLook | None = None
        self._missing = ""  # what was told of the other side of a comparison that has gone
        self._other: tuple[Any, Levels] | None = None
        self.wipe = WipeTool(workspace)
        self.pins = PinTool(workspace)
        workspace.image_changed.connect(self._show_image)
        workspace.versions_changed.connect(self._follow_other)
        workspace.documents_changed.connect(self._follow_other)
        workspace.grade_changed.connect(self.refresh)
        workspace.canvas.view_changed.connect(self.refresh)
        workspace.preview.frame.connect(self._show_frame)
        workspace.preview.values.connect(self._show_values)

    def try_look(self, look: FileLook | None) -> None:
        """Show a look at the end of the grade without putting it there; None ends that."""
        if look != self.tried:
            self.tried = look
            self.tried_changed.emit(look)
            self.refresh()

    @property
    def grade(self) -> Grade:
        """The grade that is shown: the document's, and the look that is tried."""
        grade = self._workspace.document.grade
        return grade if self.tried is None else grade.with_entries((*grade.entries, self.tried))

    def refresh(self) -> None:
        """Ask for a frame of what the canvas should show now, once the colour spaces of that are known."""
        workspace = self._workspace
        self._tell_missing(what_is_missing(workspace))
        placement = workspace.canvas.placement()
        if placement is not None and workspace.colour.settled(workspace.document):
            state = workspace.view
            colour = workspace.colour
            where = (placement.region, placement.width, placement.height)
            view = View(
                *where,
                colour.managed,
                colour.viewing,
                state.channel,
                state.compare != "source",
                state.backdrop,
                self._comparison(),
                state.overlays,
                state.zebra,
                holds_ids(workspace.document.image),
            )
            workspace.preview.submit(self.grade, view)

    def _comparison(self) -> Comparison | None:
        """What the image is compared with; without that it is shown alone."""
        workspace, state, document = self._workspace, self._workspace.view, self._workspace.document
        version, other = version_compared(workspace), document_compared(workspace)
        if other is None or state.compare not in SIDES:
            self._other = None
        if state.compare not in SIDES or self._missing:
            return None
        managed, levels, offset = workspace.colour.managed, None, (0, 0)
        if self.tried is not None:
            grade = document.grade  # with the look that is tried, or without
        elif version is not None:
            grade = version.grade
        elif other is not None:
            workspace.read(other)
            if other.image is None or not workspace.colour.settled(other):
                return None
            grade, managed, levels = other.grade, other.managed, self._levels_of(other.image)
            ours, theirs = document.image.part.data_window, other.image.part.data_window
            offset = (ours[0] - theirs[0], ours[1] - theirs[1])
        else:
            grade = Grade((), document.grade.colour)
        place = (state.wipe_x, state.wipe_y, state.wipe_angle, state.gain)
        return Comparison(state.compare, grade, managed, levels, *place, offset=offset)

    def _levels_of(self, image: Any) -> Levels:
        """The levels of the other image: the same each time, so that they are not brought to the device anew."""
        if self._other is None or self._other[0] is not image:
            self._other = image, levels_of(image)
        return self._other[1]

    def _tell_missing(self, line: str) -> None:
        """Say that what the image is compared with has gone, for as long as that is so."""
        if line != self._missing:
            self._workspace.take_back(self._missing)
            self._missing = line
            if line:
                self._workspace.tell(line)

    def _follow_other(self) -> None:
        """Versions or documents have changed: perhaps those that the image is compared with."""
        if self._workspace.view.compare in SIDES and self._workspace.view.against != SOURCE:
            self.refresh()

    def _show_frame(self, frame: QImage | DeviceFrame, request: Request) -> None:
        self._workspace.canvas.show_frame(frame, request.view.region)
        self.shown.emit()

    def _show_values(self, values: Any, request: Request) -> None:
        self._workspace.canvas.show_values(values, request.view.region)

    def _show_image(self) -> None:
        document, canvas = self._workspace.document, self._workspace.canvas
        image = document.image
        self._workspace.preview.set_image(None if image is None else levels_of(image))
        if image is None:
            canvas.clear()
            return
        part = image.part
        canvas.set_image(part.width, part.height, part.pixel_aspect, display_window(part))
        if document.viewport is not None:
            canvas.restore(document.viewport)
            document.viewport = None


def holds_ids(image: Any) -> bool:
    """Whether the layer that is shown holds whole numbers of 32 bits, as IDs are kept, and no light."""
    return image is not None and all(image.part.channel(name).type == "uint" for name in image.layer.channels)


def display_window(part: Any) -> tuple[int, int, int, int] | None:
    """The display window as x, y, width and height counted from the data window's first pixel; None if they agree."""
    if part.display_window == part.data_window:
        return None
    x0, y0, x1, y1 = part.display_window
    return x0 - part.data_window[0], y0 - part.data_window[1], x1 - x0 + 1, y1 - y0 + 1
