"""Movies: their tables of frames, and frames in any order; in this process, and seldom in one of their own."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from engine.core.geometry import Rect
from engine.movies.packet_index import PacketIndex
from engine.viewing.levels import levels_of
from engine.viewing.opening import open_image
from tools.fuzz.kind import Chance, Harm, Kind, Operation, Seed, Task
from tools.fuzz.mutations import raw, values
from tools.fuzz.samples.movies import movies

BOXES = re.compile(
    rb"mvhd|tkhd|mdhd|elst|stsd|stts|ctts|stss|stsc|stsz|stco|avcC|colr|pasp|fiel|gama|strf|strh|avih|idx1"
)
"""Boxes and chunks with numbers that are believed of a movie."""
MOST_FRAMES = 200
TRIES = 4


def made() -> Iterable[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        return list(movies(Path(folder)))


def boxes(data: bytes, chance: Chance) -> bytes:
    """Change a number in a box."""
    place = chance.choice([found.end() for found in BOXES.finditer(data)])
    size = chance.choice((1, 2, 4, 4, 4, 8))
    at = min(place + chance.below(96), len(data) - size)
    return data[:at] + values.packed(chance, size, chance.often(0.9)) + data[at + size :]


def frames(task: Task) -> None:
    """Make the table of frames and decode some of them, in this process."""
    from engine.movies.decoder import MovieDecoder, scan

    index = PacketIndex(MOST_FRAMES)
    scan(task.path, index)
    decoder = MovieDecoder(task.path, index)
    try:
        info, count = decoder.info, index.count(_nothing)
        if type(info).from_json(info.to_json()) != info:
            raise Harm("a description that is not the same in JSON form")
        for number in (0, *(task.chance.below(count + 1) for _ in range(TRIES))):
            for _, frame, _ in decoder.frames_to(number, _nothing):
                planes = decoder.planes(frame)
                if [plane.size for plane in planes] != [a * b * c for a, b, c in info.format.shapes]:
                    raise Harm("planes of another size than the movie says")
    finally:
        decoder.close()


def apart(task: Task) -> None:
    """Open it as the window does, in a process of its own."""
    from engine.movies.movie import close_movies

    try:
        levels = levels_of(open_image(task.path))
        levels.exact(Rect(0, 0, min(levels.width, 16), min(levels.height, 16)))
        open_image(task.path, frame=task.chance.below(9))
    finally:
        close_movies()


def _nothing() -> None:
    """Nobody waits."""


MUTATORS = ((boxes, 3.0), (raw.mutate, 3.0))
OPERATIONS = (Operation("frames", frames, weight=40.0), Operation("apart", apart))
KINDS = (Kind("movie", made, MUTATORS, OPERATIONS, weight=1.5),) if find_spec("av") else ()
