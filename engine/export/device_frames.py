"""Export of whole EXR frames on a device that decodes and encodes their chunks: only compressed bytes cross over.

Compressions that the device does not decode are decoded on the CPU. Whatever else the device does not do, or a file
that is not what it says, is left to the path through main memory, which also says what is wrong with the file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import field
from functools import cached_property

from engine.compute.chunks import (
    CODED,
    ChunkCodec,
    ChunkPlaces,
    LineLayout,
    Lines,
    PackedChunks,
    Place,
)
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import Progress, StreamReport
from engine.compute.plan import plan
from engine.core.geometry import StrategyKind
from engine.core.records import dataclass
from engine.core.system import available_memory, resident_memory
from engine.errors import BackendError, Cancelled, OutOfDeviceMemory, UnreadableFile
from engine.export.job import ExportJob
from engine.export.mattes import matte_inputs
from engine.grade.masking import planes_read
from engine.io import FileOutput, FileSource, LayerInfo, PartInfo
from engine.io.description import check_unchanged
from engine.io.exr.line_reading import read_lines
from engine.io.exr.packed_chunks import read_packed
from engine.io.exr.packed_writing import chunk_head, packed_shape
from engine.io.exr.part_spec import PartSpec

Asked = Callable[[], bool]
DECODED, GRADED, ENCODED = 0.3, 0.4, 0.8
"""The completed share after each step."""
FRAMES_AT_ONCE = 6
"""Frames that are read, decoded, graded and encoded at the same time: enough to keep a device busy, and few enough that
it does not spend its time allocating memory for them."""
CHANGED = "the file has changed"
PINNED = 1.125
"""The size of a pinned buffer relative to its contents, at most."""


@dataclass(frozen=True)
class Obstacle:
    """Why a frame is not exported on the device, as the end of a sentence."""

    why: str


@dataclass(frozen=True)
class DeviceReport:
    """The report of a frame that was encoded on the device; `decoder` is gpu or cpu."""

    stream: StreamReport
    decoder: str


def early_obstacle(job: ExportJob) -> Obstacle | None:
    """Return what keeps a frame from a device, as far as the job itself says."""
    options, output = job.options, job.output
    if output.target.suffix.lower() != ".exr" or job.info.format != "openexr":
        return Obstacle("only EXRs are, and from EXRs")
    if job.black or options.salvage or options.crop is not None:
        return Obstacle("black, cropped and damaged frames are not")
    if job.mattes:
        return Obstacle("mattes as channels are not")
    name, level, _ = (output.exr_compression() or job.part.compression).partition(":")
    if name not in CODED or level:
        return Obstacle("the device does not know this compression, or no level of it")
    return None


def export_on_device(
    job: ExportJob,
    source: FileSource,
    output: FileOutput,
    executor: TiledExecutor,
    budget: MemoryBudget | None = None,
    progress: Progress | None = None,
    cancelled: Asked | None = None,
) -> DeviceReport | Obstacle:
    """Export a frame on the executor's device, or return why that is not possible; the output is then not usable.

    `budget` is the main memory that concurrent exports share. Raises the same errors as the path through main memory,
    except those about the device and about damage: they become an Obstacle.
    """
    codec = executor.primitives.chunk_codec
    if codec is None:
        return Obstacle(f"{executor.primitives.device} does not encode EXRs")
    output.init(*job.size(), source.channels)
    shape = _shape(source, output)
    if isinstance(shape, Obstacle):
        return shape
    frame = _Frame(job, source, output, executor, codec, *shape, progress, cancelled)
    try:
        with _main_memory(job, budget, frame.main_bytes(), cancelled) as fits:
            obstacle = frame.export() if fits else Obstacle("the memory limit is too small")
    except UnreadableFile:
        obstacle = Obstacle("the file is damaged")
    except OutOfDeviceMemory:
        executor.primitives.release_cached()
        obstacle = Obstacle("the device has too little memory")
    except BackendError as error:
        obstacle = Obstacle(error.what)
    if obstacle is None:
        return frame.finished()
    check_unchanged(job.info)  # a changed file may be the only problem
    return obstacle


@contextmanager
def _main_memory(job: ExportJob, budget: MemoryBudget | None, size: int, cancelled: Asked | None) -> Iterator[bool]:
    """Reserve main memory; yield False if there is too little."""
    limit = job.options.max_memory
    alone = available_memory() if limit is None else limit - resident_memory()
    if size > (budget.memory if budget else alone):
        yield False
        return
    with budget.taken(size, cancelled) if budget else nullcontext():
        yield True


def _shape(source: FileSource, output: FileOutput) -> tuple[LineLayout, ChunkPlaces] | Obstacle:
    """Return the layout and the chunks of the part to write."""
    spec = output.spec
    shape = packed_shape(spec.header) if spec else None
    if spec is None or shape is None or spec.subsampled:
        return Obstacle("the image has mip levels, subsampled channels or very large chunks")
    if source.is_whole or any(_is_unusual(source.part, layer) for layer in source.layers):
        return Obstacle("its layers are not plain colour")
    used = [name for layer in source.layers for name in layer.channels]
    if len(set(used)) < len(used):
        return Obstacle("its layers share channels")
    before = {channel.name: channel.type for channel in source.part.channels}
    carried = {channel.name: channel.type for channel in spec.header.channels if channel.name in spec.carried}
    if any(before[name] != kind for name, kind in carried.items()):
        return Obstacle("channels that are not graded change their type")
    return shape


def _is_unusual(part: PartInfo, layer: LayerInfo) -> bool:
    return layer.is_luminance_chroma or any(part.channel(name).type == "uint" for name in layer.channels)


@dataclass
class _Frame:
    """One frame on its way through the device."""

    job: ExportJob
    source: FileSource
    output: FileOutput
    executor: TiledExecutor
    codec: ChunkCodec
    layout: LineLayout
    places: ChunkPlaces
    progress: Progress | None
    cancelled: Asked | None
    decoder: str = "gpu"
    seconds: dict[str, float] = field(default_factory=lambda: {"read": 0.0, "compute": 0.0, "write": 0.0})

    @cached_property
    def inputs(self) -> MatteInputs:
        """What the mattes of the grade read."""
        return matte_inputs(self.source, self.job.ops, self.job.options.threads)

    @property
    def spec(self) -> PartSpec:
        assert self.output.spec is not None
        return self.output.spec

    def main_bytes(self) -> int:
        """Return the most main memory that source and result take: packed, or decoded on the CPU."""
        before, heads = self.source.path.stat().st_size, len(self.places) * chunk_head(self.spec.header)
        if self.source.part.compression.partition(":")[0] not in CODED:
            before = 2 * self._source_layout().nbytes
        return int(PINNED * (before + self.layout.nbytes + heads)) + self._plane_bytes()

    def _plane_bytes(self) -> int:
        """Return the main memory for the planes of mattes: their values, images of four each, and decoded samples."""
        planes = self.inputs.planes
        if planes is None:
            return 0
        count = len(planes_read(self.job.ops))
        return (4 * count + 16 * -(-count // 4)) * self.source.width * self.source.height + planes.fixed_bytes

    def export(self) -> Obstacle | None:
        """Read, decode, grade, encode and write the frame, up to the point where it appears under its name."""
        needed, room = self._device_bytes(), self.codec.room
        if needed > room.memory:
            return Obstacle("the device has too little memory")
        with room.taken(max(needed, room.memory // FRAMES_AT_ONCE), self.cancelled):
            packed = self._result()
        if isinstance(packed, Obstacle):
            return packed
        self._reached(ENCODED)
        with self._timed("write"):
            self.output.write_packed(packed)
        return None

    def finished(self) -> DeviceReport:
        """Complete the file, and return the report."""
        with self._timed("write"):
            self.output.finish()
        if self.progress is not None:
            self.progress(1.0)
        stream = StreamReport(
            StrategyKind.SINGLE_PASS.value,
            self.layout.height,
            1,
            **{f"seconds_{name}": seconds for name, seconds in self.seconds.items()},
        )
        return DeviceReport(stream, self.decoder)

    def _source_layout(self) -> LineLayout:
        part = self.source.part
        return LineLayout(part.width, part.height, tuple((channel.name, channel.type) for channel in part.channels))

    def _device_bytes(self) -> int:
        """Return the peak memory of the device for this frame, at most."""
        source, steps = self._source_layout(), plan(self.job.steps())
        packed = min(self.source.path.stat().st_size, source.nbytes)
        sizes = [(source.width, source.height, form.channels, form.dtype.itemsize) for form in self.source.formats]
        images = max(steps.device_bytes(*size) for size in sizes)
        encoding = self.layout.nbytes + self.codec.encoding_bytes(self.layout, self.places)
        return max(self.codec.decoding_bytes(source, packed), source.nbytes + self.layout.nbytes + images, encoding)

    def _result(self) -> PackedChunks | Obstacle:
        """Return the encoded chunks of the result."""
        with self._timed("read"):
            before = self._decoded()
        if isinstance(before, Obstacle):
            return before
        self._reached(DECODED)
        with self._timed("compute"):
            lines = self._graded(before)
        del before
        self._reached(GRADED)
        with self._timed("write"):
            return self.codec.encode(lines, self.places, self.spec.header.compression, chunk_head(self.spec.header))

    def _decoded(self) -> Lines | Obstacle:
        """Return the lines of the source. The buffer of its packed bytes is free again, for those of the result."""
        path, index, buffer = self.source.path, self.source.part.index, self.codec.host_buffer
        part = read_packed(path, index, buffer=buffer)
        if part is not None:
            if not _alike(part.layout, self._source_layout()):
                return Obstacle(CHANGED)
            decoded = self.codec.decode(part.data, part.table, part.layout)
            return decoded.lines if decoded.good else Obstacle("the file is damaged")
        self.decoder = "cpu"
        lines = read_lines(path, index, buffer)
        if lines is None:
            return Obstacle("the device does not know this kind of part")
        if not _alike(lines.layout, self._source_layout()):
            return Obstacle(CHANGED)
        return self.codec.upload(lines.samples, lines.layout)

    def _graded(self, before: Lines) -> Lines:
        """Return the lines of the result: those of the source, if it has the same channels."""
        names, steps = self.spec.carried, self.job.steps()
        lines = before if before.layout == self.layout else self.codec.new_lines(self.layout)
        if lines is not before and names:
            self.codec.copy(before, lines, names)
        for number, (layer, form) in enumerate(zip(self.source.layers, self.source.formats, strict=True)):
            if any(graded.image == number for graded in self.spec.graded):
                handle = self.codec.image(before, _places(before.layout, layer, form.channels), form.dtype)
                handle = self.executor.process(handle, steps, self.inputs)
                self.codec.put(handle, lines, self._targets(number, form.channels))
        return lines

    def _targets(self, image: int, channels: int) -> tuple[Place, ...]:
        """Return where each component of a graded image goes."""
        names = {each.place: each.name for each in self.spec.graded if each.image == image}
        return tuple(self.layout.place(names[n]) if n in names else None for n in range(channels))

    def _reached(self, share: float) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled()
        if self.progress is not None:
            self.progress(share)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - start


def _alike(one: LineLayout, other: LineLayout) -> bool:
    """Return whether two layouts have the same pixels, in channels of any order."""
    sizes = (one.width, one.height) == (other.width, other.height)
    return sizes and sorted(one.channels) == sorted(other.channels)


def _places(layout: LineLayout, layer: LayerInfo, components: int) -> tuple[Place, ...]:
    """Return the channels that the components of a layer's image are made from."""
    places: list[Place] = [layout.place(name) for name in layer.channels]
    if layer.is_vector:
        return (*places, *[None] * (components - len(places)))
    if layer.is_grey:
        places = [places[0]] * 3 + places[1:]
    return tuple(places)
