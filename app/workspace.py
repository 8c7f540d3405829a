"""The open documents with the services that read, compute, show and write them, from which the window is composed.

Only the window, the table of panels and the commands know the workspace. A widget takes the services that it uses in
its constructor.

Adding to the window:
- A panel is a `PanelSpec` in the table of `app/shell/panels.py`; its `make(workspace)` passes the services that the
  widget uses to its constructor when the panel is first shown. The signals of `CurrentDocument` follow the current
  document: connect once.
- A command is a `Command` in a table of `app/actions`, listed in `app/actions/table.py`. That adds it to the menu, the
  key sheet, the palette and the tests. `run(workspace)` runs it, `when(workspace)` returns whether it is enabled.
- A view option is a field of `ViewState` (`app/model/view_state.py`), read where frames are requested
  (`app/canvas/stage.py`) and changed by `ViewOptions.set`; a `Command(..., view=("field", value))` toggles one
  value of it.
- `Messages.warn` reports what the user must know, `note` what was done. Work that takes over 10 ms goes through `Jobs`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.canvas.canvas import Canvas
from app.canvas.other_side import OtherSide
from app.canvas.presenting.choice import Presenting
from app.canvas.stage import Stage
from app.dialogs.prompts import Prompts
from app.model.document import Document
from app.model.grade_rows import mattes_of
from app.model.view_state import ViewState
from app.render.preview import Preview
from app.services.activity import Activity
from app.services.colour_manager import Colour
from app.services.data_views import DataViews
from app.services.disk import Disk
from app.services.engine_calls import Services
from app.services.event_loop import turn_queue
from app.services.export_queue import ExportQueue
from app.services.files import Files
from app.services.frame_reads import FrameReads
from app.services.jobs import Jobs
from app.services.keyframes import Keyframes
from app.services.matte_editor import MatteEditor
from app.services.matte_files import MatteFiles
from app.services.matte_selection import MatteSelection
from app.services.matte_thumbnails import MatteThumbnails
from app.services.memory import collect_all, give_back
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from app.services.open_session import OpenSession
from app.services.other_eye import OtherEye
from app.services.own_ops import OwnOps
from app.services.player import Player
from app.services.settings import BACKEND, BUDGET, Settings
from app.services.space_question import SpaceQuestion
from app.services.thumbnail_feed import ThumbnailFeed
from app.services.window_tracking import WindowTracking
from app.side_workspace import SideWorkspace
from app.widgets.cells import forget_cells
from app.widgets.thumbnail import forget_thumbnails
from engine.errors import BackendUnavailable

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from app.canvas.mattes.tools import MatteTools
    from app.model.window import Window

FINISH_SECONDS = 5.0
"""How long `finish` waits for writes."""
RETURN_MS = (1000, 3000, 10_000)
"""Delays from closing the last image to returning its memory to the system: a thread that still decodes or compiles
something releases its own only then."""


class Workspace(SideWorkspace):
    """The documents and services of a window, without its widgets."""

    services: Services
    messages: Messages
    jobs: Jobs
    activity: Activity
    disk: Disk
    settings: Settings
    canvas: Canvas
    open_documents: OpenDocuments
    colour: Colour
    preview: Preview
    files: Files
    stage: Stage

    def __init__(
        self,
        services: Services | None = None,
        folder: Path | None = None,
        backend: str = "auto",
        threads: int = 0,
        parent: QObject | None = None,
    ) -> None:
        """Create a workspace. `folder` holds settings, presets and sessions; if it is None, nothing is saved."""
        super().__init__(parent)
        self.services = services or Services()
        self.messages = Messages(self)
        self.jobs = Jobs(self, turn_queue().put_off)
        self.jobs.lost.connect(self.messages.warn)
        self.activity = Activity(self.jobs, self)
        self.disk = Disk(self)
        self.settings = Settings(folder, self.jobs, self)
        self.threads = threads
        self._first = True
        self.actions: dict[str, QAction] = {}
        self.window: Window  # set by the window
        self.panel: Callable[[str], QWidget] = _no_panel  # returns a panel by its name, created on first use
        self.show_panel: Callable[[str], QWidget] = _no_panel  # the same, and brings it to the front
        self.canvas = Canvas()
        self._make_documents()
        chosen = self.settings.get(BACKEND, "auto") if backend == "auto" else backend
        self.preview = Preview(self._create_executor, chosen, self)
        self.preview.set_budget(self.settings.get(BUDGET, self.preview.budget))
        self.activity.add(lambda: self.preview.current_work)
        self.preview.requested.connect(self.activity.begin)
        shared = self.settings, self.jobs, self.messages
        documents, colour = self.open_documents, self.colour
        self.own_ops = OwnOps(documents.renew, folder, self.jobs, self.messages, self)
        self.own_ops.begin()
        self.presenting = Presenting(self.canvas, self.preview, *shared, self)
        self.exports = ExportQueue(self.jobs, self)
        self.files = Files(documents, self.session, colour, self.services, *shared, self)
        self.prompts = Prompts(documents, self.files, self.session, self.canvas)
        current = documents.current
        self.data_views = DataViews(current, documents.view, self.services, self.jobs, self)
        eyes = OtherEye(lambda: current.document.image, self.services, self.jobs, self.messages, self)
        current.image_changed.connect(eyes.follow)
        eyes.read.connect(current.frame_wanted)
        reading = self.wanted_still, colour.settled, documents.image_wanted.emit
        other = OtherSide(self.others, eyes, lambda: self.stills, lambda: self.side_images, *reading)
        self.canvas.stills_dropped.connect(lambda ids: self.use_stills(ids, self.document))
        shown = self.preview, self.canvas, self.messages, self.data_views
        self.stage = Stage(documents, colour, *shown, eyes, other, self)
        self._make_mattes()
        self.player = Player(documents, colour, self.preview, self.services, *shared, self)
        self.keyframes = Keyframes(current, self.player, self.messages, self)
        self._make_tracking()

    def _make_mattes(self) -> None:
        current, colour = self.open_documents.current, self.colour
        self.matte_selection = selection = MatteSelection(current, self)
        selection.refused.connect(self.messages.warn)
        self._matte_files = matte_files = MatteFiles(
            lambda: current.document.image,
            lambda: mattes_of(current.document.grade),
            self.services.cryptomatte_objects,
            self.services.missing_planes,
            self.services.ids_there,
            self.jobs,
            self,
        )
        current.image_changed.connect(matte_files.follow)
        current.grade_changed.connect(matte_files.look)
        self.matte_editor = MatteEditor(selection, matte_files, self.messages, self)
        self.matte_thumbnails = MatteThumbnails(self)
        self._thumbnail_feed = feed = ThumbnailFeed(
            lambda: current.document if colour.is_settled else None, self.preview, self.matte_thumbnails, self
        )
        for signal in (current.grade_changed, current.image_changed, current.changed, colour.changed):
            signal.connect(feed.update_soon)

    @cached_property
    def matte_tools(self) -> MatteTools:
        """The tools of mattes on the canvas, created once the first image is shown."""
        from app.canvas.mattes.tools import MatteTools
        from app.services.matte_picks import MattePicks

        return MatteTools(
            self.canvas,
            self.matte_selection,
            self.stage.half,
            MattePicks(lambda: self.document, self.services, self.jobs, self.preview, self),
            lambda: self._matte_files.object_layers,
            self.preview,
            self.settings,
            self.messages,
            self,
        )

    def _make_tracking(self) -> None:
        reads = FrameReads(self.services.read_image, self.colour, lambda: None, self.jobs)
        create_executor = partial(self.services.create_executor, "cpu", 1)
        shared = self.jobs, self.settings, self.messages
        followed = (lambda: self.document), self.matte_selection, self.player
        self.tracking = tracking = WindowTracking(*followed, reads.reader, create_executor, *shared, self)
        self.open_documents.closed.connect(tracking.forget)
        self.activity.add(lambda: tracking.current_work, tracking.stop)
        tracking.begun.connect(self.activity.begin)

    def _make_documents(self) -> None:
        view = ViewState(display=self.settings.get("display", ""), view=self.settings.get("view", ""))
        self.open_documents = documents = OpenDocuments(self.jobs, view, self)
        documents.closed.connect(self._give_back)
        self._returns = [QTimer(self, singleShot=True) for _ in RETURN_MS]
        for timer in self._returns:
            timer.timeout.connect(self._give_back_now)
        self.session = OpenSession(documents, self)
        shared = self.settings, self.jobs, self.messages
        self.colour = Colour(documents, self.services, *shared, self)
        self.space_question = SpaceQuestion(documents.current, documents.view, self.colour, *shared, self)

    @property
    def documents(self) -> list[Document]:
        """The open documents, at least one."""
        return self.open_documents.items

    @property
    def document(self) -> Document:
        """The current document."""
        return self.open_documents.current.document

    @property
    def view(self) -> ViewState:
        """The view options of the current document."""
        return self.document.view

    def set_view(self, **changes: Any) -> None:
        """Change view options of the current document and request a new frame."""
        self.open_documents.view.set(**changes)

    def close(self) -> None:
        """End all work except writes; `finish` waits for those."""
        for timer in self._returns:
            timer.stop()
        self.settings.close()
        self.tracking.stop()
        self.jobs.close()
        self.preview.stop()
        self.presenting.close()
        self.disk.stop()

    def finish(self, seconds: float = FINISH_SECONDS) -> list[str]:
        """After `close`, wait for the writes, for at most `seconds`; return the targets that are still not written."""
        return self.jobs.finish(seconds)

    def _give_back(self, _document: object) -> None:
        """Return the memory of closed images to the system once no image is left."""
        if self._is_empty:
            for timer, delay in zip(self._returns, RETURN_MS, strict=True):
                timer.start(delay)

    def _give_back_now(self) -> None:
        if self._is_empty:
            forget_cells()
            forget_thumbnails()
            collect_all()
            self.jobs.run(self._return_memory, lambda _: None, self.messages.warn, self)

    def _return_memory(self) -> None:  # on a thread
        self.services.rest_movies()
        give_back()

    @property
    def _is_empty(self) -> bool:
        return not any(each.image_path for each in self.documents)

    def _create_executor(self, backend: str) -> Any:
        """Create an executor, on the preview's thread.

        The saved backend may have become unavailable: the first call then uses the best available one.
        """
        first, self._first = self._first, False
        try:
            return self.services.create_executor(backend, self.threads)
        except BackendUnavailable as error:
            if not first or backend == "auto":
                raise
            self.messages.warn(f"{error}. The best available device is used instead.")
            return self.services.create_executor("auto", self.threads)


def _no_panel(name: str) -> QWidget:
    raise KeyError(name)
