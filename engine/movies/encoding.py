"""Writing of movies: frames in order, encoded in a process of their own. The file appears when it is complete."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
from pathlib import Path
from typing import Any

from engine.core.atomic import TemporaryFile
from engine.core.file_errors import cannot_write, writing
from engine.errors import BackendUnavailable, UnsupportedFile, WriteFailed
from engine.movies.codecs import CODECS, Codec
from engine.movies.encode_channel import start_encoder
from engine.movies.encode_process import COPY, DONE, ENCODERS, END, FAILED, FRAME, MISSING, RECORD, TAKEN, WRITE
from engine.movies.encode_settings import Encoded, EncodeSettings
from engine.movies.encode_tags import ContentLight
from engine.movies.mux_boxes import add_light_boxes

INSTALL = "install it: pip install 'tessera[movies]'"
END_SECONDS = 10.0
"""The time that the process may take to end before it is killed."""


class MovieWriter:
    """Writes a movie from frames in files of planes. Used by one thread.

    Raises TargetExists or WriteFailed if the target can't be written, UnsupportedFile without PyAV.
    """

    def __init__(self, target: Path, settings: EncodeSettings, force: bool) -> None:
        check_installed(target)
        self.target, self._settings = target, settings
        self._temporary = TemporaryFile(target, force)
        self._temporary.clean()
        with writing(target):
            self._process, self._channel = start_encoder()
        self._send((WRITE, self._temporary.path, settings))

    @property
    def process_id(self) -> int:
        return self._process.pid

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
        self._process.kill()
        self._end()
        self._temporary.discard()

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            self._channel.send(message)
        except (OSError, ValueError):
            self._expect("")  # it has said why, or has died

    def _expect(self, kind: str) -> tuple[Any, ...]:
        """Return the contents of the next message, which must be of this kind. Raises the error that it reports."""
        try:
            message = self._channel.receive()
        except (EOFError, OSError, ValueError):
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
        code = self._process.returncode
        how = f"with the exit code {code}"
        if code is not None and code < 0:
            how = f"killed by {signal.Signals(-code).name}"
        return WriteFailed(
            self.target, f"its encoder ended unexpectedly ({how})", "check the memory, or change --codec"
        )

    def _end(self) -> None:
        self._channel.close()
        _wait_for(self._process)


def check_installed(target: Path) -> None:
    """Raise UnsupportedFile unless PyAV is installed."""
    if importlib.util.find_spec("av") is None:
        raise UnsupportedFile(target, "is a movie, which needs PyAV", INSTALL)


def available_codecs() -> tuple[str, list[tuple[Codec, bool]]]:
    """Return the version of PyAV, and every codec with whether its encoder is there. Raises BackendUnavailable."""
    if importlib.util.find_spec("av") is None:
        raise BackendUnavailable("movies need PyAV", INSTALL)
    answer = _asked(ENCODERS, tuple({codec.encoder for codec in CODECS}))
    kind, *about = answer or (MISSING, "it ended unexpectedly")
    if kind == MISSING:
        raise BackendUnavailable(f"PyAV can't be loaded ({about[0]})", INSTALL)
    version, found = about
    return version, [(codec, codec.encoder in found) for codec in CODECS]


def read_movie_record(path: Path, key: str) -> tuple[str, int]:
    """Return a text of a movie's metadata and the number of its frames; '' and 0 if it can't be read."""
    answer = _asked(RECORD, path, key)
    return (answer[1], answer[2]) if answer else ("", 0)


def _asked(kind: str, *about: Any) -> tuple[Any, ...] | None:
    """Return the answer of a process to a question, or None if it dies."""
    process, channel = start_encoder()
    try:
        channel.send((kind, *about))
        return channel.receive()
    except (EOFError, OSError):
        return None
    finally:
        channel.close()
        _wait_for(process)


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process, and kill it if it takes too long."""
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
