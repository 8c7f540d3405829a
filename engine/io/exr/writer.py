"""Writing of EXR files: choosing encoders for the pixels, and assembling the file at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.streaming import RegionPixels
from engine.core.atomic import TemporaryFile
from engine.core.attribute_names import MISSING
from engine.core.file_errors import reading
from engine.core.geometry import Rect
from engine.errors import HandleError, UnreadableFile, WriteFailed
from engine.io.description import exr_part
from engine.io.encoders import INCOMPLETE, Coding, Encoder, final_preamble, needs_whole, open_exr
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import PartSource, assemble, check_complete
from engine.io.exr.coding_memory import encoding_bytes
from engine.io.exr.header import RawFile, RawHeader
from engine.io.exr.mip_levels import LevelsEncoder, build_levels, level_part
from engine.io.exr.packed_writing import PackedEncoder
from engine.io.exr.part_spec import PartSpec
from engine.io.exr.subsampled import SubsampledEncoder
from engine.io.holes import describe_regions, shortened
from engine.io.library_readers import OiioReader
from engine.io.reader import Reader
from engine.io.source import FileSource
from engine.io.whole import planes_of

Array = NDArray[Any]
_TYPES = {"half": np.float16, "float": np.float32, "uint": np.uint32}


class ExrTarget:
    """Writes one re-encoded part beside the source's other parts.

    `keeps_alpha` copies alpha from the source at every mip level.
    """

    def __init__(
        self,
        target: Path,
        temporary: TemporaryFile,
        spec: PartSpec,
        raw: RawFile | None,
        source: FileSource | None,
        keeps_alpha: bool,
        threads: int,
    ) -> None:
        self.path, self.spec, self._temporary = target, spec, temporary
        self._raw, self._source, self._threads = raw, source, threads
        self._keeps_alpha = keeps_alpha and source is not None and spec.header.size == (source.width, source.height)
        self._coded: list[Path] = []

    # -- properties of the output

    @property
    def is_whole(self) -> bool:
        """Whether the file can't be written in pieces."""
        return needs_whole(self.spec.header, self.spec.compression)

    @property
    def has_levels(self) -> bool:
        tiles = self.spec.header.tiles
        return tiles is not None and tiles[2] > 0

    @property
    def is_assembled(self) -> bool:
        """Whether the encoded pixels are copied into a final file, with other parts, levels or in another order."""
        multipart = self._raw is not None and self._raw.is_multipart
        return multipart or self.has_levels or self.spec.header.line_order == "decreasing"

    @property
    def block(self) -> tuple[int, int]:
        header = self.spec.header
        tiles = header.tiles
        return (tiles[0] if tiles and not self.has_levels and not self.is_whole else 0), header.chunk_rows

    @property
    def fixed_bytes(self) -> int:
        header = self.spec.header
        if self.is_whole:
            return header.pixel_bytes * header.size[0] * header.size[1]
        return encoding_bytes(exr_part(0, header), self._threads) * (2 if self.has_levels else 1)

    @property
    def headers(self) -> list[RawHeader]:
        """The headers of the file to write."""
        if self._raw is None or self._source is None or self.spec.single_part:
            return [self.spec.header]
        headers = [self._shared(header) for header in self._raw.headers]
        headers[self._source.part.index] = self.spec.header
        return headers

    def _shared(self, header: RawHeader) -> RawHeader:
        """Return the header of a copied part; all parts of a file share one display window."""
        if self.spec.frame is None:
            return header
        return header.with_box("displayWindow", self.spec.header.box("displayWindow"))

    # -- pixels

    def open(self) -> Encoder:
        """Open the encoder for rows of `names`."""
        if self.has_levels:
            return self._open_levels()
        self._coded = [self._temporary.another() if self.is_assembled else self._temporary.path]
        return self._open_level(self.spec.header, self._coded[0])

    def open_packed(self) -> PackedEncoder:
        """Open the encoder for chunks that are encoded elsewhere."""
        self._coded = [self._temporary.another() if self.is_assembled else self._temporary.path]
        return PackedEncoder(self._coded[0], self.path, self.spec.header.with_chunk_count())

    def _open_level(self, header: RawHeader, path: Path) -> Encoder:
        coding = Coding(self.names, self.spec.compression)
        if self.spec.subsampled:
            return SubsampledEncoder(path, header, coding, self._subsampled)
        return open_exr(path, self.path, header, coding, self._temporary.another())

    def _open_levels(self) -> Encoder:
        source = self._source
        own = set(self.spec.carried)
        if self._keeps_alpha and source is not None and source.part.levels > 1:
            own |= {graded.name for graded in self.spec.graded if graded.place == 3}

        def open_level(header: RawHeader) -> tuple[Encoder, Path]:
            self._coded.append(self._temporary.another())
            return self._open_level(header, self._coded[-1]), self._coded[-1]

        def open_reader(level: int, size: tuple[int, int], names: tuple[str, ...]) -> Reader:
            assert source is not None
            return OiioReader(source.path, level_part(source.part, size), names, raw_uint=True, level=level)

        return build_levels(self.spec.header, self.names, frozenset(own), open_level, open_reader)

    def _subsampled(self) -> dict[str, Array]:
        """Return the source's planes of the subsampled channels, cropped."""
        source = self._source
        assert source is not None
        with reading(source.path):
            found = planes_of(source.path, source.part.index)
        planes = {name: found[name] for name in self.spec.subsampled}
        for channel in self.spec.header.channels:
            if channel.name in planes:
                plane = planes[channel.name]
                if self.spec.frame:
                    crop, x, y = self.spec.frame.part, channel.x_sampling, channel.y_sampling
                    plane = plane[crop.y // y : -(-crop.bottom // y), crop.x // x : -(-crop.right // x)]
                planes[channel.name] = np.ascontiguousarray(plane, _TYPES[channel.type])
        return planes

    @property
    def names(self) -> tuple[str, ...]:
        """Channels in the order of the rows: in the source's order if they are the same, so that one copy suffices."""
        wanted = tuple(graded.name for graded in self.spec.graded) + self.spec.carried
        if self.spec.carried and self._source is not None and set(self._source.passthrough_names) == set(wanted):
            return self._source.passthrough_names
        return wanted

    def gathered(self, rect: Rect, region: RegionPixels) -> Array:
        """Return the samples of all channels of `rect`, graded and carried ones."""
        spec, images = self.spec, region.graded
        if not spec.carried and len(images) == 1 and len(spec.graded) == images[0].shape[2]:
            return images[0]
        names = self.names
        half = all(channel.type == "half" for channel in spec.header.channels)
        samples = np.empty((rect.height, rect.width, len(names)), np.float16 if half else np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            if spec.carried:
                self._put_carried(samples, rect, region)
            for graded in spec.graded:
                samples[..., names.index(graded.name)] = images[graded.image][..., graded.place]
        return samples

    def _put_carried(self, samples: Array, rect: Rect, region: RegionPixels) -> None:
        if region.passthrough is None or self._source is None:
            raise HandleError(f"{rect} lacks the channels that are copied from the source")
        if self.spec.frame:
            corner = self.spec.frame.part
            rect = Rect(rect.x + corner.x, rect.y + corner.y, rect.width, rect.height)
        carried = region.passthrough[rect.within(region.rect)]
        names, order = self.names, self._source.passthrough_names
        if names == order:
            samples[...] = carried
            return
        for name in self.spec.carried:
            samples[..., names.index(name)] = carried[..., order.index(name)]

    # -- completion

    def complete(self, encoder: Encoder) -> list[str]:
        """Add the final header, other parts and levels to the encoded pixels. Return notes for the user."""
        holes = self._missing_regions()
        header = (self.spec.header.with_text(MISSING, holes) if holes else self.spec.header).with_chunk_count()
        notes = [_holes_note(holes)] if holes else []
        # The device's chunks are counted as they are written.
        chunks = not isinstance(encoder, PackedEncoder)
        written = [check_written(self.path, path, chunks) for path in self._coded]
        if any(file.headers[0].compression != header.compression for file in written):
            raise WriteFailed(self.path, f"can't be compressed with {header.compression}", "choose another compression")
        preamble = final_preamble(header)
        if not self.is_assembled and written[0].tables[0] == len(preamble):
            with self._coded[0].open("r+b") as out:
                out.write(preamble)
            return notes
        self._assemble(header, encoder.files if isinstance(encoder, LevelsEncoder) else ())
        return notes

    def _assemble(self, header: RawHeader, levels: tuple[tuple[Path, int, int], ...]) -> None:
        parts = [PartSource(self._coded[0], 0, header, levels)]
        flags = 0
        if self._raw is not None and self._raw.is_multipart and self._source is not None:
            graded, flags = self._source.part.index, self._raw.flags
            if not self.spec.single_part:
                others = [PartSource(self._raw.path, n, self._shared(h)) for n, h in enumerate(self._raw.headers)]
                parts = [*others[:graded], *parts, *others[graded + 1 :]]
        if self._coded == [self._temporary.path]:
            self._temporary.path = self._temporary.another()
        assemble(self._temporary.path, flags, parts)

    def _missing_regions(self) -> str:
        """Describe the regions of the source that could not be read; '' if there are none."""
        source = self._source
        if source is None or not source.holes:
            return ""
        return describe_regions(source.holes, source.width, *source.part.data_window[:2])


def _holes_note(holes: str) -> str:
    listed = shortened(holes, MISSING)
    return f"The file is damaged; regions that could not be read are 0 in all channels: {listed}."


def check_written(target: Path, path: Path, chunks: bool = True) -> RawFile:
    """Parse a file that was just written, with `chunks` also the size of each chunk.

    Raises WriteFailed, which names `target`, if it is incomplete.
    """
    try:
        written = exr_header.parse(path)
        if chunks:
            check_complete(written)
    except UnreadableFile as problem:
        raise WriteFailed(target, *INCOMPLETE) from problem
    return written
