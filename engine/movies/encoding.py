"""Writing of movies: frames in order, encoded in a process of their own. The file appears when it is complete."""

from __future__ import annotations

import importlib.util
import multiprocessing
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.core.atomic import TemporaryFile
from engine.core.file_errors import cannot_write, writing
from engine.errors import BackendUnavailable, UnsupportedFile, WriteFailed
from engine.movies.codecs import CODECS, Codec
from engine.movies.encode_process import (
    COPY,
    DONE,
    END,
    FAILED,
    FRAME,
    MISSING,
    TAKEN,
    encoders_in_process,
    record_in_process,
    serve,
)
from engine.movies.encode_settings import Encoded, EncodeSettings
from engine.movies.encode_tags import ContentLight
from engine.movies.mux_boxes import add_light_boxes

INSTALL = "install it: pip install 'tessera[movies]'"
END_SECONDS = 10.0
"""The time that the process may take to end before it is killed."""
START_SECONDS = 60.0
"""The time that a process may take to answer a question."""


class MovieWriter:
    """Writes a movie from frames in files of planes. Used by one thread.

    Raises TargetExists or WriteFailed if the target can't be written, UnsupportedFile without PyAV.
    """

    def __init__(self, target: Path, settings: EncodeSettings, force: bool) -> None:
        check_installed(target)
        self.target, self._settings = target, settings
        self._temporary = TemporaryFile(target, force)
        self._temporary.clean()
        spawn = multiprocessing.get_context("spawn")
        self._channel, other = spawn.Pipe()
        self._process = spawn.Process(
            target=serve, args=(other, self._temporary.path, settings), name="tessera-encoder", daemon=True
        )
        try:
            self._process.start()
        except BaseException:
            self._temporary.discard()
            raise
        other.close()

    @property
    def process_id(self) -> int:
        return self._process.pid or 0

    def write(self, planes: Path) -> None:
        """Encode the next frame. Returns when its file is no longer needed. Raises WriteFailed."""
        self._send((FRAME, planes))
        self._expect(TAKEN)

    def copy(self, number: int) -> None:
        """Take the frame of a number over from the movie before, without encoding it. Raises WriteFailed."""
        self._send((COPY, number))
        self._expect(TAKEN)

    def finish(self, light: ContentLight | None = None) -> Encoded:
        """Complete the movie and move it to its target. Raises WriteFailed, and TargetExists if one has appeared.

        `light` is that of all frames, if it was not known before.
        """
        self._send((END,))
        (encoded,) = self._expect(DONE)
        self._end()
        with writing(self.target):
            add_light_boxes(self._temporary.path, self._settings.mastering, light or self._settings.light)
        self._temporary.commit()
        assert isinstance(encoded, Encoded)
        return encoded

    def abort(self) -> None:
        """End the process and delete what it wrote; an existing target stays unchanged."""
        if self._process.is_alive():
            self._process.kill()
        self._end()
        self._temporary.discard()

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            self._channel.send(message)
        except OSError:
            self._expect("")  # it has said why, or has died

    def _expect(self, kind: str) -> tuple[Any, ...]:
        """Return the contents of the next message, which must be of this kind. Raises the error that it reports."""
        try:
            message = self._channel.recv()
        except (EOFError, OSError):
            raise self._died() from None
        if message[0] == kind:
            return tuple(message[1:])
        if message[0] == MISSING:
            raise UnsupportedFile(self.target, f"needs PyAV, which can't be loaded ({message[1]})", INSTALL)
        if message[0] != FAILED:
            raise WriteFailed(self.target, f"got an unknown message: {message[0]}")
        _, text, number, _ = message
        if number is not None and number > 0:
            raise cannot_write(self.target, OSError(number, text))
        raise WriteFailed(self.target, f"can't be encoded ({text})", "choose another codec, size or audio")

    def _died(self) -> WriteFailed:
        self._end()
        code = self._process.exitcode
        how = f"with the exit code {code}"
        if code is not None and code < 0:
            how = f"killed by {signal.Signals(-code).name}"
        return WriteFailed(
            self.target, f"its encoder ended unexpectedly ({how})", "check the memory, or change --codec"
        )

    def _end(self) -> None:
        self._channel.close()
        self._process.join(END_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def check_installed(target: Path) -> None:
    """Raise UnsupportedFile unless PyAV is installed."""
    if importlib.util.find_spec("av") is None:
        raise UnsupportedFile(target, "is a movie, which needs PyAV", INSTALL)


def available_codecs() -> tuple[str, list[tuple[Codec, bool]]]:
    """Return the version of PyAV, and every codec with whether its encoder is there. Raises BackendUnavailable."""
    if importlib.util.find_spec("av") is None:
        raise BackendUnavailable("movies need PyAV", INSTALL)
    answer = _asked(encoders_in_process, tuple({codec.encoder for codec in CODECS}))
    kind, *about = answer or (MISSING, "it ended unexpectedly")
    if kind == MISSING:
        raise BackendUnavailable(f"PyAV can't be loaded ({about[0]})", INSTALL)
    version, found = about
    return version, [(codec, codec.encoder in found) for codec in CODECS]


def read_movie_record(path: Path, key: str) -> tuple[str, int]:
    """Return a text of a movie's metadata and the number of its frames; '' and 0 if it can't be read."""
    answer = _asked(record_in_process, path, key)
    return (answer[1], answer[2]) if answer else ("", 0)


def _asked(ask: Callable[..., None], *about: Any) -> tuple[Any, ...] | None:
    """Return the answer of a process, or None if it dies."""
    spawn = multiprocessing.get_context("spawn")
    channel, other = spawn.Pipe()
    process = spawn.Process(target=ask, args=(other, *about), daemon=True)
    process.start()
    other.close()
    try:
        return tuple(channel.recv()) if channel.poll(START_SECONDS) else None
    except (EOFError, OSError):
        return None
    finally:
        channel.close()
        process.join(END_SECONDS)
        process.kill()
