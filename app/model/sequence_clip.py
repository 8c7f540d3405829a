"""The sequence of a document: its frames on disk, which of them are played, and those that are decoded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine.export.frame_patterns import FramePattern

if TYPE_CHECKING:
    from app.model.document import Document

LARGE = 1 << 60
"""Bytes that a large image counts as, which is decoded where it is looked at: it is kept alone."""
Layer = tuple[int | None, str | None]
"""Part and layer of a document; None for the main one."""


@dataclass(eq=False)
class Clip:
    """`first` and `last` are in and out. `wanted` is the frame that the timeline points at, `shown` the one that the
    document has. `decoded` are pairs of an image and its colour spaces, of `layer`; `bad` can't be decoded.

    `version` grows when what is being decoded for it is void.
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
        """The frames between in and out."""
        return [frame for frame in self.frames if self.first <= frame <= self.last]

    @property
    def used(self) -> int:
        """Bytes of the frames that are decoded."""
        return sum(size_of(read) for read in self.decoded.values())

    @property
    def lacks_wanted(self) -> bool:
        """Whether the frame that is pointed at is neither shown nor decoded, and can be."""
        return self.wanted != self.shown and self.wanted not in self.decoded and self.wanted not in self.bad

    def follow(self, document: Document) -> None:
        """Hold frames of the layer that the document has now, and no others."""
        if self.layer != layer_of(document):
            self.renew(document)

    def renew(self, document: Document, decoded: dict[int, Any] | None = None) -> None:
        """Begin anew with these frames; what is being decoded is void."""
        self.layer, self.decoded, self.bad = layer_of(document), decoded or {}, set()
        self.version += 1

    def evict(self, frame: int, keep: set[int], size: int, budget: int) -> None:
        """Let go what is far from a frame, those in `keep` last, until so many bytes more fit into `budget`."""
        others = sorted((each for each in self.decoded if each != self.wanted), key=lambda each: abs(each - frame))
        others.sort(key=lambda each: each not in keep)
        while others and self.used + size > budget:
            del self.decoded[others.pop()]


def layer_of(document: Document) -> Layer:
    """What of its file a document shows."""
    return document.part, document.layer


def size_of(read: Any) -> int:
    """Bytes of a decoded frame."""
    image = read[0]
    return int(image.pixels.nbytes) if hasattr(image, "pixels") else LARGE
