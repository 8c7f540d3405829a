"""Drawing of a window's content: a frame and the layer over it, in one pass into a texture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.backends.base import DISPLAY, INSIDE, ImageHandle
from engine.compute.backends.wgpu.compat import poll_instead_of_wait, unchecked_module
from engine.compute.backends.wgpu.device import KEPT_GROUPS, Device
from engine.compute.backends.wgpu.primitives import WgpuPrimitives
from engine.errors import HandleError
from engine.kernel.dump import dump

RgbaBytes = NDArray[np.uint8]
Words = NDArray[np.uint32]
FORMATS = ("bgra8unorm", "rgba8unorm")
"""Texture formats that can be drawn into; they show bytes unchanged."""
ROW = 256
"""Alignment in bytes of the rows of a texture that is read."""
LAYOUT = ("read-only-storage", "read-only-storage", "read-only-storage", "uniform")


class Composer:
    """Draws on the device of `primitives`, and shows images on that device without copying them.

    `upload` may be called from any thread, everything else from one thread only.
    """

    def __init__(self, primitives: WgpuPrimitives) -> None:
        self.primitives = primitives
        self._device: Device = primitives._device
        poll_instead_of_wait(self._device.native)  # a window must not wait for a long kernel of another thread
        self._pipelines: dict[str, Any] = {}
        self._layout: Any = None
        self._groups: dict[tuple[int, ...], tuple[Any, ...]] = {}
        self._frame: ImageHandle | None = None
        self._size = 0, 0
        self._nothing = self._device.filled(np.zeros(4, np.uint32))
        self._places, self._layer = self._nothing, self._nothing
        self._numbers = self._device.buffer(16, "UNIFORM|COPY_DST")
        self._covered = False
        self._background = 0

    def prepare(self) -> None:
        """Compile everything and draw once, so that the first frame of a window is not slower than the others."""
        for form in FORMATS:
            self.show(self.upload(np.zeros((1, 1, 4), np.uint8)))
            self.place(*(np.array([[0, INSIDE]], np.uint32),) * 2, (0, 0, 0))
            self.image(form)
        self.show(None)

    def upload(self, pixels: RgbaBytes) -> ImageHandle:
        """Upload (height, width, 4) opaque RGBA bytes as a frame."""
        height, width = pixels.shape[:2]
        handle = self.primitives.allocate(width, height, 4, DISPLAY)
        for chunk in handle.buffer.chunks:
            self.primitives._transfers.write(pixels[chunk.top : chunk.bottom], chunk.buffer)
        return handle

    @staticmethod
    def takes(handle: ImageHandle) -> bool:
        """Return whether an image can be shown as a frame: bytes, in one chunk, with sides below 2**16."""
        whole = len(handle.buffer.chunks) == 1
        return whole and handle.dtype == DISPLAY and max(handle.width, handle.height) < INSIDE

    def show(self, handle: ImageHandle | None) -> None:
        """Show another frame, or None. It is an image on this device, kept until the next one."""
        if handle is None:
            self._groups.clear()
        elif handle.primitives is not self.primitives or not self.takes(handle):
            raise HandleError("the image is not a frame on this device")
        self._frame = handle

    def place(self, columns: Words, rows: Words, background: tuple[int, int, int]) -> None:
        """Place the frame: (width, 2) and (height, 2) numbers say what each column and row of the target shows.

        The first number holds two neighbours in the frame, 16 bits each; the second is the weight of the latter in
        256ths, plus INSIDE where the frame covers the target. `background` is the colour elsewhere, in bytes.
        """
        size, content = (len(columns), len(rows)), np.concatenate([columns, rows])
        if size != self._size or self._places is self._nothing:
            self._places = self._device.buffer(max(16, content.nbytes), "STORAGE|COPY_DST")
            self._size = size
            self.cover(None)
        self._write(self._places, content)
        self._background = int(background[0]) | background[1] << 8 | background[2] << 16 | 0xFF << 24

    def cover(self, layer: RgbaBytes | None) -> None:
        """Set the layer over the frame: (height, width, 4) premultiplied RGBA bytes of the target's size, or None."""
        self._covered = layer is not None
        if layer is None:
            return
        if layer.shape != (self._size[1], self._size[0], 4):
            raise HandleError(f"a layer of {layer.shape} does not cover {self._size}")
        if self._layer.size != layer.nbytes:
            self._layer = self._device.buffer(max(16, layer.nbytes), "STORAGE|COPY_DST")
        self._write(self._layer, layer)

    def draw(self, texture: Callable[[], Any], form: str) -> None:
        """Draw into a texture of the target's size and of one of FORMATS. Returns before the device is done.

        `texture` is called after the device is known to work: using the surface of a lost device ends the process.
        """
        numbers = (self._size[0], self._frame.width if self._frame else 0, self._background, int(self._covered))
        content = np.array(numbers, np.uint32).tobytes()
        device = self._device
        with device.lock, device.translated():
            device.native.queue.write_buffer(self._numbers, 0, content)  # this reports a lost device; surfaces don't
            encoder = device.native.create_command_encoder()
            target = {"view": texture().create_view(), "load_op": "clear", "store_op": "store"}
            drawn = encoder.begin_render_pass(color_attachments=[target])
            drawn.set_pipeline(self._pipeline(form))
            drawn.set_bind_group(0, self._group())
            drawn.draw(3)
            drawn.end()
            device.native.queue.submit([encoder.finish()])

    def image(self, form: str = FORMATS[0]) -> RgbaBytes:
        """Draw, and return the result as (height, width, 4) RGBA bytes."""
        width, height = self._size
        texture = self.texture(form)
        self.draw(lambda: texture, form)
        row = -(-4 * width // ROW) * ROW
        device, buffer = self._device, self._device.buffer(row * height, "COPY_DST|MAP_READ")
        with device.lock, device.translated():
            encoder = device.native.create_command_encoder()
            place = {"buffer": buffer, "bytes_per_row": row, "rows_per_image": height}
            encoder.copy_texture_to_buffer({"texture": texture}, place, (width, height, 1))
            device.native.queue.submit([encoder.finish()])
        with device.translated():
            buffer.map_sync("READ")
            rows = np.frombuffer(buffer.read_mapped(), np.uint8).reshape(height, row)
            buffer.unmap()
        pixels = rows[:, : 4 * width].reshape(height, width, 4)
        return np.ascontiguousarray(pixels[..., [2, 1, 0, 3]] if form == "bgra8unorm" else pixels)

    def texture(self, form: str) -> Any:
        """Return a texture of the target's size, to draw into without a window."""
        with self._device.translated():
            size = (*self._size, 1)
            return self._device.native.create_texture(size=size, format=form, usage="RENDER_ATTACHMENT|COPY_SRC")

    def _write(self, buffer: Any, content: NDArray[Any]) -> None:
        with self._device.lock, self._device.translated():
            self._device.native.queue.write_buffer(buffer, 0, np.ascontiguousarray(content))

    def _pipeline(self, form: str) -> Any:
        if form not in self._pipelines:
            native, text = self._device.native, shaders.text("present.wgsl")
            dump("present.wgsl", text)
            if self._layout is None:
                entries = [
                    {"binding": number, "visibility": "FRAGMENT", "buffer": {"type": kind}}
                    for number, kind in enumerate(LAYOUT)
                ]
                self._layout = native.create_bind_group_layout(entries=entries)
            module = unchecked_module(native, text)
            self._pipelines[form] = native.create_render_pipeline(
                layout=native.create_pipeline_layout(bind_group_layouts=[self._layout]),
                vertex={"module": module, "entry_point": "corner"},
                primitive={"topology": "triangle-list"},
                fragment={"module": module, "entry_point": "shown", "targets": [{"format": form}]},
            )
        return self._pipelines[form]

    def _group(self) -> Any:
        """Return the bind group. Groups are cached by the addresses of their buffers, since frames reuse memory."""
        frame = self._frame.buffer.chunks[0].buffer if self._frame else self._nothing
        bound = (frame, self._places, self._layer, self._numbers)
        key = tuple(id(buffer) for buffer in bound)
        if key not in self._groups:
            entries = [
                {"binding": number, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                for number, buffer in enumerate(bound)
            ]
            while len(self._groups) >= KEPT_GROUPS // 8:
                self._groups.pop(next(iter(self._groups)))
            self._groups[key] = (self._device.native.create_bind_group(layout=self._layout, entries=entries), bound)
        return self._groups[key][0]
