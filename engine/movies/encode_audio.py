"""The audio of a movie that is written: decoded from a file, and encoded in step with the video.

Runs in the process of the encoder, which passes PyAV.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from engine.movies.encode_settings import AudioTrack

ENCODERS = {".mov": "pcm_s24le", ".mp4": "aac", ".mkv": "flac", ".webm": "libopus"}
"""The audio encoder of each container."""
_FORMATS = {"pcm_s24le": "s32", "pcm_s16le": "s16", "aac": "fltp", "flac": "s32", "libopus": "flt"}
_LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}
"""Channels that every encoder and player knows, by their number; files often do not name theirs."""
_BIT_RATE = 160_000
"""Bits per second of each channel, for encoders that lose something."""
_OPUS_RATE = 48_000
_AHEAD = 1024
"""Samples that are read at once, for encoders without frames of their own."""


class AudioWriter:
    """Writes a track in pieces: `until` a time of the video, and the rest at the `end`."""

    def __init__(self, av: Any, container: Any, track: AudioTrack, suffix: str) -> None:
        """Add the track to a container. Raises FFmpegError or ValueError if the file has no audio."""
        self._source = av.open(str(track.path))
        if not self._source.streams.audio:
            raise ValueError("has no audio")
        stream = self._source.streams.audio[0]
        about, encoder = stream.codec_context, ENCODERS[suffix]
        if encoder == "pcm_s24le" and about.name == "pcm_s16le":
            encoder = about.name
        self._rate = _OPUS_RATE if encoder == "libopus" else about.sample_rate
        layout = _LAYOUTS.get(about.layout.nb_channels, about.layout.name)
        self._out = container.add_stream(encoder, rate=self._rate, layout=layout)
        context = self._out.codec_context
        context.format, context.time_base = _FORMATS[encoder], Fraction(1, self._rate)
        if encoder in ("aac", "libopus"):
            context.bit_rate = _BIT_RATE * about.layout.nb_channels
        context.open()
        self._size = context.frame_size or _AHEAD
        self._container, self._av = container, av
        self._resampler = av.AudioResampler(context.format, layout, self._rate)
        self._fifo, self._written = av.AudioFifo(), 0
        self._frames: Iterator[Any] | None = self._decoded(stream, track.start)
        self._add_silence(track.silence)

    def until(self, seconds: Fraction) -> None:
        """Write the frames of samples that lie before a time."""
        while self._written + self._size <= seconds * self._rate and self._write(self._size):
            pass

    def end(self, seconds: Fraction) -> None:
        """Write the samples up to the end of the video, and close the source."""
        self.until(seconds)
        self._write(round(seconds * self._rate) - self._written)
        self._container.mux(self._out.encode(None))
        self._source.close()

    def _write(self, samples: int) -> bool:
        """Write so many samples, or what is left of the source. Return whether they were all there."""
        while self._fifo.samples < samples and self._frames is not None:
            frame = next(self._frames, None)
            if frame is None:
                self._frames = None
            else:
                self._fifo.write(frame)
        count = min(samples, self._fifo.samples)
        if count < 1:
            return False
        frame = self._fifo.read(count)
        frame.pts, frame.time_base, frame.sample_rate = self._written, Fraction(1, self._rate), self._rate
        self._written += count
        self._container.mux(self._out.encode(frame))
        return bool(count == samples)

    def _decoded(self, stream: Any, start: Fraction) -> Iterator[Any]:
        """Yield the samples from `start` in the format of the encoder."""
        skip = None
        if start > 2:
            self._source.seek(int((start - 1) * 1_000_000))
        for decoded in self._source.decode(stream):
            if skip is None:
                skip = round((start - Fraction(decoded.time or 0).limit_denominator(self._rate)) * self._rate)
            for frame in self._resampler.resample(decoded):
                if skip <= 0:
                    yield self._plain(frame)
                elif skip >= frame.samples:
                    skip -= frame.samples
                else:
                    rest = self._av.AudioFifo()
                    rest.write(self._plain(frame))
                    rest.read(skip)
                    skip = 0
                    yield self._plain(rest.read())
        yield from map(self._plain, self._resampler.resample(None))

    @staticmethod
    def _plain(frame: Any) -> Any:
        """Return a frame without its time, which a queue of samples does not need."""
        frame.pts = None
        return frame

    def _add_silence(self, seconds: Fraction) -> None:
        samples = round(seconds * self._rate)
        if samples > 0:
            frame = self._av.AudioFrame(self._out.codec_context.format.name, self._out.codec_context.layout, samples)
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            frame.sample_rate = self._rate
            self._fifo.write(self._plain(frame))
