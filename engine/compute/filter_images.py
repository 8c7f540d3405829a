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
    """Adds the side images of one filter to the images of a plan; equal expressions are one image."""

    def __init__(self, images: MatteImages, op: FilterOp, source: int) -> None:
        """`source` is the image that the filter is applied to."""
        self._images, self._op, self._source = images, op, source
        self._known: dict[SideImage, int] = {}

    def number(self, image: SideImage) -> int:
        """Return the number of an RGBA float32 image, after its steps if it has none yet."""
        if image not in self._known:
            self._known[image] = self._added(image)
        return self._known[image]

    def _added(self, image: SideImage) -> int:
        if isinstance(image, Source):
            return self._images.widened(self._source)
        if isinstance(image, Computed):
            step = PointStep((FilterPixel(self._op, image.method, image.number, image.values),))
            before = self._source if isinstance(image.image, Source) else self.number(image.image)
            return self._images.add(step, Link(before, tuple(map(self.number, image.planes)), side=True))
        if isinstance(image, Magnified):
            most = math.ceil(image.most * max(1.0, *self._images.scales(1.0)))
            magnified = FilterStep(Magnification(image.factor, image.center, most))
            return self._images.add(magnified, Link(self.number(image.image), side=True))
        return self._images.add(_step(image), Link(self.number(image.sources[0]), side=True))


def _step(image: SideImage) -> Step:
    if isinstance(image, Gaussian):
        return SoftStep(image.radius, image.radius)
    if isinstance(image, Weighted):
        return FilterStep(WeightedSum(image.weights, image.step))
    assert isinstance(image, Largest)
    return ExtremeStep(image.radius, image.radius, largest=True)
