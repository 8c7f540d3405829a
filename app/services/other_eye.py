"""The other eye of a stereo image: which layer it is, and its pixels, read when a comparison shows them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from PySide6.QtCore import QObject, Signal

from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.messages import Messages
from engine.io.views import other_view, view_of, views_of

if TYPE_CHECKING:
    from engine.io.info import LayerInfo, PartInfo

KEY = "other eye"


def other_eye(image: Any) -> tuple[PartInfo, LayerInfo] | None:
    """Return the part and layer of the other eye of an opened image; None if it has none."""
    return other_view(image.info, image.part, image.layer) if image is not None else None


def eyes_of(image: Any) -> tuple[str, str]:
    """Return the names of the displayed view and of the other one; '' for both if an opened image has one view."""
    found = other_eye(image)
    return (view_of(image.part, image.layer), view_of(*found)) if found is not None else ("", "")


def is_second_eye(image: Any) -> bool:
    """Return whether an opened image is the second of its views, the right one."""
    shown, other = eyes_of(image)
    views = views_of(image.info) if shown else ()
    return bool(views) and views.index(shown) > views.index(other)


class OtherEye(QObject):
    """Reads the other eye of the displayed image, and keeps it while a comparison asks for it."""

    read = Signal()  # the other eye is there, or cannot be read

    def __init__(
        self, displayed: Callable[[], Any], services: Services, jobs: Jobs, messages: Messages, parent: QObject
    ) -> None:
        """`displayed` returns the displayed image, as it was opened, or None."""
        super().__init__(parent)
        self._displayed, self._services, self._jobs, self._messages = displayed, services, jobs, messages
        self._of: Any = None  # a weak reference to the image that the eye belongs to
        self._image: Any = None  # None while it is read, and if that failed
        self.pending = False
        """Whether the other eye is being read."""

    def image(self) -> Any:
        """Return the other eye of the displayed image, as it was opened; None while it is read and if there is none."""
        image = self._displayed()
        if image is None or self._is_of(image):
            return self._image
        self.rest()
        found = other_eye(image)
        if found is not None:
            self._of, self.pending = ref(image), True
            part, layer = found
            work = partial(self._services.read_image, image.info.path, part.index, layer.name)
            self._jobs.latest(self, KEY, work, self._take, self._fail)
        return None

    def rest(self) -> None:
        """Free the other eye; it is read again when it is asked for."""
        if self._of is not None:
            self._of = self._image = None
            self.pending = False
            self._jobs.drop(self, KEY)

    def follow(self) -> None:
        """Free the eye of an image that is not displayed any more."""
        if not self._is_of(self._displayed()):
            self.rest()

    def _take(self, image: Any) -> None:
        if self._is_of(self._displayed()):
            self._image, self.pending = image, False
            self.read.emit()

    def _fail(self, line: str) -> None:
        self._messages.warn(line)
        self.pending = False
        self.read.emit()

    def _is_of(self, image: Any) -> bool:
        return self._of is not None and self._of() is image
