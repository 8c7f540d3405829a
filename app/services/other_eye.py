"""The other eye of a stereo image: which layer it is, and its pixels, read when a comparison shows them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from PySide6.QtCore import QObject

from app.services.engine_calls import Services
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
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

    def __init__(
        self, documents: OpenDocuments, services: Services, jobs: Jobs, messages: Messages, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._documents, self._services, self._jobs, self._messages = documents, services, jobs, messages
        self._of: Any = None  # a weak reference to the image that the eye belongs to
        self._image: Any = None  # None while it is read, and if that failed
        documents.image_changed.connect(self._forget_other)

    def image(self) -> Any:
        """Return the other eye of the displayed image, as it was opened; None while it is read and if there is none."""
        document, image = self._documents.current, self._documents.current.image
        if image is None or self._is_of(image):
            return self._image
        self.rest()
        found = other_eye(image)
        if found is not None:
            self._of = ref(image)
            part, layer = found
            work = partial(self._services.read_image, image.info.path, part.index, layer.name)
            self._jobs.latest(self, KEY, work, partial(self._take, document), self._messages.warn)
        return None

    def rest(self) -> None:
        """Free the other eye; it is read again when it is asked for."""
        if self._of is not None:
            self._of = self._image = None
            self._jobs.drop(self, KEY)

    def _take(self, document: object, image: Any) -> None:
        if document is self._documents.current and self._is_of(self._documents.current.image):
            self._image = image
            self._documents.frame_wanted.emit()

    def _is_of(self, image: Any) -> bool:
        return self._of is not None and self._of() is image

    def _forget_other(self) -> None:
        if not self._is_of(self._documents.current.image):
            self.rest()
