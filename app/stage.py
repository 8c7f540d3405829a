"""The current document on the canvas: it asks the preview for frames and puts them there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.frame_plan import Comparison
from app.presenting.frames import DeviceFrame
from app.probe.pins import PinTool
from app.requests import Request, View
from app.wipe import WipeTool
from engine import FileLook, Grade
from engine.viewing import levels_of

if TYPE_CHECKING:
    from app.workspace import Workspace


class Stage(QObject):
    """Ties document, view, canvas and preview together; whoever changes what is seen calls `refresh`."""

    shown = Signal()  # a frame has reached the canvas
    tried_changed = Signal(object)  # the FileLook that is tried, or None

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self.tried: FileLook | None = None
        self.wipe = WipeTool(workspace)
        self.pins = PinTool(workspace)
        workspace.picture_changed.connect(self._show_picture)
        workspace.files.opened.connect(self._opened)
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
                holds_ids(workspace.document.picture),
            )
            workspace.preview.submit(self.grade, view)

    def _comparison(self) -> Comparison | None:
        """What the picture is held against, if that is there."""
        state, document = self._workspace.view, self._workspace.document
        if state.compare not in ("wipe", "split", "difference"):
            return None
        source = Grade((), document.grade.colour)
        kind, _, name = state.against.partition(" ")
        grade, managed, levels = source, self._workspace.colour.managed, None
        offset = (0, 0)
        if self.tried is not None:
            grade = document.grade  # with the look that is tried, or without
        elif kind == "version":
            grade = document.versions[name].grade if name in document.versions else source
        elif kind == "picture":
            other = next((d for d in self._workspace.documents if str(d.picture_path) == name), None)
            if other is not None:
                self._workspace.read(other)
            if other is not None and other.picture is not None and self._workspace.colour.settled(other):
                grade, managed, levels = other.grade, other.managed, levels_of(other.picture)
                ours, theirs = document.picture.part.data_window, other.picture.part.data_window
                offset = (ours[0] - theirs[0], ours[1] - theirs[1])
        place = (state.wipe_x, state.wipe_y, state.wipe_angle, state.gain)
        return Comparison(state.compare, grade, managed, levels, *place, offset=offset)

    def _opened(self, path: object) -> None:
        """A picture came: the shown one may be held against it."""
        if self._workspace.view.against == f"picture {path}":
            self.refresh()

    def _show_frame(self, frame: QImage | DeviceFrame, request: Request) -> None:
        self._workspace.canvas.show_frame(frame, request.view.region)
        self.shown.emit()

    def _show_values(self, values: Any, request: Request) -> None:
        self._workspace.canvas.show_values(values, request.view.region)

    def _show_picture(self) -> None:
        document, canvas = self._workspace.document, self._workspace.canvas
        picture = document.picture
        self._workspace.preview.set_picture(None if picture is None else levels_of(picture))
        if picture is None:
            canvas.clear()
            return
        part = picture.part
        canvas.set_picture(part.width, part.height, part.pixel_aspect, display_window(part))
        if document.viewport is not None:
            canvas.restore(document.viewport)
            document.viewport = None


def holds_ids(picture: Any) -> bool:
    """Whether the layer that is shown holds whole numbers of 32 bits, as IDs are kept, and no light."""
    return picture is not None and all(picture.part.channel(name).type == "uint" for name in picture.layer.channels)


def display_window(part: Any) -> tuple[int, int, int, int] | None:
    """The display window as x, y, width and height counted from the data window's first pixel; None if they agree."""
    if part.display_window == part.data_window:
        return None
    x0, y0, x1, y1 = part.display_window
    return x0 - part.data_window[0], y0 - part.data_window[1], x1 - x0 + 1, y1 - y0 + 1
