"""A picture file as a StreamingOutput."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import TesseraError, UnreadableFile, UnsupportedFile, WriteFailed
from engine.io import carry, exr_header
from engine.io.encoders import Coding, Encoder, final_preamble, open_exr
from engine.io.exr_chunks import PartSource, assemble, check_complete, offsets
from engine.io.exr_header import RawFile
from engine.io.plain import PLAIN_SUFFIXES, check_plain, open_plain
from engine.io.problems import reading, writing
from engine.io.readers import set_threads
from engine.io.rows import RowBuffer
from engine.io.source import FileSource
from engine.io.temporary import TemporaryFile
from engine.streaming import StreamingOutput
from engine.tiling import Rect

Array = NDArray[Any]
SUFFIXES = (".exr", *PLAIN_SUFFIXES)


class FileOutput(StreamingOutput):
    """Graded pixels into a file that appears when it is complete.

    Regions are (height, width, 3|4) float16 or float32; bands, or tiles left to right in bands, top to bottom. `notes`
    are sentences for the user about what could not be kept; they are complete once the first region is written.
    """

    def __init__(self, target: Path, source: FileSource | None, wish: carry.Wish, force: bool, threads: int) -> None:
        self.path, self.notes = target, list[str]()
        self._source, self._wish, self._threads = source, wish, threads
        self._raw: RawFile | None = None
        if target.suffix.lower() not in SUFFIXES:
            raise UnsupportedFile(target, "has a suffix that is not written", f"use one of {', '.join(SUFFIXES)}")
        self._temporary = TemporaryFile(target, force)
        self._check(source)
        self._plan: carry.Plan | None = None
        self._encoder: Encoder | None = None
        self._rows: RowBuffer | None = None
        self._encoded = self._temporary.path
        self._size, self._channels = (0, 0), 0

    def _check(self, source: FileSource | None) -> None:
        """Everything that can be known before the work."""
        if source is not None:
            carry.check_gradable(self._wish, source.part, source.layer)
            if self._wish.type == "float" and self._wish.graded:
                source.widen()
        if self._is_exr:
            self._wish.exr_compression()
            if source is not None and source.info.format == "openexr":
                with reading(source.path):
                    self._raw = exr_header.parse(source.path)
                    self._check_other_parts(self._raw, source.part.index)

    @staticmethod
    def _check_other_parts(raw: RawFile, graded: int) -> None:
        """Better now than after the work: a part to be carried must be complete."""
        with raw.path.open("rb") as file:
            for part in range(len(raw.headers)):
                if part != graded:
                    offsets(file, raw, part)

    @property
    def _is_exr(self) -> bool:
        return self.path.suffix.lower() == ".exr"

    def init(self, width: int, height: int, channels: int) -> None:
        """The picture's size, which may differ from the source's, and its 3 or 4 channels."""
        if self._size != (0, 0):
            raise WriteFailed(self.path, "is being written already", "open one output per export")
        if channels not in (3, 4) or min(width, height) < 1:
            raise WriteFailed(self.path, f"can't hold {width} x {height} pixels of {channels} channels")
        self._size, self._channels = (width, height), channels
        set_threads(self._threads)
        if self._raw is not None and self._source is not None:
            source = self._source
            self._plan = carry.carrying_plan(self._wish, self._raw, source.part, source.layer, self._size, channels)
            self.notes += self._plan.notes
            if self._plan.carried:
                with reading(source.path):
                    source.carry()
        elif not self._is_exr:
            self.notes += self._plain_notes()

    def _plain_notes(self) -> list[str]:
        source = self._source
        if source is None or source.info.format != "openexr":
            return []
        others = [c.name for c in source.part.channels if c.name not in source.layer.channels]
        parts = [p.name or str(p.index) for p in source.info.parts if p != source.part]
        left = [f"{what} {', '.join(names)}" for what, names in (("channels", others), ("parts", parts)) if names]
        suffix = self.path.suffix[1:].upper()
        return [f"Left out, because {suffix} can't hold them: {' and '.join(left)}."] if left else []

    def _start(self, dtype: np.dtype[Any]) -> None:
        """Open the encoder; the first region tells the type of the pixels."""
        sample = self._wish.type
        if sample == "source":
            sample = "half" if dtype == np.float16 else "float"
        with writing(self.path):
            if not self._is_exr:
                opened = open_plain(
                    self._temporary.path, self.path, self._source, self._wish, self._size, self._channels
                )
                self._encoder, notes = opened
                self.notes += notes
            else:
                if self._plan is None:
                    aspect = self._source.part.pixel_aspect if self._source else 1.0
                    self._plan = carry.fresh_plan(self._wish, self._size, self._channels, sample, aspect)
                self._encoder = self._open_exr(self._plan)
            self._rows = RowBuffer(*self._size, self._encoder.step, self._encoder.write)

    def _open_exr(self, plan: carry.Plan) -> Encoder:
        if self._raw is not None and self._raw.is_multipart:
            self._encoded = self._temporary.another()
        coding = Coding(self._names(plan), plan.compression)
        return open_exr(self._encoded, self.path, plan.header, coding, self._temporary.another())

    def _names(self, plan: carry.Plan) -> tuple[str, ...]:
        """Channels in the order of the rows: the source's own, if they are the same, so that it is one copy."""
        wanted = plan.graded + plan.carried
        if plan.carried and self._source is not None and set(self._source.carried_names) == set(wanted):
            return self._source.carried_names
        return wanted

    def write_region(self, rect: Rect, pixels: Array) -> None:
        """Take the finished pixels of `rect`. WriteFailed if the disk is full, for instance."""
        if pixels.shape != (rect.height, rect.width, self._channels) or self._size == (0, 0):
            raise WriteFailed(self.path, f"got a region of {pixels.shape} that does not fill {rect}")
        if rect.clipped(*self._size) != rect:
            raise WriteFailed(self.path, f"got a region outside the picture: {rect}")
        if self._encoder is None:
            self._start(pixels.dtype)
        assert self._rows is not None
        samples = self._with_carried(rect, pixels)
        with writing(self.path):
            self._rows.put(rect, samples)

    def _with_carried(self, rect: Rect, pixels: Array) -> Array:
        plan, source = self._plan, self._source
        if plan is None or not plan.carried or source is None:
            return pixels
        with reading(source.path):
            carried = source.take_carried(rect)
        names, order = self._names(plan), source.carried_names
        half = all(channel.type == "half" for channel in plan.header.channels)
        samples = np.empty((rect.height, rect.width, len(names)), np.float16 if half else np.float32)
        if names == order:
            samples[...] = carried
        else:
            for name in plan.carried:
                samples[..., names.index(name)] = carried[..., order.index(name)]
        with np.errstate(over="ignore", invalid="ignore"):
            for n, name in enumerate(plan.graded):
                samples[..., names.index(name)] = pixels[..., n]
        return samples

    def finish(self) -> None:
        """Complete the file and put it in its place. TargetExists if one came up meanwhile and `force` is not set.

        A source that is replaced by it is closed first.
        """
        if self._encoder is None or self._rows is None or not self._rows.complete:
            raise WriteFailed(self.path, "did not get all of its lines", "export again")
        encoder, self._encoder = self._encoder, None
        with writing(self.path):
            try:
                encoder.close()
            except TesseraError:
                encoder.abandon()
                raise
            if self._plan is not None:
                self._complete_exr(self._plan)
            else:
                check_plain(self._temporary.path, self.path)
            if self._source is not None and _same_file(self.path, self._source.path):
                self._source.close()
        self._temporary.commit()

    def _complete_exr(self, plan: carry.Plan) -> None:
        """Give the coded pixels their final header, and the other parts beside them."""
        written = _check_written(self.path, self._encoded)
        if written.headers[0].compression != plan.header.compression:
            raise WriteFailed(self.path, f"can't be compressed with {plan.header.compression}", "choose another one")
        multipart = self._raw is not None and self._raw.is_multipart
        in_place = plan.header.line_order != "decreasing" or plan.header.tiles
        preamble = final_preamble(plan.header)
        if not multipart and in_place and written.tables[0] == len(preamble):
            with self._encoded.open("r+b") as out:
                out.write(preamble)
            return
        self._assemble(plan, multipart)

    def _assemble(self, plan: carry.Plan, multipart: bool) -> None:
        parts = [PartSource(self._encoded, 0, plan.header)]
        flags = 0
        if multipart and self._raw is not None and self._source is not None:
            graded, flags = self._source.part.index, self._raw.flags
            others = [PartSource(self._raw.path, n, header) for n, header in enumerate(self._raw.headers)]
            parts = [*others[:graded], *parts, *others[graded + 1 :]]
        else:
            self._temporary.path = self._temporary.another()
        assemble(self._temporary.path, flags, parts)

    def abort(self) -> None:
        """Leave no trace; an existing target stays as it was."""
        if self._encoder is not None:
            self._encoder.abandon()
            self._encoder = None
        self._temporary.discard()


def _check_written(target: Path, path: Path) -> RawFile:
    """The file that was just coded, complete; WriteFailed about the target if it is not."""
    try:
        written = exr_header.parse(path)
        check_complete(written)
    except UnreadableFile as problem:
        raise WriteFailed(target, "could not be written to its end", "check the disk's free space") from problem
    return written


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def open_output(
    path: str | Path,
    source: FileSource | None,
    *,
    type: str = "source",
    compression: str | None = None,
    force: bool = False,
    threads: int = 0,
    graded: bool = True,
) -> FileOutput:
    """Open a file for graded pixels; its format follows from the suffix.

    With an EXR `source` an EXR keeps all of it that is not the graded layer. `type` 'half' or 'float' changes the
    graded channels; `compression` (zip, dwaa:45, ...) the graded part. With `type='float'` the source gives float32
    from here on, so that no half stands between it and the file. `graded=False`: the pixels are the source's own.
    TargetExists, WriteFailed or UnsupportedFile before anything is read or written.
    """
    target = Path(path)
    return FileOutput(target, source, carry.Wish(target, type, compression, graded), force, threads)
