"""Stills: graded frames that are kept as EXRs, with a record in their headers.

`tessera:still` is the ID of a still, which stays when its file is renamed; `tessera:source` the path of its image,
`tessera:frame` the number of the frame ('' for an image without one), `tessera:taken` when it was made (ISO 8601), and
`tessera:note` a note of the user's. `tessera:grade` records its grade as for every export: the last `tessera:entries`
entries are those of the still, and others before them were in the pixels of its image already.
"""

from __future__ import annotations

from pathlib import Path

from engine.core.attribute_names import ENTRIES, FRAME, NOTE, SOURCE, STILL, TAKEN
from engine.core.file_errors import printable
from engine.core.records import dataclass
from engine.export.provenance import recorded
from engine.grade.grade import Grade
from engine.io.exr.header_edit import write_texts
from engine.io.info import PartInfo


@dataclass(frozen=True)
class StillRecord:
    """What the header of a still says about it, besides its grade; `entries` is the number of entries of that."""

    id: str
    source: str
    frame: str = ""
    taken: str = ""
    note: str = ""
    entries: int = 0

    @property
    def attributes(self) -> tuple[tuple[str, str], ...]:
        """The attributes of the header."""
        texts = {STILL: self.id, SOURCE: self.source, FRAME: self.frame, TAKEN: self.taken, NOTE: self.note}
        return tuple((name, printable(text)) for name, text in (texts | {ENTRIES: str(self.entries)}).items())


def still_record(part: PartInfo) -> StillRecord | None:
    """Return the record of a still; None for another image."""
    names = (STILL, SOURCE, FRAME, TAKEN, NOTE, ENTRIES)
    id, source, frame, taken, note, entries = (_text(part, name) for name in names)
    return StillRecord(id, source, frame, taken, note, int(entries) if entries.isdecimal() else 0) if id else None


def still_grade(part: PartInfo) -> Grade | None:
    """Return the grade of a still, without entries that were in the pixels of its image; None if none is recorded."""
    found, record = recorded(part), still_record(part)
    if found is None or record is None:
        return found
    first = max(0, len(found.entries) - record.entries)
    return found.with_entries(found.entries[first:])


def write_note(path: Path, note: str) -> None:
    """Replace the note of a still, whole or not at all. Raises UnreadableFile or WriteFailed."""
    write_texts(path, {NOTE: printable(note)})


def _text(part: PartInfo, name: str) -> str:
    found = part.metadata.get(name)
    return found if isinstance(found, str) else ""
