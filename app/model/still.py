"""Stills: graded frames that the user keeps as EXRs in a folder."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from pathlib import Path

from engine import Grade
from engine.core.file_watch import State
from engine.core.records import dataclass


@dataclass(frozen=True)
class Still:
    """A still as its file describes it.

    `id` stays the same when the file is renamed. `source` is the path of its image, `frame` the number of the frame as
    text, '' for an image without one, `taken` when it was made (ISO 8601). `grade` is None if none can be read.
    `stamp` is the state of the file that was read.
    """

    path: Path
    id: str
    source: str
    frame: str
    taken: str
    note: str
    grade: Grade | None
    width: int
    height: int
    stamp: State

    @property
    def name(self) -> str:
        """The name of the file, without its suffix."""
        return self.path.stem

    @property
    def source_name(self) -> str:
        """The file name of its image; that may have been on another system."""
        return self.source.replace("\\", "/").rpartition("/")[2]

    @property
    def date(self) -> str:
        """When it was made, in words for the user: 23 Nov 2026, 14:03; '' if that is not known."""
        try:
            taken = datetime.fromisoformat(self.taken)
        except ValueError:
            return ""
        return f"{taken.day} {taken:%b %Y, %H:%M}"

    @property
    def about(self) -> str:
        """The image, the frame and the date, on one line."""
        frame = f"frame {self.frame}" if self.frame else ""
        return " · ".join(filter(None, (self.source_name, frame, self.date)))

    @cached_property
    def known(self) -> str:
        """What a search looks at: its name, its image, its date and its note, in small letters."""
        return " ".join((self.name, self.source, self.date, self.note)).casefold()

    def matches(self, text: str) -> bool:
        """Return whether every word of a search is in what is known of it."""
        return all(word in self.known for word in text.casefold().split())


def still_name(image: str, frame: str, taken: datetime) -> str:
    """Return the name of a still's file, without its suffix: image.frame.date-time."""
    return ".".join(filter(None, (image, frame, f"{taken:%Y%m%d-%H%M%S}")))
