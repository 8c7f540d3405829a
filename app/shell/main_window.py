"""The main window, which lays out the canvas, docks, bars and menus of a workspace."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QVBoxLayout, QWidget

from app.actions.build import Menus, make_actions
from app.actions.file import RECENT_MENU
from app.actions.layers import LAYER_MENU
from app.actions.table import AREAS, MENUS
from app.canvas.canvas import Canvas, local_paths
from app.dialogs.prompts import is_saved
from app.model.document import Document
from app.panels.layer_menus import LayerMenu
from app.render.preview import Preview
from app.services.autosave import Autosave, crashed
from app.services.engine_calls import Services
from app.services.export_queue import Export, State
from app.services.files import Files
from app.services.watching import Watching
from app.shell.about import About
from app.shell.accuracy_badge import AccuracyBadge
from app.shell.activity_sign import ActivitySign
from app.shell.chips import Chips
from app.shell.closing import Closing
from app.shell.colour_bar import ColourBar
from app.shell.context_menus import ContextMenus
from app.shell.docks import Docks
from app.shell.empty_state import EmptyState
from app.shell.escape import Escape
from app.shell.later import Later
from app.shell.message_bar import MessageBar
from app.shell.pointer_probe import PointerProbe
from app.shell.recent_files import Recent
from app.shell.repaints import Repaints
from app.shell.screen_state import ScreenState
from app.shell.sequence_strip import SequenceStrip
from app.shell.status_bar import StatusBar
from app.shell.tabs import Tabs
from app.shell.toolbar import ToolBar
from app.shell.viewer_bar import ViewerBar
from app.shell.window_geometry import WindowGeometry
from app.widgets.field_keys import FieldKeys
from app.widgets.large_dialogs import ask_later
from app.workspace import Workspace

if TYPE_CHECKING:
    from app.dialogs.export_dialog import ExportDialog
    from app.shell.control_surface import ControlSurface

NOTE_MS = 4000


class MainWindow(QMainWindow):
    """The main window. `workspace` holds the documents and services that it shows."""

    def __init__(
        self, backend: str = "auto", threads: int = 0, services: Services | None = None, folder: Path | None = None
    ) -> None:
        """Create the window. `folder` holds the settings; if it is None, nothing is saved."""
        super().__init__()
        ws = self.workspace = Workspace(services, folder, backend, threads, self)
        ws.window = self
        self.menus = Menus(self, MENUS)
        self._make_widgets()
        documents, messages = ws.open_documents, ws.messages
        self.watching = Watching(documents, ws.files, ws.colour, ws.disk, ws.services, ws.jobs, messages, ws)
        self.closing = Closing(
            documents, ws.session, ws.exports, lambda: ws.grabbing, ws.prompts, ws.jobs, messages, self.close, ws
        )
        self.about = About(ws.preview, ws.services.backends, ws.jobs, messages, self)
        self.place = WindowGeometry(self, ws.settings)
        self._over = False
        self._lay_out()
        self._connect()
        self._show_history()
        self._show_title()
        self._show_image()
        self.place.restore()
        self.docks.restore()
        self.strip = SequenceStrip(self.docks, ws.player, ws.settings, ws.actions["clean"], ws)
        self.recent = Recent(ws.files, ws.settings, self.menus.menu(RECENT_MENU))
        self.autosave = Autosave(documents, ws.jobs, messages, folder, ws) if folder else None
        if folder is not None and self.autosave is not None:
            ws.jobs.run(lambda: crashed(folder), self.autosave.recover, messages.warn, self)
        self.preview.start()
        self.later = Later(self.docks, ws.jobs, messages, self._make_rest, lambda: ws.preview.idle, self)
        self.later.begun.connect(ws.colour.release_names)
        self.later.begun.connect(self.repaints.begin_covering)

    def _make_widgets(self) -> None:
        ws = self.workspace
        documents, settings, actions = ws.open_documents, ws.settings, ws.actions
        make_actions(ws, self, self.menus, AREAS)
        self.docks: Docks = Docks(lambda spec: spec.make(ws), settings, self, self.menus.menu("&Panels"))
        actions.update(self.docks.actions)
        ws.panel, ws.show_panel = self.docks.panel, self.docks.show
        self.bar = MessageBar(self.canvas)
        self.chips = Chips(documents.view, ws.stage, self.canvas, actions)
        self.empty = EmptyState(self.canvas, ws.files, settings, actions)
        self.tabs = Tabs(documents, ws.session, actions["clean"])
        self.colour_bar = ColourBar(ws.space_question, ws.colour, actions, self.canvas)
        viewer = ViewerBar(documents.current.switch, documents.view, ws.colour, actions)
        self.toolbar = ToolBar(lambda: self.document.image, viewer, ws.files, actions)
        self.layers = LayerMenu(lambda: self.document, ws.files, self.menus.menu(LAYER_MENU))
        self.status = StatusBar()
        self.status.insertPermanentWidget(1, ActivitySign(ws.activity))
        self.context_menus = ContextMenus(self.canvas, self.tabs, actions, self.menus)
        self.field_keys, self.repaints = FieldKeys(self), Repaints(self, self.docks.docks.values())
        self.pointer = PointerProbe(ws.stage, self.status)
        self.accuracy = AccuracyBadge(ws.preview, ws.stage, self.status, ws)
        self.screen_state = ScreenState(
            self, self.canvas, self.docks, self.toolbar, self.status, self.tabs, self.chips, self.colour_bar, actions
        )
        self.escape = Escape(self.canvas.tools.escape, self.bar, ws.leave_grid, ws.stage, self.screen_state)

    @property
    def document(self) -> Document:
        return self.workspace.open_documents.current.document

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
        """The grade panel."""
        return self.workspace.panel("grade")

    @property
    def export_dialog(self) -> ExportDialog | None:
        """The most recent export dialog, if it is still open."""
        from app.dialogs.export_dialog import ExportDialog  # not needed for the first image

        return next((d for d in reversed(self.findChildren(ExportDialog)) if d.isVisible()), None)

    # -- for commands

    def show_palette(self) -> None:
        """Open the command palette."""
        from app.shell.palette import Palette

        ask_later(Palette(self.workspace.actions, self))

    def show_keys(self) -> None:
        """Open the key sheet."""
        from app.shell.keys_dialog import KeysDialog

        ask_later(KeysDialog(self.workspace.actions, self))

    def show_about(self) -> None:
        """Open the dialog about Tessera."""
        self.about.open()

    @cached_property
    def surface(self) -> ControlSurface:
        """The control surfaces, created once the first image is shown."""
        from app.shell.control_surface import control_surface

        ws = self.workspace
        return control_surface(ws.open_documents.current, ws.settings, ws.jobs, ws.messages, ws.actions, ws)

    def _make_rest(self) -> None:
        """Create what neither the first image nor a panel needs: tools of mattes and control surfaces."""
        if not self._over:
            _ = self.workspace.matte_tools, self.surface

    def show_preferences(self) -> None:
        """Open the preferences."""
        from app.shell.preferences import Preferences

        ws = self.workspace
        ws.colour.request_names()
        shown = ws.preview, ws.presenting, lambda: ws.colour.names, ws.services.backends
        ask_later(Preferences(*shown, ws.settings, ws.jobs, ws.actions, self, self.surface, ws.stills, ws.own_ops))

    def set_full_screen(self, full: bool) -> None:
        """Enter or leave full screen."""
        self.screen_state.set_full(full)

    def set_clean(self, clean: bool) -> None:
        """Hide or show the panels and bars."""
        self.screen_state.set_clean(clean)

    def next_pane(self, by: int) -> None:
        """Move the keyboard focus by `by` panes; negative moves backwards."""
        self.screen_state.next_pane(by)

    def reset_layout(self) -> None:
        """Restore the default layout of the panels."""
        self.docks.reset()
        self.strip.reset()

    def _lay_out(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget, stretch in ((self.tabs, 0), (self.colour_bar, 0), (self.canvas, 1)):
            column.addWidget(widget, stretch)
        self.setCentralWidget(centre)
        self.addToolBar(self.toolbar)
        self.setStatusBar(self.status)
        self.setAcceptDrops(True)
        self.resize(1280, 720)
        self.setMinimumSize(1024, 560)
        self.canvas.setFocus()

    def _connect(self) -> None:
        workspace = self.workspace
        documents, current = workspace.open_documents, workspace.open_documents.current
        current.history_changed.connect(self._show_history)
        for signal in (current.title_changed, documents.documents_changed, workspace.session.changed):
            signal.connect(self._show_title)
        shows = self.toolbar.show_image, self.layers.follow, self.accuracy.clear, self.chips.follow_frame
        for show in (*shows, self._show_image):
            current.image_changed.connect(show)
        current.grade_changed.connect(self.status.show_grade)
        stage, lut_changed = workspace.stage, workspace.stage.previewed_lut_changed
        changes = documents.documents_changed, current.versions_changed, current.grade_changed, documents.view.changed
        current.switch.at_last(self.chips.refresh, *changes, lut_changed, stage.trial_changed, stage.data.changed)
        for signal in (current.grade_changed, current.image_changed, lut_changed, workspace.colour.changed):
            signal.connect(self.pointer.refresh)
        self.canvas.hovered.connect(self.pointer.follow)
        self.preview.probed.connect(self.pointer.show)
        workspace.grabs_ended.connect(self.closing.follow_writes)
        self.tabs.stills_dropped.connect(workspace.use_stills)
        self.tabs.close_wanted.connect(workspace.prompts.close_document)
        workspace.data_views.changed.connect(lambda: self.status.show_data(workspace.data_views.notice))
        space = workspace.space_question
        space.changed.connect(lambda: self.status.show_space(space.current.status))
        self.preview.memory.connect(self.status.show_memory)
        workspace.messages.warned.connect(self.bar.warn)
        workspace.messages.withdrawn.connect(self.bar.withdraw)
        workspace.messages.offered.connect(self.bar.offer)
        workspace.exports.ended.connect(self._export_ended)
        workspace.messages.noted.connect(self._note)
        self.canvas.view_changed.connect(self._show_zoom)
        self.canvas.dropped.connect(self.drop)
        self.files.refused.connect(self._show_again)
        workspace.jobs.status_changed.connect(self._show_busy)
        self.files.changed_on_disk.connect(self.workspace.prompts.ask_to_replace)
        self.files.correction_wanted.connect(self.workspace.prompts.choose_correction)
        self.preview.status.connect(self.status.set_working)
        self.preview.failed.connect(workspace.messages.warn)

    def drop(self, paths: list[Path]) -> None:
        """Open or apply files that were dropped on the window."""
        self.files.drop(paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.drop(local_paths(event.mimeData()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.escape.press(event):
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.ActivationChange:
            self.workspace.settings.sync()  # another process may have changed them
        super().changeEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._over:
            event.accept()
        elif not self.closing.ready():
            event.ignore()
        else:
            self._over = True
            self.screen_state.set_clean(False)
            self.docks.save()
            self.place.save()
            self.hide()  # so that the window does not seem to hang until the threads end
            if self.autosave is not None:
                self.autosave.close()
            if "surface" in vars(self):
                self.surface.close()
            self.workspace.close()
            event.accept()

    def _show_zoom(self) -> None:
        viewport = self.canvas.viewport
        self.status.show_zoom(viewport.scale if viewport else None)

    def _show_image(self) -> None:
        image = self.document.image
        self.status.show_image(image)
        self._show_zoom()
        self.empty.setVisible(image is None)

    def _export_ended(self, export: Export) -> None:
        messages = self.workspace.messages
        if export.state != State.FAILED:
            messages.note(export.line)
        elif export.edit is None:
            messages.warn(export.line)
        elif export.done == 0.0 and QApplication.activeModalWidget() is None:
            export.edit(export.line)  # it failed at once: its form is back
        else:
            messages.offer(export.line, "Edit export…", partial(export.edit, export.line))

    def _show_again(self) -> None:
        """Reset the controls to the current state after a file was refused."""
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
        image, grade, session = self.document.image_path, self.document.grade_path, self.workspace.session
        names = [path.name for path in (image, grade, session.path) if path is not None]
        self.setWindowTitle(f"{' — '.join(names) or 'No image'}[*] — Tessera")
        self.setWindowModified(not is_saved(self.document, session) or session.modified)
