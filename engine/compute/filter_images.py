"""Side images of filters: the expressions of a `FilterOp` as steps of a plan."""

from __future__ import annotations

import math

from engine.compute.matte_images import MatteImages
from engine.compute.step_graph import Link
from engine.compute.steps import ExtremeStep, FilterStep, PointStep, SoftStep, Step
from engine.kernel.filter_op import (
    Computed,
    FilterOp,
    FilterPixel,
    Gaussian,
    Largest,
    Magnification,
    Magnified,
    SideImage,
    Source,
    Weighted,
    WeightedSum,
)


class FilterImages:
    """Adds the side images of one filter to the images of a plan; equal expressions are one image.

    Each is visited once, however often it occurs in others: hashing it would visit all that it consists of.
    """

    def __init__(self, images: MatteImages, op: FilterOp, source: int) -> None:
        """`source` is the image that the filter is applied to."""
        self._images, self._op, self._source = images, op, source
        self._numbers: dict[int, tuple[SideImage, int]] = {}
        """Expressions with their numbers by identity, which lasts as long as they do."""
        self._known: dict[tuple[Step, Link], int] = {}

    def number(self, image: SideImage) -> int:
        """Return the number of an RGBA float32 image, after its steps if it has none yet."""
        if id(image) not in self._numbers:
            self._numbers[id(image)] = image, self._added(image)
        return self._numbers[id(image)][1]

    def _added(self, image: SideImage) -> int:
        if isinstance(image, Source):
            return self._images.widened(self._source)
        step = self._step(image)
        is_direct = isinstance(image, Computed) and isinstance(image.image, Source)
        before, *planes = image.sources
        link = Link(self._source if is_direct else self.number(before), tuple(map(self.number, planes)), side=True)
        if (step, link) not in self._known:
            self._known[step, link] = self._images.add(step, link)
        return self._known[step, link]

    def _step(self, image: SideImage) -> Step:
        if isinstance(image, Computed):
            return PointStep((FilterPixel(self._op, image.method, image.number, image.values),))
        if isinstance(image, Magnified):
            most = math.ceil(image.most * max(1.0, *self._images.scales(1.0)))
            return FilterStep(Magnification(image.factor, image.center, most))
        if isinstance(image, Gaussian):
            return SoftStep(image.radius, image.radius)
        if isinstance(image, Weighted):
            return FilterStep(WeightedSum(image.weights, image.step))
        assert isinstance(image, Largest)
        return ExtremeStep(image.radius, image.radius, largest=True)
