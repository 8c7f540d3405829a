"""Image files as streaming outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.chunks import PackedChunks
from engine.compute.streaming import RegionPixels, StreamingOutput
from engine.core.atomic import TemporaryFile
from engine.core.file_errors import reading, writing
from engine.core.geometry import Rect
from engine.errors import HandleError, TesseraError, UnreadableFile, UnsupportedFile, WriteFailed
from engine.io.description import check_unchanged
from engine.io.disk_space import check_disk_space, exr_estimate, plain_estimate
from engine.io.encoders import Encoder
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import offsets
from engine.io.exr.header import RawFile, RawHeader
from engine.io.exr.part_channels import carries_channels, check_gradable
from engine.io.exr.part_spec import PartSpec, fresh_spec
from engine.io.exr.passthrough import passthrough_spec, with_full_level_only
from engine.io.exr.writer import ExrTarget
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.library_readers import set_threads
from engine.io.other_formats import PLAIN_SUFFIXES, check_plain, open_plain
from engine.io.output_options import OutputOptions
from engine.io.rows import RowBuffer
from engine.io.source import FileSource, SourceOptions

Array = NDArray[Any]
SUFFIXES = (".exr", *PLAIN_SUFFIXES)


class FileOutput(StreamingOutput):
    """Writes graded pixels to a file that appears under its name when it is complete.

    Regions are (height, width, 3|4) float16 or float32: bands from top to bottom, or tiles from left to right in each
    band. `notes` are sentences for the user about what could not be kept; they are complete after `finish`.
    """

    def __init__(
        self, target: Path, source: FileSource | None, options: OutputOptions, force: bool, threads: int
    ) -> None:
        self.path, self.notes = target, list[str]()
        self._source, self._options, self._threads = source, options, threads
        self._raw: RawFile | None = None
        check_suffix(target)
        self._temporary = TemporaryFile(target, force)
        self._check(source)
        self._exr: ExrTarget | None = None
        self._encoder: Encoder | None = None
        self._rows: RowBuffer | None = None
        self._is_complete = False  # all chunks were written at once
        self._size, self._components = (0, 0), [0]

    def _check(self, source: FileSource | None) -> None:
        """Check everything that can be checked before the export starts."""
        if source is not None:
            check_gradable(self._options, source.part, source.layers)
            self._options.frame(source.part)
        if not self._is_exr:
            self._check_plain(source)
            return
        self._options.exr_compression()
        if source is not None and source.info.format == "openexr":
            with reading(source.path):
                self._raw = exr_header.parse(source.path, source.options.salvage)
                self._incomplete_parts(self._raw, source)

    def _check_plain(self, source: FileSource | None) -> None:
        kind = self.path.suffix[1:].upper()
        self._options.plain_compression()
        if self._options.storage is not None:
            raise UnsupportedFile(self.path, f"is {kind}, whose storage can't be chosen", "write an EXR")
        if source is not None and len(source.layers) > 1:
            raise UnsupportedFile(self.path, f"is {kind}, which holds one layer", "give one --layer, or write an EXR")

    def _incomplete_parts(self, raw: RawFile, source: FileSource) -> list[int]:
        """Return the other parts that are cut off. Unless the source is salvaged, raise UnreadableFile before work."""
        found = []
        with raw.path.open("rb") as file:
            for part in range(len(raw.headers)):
                try:
                    if part != source.part.index and not self._options.only_graded:
                        offsets(file, raw, part)
                except UnreadableFile:
                    if not source.options.salvage:
                        raise
                    found.append(part)
        return found

    @property
    def _is_exr(self) -> bool:
        return self.path.suffix.lower() == ".exr"

    @property
    def block(self) -> tuple[int, int]:
        return self._exr.block if self._exr else (0, 1)

    @property
    def fixed_bytes(self) -> int:
        return self._exr.fixed_bytes if self._exr else 0

    @property
    def headers(self) -> list[RawHeader]:
        """The headers of the EXR, known after `init`; empty for other formats."""
        return self._exr.headers if self._exr else []

    @property
    def spec(self) -> PartSpec | None:
        """The part of the EXR that is written, known after `init`; None for other formats."""
        return self._exr.spec if self._exr else None

    def init(self, width: int, height: int, channels: int) -> None:
        """Set the size of the image, which may differ from the source's, and its 3 or 4 channels."""
        if self._size != (0, 0):
            raise WriteFailed(self.path, "is being written already", "open one output per export")
        if channels not in (3, 4) or min(width, height) < 1:
            raise WriteFailed(self.path, f"can't hold {width} x {height} pixels of {channels} channels")
        source = self._source
        self._size = width, height
        self._components = [channels, *(source.components[1:] if source else ())]
        set_threads(self._threads)
        if source is not None and source.is_whole:
            self.notes.append("The source can't be read in pieces: all of it was loaded into memory.")
        if not self._is_exr:
            self.notes += self._plain_notes()
        elif self._raw is not None and source is not None:
            self._init_carrying(self._raw, source)
        elif source is not None:
            self._init_fresh(source.dtype)
        self._check_disk_space()

    def _init_carrying(self, raw: RawFile, source: FileSource) -> None:
        spec = passthrough_spec(self._options, raw, source.part, source.layers, self._size, self._components)
        if source.options.salvage:
            spec = with_full_level_only(spec, "The image is damaged")
            if not spec.single_part and self._incomplete_parts(raw, source):
                spec = spec.changed("Other parts are cut off too; only this one is written.", single_part=True)
        self._exr = self._target(spec)
        self.notes += spec.notes
        if self._exr.is_whole:
            self.notes.append("These channels can't be written in pieces: all of them were collected first.")
            name, _, level = spec.compression.partition(":")
            if level and not name.startswith("dwa"):
                self.notes.append(f"Compression level {level} of {name} could not be used for them.")
        if spec.carried and not source.options.passthrough:
            raise HandleError(f"{source.path} was opened without the channels that {self.path.name} copies")

    def _init_fresh(self, dtype: np.dtype[Any]) -> None:
        sample = self._options.type
        if sample == "source":
            sample = "half" if dtype == np.float16 else "float"
        part = self._source.part if self._source else None
        self._exr = self._target(fresh_spec(self._options, self._size, self._components[0], sample, part))

    def _target(self, spec: PartSpec) -> ExrTarget:
        alpha = not self._options.alpha
        return ExrTarget(self.path, self._temporary, spec, self._raw, self._source, alpha, self._threads)

    def _check_disk_space(self) -> None:
        with writing(self.path):
            exr = self._exr
            if exr is None:
                needed = plain_estimate(self.path.suffix.lower(), *self._size, self._components[0])
            else:
                part = self._source.part.index if self._source else 0
                needed = exr_estimate(self._raw, part, exr.spec.header, exr.spec.single_part, exr.is_assembled)
            check_disk_space(self.path, self._temporary.target.parent, needed)

    def _plain_notes(self) -> list[str]:
        source = self._source
        if source is None or source.info.format != "openexr" or self._options.only_graded:
            return []
        others = [c.name for c in source.part.channels if c.name not in source.layer.channels]
        parts = [p.name or str(p.index) for p in source.info.parts if p != source.part]
        left = [f"{what} {', '.join(names)}" for what, names in (("channels", others), ("parts", parts)) if names]
        suffix = self.path.suffix[1:].upper()
        return [f"Left out, because {suffix} can't hold them: {' and '.join(left)}."] if left else []

    def _start(self, dtype: np.dtype[Any]) -> None:
        """Open the encoder; without a source the first region decides the type of the pixels."""
        self._temporary.clean()
        with writing(self.path):
            if not self._is_exr:
                temporary, channels = self._temporary.path, self._components[0]
                encoder, notes = open_plain(temporary, self.path, self._source, self._options, self._size, channels)
                self.notes += notes
            else:
                if self._exr is None:
                    self._init_fresh(dtype)
                assert self._exr
                encoder = self._exr.open()
            self._encoder = encoder
            self._rows = RowBuffer(*self._size, encoder.step, encoder.write, encoder.piece, encoder.write_piece)

    def write_region(self, rect: Rect, pixels: Array) -> None:
        """Write the finished pixels of `rect`. Raises WriteFailed, for instance on a full disk."""
        self.write(rect, RegionPixels(rect, (pixels,)))

    def write(self, rect: Rect, region: RegionPixels) -> None:
        """Write the finished pixels of `rect` for every layer of the source, and what is passed through."""
        images = region.graded
        shapes = [(rect.height, rect.width, n) for n in self._components]
        if [pixels.shape for pixels in images] != shapes or self._size == (0, 0):
            raise WriteFailed(self.path, f"got regions of {[p.shape for p in images]} that don't fill {rect}")
        if rect.clipped(*self._size) != rect:
            raise WriteFailed(self.path, f"got a region outside the image: {rect}")
        if self._encoder is None:
            self._start(images[0].dtype)
        assert self._rows is not None
        samples = self._exr.gathered(rect, region) if self._exr else images[0]
        with writing(self.path):
            self._rows.put(rect, samples)

    def write_packed(self, packed: PackedChunks) -> None:
        """Write the whole image from encoded chunks: those of `packed_shape`, with `chunk_head` bytes before each."""
        if self._exr is None or self._encoder is not None:
            raise HandleError(f"{self.path.name} can't be written from encoded chunks")
        self._temporary.clean()
        with writing(self.path):
            self._encoder = encoder = self._exr.open_packed()
            encoder.write_chunks(packed)
        self._is_complete = True

    def finish(self) -> None:
        """Complete the file and move it to its target, after closing the source if it is the file being replaced.

        Raises TargetExists if the target has appeared meanwhile and `force` is not set.
        """
        received = self._rows.complete if self._rows is not None else self._is_complete
        if self._encoder is None or not received:
            raise WriteFailed(self.path, "did not receive all of its rows", "export again")
        encoder, self._encoder = self._encoder, None
        with writing(self.path):
            try:
                encoder.close()
            except TesseraError:
                encoder.abandon()
                raise
            if self._exr is not None:
                self.notes += self._exr.complete(encoder)
            else:
                check_plain(self._temporary.path, self.path)
            if self._source is not None:
                check_unchanged(self._source.info)
            if self._source is not None and _same_file(self.path, self._source.path):
                self._source.close()
        self._temporary.commit()

    def abort(self) -> None:
        """Delete what was written; an existing target stays unchanged."""
        if self._encoder is not None:
            self._encoder.abandon()
            self._encoder = None
        self._temporary.discard()


def check_suffix(target: Path) -> None:
    """Raise UnsupportedFile if no format that is written has the suffix of the target."""
    if target.suffix.lower() not in SUFFIXES:
        raise UnsupportedFile(target, "has a suffix that is not written", f"use one of {', '.join(SUFFIXES)}")


def source_options(
    options: OutputOptions,
    info: ImageInfo,
    part: PartInfo,
    layers: tuple[LayerInfo, ...],
    size: tuple[int, int],
    *,
    threads: int = 0,
    salvage: bool = False,
) -> SourceOptions:
    """Return how a source is read for an output with these options; `size` is that of the result.

    For an output of the type float, pixels are not rounded to half on the way.
    """
    is_exr = options.target.suffix.lower() == ".exr" and info.format == "openexr"
    passthrough = is_exr and carries_channels(options, part, layers, size)
    as_float = options.type == "float" and (options.graded or bool(options.mattes))
    again = len(options.mattes)
    return SourceOptions(threads, salvage, as_float=as_float, passthrough=passthrough, again=again)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def open_output(
    path: str | Path,
    source: FileSource | None,
    *,
    force: bool = False,
    threads: int = 0,
    options: OutputOptions | None = None,
    **asked: Any,
) -> FileOutput:
    """Open a file for graded pixels; the suffix determines its format.

    An EXR written from an EXR `source` keeps everything except the graded layers. Pass `options`, or their fields as
    keywords (type, compression, storage, crop, ...). `graded=False` says that the pixels are the source's own. The
    source must have been opened with the options that `source_options` returns. Raises TargetExists, WriteFailed or
    UnsupportedFile before anything is read or written.
    """
    target = Path(path)
    return FileOutput(target, source, options or OutputOptions(target, **asked), force, threads)
