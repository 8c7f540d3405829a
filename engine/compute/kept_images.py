"""Images of a plan that are kept for the next plan on the same source: while a slider moves, most steps stay the same.

Kept are side images that the steps of the image read, and what is read by steps that change from plan to plan; then, as
far as the budget allows, what filters give, in case that the next slider leaves it as it is. Whether a step is the same
is decided by the values that its kernels get, not by its op: the blur of a glow does not depend on the amount of it.
"""

from __future__ import annotations

from typing import Any

from engine.compute.handles import ImageHandle
from engine.compute.step_graph import Plan
from engine.compute.steps import PlaneStep, PointStep, Step
from engine.core.bounded_cache import BoundedCache
from engine.core.geometry import Rect
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import trace
from engine.kernel.op import ColorOp

BUDGET = 320 * 1024**2
"""The most bytes of the images that are kept for a source: enough for what Denoise reads again at 1920 x 1080."""
_ARGUMENTS: BoundedCache[tuple[Any, ...], Arguments] = BoundedCache(256)


class KeptImages:
    """Images of the last plan that ran on a source. Not thread-safe.

    They depend on the source, on its place and on what a step reads: planes of the file, which may be read anew, are
    never assumed to be the same.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._numbers: dict[tuple[Any, ...], int] = {}
        """The number of the result of each step of the last plan, by what determines it."""
        self._images: dict[int, tuple[ImageHandle, Rect]] = {}
        self._wanted: list[int] = []
        self._filtered: list[int] = []

    @property
    def nbytes(self) -> int:
        """The bytes of all images."""
        return sum(handle.nbytes for handle, _ in self._images.values())

    def clear(self) -> None:
        """Keep nothing any more."""
        self._images.clear()

    def begin(self, steps: Plan) -> dict[int, tuple[ImageHandle, Rect]]:
        """Begin another plan on the same source. Return images of it that are there already, by number."""
        before, numbers = [0], {}
        for number, (step, link) in enumerate(zip(steps.steps[:-1], steps.chain, strict=False), 1):
            content = _content(step)
            read = [None if each is None else before[each] for each in (link.image, *link.planes, link.like)]
            same = None if content is None else self._numbers.get((content, link.side, *read))
            before.append(-number if same is None else same)  # no image of the last plan has a negative number
            if content is not None:
                numbers[content, link.side, link.image, *link.planes, link.like] = number
        before.append(-len(before))
        images = {number: self._images[same] for number, same in enumerate(before) if same in self._images}
        self._numbers, self._images = numbers, images
        self._wanted = _worth_keeping(steps, before)
        self._filtered = [number for number in numbers.values() if not isinstance(steps.steps[number - 1], PointStep)]
        return images

    def offer(self, number: int, image: ImageHandle, region: Rect) -> None:
        """Keep the image of a number of the plan, if it is worth it and the budget allows it."""
        if number in self._wanted:
            for other in [each for each in self._images if each not in self._wanted]:
                if self.nbytes + image.nbytes > self._budget:
                    del self._images[other]
        elif number not in self._filtered:
            return
        if self.nbytes + image.nbytes <= self._budget:
            self._images[number] = image, region


def _worth_keeping(steps: Plan, before: list[int]) -> list[int]:
    """Return the numbers of the images that steps may read again; `before` are their numbers in the last plan."""
    found = []
    for number, link in enumerate(steps.chain, 1):
        for image in link.images:
            is_side = image > 0 and steps.chain[image - 1].side
            changes = before[image] > 0 > before[number]
            if changes or (is_side and not link.side):
                found.append(image)
    return found


def _content(step: Step) -> Any:
    """Return what determines the result of a step on the same images; None if that is not known."""
    if isinstance(step, PlaneStep):
        return None
    return tuple(map(_values, step.ops)) if isinstance(step, PointStep) else step


def _values(op: ColorOp) -> tuple[Any, ...]:
    """Return what determines the result of an op on the same pixels."""
    arguments = _ARGUMENTS.of(op.structure, lambda: trace([op]).arguments)
    return op.structure, arguments.uniform_values([op]).tobytes(), *arguments.table_values([op])
