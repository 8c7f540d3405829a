"""The texts, definitions and arguments of the kernels in `shaders/*.cu`, which are CUDA C++ and OpenCL C at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.backends.inputs import PointInputs
from engine.compute.handles import ImageHandle
from engine.compute.plan import PixelFormat
from engine.compute.planar_layout import PlanarLayout
from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.compute.tap_launches import DEFINITIONS
from engine.core.colorimetry import LUMA
from engine.core.geometry import Place
from engine.core.records import dataclass
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import Program
from engine.kernel.op import Table
from engine.kernel.pixel import MOST_PLANES
from engine.kernel.point_text import PER_IMAGE, images, place_struct, reads_more
from engine.kernel.table_layout import packed

LUMA_HEAD = {
    **{f"LUMA_{name}": f"{weight!r}f" for name, weight in zip("RGB", LUMA, strict=True)},
    "TO_CB": f"{1.0 / CB_SCALE!r}f",
    "TO_CR": f"{1.0 / CR_SCALE!r}f",
}


@dataclass(frozen=True, eq=False)
class Language:
    """A language of the kernels: the file of its words, how it names storages, and what prints `point` in it."""

    file: str
    half: str
    point: Callable[[Program, bool], str]

    def storage(self, dtype: np.dtype[Any]) -> str:
        """Return the name of the type in which samples are stored."""
        return {"float16": self.half, "float32": "float", "uint8": "uchar"}[dtype.name]

    def text(self, file: str, head: dict[str, Any], text: str | None = None) -> str:
        """Return a whole text: definitions, the words of the language, and a file, or what `text` gives for it."""
        words = shaders.text(self.file) + "\n"
        return lines_of(head) + words + (shaders.text(file) if text is None else text)

    def point_text(
        self, program: Program, source: PixelFormat | PlanarLayout, target: PixelFormat
    ) -> tuple[str, dict[str, Any], str]:
        """Return the arguments of `text` for `point` of a program between two formats."""
        text = shaders.text("maths.cu") + self.point(program, isinstance(source, PlanarLayout))
        return "point.cu", self._point_head(program, source, target), text

    def _point_head(self, program: Program, source: PixelFormat | PlanarLayout, target: PixelFormat) -> dict[str, Any]:
        head: dict[str, Any] = {"IMAGES": images(program)} if reads_more(program) else {}
        if isinstance(source, PlanarLayout):
            head |= source.head
        else:
            head |= {"SOURCE": self.storage(source.dtype), "SOURCE_CHANNELS": source.channels}
        target_head = {"TARGET": self.storage(target.dtype), "TARGET_CHANNELS": target.channels}
        return head | target_head | {"UNIFORMS": max(len(program.uniforms), 1)}

    def filter_head(self, source: PixelFormat, target: PixelFormat) -> dict[str, Any]:
        """Return the definitions for the kernels of taps.cu."""
        formats = {"SOURCE": self.storage(source.dtype), "TARGET": self.storage(target.dtype)}
        return formats | {"CHANNELS": source.channels} | DEFINITIONS

    def image_head(self, image: ImageHandle) -> dict[str, Any]:
        """Return the definitions for kernels that read one image: scopes and statistics."""
        return {"SOURCE": self.storage(image.dtype), "CHANNELS": image.channels}


def more_arguments(takes: Arguments, inputs: PointInputs, width: int, missing: Any) -> tuple[Any, ...]:
    """Return the arguments of `point` for what a kernel reads beside channels; `missing` stands for an image."""
    if not reads_more(takes):
        return ()
    planes = [image.buffer for image in inputs.planes[: images(takes)]]
    return (
        place_struct(inputs.place or Place(), width),
        *planes,
        *[missing] * (MOST_PLANES // PER_IMAGE - len(planes)),
    )


def laid_out(table: Table) -> NDArray[np.float32]:
    """Return `packed(table)`, but each 1D entry is followed by the next one, so that one access fetches both."""
    array = packed(table)
    return np.ascontiguousarray(array if array.ndim > 2 else np.stack([array[:, :-1], array[:, 1:]], axis=2))


def lines_of(definitions: dict[str, Any]) -> str:
    """Return the lines of a kernel's text that define what the backend decides."""
    return "".join(f"#define {name} {value}\n" for name, value in definitions.items())
