"""The measured accuracy of what is shown, in the status bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.canvas.stage import Stage
from app.render.preview import Preview
from app.render.requests import Request
from app.shell.status_bar import ABOUT_ACCURACY, StatusBar

if TYPE_CHECKING:
    from engine.viewing.accuracy import Accuracy


IDLE_MS = 300
"""Delay from the last exact frame to measuring, so that nothing is measured while a slider moves."""
EXACT = 1e-5
"""The largest error that is called exact: what the tests allow on any device."""


class AccuracyBadge(QObject):
    """Measures the error of the displayed grade when the window is idle, and shows it.

    While frames show a baked view, its error is shown; nothing is shown while the error is unknown.
    """

    def __init__(self, preview: Preview, stage: Stage, status: StatusBar, parent: QObject) -> None:
        super().__init__(parent)
        self._stage, self._status = stage, status
        self._device = ""
        self._baked = 0.0  # the error of the last baked view
        self._idle = QTimer(self, singleShot=True, interval=IDLE_MS)
        self._idle.timeout.connect(preview.measure)
        stage.shown.connect(self._follow)
        preview.measured.connect(self._show)
        preview.ready.connect(self._use_device)

    def _follow(self) -> None:
        """Follow a frame: an exact one is measured after a while, a quick one shows the error of its baked view."""
        request = self._stage.shown_request
        if request is None or request.view.data is not None:
            self.clear()
        elif request.exact:
            self.clear()
            self._idle.start()
        else:
            self._idle.stop()
            self._baked = request.view_error
            self._status.show_accuracy(drag_text(self._baked), tip_of(None, self._device, self._baked))

    def _show(self, found: Accuracy, measured: Request) -> None:
        """Show what was measured, unless another frame is shown by now."""
        shown = self._stage.shown_request
        if shown is not None and shown.exact and _same(shown, measured):
            self._status.show_accuracy(text_of(found), tip_of(found, self._device, self._baked))

    def _use_device(self, name: str) -> None:
        self._device = name
        self.clear()

    def clear(self) -> None:
        """Show nothing, as for another image, until the error is known."""
        self._idle.stop()
        self._status.show_accuracy("", ABOUT_ACCURACY)


def _same(shown: Request, measured: Request) -> bool:
    """Return whether two requests show the same grade of the same image."""
    ours, theirs = ((each.serial, each.grade, each.view.managed) for each in (shown, measured))
    return ours == theirs


def text_of(found: Accuracy) -> str:
    """Return an accuracy in a few words."""
    if found.undefined:
        return f"{found.undefined} of {found.pixels} pixels differ"
    if found.error == 0.0:
        return "exact"
    return f"exact, {brief(found.error)}" if found.error <= EXACT else f"±{brief(found.error)}"


def drag_text(error: float) -> str:
    """Return the error of a baked view, in display values 0..1, in a few words; '' without one."""
    return f"±{255.0 * error:.1f} / 255 while dragging" if error else ""


def tip_of(found: Accuracy | None, device: str, baked: float) -> str:
    """Explain an accuracy, if it is known, and the error of the baked view, if there is one, in plain words."""
    lines = [f"How exact the grade is on this device{f' ({device})' if device else ''}."]
    if found is not None:
        lines.append(
            f"{found.pixels} pixels of the shown image were graded again in double precision. The largest difference "
            f"is {brief(found.error)}, as a share of the pixel's largest channel where that is above 1."
        )
    if found is not None and found.undefined:
        lines.append(f"In {found.undefined} of them, only one of the two results is NaN or infinite.")
    if baked:
        lines.append(
            f"While a slider moves, a 3D LUT replaces the display view: at most {255.0 * baked:.1f} of 255 code values "
            "off, measured on 20,000 colours. The exact frame follows."
        )
    return "\n".join(lines)


def brief(error: float) -> str:
    """Return a small number with one digit: 3e-7, 0.002."""
    text = f"{error:.0e}" if error < 0.001 else f"{error:.1g}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else text
