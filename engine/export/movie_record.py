"""What a movie records about its export, so that `--resume` knows what of it still holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.core.file_errors import exists
from engine.core.file_watch import state_of
from engine.core.records import dataclass
from engine.export.frames import FrameJob, Recipe
from engine.export.movie_plan import MoviePlan
from engine.export.provenance import digest_of
from engine.grade.grade import Grade
from engine.movies.encoding import read_movie_record
from engine.movies.movie_files import is_movie

KEY = "tessera"
"""The name of the record in the metadata of the container."""
VERSION = 1
_SHORT = 12


@dataclass(frozen=True)
class MovieRecord:
    """A digest of everything that all frames have in common, and one for each frame, in their order."""

    export: str
    frames: tuple[str, ...]

    @property
    def text(self) -> str:
        return json.dumps({"version": VERSION, "export": self.export, "frames": self.frames}, separators=(",", ":"))


def record_for(movie: MoviePlan, jobs: Sequence[FrameJob]) -> MovieRecord:
    """Return the record of a movie that is planned."""
    settings = replace(movie.settings, threads=0, audio=None)
    audio = movie.settings.audio
    heard = (audio, state_of(audio.path)) if audio else None
    recipe = movie.recipe
    common = replace(recipe, grade=Grade()) if recipe.grade.varies else recipe
    export = digest_of(common.digest(), movie.digest, settings, heard)
    return MovieRecord(export, tuple(_digest(job, recipe) for job in jobs))


def _digest(job: FrameJob, recipe: Recipe) -> str:
    """Return a digest of the source of a frame, by its name, size and time of change in seconds, and of its keys."""
    state = state_of(job.source)
    about: list[Any] = [job.frame] if is_movie(job.source) else []
    keyed = [recipe.digest(job.frame)] if recipe.grade.varies else []
    return digest_of(job.stand_in, job.source.name, *about, state and (state[0], state[1] // 10**9), *keyed)[:_SHORT]


def recorded(target: Path) -> MovieRecord | None:
    """Return the record of a movie that is complete, or None."""
    if not exists(target):
        return None
    text, count = read_movie_record(target, KEY)
    try:
        found = json.loads(text)
        record = MovieRecord(str(found["export"]), tuple(map(str, found["frames"])))
        known = found["version"] == VERSION
    except (ValueError, KeyError, TypeError):
        return None
    return record if known and count == len(record.frames) else None


def unchanged(old: MovieRecord, new: MovieRecord) -> dict[int, int]:
    """Return the numbers in the new movie of frames that the old one holds, with their numbers there.

    Both numbers rise, since the packets of the old movie are read in order.
    """
    if old.export != new.export:
        return {}
    found, places, last = dict[int, int](), dict[str, int](), -1
    for number, digest in enumerate(old.frames):
        places.setdefault(digest, number)
    for number, digest in enumerate(new.frames):
        place = places.get(digest, -1)
        if place > last:
            found[number] = last = place
    return found
