"""The interface of the preview for its worker thread: state to read, and signals for results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from app.render.delivery import Delivery
from app.render.requests import ThumbnailRequest

if TYPE_CHECKING:
    from engine.viewing.scopes import ScopeOptions


class Answers(Protocol):
    """The preview as its worker thread sees it. The thread emits signals only through `tell` and `answer`."""

    delivery: Delivery
    scopes: ScopeOptions | None
    budget: int
    frame: Any
    cell: Any
    marked: Any
    probed: Any
    scoped: Any
    measured: Any
    sampled: Any
    values: Any
    lacking: Any
    highlighted: Any
    coloured: Any
    matte_thumbnail: Any
    failed: Any
    ready: Any
    memory: Any

    def waits(self) -> bool:
        """Return whether a request newer than the current frame is pending."""

    def settled(self) -> bool:
        """Wait briefly; return whether no newer request arrived."""

    def thumbnails_made(self, work: ThumbnailRequest) -> None:
        """Request these thumbnails no more: all of them are made."""

    def say(self, status: str) -> None:
        """Report the current activity of the thread; '' means idle."""

    def tell(self, signal: Any, *values: Any) -> None:
        """Emit a signal that does not depend on the displayed image."""

    def answer(self, serial: int, signal: Any, *values: Any) -> None:
        """Emit a signal about the image with a serial number, if that image is still displayed."""
