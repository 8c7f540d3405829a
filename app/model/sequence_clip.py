"""The sequence of a document: its frames on disk, its in and out points, and its decoded frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

from app.model.preroll import FEW_CORES
from engine.core.records import dataclass
from engine.core.system import usable_cores
from engine.core.timecode import rate_of, timecode_at
from engine.export.frame_patterns import FrameSource

LARGE = 1 << 60
"""The size in bytes assumed for a large image, which is decoded only where it is viewed: no other frame is kept."""
AT_ONCE, ON_DEVICE = 2, 4
"""How many frames are decoded at the same time, and how many on a device, which decodes one with few of its threads."""
LEAST_AHEAD = 2
"""How many frames are decoded ahead while their size is not known."""
Layer = tuple[int | None, str | None]
"""Part and layer of a document; None for the main one."""


@dataclass(eq=False)
class Clip:
    """A sequence and its decoded frames.

    `first` and `last` are the in and out points. `wanted` is the frame that the timeline points at, `shown` the one
    that the document shows. `decoded` maps frames to pairs of an image and its colour spaces, for `layer`; `bad` are
    frames that can't be decoded. `rate` is that of a movie, else 0: files are played at the rate of the window.
    `plane_bytes` is the size of the planes that mattes read of each frame. `version` increases when reads in progress
    become obsolete.
    """

    pattern: FrameSource
    frames: list[int]
    first: int
    last: int
    wanted: int
    shown: int
    layer: Layer
    decoded: dict[int, Any] = field(default_factory=dict)
    bad: set[int] = field(default_factory=set)
    rate: float = 0.0
    plane_bytes: int = 0
    version: int = 0

    @classmethod
    def of(cls, pattern: FrameSource, frames: list[int], frame: int, layer: Layer, read: Any) -> Clip:
        """Return the clip of a document that shows a frame, which is `read` already."""
        _, number = pattern.place(frame)
        rate = rate_of(read[0].part.metadata) if number is not None else 0.0
        return cls(pattern, frames, frames[0], frames[-1], frame, frame, layer, {frame: read}, rate=rate)

    @property
    def played(self) -> list[int]:
        """The frames between the in and out points."""
        return [frame for frame in self.frames if self.first <= frame <= self.last]

    @property
    def used(self) -> int:
        """The size of the decoded frames and their planes, in bytes."""
        return sum(size_of(read) + self.plane_bytes for read in self.decoded.values())

    @property
    def needs_wanted(self) -> bool:
        """Whether the frame that the timeline points at is neither shown, decoded nor known to be bad."""
        return self.wanted != self.shown and self.wanted not in self.decoded and self.wanted not in self.bad

    def set_first(self, frame: int | None) -> None:
        """Set the in point, and move the out point behind it; None for the first frame."""
        self.first = self.frames[0] if frame is None else frame
        self.last = max(self.last, self.first)

    def set_last(self, frame: int | None) -> None:
        """Set the out point, and move the in point before it; None for the last frame."""
        self.last = self.frames[-1] if frame is None else frame
        self.first = min(self.first, self.last)

    def stepped(self, frame: int, by: int, wraps: bool) -> int:
        """Return the frame `by` played frames on from the one nearest to `frame`; at the ends, wrap around or stay."""
        frames = self.played or self.frames
        place = min(range(len(frames)), key=lambda n: abs(frames[n] - frame)) + by
        return frames[place % len(frames)] if wraps else frames[min(max(place, 0), len(frames) - 1)]

    def ahead(self, due: int, budget: int) -> list[int]:
        """Return the next frames to play, from number `due` of the played ones on: as many as fit into the budget."""
        frames, each, budget = self.played, self.used // max(len(self.decoded), 1), self._within(budget)
        count = min(len(frames), budget // each if each else LEAST_AHEAD)
        return [frames[(due + n) % len(frames)] for n in range(count)]

    def missing(self, ahead: list[int], complete: Callable[[Any], bool] = lambda read: True) -> list[int]:
        """Return those of these frames that are not decoded, or not `complete`, and not known to be bad."""
        known = self.decoded
        return [each for each in ahead if each not in self.bad and not (each in known and complete(known[each]))]

    def timecode(self, frame: int, rate: float) -> str:
        """Return the timecode of a frame: from the attribute `timeCode` of its file or of the nearest decoded one.

        Without that, frame 0 is 00:00:00:00. Frames are counted at the rate of the file if it has one, else at `rate`.
        """
        nearest = min(self.decoded, key=lambda each: abs(each - frame), default=None)
        if nearest is None:
            return timecode_at(frame, rate)
        metadata = self.decoded[nearest][0].part.metadata
        text = metadata.get("timeCode")
        known = (nearest, text) if isinstance(text, str) else None
        return timecode_at(frame, rate_of(metadata) or rate, known)

    def follow(self, layer: Layer) -> None:
        """Discard the decoded frames if the document now shows another layer."""
        if self.layer != layer:
            self.renew(layer)

    def renew(self, layer: Layer, decoded: dict[int, Any] | None = None) -> None:
        """Replace the decoded frames; reads in progress become obsolete."""
        self.layer, self.decoded, self.bad = layer, decoded or {}, set()
        self.version += 1

    def evict(self, frame: int, keep: set[int], size: int, budget: int) -> None:
        """Remove frames until one of `size` bytes fits into `budget`: far from `frame` first, those in `keep` last."""
        others = sorted((each for each in self.decoded if each != self.wanted), key=lambda each: abs(each - frame))
        others.sort(key=lambda each: each not in keep)
        budget = self._within(budget)
        while others and self.used + size + self.plane_bytes > budget:
            del self.decoded[others.pop()]

    @property
    def at_once(self) -> int:
        """How many frames are decoded at the same time."""
        on_device = any(hasattr(read[0], "device_room") for read in self.decoded.values())
        return ON_DEVICE if on_device else AT_ONCE

    @property
    def at_once_playing(self) -> int:
        """How many frames are decoded at the same time during playback: one with few cores, to leave one free."""
        return 1 if self.at_once == AT_ONCE and usable_cores() < FEW_CORES else self.at_once

    def _within(self, budget: int) -> int:
        """Return the budget for decoded frames, which is less where they take memory of a device."""
        return min(budget, *(getattr(read[0], "device_room", budget) for read in self.decoded.values()), budget)


def size_of(read: Any) -> int:
    """Return the size of a decoded frame without its planes, in bytes."""
    image = read[0]
    return int(image.pixels.nbytes) if hasattr(image, "pixels") else int(getattr(image, "device_bytes", LARGE))
