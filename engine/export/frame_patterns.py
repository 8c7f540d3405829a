"""Patterns of numbered files such as `shot.1001-1100x2####.exr`, parsed by fileseq, with their frames and paths.

A name has one placeholder for the frame number: `####`, `@@@@`, `%04d` or `$F4`, optionally after a range of frames. A
single `#` stands for four digits, several for one each; `@` always for one. Numbers are zero-padded to that width,
including a minus sign: frame -5 is `-005`. Only the name of the file is parsed, not its folder.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engine.core.file_errors import check_name, is_file, short
from engine.core.frame_numbers import MOST_DIGITS, around_number
from engine.core.records import dataclass
from engine.errors import FileError, TesseraError, UnreadableFile, UnsupportedFile

if TYPE_CHECKING:
    import fileseq

MOST_FRAMES = 1_000_000
MOST_STAGGER = 100
"""The largest stagger of a list such as 1-9:3, which fileseq expands by counting the step down to 1."""
_PLACE = re.compile(r"#+|@+|%\d*d|\$F\d*")
_STAGGER = re.compile(r"\d--?\d+(?:\.\d*)?:(\d+)")
_RANGE = re.compile(r"[-\d,.:xy ]+")
_NO_RANGE = re.compile(r"[^-\d,.:xy]")
_NUMBER = re.compile(r"-?\d+")


@cache
def _fileseq() -> Any:
    """Return fileseq, imported on first use: it takes long, and opening an image does not need it."""
    import fileseq

    fileseq.constants.MAX_FRAME_SIZE = MOST_FRAMES
    return fileseq


class FrameSource(Protocol):
    """Frames by number: a FramePattern, or `engine.export.frame_sources.MovieFrames`.

    `folder` and `name` make up its path, `text` is what it was called; `frames` are those of a range in it, or None.
    """

    @property
    def text(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def frames(self) -> tuple[int, ...] | None: ...
    def path(self, frame: int) -> Path: ...
    def place(self, frame: int) -> tuple[Path, int | None]: ...
    def on_disk(self) -> list[int]: ...


@dataclass(frozen=True)
class FramePattern:
    """Files whose names differ only in the frame number: `folder`, and names of `head`, number and `tail`.

    `digits` is the minimum width of the number. `frames` are the frames of the pattern's own range, in its order, or
    None. `text` is the pattern as written.
    """

    text: str
    folder: Path
    head: str
    tail: str
    digits: int
    frames: tuple[int, ...] | None

    @property
    def name(self) -> str:
        """The pattern without its folder and its range."""
        return f"{self.head}%0{self.digits}d{self.tail}" if self.frames else Path(self.text).name

    def path(self, frame: int) -> Path:
        """Return the path of a frame."""
        return self.folder / f"{self.head}{self.number(frame)}{self.tail}"

    def place(self, frame: int) -> tuple[Path, int | None]:
        """Return the path of a frame, which is a file of its own: None is its number in that."""
        return self.path(frame), None

    def number(self, frame: int) -> str:
        """Return a frame number as it appears in the name."""
        return str(frame).zfill(self.digits)

    def on_disk(self) -> list[int]:
        """Return the frames that have a file, in order; empty if there is no such folder.

        Raises UnreadableFile if the folder can't be listed.
        """
        try:
            with os.scandir(self.folder) as entries:
                found = {frame for entry in entries if (frame := self.frame_of(entry.name)) is not None}
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise UnreadableFile(
                self.folder, problem.strerror or "can't be listed", "check its permissions"
            ) from problem
        return sorted(found)

    def frame_of(self, name: str) -> int | None:
        """Return the frame number of a file name, or None if it does not match the pattern."""
        if len(name) <= len(self.head) + len(self.tail) or not (
            name.startswith(self.head) and name.endswith(self.tail)
        ):
            return None
        number = name[len(self.head) : len(name) - len(self.tail)]
        if not _NUMBER.fullmatch(number) or not number.isascii() or self.number(int(number)) != number:
            return None
        return int(number)


def is_pattern(text: str | Path) -> bool:
    """Return whether a path has a placeholder for a frame number and is not an existing file of that name."""
    path = Path(text)
    return _PLACE.search(path.name) is not None and not is_file(path)


def parse_pattern(text: str | Path) -> FramePattern:
    """Parse a pattern. Raises UnsupportedFile if it is not valid, or if its range has fractional frames."""
    path = Path(text)
    check_name(path)
    places = list(_PLACE.finditer(path.name))
    if len(places) != 1:
        what = f"has {'more than one' if places else 'no'} placeholder for the frame number"
        raise UnsupportedFile(path, what, "write it like shot.####.exr")
    fileseq, several = _fileseq(), places[0][0].startswith("##")
    style = fileseq.PAD_STYLE_HASH1 if several else fileseq.PAD_STYLE_HASH4
    try:
        _check_stagger(path.name)
        parsed = fileseq.FileSequence(path.name, pad_style=style)
        if parsed.zfill() > MOST_DIGITS:
            raise ValueError(f"its frame numbers have more than {MOST_DIGITS} digits")
        frames = _whole(parsed.frameSet())
        head = _head(path.name[: places[0].start()], parsed)
    except (fileseq.FileSeqException, ValueError, ArithmeticError) as problem:
        raise UnsupportedFile(path, f"is not a sequence ({_reason(problem)})", "write it like shot.####.exr") from None
    return FramePattern(str(text), path.parent, head, path.name[places[0].end() :], parsed.zfill(), frames)


def _head(before: str, parsed: fileseq.FileSequence) -> str:
    """Return the text before the placeholder, without the range.

    fileseq drops text between the two that it can't parse. Raises ValueError if that would be a part of the name.
    """
    if parsed.frameSet() is None:
        return before
    head = str(parsed.basename())
    if not before.startswith(head) or _RANGE.fullmatch(before, len(head)) is None:
        raise ValueError(f"'{short(before)}' is not a name with a range of frames")
    return head


def pattern_of(path: str | Path) -> tuple[FramePattern, int] | None:
    """Return the sequence that a file may belong to, by the last number in its name, and its frame; None without."""
    path = Path(path)
    found = around_number(path.name)
    if found is None:
        return None
    head, number, tail = found
    text = str(path.with_name(f"{head}{'#' * len(number) if len(number) > 1 else '@'}{tail}"))
    return FramePattern(text, path.parent, head, tail, len(number), None), int(number)


def parse_frames(text: str) -> tuple[int, ...]:
    """Parse a list of frames such as `1001-1100,1150,1200-1300x2`, keeping its order. Raises TesseraError."""
    fileseq = _fileseq()
    try:
        _check_stagger(text)
        frames = _whole(fileseq.FrameSet(text))
    except (fileseq.FileSeqException, ValueError, ArithmeticError) as problem:
        what = f"'{text}' is not a list of frames ({_reason(problem)})"
        raise TesseraError(what, "write 1001-1100,1150 or 1-99x2") from None
    if not frames:
        raise TesseraError(f"'{text}' has no frames", "write 1001-1100,1150 or 1-99x2")
    return frames


def frames_text(frames: Iterable[int]) -> str:
    """Return frames in short form: `1001-1100,1150`."""
    return str(_fileseq().framesToFrameRange(sorted(frames), compress=False))


def _reason(problem: Exception) -> str:
    """Return what is wrong with a pattern or a list of frames."""
    return "numbers out of range" if isinstance(problem, ArithmeticError) else short(str(problem))


def _check_stagger(text: str) -> None:
    """Raise ValueError if a list of frames has a stagger that is slow to expand. fileseq ignores other characters."""
    for found in _STAGGER.finditer(_NO_RANGE.sub("", text)):
        if len(found[1]) > 3 or int(found[1]) > MOST_STAGGER:
            raise ValueError(f"a stagger of more than {MOST_STAGGER}")


def _whole(found: fileseq.FrameSet | None) -> tuple[int, ...] | None:
    if found is None:
        return None
    if found.hasSubFrames():
        raise ValueError("frame numbers are integers")
    if len(found) > MOST_FRAMES:
        raise ValueError(f"more than {MOST_FRAMES} frames")
    return tuple(int(frame) for frame in found)


def gaps(frames: Sequence[int]) -> list[int]:
    """Return the frames missing between the first and the last, by their greatest common step.

    Raises TesseraError if the span has more than MOST_FRAMES frames.
    """
    step = math.gcd(*(frame - frames[0] for frame in frames)) if len(frames) > 1 else 1
    first, last = min(frames, default=0), max(frames, default=0)
    if (last - first) // step > MOST_FRAMES:
        what = f"from frame {first} to frame {last} there are more than {MOST_FRAMES} frames"
        raise TesseraError(what, "give a range such as 1001-1100")
    return sorted(set(range(first, last + 1, step)) - set(frames)) if frames else []


@dataclass(frozen=True)
class FrameFiles:
    """The source and target file of a frame. `is_there` says whether the source exists."""

    frame: int
    source: Path
    target: Path
    is_there: bool


def pair(source: FrameSource, target: FramePattern, frames: Sequence[int] | None = None) -> list[FrameFiles]:
    """Return the files of every frame to export.

    The frames are `frames`, else those of the source's pattern, else all from the first to the last on disk, including
    gaps. If the target has a range, its numbers are assigned in order. Raises UnreadableFile if there are no frames,
    UnsupportedFile if the numbers of frames differ, FileError if a target is also a source.
    """
    present = source.on_disk()
    asked = frames if frames is not None else source.frames
    if not present:
        raise UnreadableFile(source.text, "has no frames", f"there is no file like {source.path((asked or (1,))[0])}")
    wanted = sorted([*present, *gaps(present)]) if asked is None else list(asked)
    known = set(present)
    return [
        FrameFiles(frame, source.path(frame), target.path(number), frame in known)
        for frame, number in zip(wanted, _numbers(wanted, source, target), strict=True)
    ]


def _numbers(wanted: list[int], source: FrameSource, target: FramePattern) -> list[int]:
    """Return the number of each frame in the target."""
    if target.frames is not None and len(target.frames) != len(wanted):
        what = f"has {len(target.frames)} frames for {len(wanted)} of {source.text}"
        raise UnsupportedFile(target.text, what, "leave its range out to keep the numbers")
    numbers = list(target.frames or wanted)
    if set(map(target.path, numbers)) & set(map(source.path, wanted)):
        raise FileError(target.text, "would replace its own source", "write to another name or folder")
    return numbers


def nearest(frames: Sequence[int], frame: int) -> int:
    """Return the last of the sorted `frames` before `frame`, or the first of them."""
    return next((each for each in reversed(frames) if each < frame), frames[0])
