"""The tools of mattes on the canvas: which of them is there, as the selection asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from app.canvas.canvas import Canvas
from app.canvas.mattes.cryptomatte_tool import CryptomatteTool
from app.canvas.mattes.draw_tool import DrawTool
from app.canvas.mattes.path_draw_tool import PathDrawTool
from app.canvas.mattes.place import CanvasPlace
from app.canvas.mattes.snapping import Snapping
from app.canvas.mattes.stroke_tool import StrokeTool
from app.canvas.mattes.window_tool import WindowTool
from app.canvas.tools import Tool
from app.model.matte_drawing import WINDOWS
from app.render.preview import Preview
from app.services.matte_picks import MattePicks
from app.services.matte_selection import MatteSelection
from app.services.messages import Messages
from app.services.settings import Settings
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.qualifiers import HslQualifier, Key3d

DRAWS = "Drag to draw the {}; Return makes one, Esc cancels"
DRAWS_PATH = "Click or drag to set vertices; Ctrl+Z removes the last one, Return closes the path"

PICKS_OBJECTS = "Click objects; Up and Down change the layer, Return picks the centre, Esc ends"
PICKS_SAMPLES = "Draw on colours to include them, with Alt to exclude them; Return picks the centre, Esc ends"
PICKS_RANGES = "Draw on colours, with Shift to extend the ranges; Return picks the centre, Esc ends"


class MatteTools(QObject):
    """Puts the tool on the canvas that the selection asks for: one that edits windows, draws them, or picks."""

    def __init__(
        self,
        canvas: Canvas,
        selection: MatteSelection,
        half: Callable[[], str],
        picks: MattePicks,
        layers: Callable[[], Sequence[str]],
        preview: Preview,
        settings: Settings,
        messages: Messages,
        parent: QObject,
    ) -> None:
        """`half` returns which half of the frame shows the displayed image, '' if all of it; `layers` the Cryptomatte
        layers of the displayed file."""
        super().__init__(parent)
        self._canvas, self._selection, self._messages = canvas, selection, messages
        self.place = CanvasPlace(canvas, half)
        self.snapping = Snapping(self.place, selection, settings)
        self.windows = WindowTool(self.place, selection, self.snapping)
        self.drawing = DrawTool(self.place, selection, self.snapping, self._end)
        self.path = PathDrawTool(self.place, selection, self.snapping, self._end)
        self.strokes = StrokeTool(self.place, selection, picks, messages, self._end)
        self.objects = CryptomatteTool(self.place, selection, picks, layers, preview, messages, self._end)
        self._waits: Tool | None = None  # the tool that draws or picks
        self._task: tuple[object, ...] = ()  # what it does that for
        canvas.tools.push(self.windows)
        selection.changed.connect(self._follow)
        self._follow()
        canvas.redraw()

    def _follow(self) -> None:
        """Put the tool that is asked for on top, and take the one that was there away."""
        wanted, task = self._wanted(), self._selection.task
        if wanted is self._waits and task == self._task:
            self.objects.refresh()
            return
        before, self._waits, self._task = self._waits, None, task
        if before is not None:
            self._canvas.tools.remove(before)  # it forgets what it worked on
        self._waits = wanted
        if wanted is not None and wanted is self._wanted():
            if wanted is self.objects:
                self.objects.begin()
            self._canvas.tools.push(wanted)
            self._canvas.setFocus()  # it handles keys
            self._messages.note(self._note())

    def _end(self, tool: Tool) -> None:
        """End what a tool was there for, after Esc has removed it."""
        if self._waits is tool:
            self._waits, self._task = None, ()
            self._selection.pick(False) if self._selection.picking else self._selection.draw("")

    def _wanted(self) -> Tool | None:
        name, source = self._selection.drawing, self._selection.source
        if name:
            return self.path if name == "Path" else self.drawing
        if not self._selection.picking:
            return None
        if isinstance(source, Cryptomatte):
            return self.objects
        return self.strokes if isinstance(source, Key3d | HslQualifier) else None

    def _note(self) -> str:
        """Return the line that says what the tool does."""
        titles = {each.__name__: each.title().lower() for each in WINDOWS}
        name, source = self._selection.drawing, self._selection.source
        if name:
            return DRAWS_PATH if name == "Path" else DRAWS.format(titles[name])
        if isinstance(source, Cryptomatte):
            return PICKS_OBJECTS
        return PICKS_SAMPLES if isinstance(source, Key3d) else PICKS_RANGES
