"""Decoding of movies by FFmpeg, through PyAV. Only processes of this package import this module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import av
import av.error
import av.logging

from engine.core.file_errors import AGAIN, short
from engine.errors import TesseraError, UnreadableFile, UnsupportedFile
from engine.movies.frame_planes import arrays_of, described, stored
from engine.movies.movie_files import CONTAINERS, MOST_PIXELS
from engine.movies.packet_index import NO_STAMP, Entry, Key, PacketIndex

FIRST_PACKETS = 1000
"""A movie of which so many packets give no frame can't be decoded."""
NEAR = 16
"""A frame at most so many frames ahead is decoded on to, even if a key frame comes before it."""
SEEKS_BACK = (0, 1, 3, 10)
"""How many key frames further back a seek is tried, if a container seeks too far."""
OPTIONS = {
    "protocol_whitelist": "file",
    "format_whitelist": ",".join(CONTAINERS),
    "fflags": "+genpts",
}
"""Only the file itself is opened, whatever it names; missing time stamps of presentation are made from others."""
Waits = Callable[[], None]
av.logging.set_level(None)


class Stream:
    """The first video stream of an open file."""

    def __init__(self, path: Path, threads: int = 1) -> None:
        try:
            self.container: Any = av.open(f"file:{path}", container_options=OPTIONS, metadata_errors="replace")
        except (av.error.FFmpegError, ValueError, UnicodeError, MemoryError) as problem:
            raise _not_a_movie(path, problem) from problem
        videos = [each for each in self.container.streams.video if not _is_cover(each)]
        if not videos:
            self.container.close()
            raise UnsupportedFile(path, "has no video", "give a movie with images")
        self.video: Any = videos[0]
        self.context: Any = self.video.codec_context
        if self.context is None:
            self.container.close()
            what = "has video of a kind that this FFmpeg does not decode"
            raise UnsupportedFile(path, what, "convert it, for instance to ProRes or H.264")
        self.context.options = {"max_pixels": str(MOST_PIXELS)}
        self.context.thread_type, self.context.thread_count = "AUTO", threads

    def packets(self) -> Iterator[Any]:
        """Yield the packets from here on, and at the end an empty one; damage ends them."""
        try:
            yield from self.container.demux(self.video)
        except (av.error.FFmpegError, ValueError, MemoryError):
            yield None

    def close(self) -> None:
        self.container.close()


def _is_cover(stream: Any) -> bool:
    """Return whether a stream is an image that is attached to the file, such as the cover of an album."""
    return "attached_pic" in str(stream.disposition).lower()


def _not_a_movie(path: Path, problem: Exception) -> TesseraError:
    if isinstance(problem, MemoryError):
        return UnreadableFile(path, "needs more memory than a movie may take", AGAIN)
    return UnreadableFile(path, f"is not a movie that can be read ({_words(problem)})", AGAIN)


def _words(problem: Exception) -> str:
    return short(getattr(problem, "strerror", "") or str(problem) or type(problem).__name__)


def scan(path: Path, index: PacketIndex) -> None:
    """Add the packets of a movie to its table, up to the size that the file has now: it may be growing."""
    note = ""
    try:
        size = path.stat().st_size
        stream = Stream(path)
        try:
            for packet in stream.packets():
                if packet is None:
                    note = "is damaged: frames after the damage are left out"
                    break
                if packet.size == 0 or (packet.pos is not None and packet.pos > size):
                    continue
                if not index.add(packet.pts, packet.dts, packet.is_keyframe, not packet.is_discard):
                    note = f"has more than {index.most} frames: later ones are left out"
                    break
        finally:
            stream.close()
    except (TesseraError, OSError) as problem:
        note = str(problem)
    finally:
        index.finish(note)


class MovieDecoder:
    """Decodes the frames of a movie by number, as its table counts them. For one thread."""

    def __init__(self, path: Path, index: PacketIndex, threads: int = 1) -> None:
        self.path, self._index, self._threads = path, index, threads
        self._stream = Stream(path, threads)
        self._frames: Iterator[Any] = iter(())
        self._next = -1  # the number of the frame that is decoded next; -1 if nothing is being decoded
        self._from = NO_STAMP  # frames that are shown before the key frame may lack what they are predicted from
        first = self._first()
        self.info, self._format = (
            described(path, self._stream.container, self._stream.video, first),
            stored(first.format),
        )

    def close(self) -> None:
        self._stream.close()

    def frames_to(self, number: int, waits: Waits) -> Iterator[tuple[int, Any, bool]]:
        """Yield frames up to this one: their numbers, the frames, and whether they are damaged.

        Raises UnreadableFile if the movie does not have the frame. `waits` is called now and then.
        """
        entry = self._index.entry(number, waits)
        if entry is None:
            count = self._index.count(waits)
            raise UnreadableFile(self.path, f"has no frame {number}", f"its frames are 0 to {count - 1}")
        if not self._is_ahead(number, entry):
            self._begin(entry)
        for frame in self._frames:
            waits()
            found = self._number(frame)
            if found is None:
                continue
            self._next = found + 1
            yield found, frame, bool(frame.is_corrupt)
            if found == number:
                return
            if found > number:
                break
        else:
            self._next = -1
        what = f"frame {number} can't be decoded (it is damaged or missing)"
        raise UnreadableFile(self.path, what, AGAIN)

    def _number(self, frame: Any) -> int | None:
        if not self._index.is_timed:
            return self._next
        if frame.pts is None or frame.pts < self._from:
            return None
        return self._index.number_of(frame.pts)

    def _is_ahead(self, number: int, entry: Entry) -> bool:
        """Return whether decoding on is the way to a frame."""
        if self._next < 0 or number < self._next:
            return False
        if not self._index.is_timed or number <= self._next + NEAR:
            return True
        key = self._index.number_of(self._index.keys[entry.key].pts)
        return key is None or key <= self._next

    def _begin(self, entry: Entry) -> None:
        """Begin to decode at the key frame of a frame."""
        self._next = 0
        if not self._index.is_timed or not self._index.keys:
            self._reopen()
            self._from = NO_STAMP
            self._frames = self._decoded(self._stream.packets())
            return
        key = self._index.keys[entry.key]
        self._from = key.pts
        first, rest = self._found(entry.key, key)
        self._frames = self._decoded(_chained(first, rest))

    def _found(self, place: int, key: Key) -> tuple[Any, Iterator[Any]]:
        """Return the packet of a key frame and those after it."""
        for back in SEEKS_BACK:
            before = self._index.keys[max(0, place - back)]
            if self._seek(before):
                found = self._skipped_to(key)
                if found is not None:
                    return found
        self._reopen()
        found = self._skipped_to(key)
        if found is None:
            raise UnreadableFile(self.path, "is damaged (a key frame is gone)", AGAIN)
        return found

    def _seek(self, key: Key) -> bool:
        target = key.pts if key.dts == NO_STAMP else min(key.dts, key.pts)
        try:
            self._stream.container.seek(target, stream=self._stream.video, backward=True, any_frame=False)
        except (av.error.FFmpegError, OverflowError):
            return False
        return True

    def _skipped_to(self, key: Key) -> tuple[Any, Iterator[Any]] | None:
        """Read on to the packet of a key frame; None if it was before this place."""
        packets = self._stream.packets()
        for packet in packets:
            if packet is None or packet.size == 0:
                return None
            if packet.pts == key.pts and packet.is_keyframe:
                return packet, packets
            if packet.dts is not None and key.dts not in (NO_STAMP, packet.dts) and packet.dts > key.dts:
                return None
        return None

    def _reopen(self) -> None:
        self._stream.close()
        self._stream = Stream(self.path, self._threads)

    def _decoded(self, packets: Iterator[Any]) -> Iterator[Any]:
        """Yield the frames of packets. What can't be decoded is left out: the frame asked for is then missing."""
        decode = self._stream.context.decode
        for packet in packets:
            if packet is None:
                return
            try:
                frames = decode(packet if packet.size else None)
            except EOFError:
                return
            except (av.error.FFmpegError, ValueError):
                continue
            yield from frames

    # -- what the movie is

    def _first(self) -> Any:
        """Return the first frame that can be decoded. Decoding begins anew after it."""
        try:
            for number, packet in enumerate(self._stream.packets()):
                if packet is None or number > FIRST_PACKETS:
                    break
                try:
                    for frame in self._stream.context.decode(packet if packet.size else None):
                        return frame
                except EOFError:
                    break
                except (av.error.FFmpegError, ValueError):
                    continue
        except MemoryError:
            raise UnreadableFile(self.path, "needs more memory than a movie may take", AGAIN) from None
        raise UnreadableFile(self.path, "has no frame that can be decoded", AGAIN)

    def planes(self, frame: Any) -> list[Any]:
        """Return the planes of a frame in the format of the movie, as arrays that share its memory."""
        wide, high = self.info.format.width, self.info.format.height
        if (frame.width, frame.height) != (wide, high):
            what = f"changes its size from {wide} x {high} to {frame.width} x {frame.height}"
            raise UnsupportedFile(self.path, what, "split it into movies of one size")
        if frame.format.name != self._format:
            frame = frame.reformat(format=self._format)
        return arrays_of(frame, self.info.format)


def _chained(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest
