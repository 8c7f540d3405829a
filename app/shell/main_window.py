"""The window: it lays out the workspace's canvas, docks, bars and menus."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from app.actions.build import Menus, make_actions
from app.actions.file import RECENT_MENU
from app.actions.layers import LAYER_MENU
from app.actions.table import AREAS, MENUS
from app.canvas.canvas import Canvas, local_paths
from app.canvas.overlays import EmptyState, MessageBar
from app.dialogs import prompts as asking
from app.dialogs.export_dialog import ExportDialog
from app.model.document import Document
from app.model.session import open_session
from app.render.preview import Preview
from app.services.autosave import TRIES, Autosave, Crashed, claim, crashed
from app.services.engine_calls import Services
from app.services.export_queue import Export, State
from app.services.files import Files
from app.services.memory import keep_loaded
from app.services.settings import config_folder
from app.services.watching import Watching
from app.shell.closing import Closing
from app.shell.docks import Docks
from app.shell.layer_menus import LayerMenu
from app.shell.recent_files import Recent
from app.shell.screen_state import ScreenState
from app.shell.stage import holds_ids
from app.shell.status_bar import StatusBar
from app.shell.tabs import Tabs
from app.shell.toolbar import ToolBar
from app.shell.workspace import Workspace
from app.widgets import style
from app.widgets.qt_repairs import keep_constants

NOTE_MS = 4000
PANELS_MS = 1000
"""So long after the start the modules of panels are loaded, when the first image is there."""
LOADED_MS = 3000
"""So long after it all that always stays is there."""
ENDING_SECONDS = 2.0
"""How long to wait for threads that still read after the window is closed."""
SWITCH_SECONDS = 0.0005
"""How long a computing thread may hold the interpreter while the window waits; one repaint enters it many times."""


class MainWindow(QMainWindow):
    """Everything on the screen. What it works on is in `workspace`."""

    def __init__(
        self, backend: str = "auto", threads: int = 0, services: Services | None = None, folder: Path | None = None
    ) -> None:
        """`folder` keeps the settings; without it nothing is remembered."""
        super().__init__()
        self.workspace = Workspace(services, folder, backend, threads, self)
        self.menus = Menus(self, MENUS)
        make_actions(self.workspace, self, self.menus, AREAS)
        self.docks: Docks = Docks(self.workspace, self, self.menus.menu("&Panels"))
        self.bar = MessageBar(self.canvas)
        self.empty = EmptyState(self.workspace)
        self.tabs = Tabs(self.workspace)
        self.toolbar = ToolBar(self.workspace)
        self.status = StatusBar()
        self.screen_state: ScreenState = ScreenState(self)
        self.watching = Watching(self.workspace)
        self.closing = Closing(self.workspace, self.close)
        self._pointer: tuple[int, int] | None = None
        self._over = False
        self._lay_out()
        self._connect()
        self._show_history()
        self._show_title()
        self._show_image()
        self.docks.restore()
        self.layers = LayerMenu(self.workspace, self.menus.menu(LAYER_MENU))
        self.recent = Recent(self.workspace, self.menus.menu(RECENT_MENU))
        self.autosave = Autosave(self.workspace, folder) if folder else None
        if folder is not None:
            self.workspace.jobs.run(lambda: crashed(folder), self._recover, self.bar.tell, self)
        self.preview.start()
        QTimer.singleShot(PANELS_MS, self, self.docks.load_modules)

    @property
    def document(self) -> Document:
        return self.workspace.document

    @property
    def files(self) -> Files:
        return self.workspace.files

    @property
    def canvas(self) -> Canvas:
        return self.workspace.canvas

    @property
    def preview(self) -> Preview:
        return self.workspace.preview

    @property
    def actions_by_name(self) -> dict[str, QAction]:
        return self.workspace.actions

    @property
    def panel(self) -> Any:
        """The panel with the grade."""
        return self.workspace.panel("grade")

    @property
    def export_dialog(self) -> ExportDialog | None:
        """The dialog of the export that was asked for last, if it is still open."""
        return next((d for d in reversed(self.findChildren(ExportDialog)) if d.isVisible()), None)

    def _lay_out(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self.canvas, 1)
        self.setCentralWidget(centre)
        self.addToolBar(self.toolbar)
        self.setStatusBar(self.status)
        self.setAcceptDrops(True)
        self.resize(1280, 720)
        self.setMinimumSize(1024, 560)
        self.canvas.setFocus()

    def _connect(self) -> None:
        workspace = self.workspace
        workspace.history_changed.connect(self._show_history)
        workspace.title_changed.connect(self._show_title)
        workspace.image_changed.connect(self._show_image)
        workspace.grade_changed.connect(self._ask_probe)
        workspace.stage.tried_changed.connect(self._ask_probe)
        workspace.colour.changed.connect(self._ask_probe)
        workspace.grade_changed.connect(self.status.show_grade)
        self.preview.memory.connect(self.status.show_memory)
        workspace.message_shown.connect(self.bar.tell)
        workspace.taken_back.connect(self.bar.take_back)
        workspace.offered.connect(self.bar.offer)
        workspace.exports.ended.connect(self._export_ended)
        workspace.noted.connect(self._note)
        self.canvas.view_changed.connect(self._show_zoom)
        self.canvas.hovered.connect(self._hover)
        self.canvas.dropped.connect(self.drop)
        self.files.refused.connect(self._show_again)
        workspace.jobs.status_changed.connect(self._show_busy)
        self.files.changed_on_disk.connect(partial(asking.ask_to_replace, workspace))
        self.files.correction_wanted.connect(partial(asking.choose_correction, workspace))
        self.preview.probed.connect(self._show_probe)
        self.preview.status.connect(self.status.set_working)
        self.preview.failed.connect(self.bar.tell)

    def _recover(self, found: list[Crashed]) -> None:
        """Open what was open when the program ended without closing."""
        assert self.autosave is not None
        for each in found:
            if each.tries >= TRIES:
                self.bar.tell(f"The session in {each.folder} ended Tessera {each.tries} times; it is left there.")
                continue
            if not claim(each, self.autosave.folder):
                continue
            open_session(self.workspace, each.session)
            self.autosave.take_over([each.folder])
            count = len(each.session.documents)
            self.bar.tell(f"Tessera ended unexpectedly; what was open is back ({count} image{'s' * (count != 1)}).")

    def drop(self, paths: list[Path]) -> None:
        """Files were dropped on the window."""
        self.files.drop(paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.drop(local_paths(event.mimeData()))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self.workspace.settings.sync()  # another process may have changed them
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._over:
            event.accept()
        elif not self.closing.ready():
            event.ignore()
        else:
            self._over = True
            self.screen_state.set_clean(False)
            self.docks.save()
            self.hide()  # so that the window does not seem to hang while threads end
            if self.autosave is not None:
                self.autosave.close()
            self.workspace.close()
            event.accept()

    def _hover(self, pixel: tuple[int, int] | None) -> None:
        self._pointer = pixel
        self._ask_probe()

    def _ask_probe(self) -> None:
        """Have the pixel under the cursor probed; where there is none, no values are shown."""
        image = self.document.image
        x, y = self._pointer or (-1, -1)
        if image is None or not (0 <= x < image.part.width and 0 <= y < image.part.height):
            self.status.show_probe(None)
        elif self.workspace.colour.settled(self.document):
            self.preview.probe(x, y, self.workspace.stage.grade, self.document.managed)

    def _show_probe(self, result: Any) -> None:
        if self._pointer == (result.x, result.y) and self.document.image is not None:
            image = self.document.image
            self.status.show_probe(result, image.part.data_window[:2], holds_ids(image))

    def _show_zoom(self) -> None:
        viewport = self.canvas.viewport
        self.status.show_zoom(viewport.scale if viewport else None)

    def _show_image(self) -> None:
        image = self.document.image
        self.status.show_image(image)
        self._show_zoom()
        self.empty.setVisible(image is None)
        self._ask_probe()

    def _export_ended(self, export: Export) -> None:
        say = self.workspace.tell if export.state == State.FAILED else self.workspace.note
        say(export.line)

    def _show_again(self) -> None:
        """Controls go back to what is, after a file was refused."""
        self.panel.refresh()
        self.toolbar.show_image()

    def _show_busy(self, text: str) -> None:
        self.status.set_busy(text)
        self.empty.say(text if text and self.document.image is None else "")

    def _note(self, line: str) -> None:
        self.status.set_busy(line)
        QTimer.singleShot(NOTE_MS, self, partial(self._end_note, line))

    def _end_note(self, line: str) -> None:
        if self.status.busy == line:
            self.status.set_busy(self.workspace.jobs.status)

    def _show_history(self) -> None:
        for name, text in (("undo", self.document.undo_text), ("redo", self.document.redo_text)):
            self.actions_by_name[name].setText(f"&{name.capitalize()} {text}".rstrip())

    def _show_title(self) -> None:
        image, grade = self.document.image_path, self.document.grade_path
        names = [path.name for path in (image, grade, self.workspace.session.path) if path is not None]
        self.setWindowTitle(f"{' — '.join(names) or 'No image'}[*] — Tessera")
        self.setWindowModified(self.document.modified)


def prepare(app: QApplication) -> None:
    """What an application needs before its first window."""
    keep_constants()
    sys.setswitchinterval(SWITCH_SECONDS)
    QTimer.singleShot(LOADED_MS, keep_loaded)
    app.setApplicationName("Tessera")
    style.apply(app)


def run(image: Path | None, backend: str = "auto", threads: int = 0) -> int:
    """Show the window, with an image if one is given; returns the exit status when it is closed."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    prepare(app)
    window = MainWindow(backend, threads, folder=config_folder())
    window.show()
    if image is not None:
        window.files.open_image(image)
    code = app.exec()
    for name in window.workspace.finish():
        print(f"tessera: {name}: could not be written: the disk does not respond; check it", file=sys.stderr)
        code = 1
    if not window.workspace.jobs.ended(ENDING_SECONDS):  # blocked by a disk that does not respond
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # a thread that returns while Python shuts down may crash
    return code
