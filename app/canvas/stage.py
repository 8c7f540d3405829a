"""Shows the current document on the canvas, with frames requested from the preview."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QImage

from app.canvas.canvas import Canvas
from app.canvas.legend import Legend
from app.canvas.other_side import OtherSide
from app.canvas.pins import PinTool
from app.canvas.side_labels import SideLabels
from app.canvas.wipe import WipeTool
from app.model.comparison_target import SOURCE, EyeTarget, StillTarget
from app.model.grade_rows import path_of
from app.render.device_frame import DeviceFrame
from app.render.preview import Preview
from app.render.probe_samples import Box
from app.render.requests import Request, View
from app.services.colour_manager import Colour
from app.services.comparing import SIDES
from app.services.data_views import DataViews
from app.services.messages import Messages, Warned
from app.services.open_documents import OpenDocuments
from app.services.other_eye import OtherEye
from engine import FileLook, Grade
from engine.grade.entries import Entry, name_of
from engine.viewing import levels_of


class Stage(QObject):
    """Connects document, view, canvas and preview. Call `refresh` after a change to what is displayed.

    A frame is requested once control returns to the event loop, so that several changes together request one; an edit
    of the grade alone requests one at once, since a drag waits for it.
    """

    shown = Signal()  # a frame has reached the canvas
    previewed_lut_changed = Signal(object)  # the FileLook that is being tried, or None
    trial_changed = Signal()  # another entry is being tried, or none
    trial_ended = Signal()  # the user no longer wants it
    lut_preview_ended = Signal()  # the user no longer wants to try it
    _due = Signal()

    def __init__(
        self,
        documents: OpenDocuments,
        colour: Colour,
        preview: Preview,
        canvas: Canvas,
        messages: Messages,
        data: DataViews,
        eyes: OtherEye,
        other: OtherSide,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.data, self._eyes, self.other = data, eyes, other
        self._documents, self._current, self._view = documents, documents.current, documents.view
        self._colour, self._preview = colour, preview
        self._canvas, self._messages = canvas, messages
        self.previewed_lut: FileLook | None = None
        self._trial: Entry | None = None
        self.shown_request: Request | None = None
        """The request of the frame on the canvas; None before the first frame of an image."""
        self._missing: Warned | None = None  # that the other side of the comparison is gone
        self._contradicting: Warned | None = None  # that an entry can't have the values of its keys at the frame
        self._lacking: list[Warned] = []  # what the file lacks for mattes
        self._shows_eyes = False  # whether the frame on the canvas shows both eyes
        self._placed: QObject | None = None  # whose image is on the canvas
        self._is_due = self._paused = False
        self._due.connect(self._request, Qt.ConnectionType.QueuedConnection)
        self.wipe = WipeTool(documents.view, canvas)
        self.pins = PinTool(documents.view, lambda: self.image, messages, canvas)
        self.labels = SideLabels(canvas)
        self.legend = Legend(canvas)
        for tool in (self.wipe, self.pins):  # with Ctrl, a click on the line of a wipe pins a pixel
            canvas.tools.push(tool)
        self._current.frame_wanted.connect(self.refresh)
        self._current.image_changed.connect(self._show_image)
        self._current.versions_changed.connect(self._follow_other)
        documents.documents_changed.connect(self._follow_other)
        self._current.grade_changed.connect(self._show_grade)
        self._current.selected_changed.connect(self._follow_entry)
        canvas.view_changed.connect(self._keep_viewport)
        canvas.view_changed.connect(self.refresh)
        preview.frame.connect(self._show_frame)
        preview.values.connect(self._show_values)
        preview.lacking.connect(self._show_lacking)

    def preview_lut(self, look: FileLook | None) -> None:
        """Show the grade with a look at its end, without changing the grade; None ends that."""
        if look != self.previewed_lut:
            self.previewed_lut = look
            self.previewed_lut_changed.emit(look)
            self.refresh()

    def show_trial(self, entry: Entry | None) -> None:
        """Show the grade with an entry at its end, without changing the grade; None ends that."""
        if entry != self._trial:
            self._trial = entry
            self.trial_changed.emit()
            self.refresh()

    @property
    def trial(self) -> str:
        """The name of the entry that is being tried, or ''."""
        return "" if self._trial is None else name_of(self._trial)

    def end_trial(self) -> bool:
        """Show the grade without the entry that is being tried; return whether there was one."""
        if self._trial is None:
            return False
        self.show_trial(None)
        self.trial_ended.emit()
        return True

    @property
    def tried(self) -> str:
        """The file name of the look that is being tried, or ''."""
        return Path(self.previewed_lut.path).name if self.previewed_lut is not None else ""

    def end_lut_preview(self) -> bool:
        """Show the grade alone again; return whether a look was being tried."""
        if self.previewed_lut is None:
            return False
        self.preview_lut(None)
        self.lut_preview_ended.emit()
        return True

    def end_still_comparison(self) -> bool:
        """Show the image alone again if it is compared with a still; return whether it was."""
        state = self._view.state
        if state.compare not in SIDES or not isinstance(state.against, StillTarget):
            return False
        self._view.set(compare="", against=SOURCE)
        return True

    def add_previewed_lut(self) -> None:
        """Add the look that is being tried to the end of the grade."""
        look, name = self.previewed_lut, self.tried
        if look is not None:
            self.end_lut_preview()
            self._current.document.add(look, f"adding {name}")

    @property
    def grade(self) -> Grade:
        """The displayed grade: the document's at the frame, followed by the entry and the look that are being tried."""
        grade = self._current.document.grade_at_frame
        if self._trial is not None:
            grade = grade.without_solo()
            grade = grade.with_entries((*grade.entries, self._trial))
        return grade if self.previewed_lut is None else grade.with_entries((*grade.entries, self.previewed_lut))

    @property
    def image(self) -> Any:
        """The displayed image, as it was opened; None if there is none."""
        return self._current.document.image

    @property
    def sides(self) -> tuple[str, str]:
        """Labels of the displayed image and of what it is compared with; '' for both if nothing is compared."""
        document = self._current.document
        if document.view.compare not in SIDES:
            return "", ""
        return self.other.labels(self.previewed_lut)

    def half(self) -> str:
        """Return which half of the shown frame has the displayed image, `left` or `right`; '' for all of it."""
        comparison = self.shown_request.view.comparison if self.shown_request is not None else None
        if comparison is None or comparison.mode != "side by side":
            return ""
        return "right" if comparison.swapped else "left"

    def probe(self, x: int, y: int) -> None:
        """Request the values of a pixel as it is displayed, if its colour spaces are known."""
        if self._colour.is_settled:
            self._preview.probe(x, y, self.grade, self._colour.managed)

    def sample(self, boxes: tuple[Box, ...]) -> None:
        """Request the values of boxes of pixels as they are displayed."""
        inside = self._matte_entry if self._view.state.inside_matte else ()
        self._preview.sample(boxes, self.grade, self._colour.managed, self._colour.viewing, inside)

    @property
    def _matte_entry(self) -> tuple[int, ...]:
        """The path of the entry whose matte is shown."""
        document = self._current.document
        return path_of(document.grade, document.current_entry)

    def pause(self, paused: bool) -> None:
        """Request no frames, as while a grid covers the image; or request them again."""
        if paused != self._paused:
            self._paused = paused
            self.refresh()

    def refresh(self) -> None:
        """Request a frame soon."""
        if not self._is_due:
            self._is_due = True
            self._due.emit()

    def _show_grade(self) -> None:
        if not self._is_due:
            self._request()

    def _request(self) -> None:
        """Request a frame of what the canvas should show now, if its colour spaces are known."""
        self._is_due = False
        if self._paused:
            return
        colour = self._colour
        self._show_missing(self.other.missing(self.previewed_lut))
        self._contradicting = self._warned_of(self._contradicting, self._current.document.contradiction)
        placement = self._canvas.placement()
        if placement is not None and colour.is_settled:
            state, comparison = self._view.state, self.other.comparison(self.grade, self.previewed_lut)
            if self._shows_eyes and self._eyes.pending:
                return  # both eyes of the frame before stay, instead of one eye of this one
            view = View(
                placement.region,
                placement.width,
                placement.height,
                colour.managed,
                colour.viewing,
                state.channel,
                state.compare != "source",
                state.backdrop,
                comparison,
                state.overlays,
                state.zebra,
                self.data.shown,
                state.peaking,
                state.peaking_colour,
                state.matte,
                self._matte_entry if state.matte or state.inside_matte else (),
                state.inside_matte,
                state.gamut,
            )
            self._preview.submit(self.grade, view)

    def _show_missing(self, line: str) -> None:
        """Show a message while the other side of the comparison is missing; '' withdraws it."""
        self._missing = self._warned_of(self._missing, line)

    def _warned_of(self, before: Warned | None, line: str) -> Warned | None:
        """Show a message instead of the one before; '' shows none."""
        if line == (before.text if before else ""):
            return before
        self._messages.withdraw(before)
        return self._messages.warn(line) if line else None

    def _show_lacking(self, lines: tuple[str, ...]) -> None:
        """Show what the displayed file lacks for the mattes of the grade, instead of what the last one lacked."""
        if [warned.text for warned in self._lacking] != list(lines):
            for warned in self._lacking:
                self._messages.withdraw(warned)
            self._lacking = [self._messages.warn(line) for line in lines]

    def _follow_entry(self) -> None:
        """Refresh after another entry was selected, if its matte is shown."""
        if self._view.state.matte or self._view.state.inside_matte:
            self.refresh()

    def _follow_other(self) -> None:
        """Refresh after versions or documents have changed, if the image is compared with one of them."""
        if self._view.state.compare in SIDES and self._view.state.against != SOURCE:
            self.refresh()

    def _show_frame(self, frame: QImage | DeviceFrame, request: Request) -> None:
        self.shown_request = request
        self._shows_eyes = request.view.comparison is not None and isinstance(self._view.state.against, EyeTarget)
        self._canvas.show_frame(frame, request.view.region)
        self.legend.show(request.view)
        self.labels.show(request.view.comparison)
        self.shown.emit()

    def _show_values(self, values: Any, request: Request) -> None:
        self._canvas.show_values(values, request.view.region)

    def _show_image(self) -> None:
        document, canvas = self._current.document, self._canvas
        image = document.image
        self.shown_request = None
        self._preview.set_image(None if image is None else levels_of(image))
        if image is None:
            self._placed = None
            self.other.forget()
            self._shows_eyes = False
            self.labels.show(None)  # it would keep the other image
            canvas.clear()
            self._show_lacking(())
            return
        part = image.part
        canvas.set_image(part.width, part.height, part.pixel_aspect, display_window(part))
        if self._placed is not document:
            self._placed, self._shows_eyes = document, False
            if document.viewport is not None:
                canvas.restore(document.viewport)
            self._keep_viewport()

    def _keep_viewport(self) -> None:
        """Store zoom and position in the document whose image is on the canvas."""
        document = self._current.document
        if self._placed is document:
            document.update(viewport=self._canvas.viewport)
            self._current.viewport_changed.emit()


def holds_ids(image: Any) -> bool:
    """Return whether all channels of the displayed layer are 32-bit unsigned integers, as IDs are stored."""
    return image is not None and all(image.part.channel(name).type == "uint" for name in image.layer.channels)


def display_window(part: Any) -> tuple[int, int, int, int] | None:
    """Return the display window (x, y, width, height) relative to the data window's origin; None if they are equal."""
    if part.display_window == part.data_window:
        return None
    x0, y0, x1, y1 = part.display_window
    return x0 - part.data_window[0], y0 - part.data_window[1], x1 - x0 + 1, y1 - y0 + 1
