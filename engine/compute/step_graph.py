"""The graph of a plan's steps: which images each reads, with sizes, regions, memory and formats of all images."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from functools import cached_property
from typing import NamedTuple

from engine.compute.steps import (
    DISPLAY,
    RGBA,
    CropStep,
    FilterStep,
    PixelFormat,
    PlaneStep,
    PointStep,
    SoftStep,
    Stage,
    Step,
)
from engine.core.geometry import VRAM_TILE_OVERHEAD, Rect, around
from engine.core.records import dataclass
from engine.kernel.taps import Size


class Link(NamedTuple):
    """The images that a step reads, by number: 0 is the source, n the result of step n - 1.

    A step without an `image` has a result of the size and place of the image `like`. `planes` are read as `px.planes`.
    A `side` image is RGBA float32; others have the format of the source.
    """

    image: int | None
    planes: tuple[int, ...] = ()
    like: int = 0
    side: bool = False

    @property
    def images(self) -> tuple[int, ...]:
        """All images that are read."""
        return self.planes if self.image is None else (self.image, *self.planes)

    @property
    def before(self) -> int:
        """The image that the size of the result follows from."""
        return self.like if self.image is None else self.image


@dataclass(frozen=True)
class Plan:
    """The steps to run, in order. Without `links` each reads the result of the one before."""

    steps: tuple[Step, ...]
    links: tuple[Link, ...] = ()

    @cached_property
    def chain(self) -> tuple[Link, ...]:
        """The links of all steps."""
        return self.links or tuple(map(Link, range(len(self.steps))))

    @property
    def halo(self) -> int:
        """The number of pixels around a region that its result depends on, if no step changes the size."""
        if not self.links:
            return sum(step.halo for step in self.steps)
        reach = [0] * (len(self.steps) + 1)
        for number, (step, link) in reversed(list(enumerate(zip(self.steps, self.chain, strict=True), 1))):
            for image in link.images:
                reach[image] = max(reach[image], reach[number] + step.halo)
        return max(reach)

    @property
    def side_halo(self) -> int:
        """The sum of the halos of steps that only mattes need; 0 without mattes."""
        return sum(step.halo for step, link in zip(self.steps, self.chain, strict=True) if link.side)

    @property
    def computes(self) -> bool:
        """Whether any step runs on a device."""
        return any(not isinstance(step, CropStep) for step in self.steps)

    def sizes(self, width: int, height: int) -> list[Size]:
        """Return the size of the image before the first step and after each step."""
        sizes = [(width, height)]
        for step, link in zip(self.steps, self.chain, strict=True):
            sizes.append(step.result_size(sizes[link.before]))
        return sizes

    def resamples(self, width: int, height: int) -> bool:
        """Return whether a filter changes the size of the image; a crop does not count."""
        sizes = self.sizes(width, height)
        changes = zip(self.steps, self.chain, sizes[1:], strict=True)
        return any(isinstance(step, FilterStep) and sizes[link.before] != after for step, link, after in changes)

    def device_bytes(self, width: int, height: int, channels: int, itemsize: int) -> int:
        """Return the peak bytes of images on a device in a single pass.

        A step needs the images that it and later steps read, and its result; a filter also the float32 image between
        its two directions.
        """
        sizes = self.sizes(width, height)
        images = [width * height * channels * itemsize]
        for link, (wide, high) in zip(self.chain, sizes[1:], strict=True):
            images.append(wide * high * (16 if link.side else channels * itemsize))
        most = images[0]
        for number, (step, link) in enumerate(zip(self.steps, self.chain, strict=True)):
            between = 0
            if isinstance(step, PointStep) and not link.images:  # an image that is not read
                between = images[number + 1]
            elif isinstance(step, FilterStep | SoftStep):
                between = sizes[link.before][0] * sizes[number + 1][1] * 4 * (4 if link.side else channels)
            most = max(most, sum(images[each] for each in self._live[number]) + images[number + 1] + between)
        return most

    @property
    def most_images(self) -> int:
        """The largest number of images that exist at once."""
        filters = (isinstance(step, FilterStep | SoftStep) for step in self.steps)
        return max((len(live) + 1 + more for live, more in zip(self._live, filters, strict=True)), default=1)

    def tile_channels(self, channels: int) -> int:
        """Return the channels of an image that takes as much memory in tiles as source, result and side images."""
        if not self.links:
            return channels
        return math.ceil(RGBA.channels * max(self.most_images / VRAM_TILE_OVERHEAD, 1.0))

    def side_bytes(self, regions: Sequence[Rect]) -> int:
        """Return the peak bytes of the images that only mattes need, for these regions of all images."""
        sides = [0, *(16 * rect.pixels * link.side for rect, link in zip(regions[1:], self.chain, strict=True))]
        peaks = (sum(sides[each] for each in live) + sides[number] for number, live in enumerate(self._live, 1))
        return max(peaks, default=0)

    def regions(self, result: Rect, sizes: list[Size]) -> list[Rect]:
        """Return the region before the first step and after each step; the last one is `result`."""
        regions: list[Rect | None] = [None] * len(self.steps) + [result]
        for number, (step, link) in reversed(list(enumerate(zip(self.steps, self.chain, strict=True), 1))):
            after = regions[number]
            assert after is not None, "every image is read"
            for image in link.images:
                needed = after if image in link.planes else step.needs(after, sizes[image])
                before = regions[image]
                regions[image] = needed if before is None else around((before, needed))
        return [rect or Rect(0, 0, 0, 0) for rect in regions]

    def needed(self, result: Rect, source: Size, planes: bool = False) -> Rect:
        """Return the region of a source of this size that a region of the result needs, with that of its `planes`."""
        before, *after = self.regions(result, self.sizes(*source))
        read = [rect for step, rect in zip(self.steps, after, strict=True) if planes and isinstance(step, PlaneStep)]
        return around((before, *read)).clipped(*source)

    def kept_until(self, number: int) -> int:
        """Return the number of the last step that reads an image."""
        return self._last[number]

    def missing(self, there: Container[int]) -> set[int]:
        """Return the numbers of the images that have to be made for the last one, when others are `there` already."""
        needed, waiting = set[int](), [len(self.steps)]
        while waiting:
            image = waiting.pop()
            if image and image not in there and image not in needed:
                needed.add(image)
                waiting += self.chain[image - 1].images
        return needed

    @cached_property
    def _last(self) -> list[int]:
        last = [0] * (len(self.steps) + 1)
        for number, link in enumerate(self.chain):
            for image in link.images:
                last[image] = number
        last[-1] = len(self.steps)
        return last

    @cached_property
    def _live(self) -> list[list[int]]:
        """For each step the images that it or a later step reads."""
        last = self._last
        return [[image for image in range(step + 1) if last[image] >= step] for step in range(len(self.steps))]

    def formats(self, source: PixelFormat, display: bool = False) -> list[PixelFormat]:
        """Return the formats of all images. For display they are float32 between a source and the result, DISPLAY."""
        between = PixelFormat(RGBA.dtype, source.channels) if display else source
        formats = [source, *(RGBA if link.side else between for link in self.chain)]
        return [*formats[:-1], DISPLAY] if display else formats

    def stages(self, source: PixelFormat, display: bool = False) -> list[Stage]:
        """Return the stages that are compiled and run for an image of this format."""
        formats = self.formats(source, display)
        found: list[Stage] = []
        for number, (step, link) in enumerate(zip(self.steps, self.chain, strict=True)):
            if not isinstance(step, CropStep | PlaneStep) and not self.is_alias(number, formats):
                before = RGBA if link.image is None else formats[link.image]
                found.append(Stage(step, before, formats[number + 1]))
        return found

    def is_alias(self, number: int, formats: Sequence[PixelFormat]) -> bool:
        """Return whether a step gives its source unchanged, in the same format: it is not run."""
        step, link = self.steps[number], self.chain[number]
        if not link.side or link.image is None or not isinstance(step, PointStep) or step.ops:
            return False
        return formats[link.image] == formats[number + 1]
