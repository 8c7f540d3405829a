"""What the first image does not need, loaded and made once that is painted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from PySide6.QtCore import QObject, QTimer, Signal

from app.canvas.canvas import Canvas
from app.services.jobs import Jobs
from app.services.memory import keep_loaded
from app.services.messages import Messages
from app.services.module_store import keep_modules
from app.shell.collector import Collector
from app.shell.docks import Docks
from engine.export.frame_patterns import parse_frames
from engine.kernel.op import REGISTRY

EMPTY_MS = 1000
"""Delay from the start to loading what an empty window does not need."""
IMAGE_MS = 3000
"""Delay after which the panels are made even if the image is not painted yet."""
SETTLED_MS = 1000
"""Delay after the last panel until the process has nearly all that stays in memory."""
MODULES = (
    "app.canvas.grid.view",
    "app.canvas.grid.kinds",
    "app.canvas.mattes.tools",
    "app.dialogs.apply_grade",
    "app.dialogs.export_dialog",
    "app.dialogs.look_dialog",
    "app.render.grid_frames",
    "app.services.export_job",
    "app.services.still_grabs",
    "app.services.still_grades",
    "app.shell.control_surface",
    "app.shell.keys_dialog",
    "app.shell.palette",
    "app.shell.preferences",
    "numpy.ma",
    "psutil",
)
"""What the interface would otherwise wait for when it is first used."""


class Later(QObject):
    """Imports modules on a thread, then makes what waits for them, one thing in each turn of the event loop.

    After that, garbage collection leaves out everything that was loaded.

    `timer` is how long this waits at most.
    """

    begun = Signal()  # the image is painted, or there is none

    def __init__(
        self,
        docks: Docks,
        jobs: Jobs,
        messages: Messages,
        make_rest: Callable[[], object],
        is_idle: Callable[[], bool],
        parent: QObject,
    ) -> None:
        """`make_rest` creates what follows the panels; `is_idle` returns whether no frame is computed."""
        super().__init__(parent)
        self._docks, self._jobs, self._messages = docks, jobs, messages
        self._make_rest = make_rest
        self._begun = False
        self.timer = QTimer(self, singleShot=True, interval=EMPTY_MS)
        self.timer.timeout.connect(self._begin)
        self.timer.start()
        self._collector = Collector(is_idle, self)

    def wait_for(self, canvas: Canvas) -> None:
        """Make no panel until the canvas has painted an image."""

        def begin() -> None:
            if canvas.has_frame:
                canvas.painted.disconnect(begin)
                QTimer.singleShot(0, self, self._begin)

        self._docks.hold()
        self.timer.start(IMAGE_MS)
        canvas.painted.connect(begin)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self.begun.emit()
            self._jobs.run(self._load, self._loaded, self._messages.warn, self)

    def _load(self) -> list[str]:
        """Import everything, on a thread: first the modules of the panels that are shown. Return what is wrong."""
        problems = list[str]()
        for name in (*self._docks.modules(), *MODULES):
            try:
                import_module(name)
            except ImportError as error:
                problems.append(f"{name} can't be loaded ({error}); install Tessera again")
        list(REGISTRY.values())  # imports all ops, which the search for operations lists
        parse_frames("1")  # loads the parser of patterns
        keep_modules()
        return problems

    def _loaded(self, problems: list[str]) -> None:
        for problem in problems:
            self._messages.warn(problem)
        self._make()

    def _make(self) -> None:
        """Make the next panel; after the last one, the rest."""
        more = self._docks.make_next()
        if more:
            QTimer.singleShot(0, self, self._make)
        else:
            self._make_rest()
            QTimer.singleShot(SETTLED_MS, self, self._settle)

    def _settle(self) -> None:
        keep_loaded()
        self._collector.start()
