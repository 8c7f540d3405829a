"""The process of an encoder: maps the planes of frames, encodes them with PyAV, and writes the movie.

This is the only module of the writing half that imports PyAV, and it does so only in that process: whatever a codec
does, the export lives on.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

from engine.errors import TesseraError
from engine.movies.encode_channel import Channel, own_channel
from engine.movies.encode_settings import Encoded, EncodeSettings
from engine.movies.plane_header import plane_memory

FRAME, COPY, END = "frame", "copy", "end"
"""Messages to the process after the first one: with the path of a frame; with the number of one of the movie `before`;
at the end."""
WRITE, ENCODERS, RECORD = "write", "encoders", "record"
"""The first message to the process, with the arguments of `serve`, `say_encoders` or `say_record`."""
TAKEN, DONE, FAILED, MISSING = "taken", "done", "failed", "missing"
"""Messages from it: a frame was copied; the movie is complete; it can't be written; PyAV can't be loaded."""
_CONTAINERS = {".mov": "mov", ".mp4": "mp4", ".mkv": "matroska", ".webm": "webm"}


def serve(channel: Channel, path: Path, settings: EncodeSettings) -> None:
    """Write a movie of the frames that the channel names."""
    try:
        import av
    except ImportError as problem:
        channel.send((MISSING, str(problem)))
        return
    try:
        _serve(av, channel, path, settings)
    except EOFError:
        path.unlink(missing_ok=True)  # the export has died
    except OSError as problem:  # FFmpeg's own errors are, too
        channel.send((FAILED, problem.strerror or str(problem), problem.errno, traceback.format_exc()))
    except (TesseraError, ValueError, MemoryError, RuntimeError) as problem:
        channel.send((FAILED, str(problem) or type(problem).__name__, None, traceback.format_exc()))


def say_encoders(channel: Channel, names: tuple[str, ...]) -> None:
    """Send which of these encoders of FFmpeg the library has."""
    try:
        import av

        channel.send((DONE, av.__version__, tuple(name for name in names if _is_there(av, name))))
    except ImportError as problem:
        channel.send((MISSING, str(problem)))


def say_record(channel: Channel, path: Path, key: str) -> None:
    """Send a text of a movie's metadata and the number of its frames; '' and 0 if it can't be read."""
    try:
        import av

        with av.open(str(path)) as movie:
            texts = {name.lower(): text for name, text in movie.metadata.items()}
            count = sum(1 for packet in movie.demux(video=0) if packet.size)
        channel.send((DONE, texts.get(key, ""), count))
    except (ImportError, OSError, ValueError, IndexError):
        channel.send((DONE, "", 0))


def _is_there(av: Any, name: str) -> bool:
    try:
        av.codec.Codec(name, "w")
    except ValueError:
        return False
    return True


def _serve(av: Any, channel: Channel, path: Path, settings: EncodeSettings) -> None:
    movie = _Movie(av, path, settings)
    while True:
        message = channel.receive()
        if message[0] == END:
            break
        if message[0] == COPY:
            movie.copy(message[1])
            channel.send((TAKEN,))
            continue
        movie.take(message[1])
        channel.send((TAKEN,))
        movie.encode()
    movie.finish()
    channel.send((DONE, Encoded(movie.count)))


class _Movie:
    def __init__(self, av: Any, path: Path, settings: EncodeSettings) -> None:
        self._av, self._settings, self.count = av, settings, 0
        suffix = path.suffix.lower()
        options = {"movflags": "use_metadata_tags+write_colr"} if suffix in (".mov", ".mp4") else {}
        self._container = av.open(str(path), "w", format=_CONTAINERS[suffix], options=options)
        self._container.metadata.update(settings.metadata)
        self._stream = stream = self._container.add_stream(
            settings.encoder, rate=settings.rate, options=dict(settings.options)
        )
        context, tags = stream.codec_context, settings.tags
        context.width, context.height, context.pix_fmt = settings.width, settings.height, settings.format
        context.time_base = 1 / settings.rate
        context.color_primaries, context.color_trc = tags.primaries, tags.transfer
        context.colorspace, context.color_range = tags.matrix, 2 if tags.full_range else 1
        context.sample_aspect_ratio = settings.pixel_aspect
        context.thread_count = settings.threads
        if settings.encoder in ("prores_ks", "dnxhd"):
            context.thread_type = "FRAME" if settings.encoder == "prores_ks" else "SLICE"
        if settings.tag and suffix in (".mov", ".mp4"):
            context.codec_tag = settings.tag
        if settings.timecode:
            stream.metadata["timecode"] = settings.timecode
        self._audio = self._opened_audio(suffix)
        self._frame: Any = None
        self._before = av.open(str(settings.before)) if settings.before else None
        self._packets = self._before.demux(video=0) if self._before else iter(())
        self._copied = -1

    def _opened_audio(self, suffix: str) -> Any:
        track = self._settings.audio
        if track is None:
            return None
        from engine.movies.encode_audio import AudioWriter

        try:
            return AudioWriter(self._av, self._container, track, suffix)
        except (OSError, ValueError) as problem:
            raise ValueError(f"{track.path}: its audio can't be used ({problem})") from problem

    def take(self, path: Path) -> None:
        """Copy the planes of a frame."""
        settings = self._settings
        frame = self._av.VideoFrame(settings.width, settings.height, settings.format)
        with plane_memory(path) as (header, planes):
            found = header.pixels.ffmpeg, header.width, header.height
            if found != (settings.format, settings.width, settings.height):
                raise ValueError(f"{path} holds another format")
            for target, source, (rows, columns) in zip(frame.planes, planes, header.shapes, strict=True):
                _copy_rows(memoryview(target), target.line_size, source, rows, columns * header.sample_bytes)
        tags = settings.tags
        frame.color_primaries, frame.color_trc = tags.primaries, tags.transfer
        frame.colorspace, frame.color_range = tags.matrix, 2 if tags.full_range else 1
        frame.pts, frame.time_base = self.count, 1 / settings.rate
        self._frame = frame

    def encode(self) -> None:
        """Encode the frame that was taken, and the audio up to its end."""
        self._container.mux(self._stream.encode(self._frame))
        self._ended_frame()

    def copy(self, number: int) -> None:
        """Take a frame over from the movie before, in which every frame is a packet of its own."""
        while self._copied < number:
            packet = next(self._packets)
            self._copied += bool(packet.size)
        packet.stream, packet.time_base = self._stream, 1 / self._settings.rate
        packet.pts = packet.dts = self.count
        packet.duration = 1
        self._container.mux(packet)
        self._ended_frame()

    def _ended_frame(self) -> None:
        self.count += 1
        if self._audio is not None:
            self._audio.until(Fraction(self.count) / self._settings.rate)

    def finish(self) -> None:
        self._container.mux(self._stream.encode(None))
        if self._audio is not None:
            self._audio.end(Fraction(self.count) / self._settings.rate)
        self._container.close()
        if self._before is not None:
            self._before.close()


def _copy_rows(target: memoryview, stride: int, source: memoryview, rows: int, size: int) -> None:
    """Copy rows of bytes to where there is padding after each."""
    target = target.cast("B") if target.format != "B" else target
    if stride == size:
        target[: rows * size] = source
        return
    for row in range(rows):
        target[row * stride : row * stride + size] = source[row * size : (row + 1) * size]


def main() -> None:
    channel = own_channel()
    kind, *about = channel.receive()
    _ANSWERS[kind](channel, *about)


_ANSWERS: dict[str, Callable[..., None]] = {WRITE: serve, ENCODERS: say_encoders, RECORD: say_record}


if __name__ == "__main__":
    with suppress(EOFError, OSError):  # the export has ended
        main()
    os._exit(0)  # nothing is left to do, and libraries take long to unload
