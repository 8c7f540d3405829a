"""Tracks a window on a thread, and makes its keys. It is imported there, when the first window is tracked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from app.model.track_messages import lost_text, tracked_text, unread_text
from app.model.track_options import TrackJob
from app.model.tracked_keys import tracked_curves
from app.services.frame_luminance import FrameLuminance
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.grade.curves import Curve
from engine.tracking import Motion, Reason, region_of, track


@dataclass(frozen=True)
class Track:
    """The frames that were tracked, from the first one on, and why there are no more: lost, or not readable.

    `curves` are those of the window by their paths.
    """

    title: str
    frames: tuple[tuple[int, Motion], ...] = ()
    at: int = 0
    lost: Reason | None = None
    unread: str = ""
    curves: Mapping[str, Curve] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of frames beside the first one."""
        return max(len(self.frames) - 1, 0)

    @property
    def last(self) -> int:
        """The last frame that was tracked."""
        return self.frames[-1][0] if self.frames else self.at

    @property
    def note(self) -> str:
        """What is said if all went well; '' if nothing was tracked."""
        return tracked_text(self.title, self.count, self.last) if self.count else ""

    @property
    def warning(self) -> str:
        """Why the track ended early; '' if it did not."""
        if self.lost is not None:
            return lost_text(self.title, self.at, self.lost, self.count, self.last)
        return unread_text(self.title, self.at, self.unread, self.count, self.last) if self.unread else ""


def tracked(job: TrackJob, progress: Callable[[int], None]) -> Track:
    """Track a window, make its curves, and tell `progress` the number of frames so far."""
    found = _followed(job, progress)
    return replace(found, curves=tracked_curves(job.window, found.frames, job.options, job.known))


def _followed(job: TrackJob, progress: Callable[[int], None]) -> Track:
    """Follow a window until it is lost, a frame can't be read, or it is stopped."""
    found = Track(job.window.source.title(), at=job.numbers[0])
    read = FrameLuminance(job.read, job.grade, job.create_executor)

    def luminance(number: int) -> Any:
        nonlocal found
        found = replace(found, at=number)
        return read(number)

    try:
        for each in track(luminance, job.numbers, region_of(job.window.in_image, *job.size)):
            if each.motion is None:
                return replace(found, lost=each.lost)
            found = replace(found, frames=(*found.frames, (each.frame, each.motion)))
            progress(found.count)
            if job.stop.is_set():
                break
    except TesseraError as error:
        return replace(found, unread=str(error))
    return found
