"""Reading of the planes of mattes: channels, coverage of Cryptomatte objects, IDs, and channels of other files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.backends.cpu.planes import Band, PlaneWindow, write_plane
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.core.system import usable_cores
from engine.errors import Cancelled, UnsupportedFile
from engine.io.cryptomatte import cryptomatte_layer
from engine.io.info import Channels, ImageInfo, PartInfo
from engine.io.manifests import Ids, Manifest, ids_manifest, manifest_of
from engine.io.picking import PickedObject as PickedObject
from engine.io.picking import ids_of, objects_at
from engine.io.plane_bands import BandCache, Bands, common_cache
from engine.io.plane_locations import Located, Shot, locate
from engine.io.plane_locations import MissingPlane as MissingPlane
from engine.io.plane_locations import missing as missing
from engine.io.plane_samples import SampleReader
from engine.mattes.planes import CoveragePlane, IdPlane, Plane

Floats = NDArray[np.float32]
BANDS_IN_USE = 3
"""Bands of a plane that are kept while it is read from top to bottom."""
MOST_LOCATED = 256
"""The most planes whose sources are kept in mind."""
GROUP_SHARE = 4
"""Bands of up to 1 / GROUP_SHARE of the budget are in use at once."""


@dataclass(frozen=True)
class PlaneOptions:
    """How planes are read.

    `threads` 0 is one per core. `frame` is the frame number for sequences of other files; None is the last number in
    the name of the image. `budget` is the number of bytes for decoded samples; 0 is a budget that all images share.
    With `lenient`, planes that the file lacks are 0. With `salvage`, regions that can't be read are 0.
    """

    threads: int = 0
    frame: int | None = None
    budget: int = 0
    lenient: bool = False
    salvage: bool = False


DEFAULTS = PlaneOptions()


class DecodedSamples(Protocol):
    """A reader of the graded image that has decoded samples of it."""

    @property
    def shared(self) -> Channels | None:
        """The channels whose samples it has; None if they can't be shared."""

    def samples(self, rect: Rect) -> NDArray[Any]:
        """Return the samples of these channels, (height, width, channels), with the bits of integers."""


class PlaneReader:
    """Reads planes for one part of a file. Thread-safe.

    Decoded samples are kept within a budget. Samples that `source` has decoded already are taken from there.
    """

    def __init__(
        self,
        info: ImageInfo,
        part: PartInfo,
        source: DecodedSamples | None = None,
        options: PlaneOptions = DEFAULTS,
    ) -> None:
        self.info, self.part, self.options = info, part, options
        self._source = source
        self._shot = Shot(info, part, options.frame)
        self._cache = BandCache(options.budget) if options.budget else common_cache()
        self._keys: set[tuple[Any, ...]] = set()
        self._samples = SampleReader(self._run, options.threads, options.salvage)
        self._lock, self._decoding = threading.RLock(), threading.RLock()
        self._located: dict[Plane, Located | MissingPlane] = {}
        self._manifests: dict[str, Manifest] = {}
        self._threads = options.threads or usable_cores()
        self._pool: ThreadPoolExecutor | None = None
        self._primitives: CpuPrimitives | None = None

    @property
    def used(self) -> int:
        """The bytes of decoded samples that are kept."""
        with self._lock:
            return self._cache.used(frozenset(self._keys))

    def read(self, planes: Sequence[Plane], rect: Rect, level: int = 0, shared: bool = True) -> Floats:
        """Return the values of planes in a rectangle of a mip level, (height, width, planes).

        `rect` is in pixels of the level, relative to the top left of the part's data window. A pixel is the mean of the
        pixels of level 0 under it. Outside the data window of another part, values are 0. Without `shared`, no samples
        are taken from the source. Raises UnsupportedFile or UnreadableFile if the file lacks a plane or is damaged.
        """
        found = [self._locate(plane) for plane in planes]
        values = np.empty((rect.height, rect.width, len(planes)), np.float32)
        self._together(located.bands for located in found if located is not None)
        for n, located in enumerate(found):
            if located is None:
                values[..., n] = 0.0
            elif level or not shared or not self._write_shared(values[..., n], located, rect):
                self._write(values[..., n], located, rect, level)
        self._together(())
        return values

    def limit(self, planes: Sequence[Plane]) -> int:
        """Keep only what reading these planes from top to bottom needs, without samples that are shared.

        Return the bytes of main memory that this takes, with those for decoding.
        """
        located = (self._locate(plane) for plane in planes)
        apart = {each.bands.key: each.bands for each in located if each is not None and not self._shares(each.bands)}
        kept = sum(BANDS_IN_USE * each.band_bytes for each in apart.values())
        self._cache = BandCache(kept)
        return kept + max((each.decoded_bytes for each in apart.values()), default=0)

    def prepare(
        self,
        planes: Sequence[Plane],
        rect: Rect | None = None,
        level: int = 0,
        progress: Callable[[int, int], None] = lambda done, total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Decode what `read` needs, by default of the whole image. Raises Cancelled if `stop()` returns True.

        `progress` is called with the number of bands that are ready and that of all.
        """
        lacking = list(self._lacking(planes, rect, level))
        progress(0, len(lacking))
        self._together(bands for bands, _ in lacking)
        try:
            for done, (bands, number) in enumerate(sorted(lacking, key=lambda each: each[1]), 1):
                if stop():
                    raise Cancelled()
                self._band(bands, number)
                progress(done, len(lacking))
        finally:
            self._together(())

    def ready(self, planes: Sequence[Plane], rect: Rect | None = None, level: int = 0) -> bool:
        """Return whether `read` has nothing to decode."""
        return next(self._lacking(planes, rect, level), None) is None

    def manifest(self, layer: str) -> Manifest:
        """Return the manifest of a Cryptomatte layer; it may be empty. Raises UnsupportedFile if there is no layer."""
        with self._lock:
            if layer not in self._manifests:
                self._manifests[layer] = manifest_of(self.info.path, cryptomatte_layer(self.info, layer, self.part))
            return self._manifests[layer]

    def objects(
        self,
        layer: str,
        progress: Callable[[int, int], None] = lambda done, total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Manifest:
        """Return the objects of a layer: those of its manifest, or without one the IDs of the image, decoded now."""
        manifest = self.manifest(layer)
        if len(manifest):
            return manifest
        ids = self.ids(CoveragePlane(layer), progress, stop)
        return ids_manifest(ids[ids != 0])

    def ids(
        self,
        plane: CoveragePlane | IdPlane,
        progress: Callable[[int, int], None] = lambda done, total: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Ids:
        """Return all IDs that the image has in the layer or the channel of a plane, sorted, decoded now."""
        bands = self._bands_of(plane)
        count, found = -(-bands.height // bands.rows), np.zeros(0, np.uint32)
        for number in range(count):
            progress(number, count)
            if stop():
                raise Cancelled()
            found = np.unique(np.concatenate([found, *ids_of(self._band(bands, number))]))
        progress(count, count)
        return found

    def pick(self, layer: str, x: int, y: int, level: int = 0) -> tuple[PickedObject, ...]:
        """Return the objects at a pixel of a mip level, the one with the largest coverage first.

        Positions are those of `read`; at a level it is the pixel of level 0 in the middle. Decodes a band if necessary.
        """
        bands = self._bands_of(CoveragePlane(layer))
        window = self._window(bands)
        middle = (1 << level) >> 1
        column = min((x << level) + middle, window.width - 1) - window.across
        row = min((y << level) + middle, window.height - 1) - window.down
        if not (0 <= column < window.part_width and 0 <= row < window.part_height):
            return ()
        band = self._band(bands, row // bands.rows)
        return objects_at(band, row % bands.rows, column, self.manifest(layer))

    def close(self) -> None:
        """Close all files and free all memory. The reader can be used again."""
        with self._decoding, self._lock:
            self._samples.close()
            self._cache.drop(self._keys)
            self._keys.clear()
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()

    def _locate(self, plane: Plane) -> Located | None:
        """Return the source of a plane; None if it is missing and that is allowed."""
        with self._lock:
            found = self._located.get(plane)
            if found is None:
                found = locate(self._shot, plane, self._cpu)
                if isinstance(found, Located) and self.options.salvage:
                    found.bands.key = ("salvaged", *found.bands.key)  # other readers raise errors where these are 0
            self._located[plane] = found
            while len(self._located) > MOST_LOCATED:
                del self._located[next(iter(self._located))]
        if isinstance(found, Located):
            return found
        if self.options.lenient:
            return None
        raise copy(found.error)  # one that is raised keeps the frames that it came through, and what is in them

    def _bands_of(self, plane: CoveragePlane | IdPlane) -> Bands:
        located = self._locate(plane)
        if located is None:
            what = f"layer '{plane.layer}'" if isinstance(plane, CoveragePlane) else f"channel '{plane.channel}'"
            raise UnsupportedFile(self.info.path, f"has no {what}", "choose another one")
        return located.bands

    def _window(self, bands: Bands) -> PlaneWindow:
        left, top = self.part.data_window[:2]
        corner = bands.box[0] - left, bands.box[1] - top
        return PlaneWindow(self.part.width, self.part.height, *corner, bands.width, bands.height)

    def _numbers(self, bands: Bands, rect: Rect, level: int) -> range:
        """Return the numbers of the bands that a rectangle needs."""
        window = self._window(bands)
        first = max((rect.y << level) - window.down, 0)
        end = min(min(rect.bottom << level, window.height) - window.down, window.part_height)
        return range(first // bands.rows, -(-end // bands.rows)) if first < end else range(0)

    def _lacking(self, planes: Sequence[Plane], rect: Rect | None, level: int) -> Iterator[tuple[Bands, int]]:
        """Yield the bands that planes need and that are not decoded, each once."""
        rect = rect or Rect(0, 0, -(-self.part.width >> level), -(-self.part.height >> level))
        seen: set[tuple[Any, ...]] = set()
        for plane in planes:
            located = self._locate(plane)
            if located is None or located.bands.key in seen:
                continue
            seen.add(located.bands.key)
            for number in self._numbers(located.bands, rect, level):
                if self._cache.get(located.bands, number) is None:
                    yield located.bands, number

    def _band(self, bands: Bands, number: int) -> Band:
        """Return a band, kept or decoded now. Other threads use bands that are kept meanwhile."""
        if (kept := self._cache.get(bands, number)) is not None:
            return kept
        with self._decoding:
            if (kept := self._cache.get(bands, number)) is not None:
                return kept
            band = bands.read(self._samples, number, self._run)
            with self._lock:
                self._keys.add(bands.key)
            self._cache.put(bands, number, band)
        return band

    def _together(self, several: Iterable[Bands]) -> None:
        """Announce which bands are going to be decoded."""
        with self._decoding:
            self._samples.together(each for bands in several for each in bands.channels)

    def _write(self, target: Floats, located: Located, rect: Rect, level: int) -> None:
        """Fill `target`, a few bands at a time if the budget is small."""
        bands, window = located.bands, self._window(located.bands)
        at_once = max(1, self._cache.budget // GROUP_SHARE // bands.band_bytes) * bands.rows
        rows = max(1, at_once >> level)
        for top in range(0, rect.height, rows):
            part = Rect(rect.x, rect.y + top, rect.width, min(rows, rect.height - top))
            numbers = self._numbers(bands, part, level)
            chosen = [self._band(bands, number) for number in numbers]
            held = (bands.rows, numbers.start, chosen)
            write_plane(target[top : top + part.height], window, part, level, held, located.ids, self._run)

    def _write_shared(self, target: Floats, located: Located, rect: Rect) -> bool:
        """Fill `target` from samples that the source has decoded; return False if it has not all of them."""
        if self._source is None or not self._shares(located.bands):
            return False
        shared, bands = self._source.shared, located.bands
        assert shared is not None
        places = [shared.names.index(name) for name in bands.channels[0].names]
        samples = self._source.samples(rect)[..., places].astype(np.float32, copy=False)
        band = bands.packed(samples, self._run)
        window = PlaneWindow(rect.width, rect.height, 0, 0, rect.width, rect.height)
        whole = Rect(0, 0, rect.width, rect.height)
        write_plane(target, window, whole, 0, (rect.height, 0, [band]), located.ids, self._run)
        return True

    def _shares(self, bands: Bands) -> bool:
        """Return whether the source has decoded all samples of these bands."""
        shared, wanted = self._source.shared if self._source else None, bands.channels[0]
        if shared is None or len(bands.channels) > 1 or bands.box != shared.part.data_window:
            return False
        return wanted.key[:-1] == shared.key[:-1] and set(wanted.names) <= set(shared.names)

    def _run(self, work: Callable[[int], None], starts: Iterable[int]) -> None:
        """Call `work` for each start, on several threads if there is more than one."""
        several = list(starts)
        if len(several) < 2 or self._threads == 1:
            for start in several:
                work(start)
            return
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="tessera-planes")
            under_way = [self._pool.submit(work, start) for start in several]  # `close` waits for them
        try:
            for each in under_way:
                each.result()
        finally:
            for each in under_way:
                each.cancel()

    def _cpu(self) -> CpuPrimitives:
        if self._primitives is None:
            self._primitives = CpuPrimitives(self._threads)
        return self._primitives
