"""Export of deep images: each sample is graded by itself, in bands of chunks; everything else keeps its bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import field, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import MB, Progress, StreamReport
from engine.compute.plan import PixelFormat
from engine.core.atomic import TemporaryFile
from engine.core.file_errors import reading
from engine.core.geometry import StrategyKind
from engine.core.records import dataclass
from engine.core.system import available_memory, resident_memory, usable_cores
from engine.errors import Cancelled, MemoryLimitError, UnreadableFile
from engine.export.job import ExportJob
from engine.io import LayerInfo
from engine.io.description import check_unchanged
from engine.io.disk_space import check_disk_space
from engine.io.exr import header as exr_header
from engine.io.exr.deep_chunks import TYPES, DeepChunk, DeepPart, bands, chunk_bytes
from engine.io.exr.deep_coding import ZIP_LEVEL
from engine.io.exr.deep_writing import DeepWriter
from engine.io.exr.header import RawFile, RawHeader
from engine.io.exr.part_spec import PartSpec
from engine.io.exr.passthrough import passthrough_spec

Pixels = NDArray[Any]
BAND_BYTES = 1 << 23
"""The unpacked bytes of a band of chunks."""
COPIES = 10
"""The memory that a band takes, in unpacked sizes: two bands are decoded, one is graded and encoded; measured."""
CODING = {"rle": 120}
"""The memory that a chunk takes while it is decoded or encoded, in unpacked sizes; 8 for those not listed."""
WIDE = 4096
"""The width of the images that samples are graded as."""


@dataclass(frozen=True)
class DeepResult:
    """What a deep export writes: the part with graded samples, all headers, and notes for the user."""

    spec: PartSpec
    raw: RawFile
    headers: list[RawHeader]
    notes: list[str]


def deep_result(job: ExportJob) -> DeepResult:
    """Return what the export of a deep part writes, from the headers alone."""
    with reading(job.info.path):
        raw = exr_header.parse(job.info.path)
    record, notes = job.record()
    components = [4 if layer.has_alpha else 3 for layer in job.layers]
    size = (job.part.width, job.part.height)
    spec = passthrough_spec(replace(job.output, record=record), raw, job.part, job.layers, size, components)
    bare = [layer.name or "main" for layer in job.layers if not layer.has_alpha]
    if bare and job.options.alpha == "unpremultiplied" and job.ops:
        notes.append(f"Graded as stored, because they have no alpha: {', '.join(bare)}.")
    headers = [*raw.headers]
    headers[job.part.index] = spec.header
    return DeepResult(spec, raw, [spec.header] if spec.single_part else headers, [*notes, *spec.notes])


def deep_formats(job: ExportJob) -> list[PixelFormat]:
    """Return the formats of the images that the samples of each layer are graded as."""
    return [PixelFormat(_type(job, layer), 4 if layer.has_alpha else 3) for layer in job.layers]


def _type(job: ExportJob, layer: LayerInfo) -> np.dtype[Any]:
    halves = all(job.part.channel(name).type == "half" for name in layer.channels)
    return np.dtype(np.float16 if halves and job.output.type != "float" else np.float32)


def export_deep(
    job: ExportJob,
    executor: TiledExecutor | None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    budget: MemoryBudget | None = None,
) -> tuple[StreamReport, list[str]]:
    """Export a deep part. `executor` grades its samples; None if they stay as they are. Return the report and notes.

    `budget` is the memory that concurrent exports share. Raises FileError, BackendError, MemoryLimitError or Cancelled.
    """
    result = deep_result(job)
    temporary = TemporaryFile(job.output.target, job.options.force)
    try:
        with job.info.path.open("rb") as file:
            run = _Run(job, result, file, executor, progress, cancelled, budget)
            check_disk_space(temporary.asked, temporary.target.parent, run.disk_bytes)
            report = run.write(temporary)
        check_unchanged(job.info)
        temporary.commit()
    except UnreadableFile:
        check_unchanged(job.info)  # a changed file may be the only problem
        raise
    finally:
        temporary.discard()
    return report, result.notes


@dataclass
class _Run:
    """One export on its way."""

    job: ExportJob
    result: DeepResult
    file: BinaryIO
    executor: TiledExecutor | None
    progress: Progress | None
    cancelled: Callable[[], bool] | None
    budget: MemoryBudget | None
    seconds: dict[str, float] = field(default_factory=lambda: {"read": 0.0, "compute": 0.0, "write": 0.0})

    def __post_init__(self) -> None:
        with reading(self.job.info.path):
            self.part = DeepPart(self.file, self.result.raw, self.job.part.index)

    @property
    def disk_bytes(self) -> int:
        """The likely size of the result, with the part that is written before it is copied beside others."""
        size = self.result.raw.file_size
        return 2 * size if self.result.raw.is_multipart else size

    def write(self, temporary: TemporaryFile) -> StreamReport:
        """Write the whole file to the path of `temporary`."""
        work = list(bands(self.part.numbers, self.part.sizes.__getitem__, self._band_bytes()))
        raw, spec = self.result.raw, self.result.spec
        writer = DeepWriter(temporary.asked, temporary, spec.header, raw, self.job.part.index, spec.single_part)
        try:
            most = max(sum(self.part.sizes[number] for number in band) for band in work)
            with self._taken(self._cost(most)), self._coders() as coders:
                for chunks in self._written(work, writer, coders):
                    self._report(chunks, len(self.part.numbers))
            with self._timed("write"):
                writer.close()
        finally:
            writer.abandon()
        return StreamReport(
            StrategyKind.STREAMING.value,
            len(work[0]) * self.part.header.chunk_rows,
            len(work),
            **{f"seconds_{name}": seconds for name, seconds in self.seconds.items()},
        )

    def _written(self, work: list[list[int]], writer: DeepWriter, coders: Executor) -> Iterator[int]:
        """Yield the number of chunks that are written, after each band. The next one is decoded meanwhile."""
        name, _, level = self.result.spec.compression.partition(":")
        channels, deflate = self.result.spec.header.channels, int(level or ZIP_LEVEL)
        done, ahead = 0, self._decoding(work[0], coders)
        for number, band in enumerate(work):
            with self._core():
                with self._timed("read"), reading(self.job.info.path):
                    before = [each.result() for each in ahead]
                    ahead = self._decoding(work[number + 1], coders) if number + 1 < len(work) else []
                with self._timed("compute"):
                    graded = self._graded(before)
                del before
                with self._timed("write"):
                    coded = coders.map(lambda chunk: chunk_bytes(chunk, channels, name, deflate), graded)
                    for each, data in zip(band, coded, strict=True):
                        writer.write(each, data)
            done += len(band)
            yield done

    def _decoding(self, band: list[int], coders: Executor) -> list[Future[DeepChunk]]:
        return [coders.submit(self.part.decoded, self.part.read(number)) for number in band]

    # -- samples

    def _graded(self, chunks: Sequence[DeepChunk]) -> list[DeepChunk]:
        """Return chunks with the channels of the result."""
        images = [self._image(chunks, number) for number in range(len(self.job.layers))]
        places = {graded.name: graded for graded in self.result.spec.graded}
        found, start = list[DeepChunk](), 0
        for chunk in chunks:
            end, columns = start + chunk.count, dict[str, Pixels]()
            with np.errstate(over="ignore", invalid="ignore"):
                for channel in self.result.spec.header.channels:
                    graded = places.get(channel.name)
                    samples = chunk.channels[channel.name] if graded is None else None
                    if graded is not None:
                        samples = images[graded.image][start:end, graded.place]
                    assert samples is not None
                    columns[channel.name] = samples.astype(TYPES[channel.type], copy=False)
            found.append(self._emptied(chunk) if self.job.black else chunk.with_channels(columns))
            start = end
        return found

    def _emptied(self, chunk: DeepChunk) -> DeepChunk:
        """Return a chunk without samples, which is black."""
        none = {each.name: np.empty(0, TYPES[each.type]) for each in self.result.spec.header.channels}
        return DeepChunk(chunk.number, chunk.block, np.zeros_like(chunk.ends), none)

    def _image(self, chunks: Sequence[DeepChunk], number: int) -> Pixels:
        """Return the graded samples of a layer, (samples, 3|4); none are computed if nothing of it is graded."""
        layer, form = self.job.layers[number], deep_formats(self.job)[number]
        count = sum(chunk.count for chunk in chunks)
        wide = max(1, min(count, WIDE))
        image = np.zeros((max(1, -(-count // wide)), wide, form.channels), form.dtype)
        samples = image.reshape(-1, form.channels)[:count]
        if self.executor is None or not count or all(each.image != number for each in self.result.spec.graded):
            return samples
        names = layer.channels
        if layer.is_grey:
            names = (names[0],) * 3 + names[1:]
        for place, name in enumerate(names):
            np.concatenate([chunk.channels[name] for chunk in chunks], out=samples[:, place], casting="same_kind")
        graded = self.executor.execute_color(image, self.job.ops)
        return graded.reshape(-1, form.channels)[:count]

    # -- memory, threads, time

    @property
    def _threads(self) -> int:
        return 1 if self.budget else self.job.options.threads or usable_cores()

    def _band_bytes(self) -> int:
        """Return the unpacked bytes of a band that fits the memory limit. Raises MemoryLimitError if no chunk does."""
        held, limit = resident_memory(), self.job.options.max_memory
        free = available_memory() if limit is None else limit - held
        allowed = self.budget.memory if self.budget else free
        largest = max(self.part.sizes)
        if self._cost(largest) > allowed:
            what = f"{self.job.info.path}: {(allowed + held) // MB} MB of memory are too little for this image"
            needed = self._cost(largest) + held
            raise MemoryLimitError(what, f"allow at least {needed // MB + 1} MB" if limit else "close other programs")
        share = self.budget.share if self.budget else allowed
        return max(min(BAND_BYTES, (share - self._cost(0)) // COPIES), 1)

    def _cost(self, band: int) -> int:
        """Return the bytes of memory that a band of so many unpacked bytes takes."""
        names = self.part.header.compression, self.result.spec.header.compression
        return COPIES * band + self._threads * max(self.part.sizes) * max(CODING.get(name, 8) for name in names)

    def _taken(self, size: int) -> AbstractContextManager[None]:
        return self.budget.taken(size, self.cancelled) if self.budget else nullcontext()

    def _core(self) -> AbstractContextManager[Any]:
        return self.budget.cores if self.budget else nullcontext()

    @contextmanager
    def _coders(self) -> Iterator[Executor]:
        """Yield what decodes and encodes chunks: threads, or this one if exports run concurrently."""
        if self.budget:
            yield _Here()
            return
        with ThreadPoolExecutor(self._threads, "tessera-deep") as threads:
            try:
                yield threads
            finally:
                threads.shutdown(cancel_futures=True)

    def _report(self, done: int, total: int) -> None:
        if self.cancelled is not None and self.cancelled():
            raise Cancelled()
        if self.progress is not None:
            self.progress(done / total)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - start


class _Here(Executor):
    """Runs what is submitted at once, in the thread that submits it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 (raised again by the future)
            future.set_exception(error)
        return future
