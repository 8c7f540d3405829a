"""Which device draws the window, where one does: the one that computes, or the best GPU beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.compute.executor import TiledExecutor
from engine.errors import BackendUnavailable

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer

AUTOMATIC, SURFACE, RASTER = "automatic", "GPU surface", "Qt"
DRAWINGS = (AUTOMATIC, SURFACE, RASTER)
"""Who draws the window: a GPU if one computes; a GPU or a program in its place in any case; the processor."""


def composer_for(executor: TiledExecutor, drawing: str) -> Composer | None:
    """Draws frames of this executor on a device; None where they are better drawn by the processor.

    By itself a GPU draws only what a GPU computed: frames from the processor would have to travel there first, and a
    program in the place of a GPU takes ten times as long as Qt. May take a second. BackendUnavailable where wgpu
    has nothing to draw with.
    """
    if drawing == RASTER or (drawing == AUTOMATIC and executor.on_processor):
        return None
    from engine.compute.backends.wgpu import WgpuPrimitives, adapters
    from engine.compute.backends.wgpu.composer import Composer

    primitives = executor.primitives
    if not isinstance(primitives, WgpuPrimitives):
        if drawing == AUTOMATIC and all(found.is_software for found in adapters()):
            raise BackendUnavailable("wgpu: there is no GPU")
        primitives = WgpuPrimitives()
    composer = Composer(primitives)
    composer.prepare()
    return composer
