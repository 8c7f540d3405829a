"""Presentation of what a composer draws in a native window."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from typing import Any

import wgpu

from engine.compute.backends.wgpu import compat
from engine.compute.backends.wgpu.composer import FORMATS, Composer
from engine.compute.backends.wgpu.device import said
from engine.errors import BackendUnavailable, DeviceLost

MODES = ("mailbox", "fifo")
"""Present modes, the best first: neither tears a frame, and the first one never waits for the screen."""
PATIENCE, LONGEST = 30, 0.2
"""The surface counts as lost after more than PATIENCE skipped frames in a row, as while a window is resized, or after
one that took longer than LONGEST seconds."""


class Surface:
    """A native window that shows what a composer draws. For one thread, which need not be the one that created it."""

    def __init__(self, composer: Composer, window: Mapping[str, Any], width: int, height: int) -> None:
        """Create the surface of a window of `width` x `height` device pixels.

        `window` is wgpu's description of it: its number as `window`, on Linux also `platform` and `display`. Raises
        BackendUnavailable if the composer's device can't present there.
        """
        self.composer = composer
        self._skipped = 0
        native = composer.primitives._device.native
        try:
            self._context = wgpu.gpu.get_canvas_context(dict(window))
            able = compat.surface_capabilities(self._context, native.adapter)
            forms = [form for form in FORMATS if form in able["formats"]]
            if not forms or not able["usages"] & wgpu.TextureUsage.RENDER_ATTACHMENT:
                raise BackendUnavailable(f"wgpu: {composer.primitives.device} can't draw in this window")
            self.form = forms[0]
            mode = next((mode for mode in MODES if mode in able["present_modes"]), None)
            if mode is not None:
                compat.set_present_mode(self._context, native.adapter, mode)
            self._context.set_physical_size(max(1, width), max(1, height))
            self._context.configure(device=native, format=self.form)
        except (RuntimeError, ValueError, LookupError, AttributeError, wgpu.GPUError) as error:
            raise BackendUnavailable(f"wgpu: there is no surface in this window: {said(error)}") from None

    def draw(self, width: int, height: int) -> bool:
        """Show what the composer draws in a window of this size, in device pixels. Return False for a skipped frame.

        Raises DeviceLost if the surface or its device is lost.
        """
        self._context.set_physical_size(width, height)
        device, start = self.composer.primitives._device, time.monotonic()
        try:
            with device.lock, device.translated():  # the lock keeps the device from being destroyed
                self.composer.draw(self._context.get_current_texture, self.form)
                self._context.present()
        except wgpu.classes.DrawCancelled as error:
            self._skipped += str(error) != "Occluded"
            if self._skipped > PATIENCE or time.monotonic() - start > LONGEST:
                raise DeviceLost(f"{self.composer.primitives.device} no longer draws in the window") from error
            return False
        finally:
            compat.drop_texture(self._context)
        self._skipped = 0
        return True

    def close(self) -> None:
        """Release the window before it is destroyed; a second call does nothing.

        The context is released even if it is still referenced: the native window and its display may soon be gone.
        """
        with contextlib.suppress(RuntimeError, wgpu.GPUError):
            self._context.unconfigure()
        compat.release_context(self._context)
