"""The sequence of a document: its frames on disk, its in and out points, and its decoded frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.model.timecode import rate_of, timecode_at
from engine.export.frame_patterns import FramePattern

if TYPE_CHECKING:
    from app.model.document import Document

LARGE = 1 << 60
"""The size in bytes assumed for a large image, which is decoded only where it is viewed: no other frame is kept."""
Layer = tuple[int | None, str | None]
"""Part and layer of a document; None for the main one."""


@dataclass(eq=False)
class Clip:
    """A sequence and its decoded frames.

    `first` and `last` are the in and out points. `wanted` is the frame that the timeline points at, `shown` the one
    that the document shows. `decoded` maps frames to pairs of an image and its colour spaces, for `layer`; `bad` are
    frames that can't be decoded. `version` increases when reads in progress become obsolete.
    """

    pattern: FramePattern
    frames: list[int]
    first: int
    last: int
    wanted: int
    shown: int
    layer: Layer
    decoded: dict[int, Any] = field(default_factory=dict)
    bad: set[int] = field(default_factory=set)
    version: int = 0

    @property
    def played(self) -> list[int]:
        """The frames between the in and out points."""
        return [frame for frame in self.frames if self.first <= frame <= self.last]

    @property
    def used(self) -> int:
        """The size of the decoded frames, in bytes."""
        return sum(size_of(read) for read in self.decoded.values())

    @property
    def needs_wanted(self) -> bool:
        """Whether the frame that the timeline points at is neither shown, decoded nor known to be bad."""
        return self.wanted != self.shown and self.wanted not in self.decoded and self.wanted not in self.bad

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

    def follow(self, document: Document) -> None:
        """Discard the decoded frames if the document now shows another layer."""
        if self.layer != layer_of(document):
            self.renew(document)

    def renew(self, document: Document, decoded: dict[int, Any] | None = None) -> None:
        """Replace the decoded frames; reads in progress become obsolete."""
        self.layer, self.decoded, self.bad = layer_of(document), decoded or {}, set()
        self.version += 1

    def evict(self, frame: int, keep: set[int], size: int, budget: int) -> None:
        """Remove frames until `size` more bytes fit into `budget`: far from `frame` first, those in `keep` last."""
        others = sorted((each for each in self.decoded if each != self.wanted), key=lambda each: abs(each - frame))
        others.sort(key=lambda each: each not in keep)
        while others and self.used + size > budget:
            del self.decoded[others.pop()]


def layer_of(document: Document) -> Layer:
    """Return the part and layer that a document shows."""
    return document.part, document.layer


def size_of(read: Any) -> int:
    """Return the size of a decoded frame, in bytes."""
    image = read[0]
    return int(image.pixels.nbytes) if hasattr(image, "pixels") else LARGE
