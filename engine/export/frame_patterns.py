"""Numbered files: from a notation such as `shot.1001-1100x2####.exr` to frames and paths, by fileseq.

A name has one place for the frame number: `####`, `@@@@`, `%04d` or `$F4`, perhaps after a range of frames. A single
`#` stands for four digits, several for one each; `@` always for one. Numbers are padded with zeros to that width, a
minus sign counted: frame -5 is `-005`. Only the file's name is looked at, not its folder.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import fileseq

from engine.core.file_errors import check_name, is_file, short
from engine.errors import FileError, TesseraError, UnreadableFile, UnsupportedFile

MOST_FRAMES = 1_000_000
MOST_DIGITS = 64
"""Of a frame number in a name."""
fileseq.constants.MAX_FRAME_SIZE = MOST_FRAMES
MOST_STAGGER = 100
"""Of a list such as 1-9:3, which fileseq makes by counting the step down to 1."""
_PLACE = re.compile(r"#+|@+|%\d*d|\$F\d*")
_STAGGER = re.compile(r"\d--?\d+(?:\.\d*)?:(\d+)")
_RANGE = re.compile(r"[-\d,.:xy ]+")
_NO_RANGE = re.compile(r"[^-\d,.:xy]")
_NUMBER = re.compile(r"-?\d+")
_LAST_NUMBER = re.compile(r"(|.*?[._]|.*?[^\d._-]-?)(-?[0-9]+)(\D*?\.[^.]*)")


@dataclass(frozen=True)
class FramePattern:
    """Files that differ by a frame number alone: `folder`, and names of `head`, number and `tail`.

    `digits` is the least width of the number. `frames` are those that the notation itself asks for, in its order, or
    None. `text` is the notation.
    """

    text: str
    folder: Path
    head: str
    tail: str
    digits: int
    frames: tuple[int, ...] | None

    @property
    def name(self) -> str:
        """The notation without its folder and without a range."""
        return f"{self.head}%0{self.digits}d{self.tail}" if self.frames else Path(self.text).name

    def path(self, frame: int) -> Path:
        """The file of a frame."""
        return self.folder / f"{self.head}{self.number(frame)}{self.tail}"

    def number(self, frame: int) -> str:
        """A frame's number as it stands in the name."""
        return str(frame).zfill(self.digits)

    def on_disk(self) -> list[int]:
        """The frames that have a file, in order; none if the folder is not there. FileError if it can't be listed."""
        try:
            with os.scandir(self.folder) as entries:
                found = {frame for entry in entries if (frame := self.frame_of(entry.name)) is not None}
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise UnreadableFile(self.folder, problem.strerror or "can't be listed", "check its rights") from problem
        return sorted(found)

    def frame_of(self, name: str) -> int | None:
        """The frame that a name in the folder is; None if it is none."""
        if len(name) <= len(self.head) + len(self.tail) or not (
            name.startswith(self.head) and name.endswith(self.tail)
        ):
            return None
        number = name[len(self.head) : len(name) - len(self.tail)]
        if not _NUMBER.fullmatch(number) or not number.isascii() or self.number(int(number)) != number:
            return None
        return int(number)


def is_pattern(text: str | Path) -> bool:
    """Whether a path has a place for a frame number and is not simply a file of that name."""
    path = Path(text)
    return _PLACE.search(path.name) is not None and not is_file(path)


def parse_pattern(text: str | Path) -> FramePattern:
    """The files that a notation stands for. UnsupportedFile where it is none, or asks for parts of frames."""
    path = Path(text)
    check_name(path)
    places = list(_PLACE.finditer(path.name))
    if len(places) != 1:
        what = "has no place for the frame number" if not places else "has more than one place for the frame number"
        raise UnsupportedFile(path, what, "write it like shot.####.exr")
    several = places[0][0].startswith("##")
    style = fileseq.PAD_STYLE_HASH1 if several else fileseq.PAD_STYLE_HASH4
    try:
        _check_stagger(path.name)
        parsed = fileseq.FileSequence(path.name, pad_style=style)
        if parsed.zfill() > MOST_DIGITS:
            raise ValueError(f"its frame numbers have more than {MOST_DIGITS} digits")
        frames = _whole(parsed.frameSet())
        head = _head(path.name[: places[0].start()], parsed)
    except (fileseq.FileSeqException, ValueError, ArithmeticError) as problem:
        raise UnsupportedFile(path, f"is no sequence ({_reason(problem)})", "write it like shot.####.exr") from None
    return FramePattern(str(text), path.parent, head, path.name[places[0].end() :], parsed.zfill(), frames)


def _head(before: str, parsed: fileseq.FileSequence) -> str:
    """The text before the place of the number without its range. fileseq drops what it can't read between the two:
    ValueError where that would be a part of the name.
    """
    if parsed.frameSet() is None:
        return before
    head = str(parsed.basename())
    if not before.startswith(head) or _RANGE.fullmatch(before, len(head)) is None:
        raise ValueError(f"'{short(before)}' is no name with a range of frames")
    return head


def pattern_of(path: str | Path) -> tuple[FramePattern, int] | None:
    """The sequence that a file may be a frame of, by the last number in its name, and which one; None without a number.

    A minus sign is part of the number where a dot, an underscore or nothing comes before it.
    """
    path = Path(path)
    match = _LAST_NUMBER.fullmatch(path.name)
    if match is None or len(match[2]) > MOST_DIGITS:
        return None
    head, number, tail = match.groups()
    text = str(path.with_name(f"{head}{'#' * len(number) if len(number) > 1 else '@'}{tail}"))
    return FramePattern(text, path.parent, head, tail, len(number), None), int(number)


def parse_frames(text: str) -> tuple[int, ...]:
    """Frames from `1001-1100,1150,1200-1300x2`, in that order; TesseraError where it is no such list."""
    try:
        _check_stagger(text)
        frames = _whole(fileseq.FrameSet(text))
    except (fileseq.FileSeqException, ValueError, ArithmeticError) as problem:
        raise TesseraError(f"'{text}' are no frames ({_reason(problem)})", "write 1001-1100,1150 or 1-99x2") from None
    if not frames:
        raise TesseraError(f"'{text}' has no frames", "write 1001-1100,1150 or 1-99x2")
    return frames


def frames_text(frames: Iterable[int]) -> str:
    """Frames in short: `1001-1100,1150`."""
    return str(fileseq.framesToFrameRange(sorted(frames), compress=False))


def _reason(problem: Exception) -> str:
    """What is wrong with a notation, in words."""
    return "numbers beyond any frame" if isinstance(problem, ArithmeticError) else short(str(problem))


def _check_stagger(text: str) -> None:
    """ValueError where a list of frames asks for a stagger that takes long to make. fileseq skips what isn't a list."""
    for found in _STAGGER.finditer(_NO_RANGE.sub("", text)):
        if len(found[1]) > 3 or int(found[1]) > MOST_STAGGER:
            raise ValueError(f"a stagger of more than {MOST_STAGGER}")


def _whole(found: fileseq.FrameSet | None) -> tuple[int, ...] | None:
    if found is None:
        return None
    if found.hasSubFrames():
        raise ValueError("a frame is a whole number")
    if len(found) > MOST_FRAMES:
        raise ValueError(f"more than {MOST_FRAMES} frames")
    return tuple(int(frame) for frame in found)


def gaps(frames: Sequence[int]) -> list[int]:
    """Frames that lack between the first and the last, by the step that all of them have in common.

    TesseraError where these are more than MOST_FRAMES.
    """
    step = math.gcd(*(frame - frames[0] for frame in frames)) if len(frames) > 1 else 1
    first, last = min(frames, default=0), max(frames, default=0)
    if (last - first) // step > MOST_FRAMES:
        what = f"from frame {first} to frame {last} there are more than {MOST_FRAMES} frames"
        raise TesseraError(what, "say which are meant, as in 1001-1100")
    return sorted(set(range(first, last + 1, step)) - set(frames)) if frames else []


@dataclass(frozen=True)
class FrameFiles:
    """One frame of a job: what is read and what is written. `is_there` tells whether the source was found."""

    frame: int
    source: Path
    target: Path
    is_there: bool


def pair(source: FramePattern, target: FramePattern, frames: Sequence[int] | None = None) -> list[FrameFiles]:
    """Every frame that is meant, with its files.

    Those are `frames`, else what the source's notation says, else what is on disk from the first to the last, the gaps
    between them included. A target with a range of its own gets other numbers, one after the other. UnreadableFile
    where there are no frames; UnsupportedFile where the two do not fit.
    """
    there = source.on_disk()
    asked = frames if frames is not None else source.frames
    if not there:
        raise UnreadableFile(source.text, "has no frames", f"there is no file like {source.path((asked or (1,))[0])}")
    wanted = sorted([*there, *gaps(there)]) if asked is None else list(asked)
    known = set(there)
    return [
        FrameFiles(frame, source.path(frame), target.path(number), frame in known)
        for frame, number in zip(wanted, _numbers(wanted, source, target), strict=True)
    ]


def _numbers(wanted: list[int], source: FramePattern, target: FramePattern) -> list[int]:
    """The number that each frame gets in the target."""
    if target.frames is not None and len(target.frames) != len(wanted):
        what = f"has {len(target.frames)} frames for {len(wanted)} of {source.text}"
        raise UnsupportedFile(target.text, what, "leave its range out to keep the numbers")
    numbers = list(target.frames or wanted)
    if set(map(target.path, numbers)) & set(map(source.path, wanted)):
        raise FileError(target.text, "would replace its own source", "write to another name or folder")
    return numbers


def nearest(frames: Sequence[int], frame: int) -> int:
    """Of sorted frames the last that comes before, or the first."""
    return next((each for each in reversed(frames) if each < frame), frames[0])
