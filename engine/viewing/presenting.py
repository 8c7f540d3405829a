"""Choice of the device that draws the window: the one that computes, or else the best GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.compute.executor import TiledExecutor
from engine.errors import BackendUnavailable

if TYPE_CHECKING:
    from engine.compute.backends.wgpu.composer import Composer

AUTOMATIC, SURFACE, RASTER = "automatic", "GPU surface", "Qt"
DRAWINGS = (AUTOMATIC, SURFACE, RASTER)
"""Ways of drawing the window: by a GPU if a GPU computes; always by a GPU or a software device; by the CPU."""


def composer_for(executor: TiledExecutor, drawing: str) -> Composer | None:
    """Return a composer that draws this executor's frames on a device; None if the CPU should draw them.

    With AUTOMATIC, a GPU draws only frames that a GPU computed: frames from the CPU would have to be uploaded first,
    and a software device takes ten times as long as Qt. The call can take a second. Raises BackendUnavailable if wgpu
    has no suitable device.
    """
    if drawing == RASTER or (drawing == AUTOMATIC and executor.runs_on_cpu):
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
