"""What a composer draws, presented in a window of the system."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any

import wgpu

from engine.compute.backends.wgpu.composer import FORMATS, Composer
from engine.compute.backends.wgpu.device import said
from engine.errors import BackendUnavailable, DeviceLost

MODES = ("mailbox", "fifo")
"""Ways of presenting, the best first: neither tears a frame, and the first one never waits for the screen."""
PATIENCE, LONGEST = 30, 0.2
"""So many frames in a row may be skipped, as while a window changes its size, before the surface counts as lost; one,
where that took so many seconds."""


class Surface:
    """A window of the system that shows what a composer draws. For one thread, which may be another than made it."""

    def __init__(self, composer: Composer, window: Mapping[str, Any], width: int, height: int) -> None:
        """`window` is what wgpu takes for one: its number as `window`, on Linux also `platform` and `display`.

        It has so many device pixels. BackendUnavailable where the composer's device can't present there.
        """
        self.composer = composer
        self._skipped = 0
        native = composer.primitives._device.native
        try:
            self._context = wgpu.gpu.get_canvas_context(dict(window))
            able = self._context._get_capabilities(native.adapter)
            forms = [form for form in FORMATS if form in able["formats"]]
            if not forms or not able["usages"] & wgpu.TextureUsage.RENDER_ATTACHMENT:
                raise BackendUnavailable(f"wgpu: {composer.primitives.device} can't draw in this window")
            self.form = forms[0]
            modes = [mode for mode in MODES if mode in able["present_modes"]]
            able["present_modes"] = modes[:1] or able["present_modes"]  # wgpu-py itself would take fifo
            self._context.set_physical_size(max(1, width), max(1, height))
            self._context.configure(device=native, format=self.form)
        except (RuntimeError, ValueError, LookupError, AttributeError, wgpu.GPUError) as error:
            raise BackendUnavailable(f"wgpu: there is no surface in this window: {said(error)}") from None

    def draw(self, width: int, height: int) -> bool:
        """Show what the composer draws in a window of so many device pixels; False if this frame was skipped.

        DeviceLost where the surface or its device is gone.
        """
        self._context.set_physical_size(width, height)
        device, start = self.composer.primitives._device, time.monotonic()
        try:
            with device.lock, device.translated():  # under the lock, so that nothing of ours takes the device away
                self.composer.draw(self._context.get_current_texture, self.form)
                self._context.present()
        except wgpu.classes.DrawCancelled as error:
            self._skipped += str(error) != "Occluded"
            if self._skipped > PATIENCE or time.monotonic() - start > LONGEST:
                raise DeviceLost(f"{self.composer.primitives.device} no longer draws in the window") from error
            return False
        finally:
            self._context._drop_texture()
        self._skipped = 0
        return True

    def close(self) -> None:
        """Let go of the window, before it is destroyed; a second time does nothing.

        At once, whoever still refers to the context: the system's window and its display may be gone soon.
        """
        with contextlib.suppress(RuntimeError, wgpu.GPUError):
            self._context.unconfigure()
        self._context._release()
