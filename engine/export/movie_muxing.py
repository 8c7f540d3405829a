"""Encoding of the frames of a movie in their order, whatever order they are made in, with a bounded number ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from engine.export.frames import Asked, FrameJob, FrameResult
from engine.movies.content_light import content_light
from engine.movies.encode_settings import Encoded
from engine.movies.encoding import MovieWriter
from engine.movies.plane_header import read_header

ASK_SECONDS = 0.2


class OrderedFrames:
    """Gives out the jobs of frames in order, and encodes the results in the same order, in a thread of its own.

    At most `ahead` frames are made that are not encoded. After an error or a failed frame, no more jobs are given out.
    `taken_over` are the numbers of jobs whose frames are in the movie before, with their numbers there: they are not
    given out. `keeps` leaves the files of the frames. Without a `writer`, frames are only made.
    """

    def __init__(
        self,
        jobs: Sequence[FrameJob],
        writer: MovieWriter | None,
        ahead: int,
        stopped: Asked,
        *,
        taken_over: Mapping[int, int] | None = None,
        keeps: bool = False,
    ) -> None:
        self._jobs, self._writer, self._stopped, self._keeps = jobs, writer, stopped, keeps
        self._taken_over = taken_over or {}
        self._ahead, self._encoded, self._made = ahead, 0, dict[int, Path]()
        self._numbers = {job.frame: number for number, job in enumerate(jobs)}
        self._changed, self._failed = threading.Condition(), False
        self._error: Exception | None = None
        self._light = list[tuple[float, float]]()
        self.started = 0
        self._thread = threading.Thread(target=self._run, name="tessera-mux", daemon=True)
        self._thread.start()

    @property
    def ended_early(self) -> bool:
        """Whether the movie can't become complete."""
        return self._failed or self._error is not None or self._stopped()

    @property
    def allowed(self) -> int:
        """The number of frames that may have begun by now."""
        return self._encoded + self._ahead

    @property
    def light(self) -> tuple[tuple[float, float], ...]:
        """The highest and the mean luminance of each frame that was encoded."""
        return tuple(self._light)

    def feed(self) -> Iterator[FrameJob]:
        """Yield the jobs, each when it may begin."""
        for number, job in enumerate(self._jobs):
            with self._changed:
                while number - self._encoded >= self._ahead and not self.ended_early:
                    self._changed.wait(ASK_SECONDS)
            if self.ended_early:
                return
            self.started = number + 1
            if number not in self._taken_over:
                yield job

    def take(self, result: FrameResult) -> None:
        """Take the result of a frame, from any thread."""
        with self._changed:
            if result.state in ("done", "kept"):
                self._made[self._numbers[result.frame]] = Path(result.target)
            else:
                self._failed = True
            self._changed.notify_all()

    def end(self) -> Encoded | None:
        """Wait for the last frame and complete the movie; return None, with nothing written, if it is not whole.

        Raises the error of the encoder.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error
        if self.ended_early:
            return None
        if self._writer is None:
            return Encoded(len(self._jobs))
        return self._writer.finish(content_light(self._light) if any(light for light, _ in self._light) else None)

    def _run(self) -> None:
        for number in range(len(self._jobs)):
            with self._changed:
                while number not in self._made and number not in self._taken_over and not self.ended_early:
                    self._changed.wait(ASK_SECONDS)
                if self.ended_early:
                    return
            try:
                self._encode(number)
            except Exception as error:  # noqa: BLE001 (raised by `end`)
                self._error = error
            with self._changed:
                self._encoded = number + 1
                self._changed.notify_all()

    def _encode(self, number: int) -> None:
        if number in self._taken_over:
            assert self._writer is not None
            self._writer.copy(self._taken_over[number])
            return
        path = self._made.pop(number)
        header = read_header(path)
        self._light.append((header.highest, header.mean))
        if self._writer is not None:
            self._writer.write(path)
        if not self._keeps:
            path.unlink(missing_ok=True)
