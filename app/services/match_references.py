"""What the current image can be matched to: open images, stills, frames of its sequence, and files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from app.model.key_edits import grade_at
from app.model.sequence_clip import Clip
from app.model.still import Still
from app.services.match_work import MatchImage
from app.services.side_images import Wanted
from engine import Grade
from engine.grade.colour_settings import ColourSetup, InputSpace


class MatchReferences(NamedTuple):
    """What there is, as functions: the documents and the current one, the stills, and the clip of the sequence.

    `wanted` says how a still is read, `setup` and `assumed` how the spaces of another file are resolved.
    """

    shown: Callable[[], Any]
    documents: Callable[[], Sequence[Any]]
    stills: Callable[[], Sequence[Still]]
    wanted: Callable[[Still], Wanted]
    clip: Callable[[], Clip | None]
    setup: Callable[[], ColourSetup]
    assumed: Callable[[Path], InputSpace]

    def others(self) -> list[Any]:
        """Return the other open documents with an image."""
        shown = self.shown()
        return [each for each in self.documents() if each is not shown and each.image_path is not None]

    def of_still(self, still: Still) -> MatchImage:
        """Return a still as a reference. Its pixels are graded already."""
        return MatchImage(still.name, self.wanted(still), Grade())

    def of_frame(self, clip: Clip, frame: int) -> MatchImage:
        """Return a frame of the current sequence, with the current grade at that frame."""
        document = self.shown()
        path, number = clip.pattern.place(frame)
        wanted = replace(image_of(document).wanted, path=path, frame=number)
        return MatchImage(f"frame {frame}", wanted, grade_at(document.grade, frame)[0])

    def of_file(self, path: Path) -> MatchImage:
        """Return an image file as a reference, without a grade."""
        config = self.setup().config
        return MatchImage(path.name, Wanted(path, ColourSetup(config), self.assumed(path)), Grade())


def image_of(document: Any) -> MatchImage:
    """Return the image of a document with its grade, as it is shown."""
    how = document.image_path, document.setup, document.managed.assumed, document.part, document.layer
    wanted = Wanted(*how, frame=document.state.frame)
    return MatchImage(document.name, wanted, document.grade_at_frame, document.id)
