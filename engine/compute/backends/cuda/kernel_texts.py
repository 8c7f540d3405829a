"""Definitions and arguments of CUDA kernels for images and programs, and the layout of tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.inputs import PointInputs
from engine.compute.plan import PixelFormat
from engine.compute.planar_layout import PlanarLayout
from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.compute.tap_launches import DEFINITIONS
from engine.core.colorimetry import LUMA
from engine.core.geometry import Place
from engine.kernel.codegen import Program
from engine.kernel.op import Table
from engine.kernel.pixel import MOST_PLANES
from engine.kernel.point_text import PER_IMAGE, images, place_struct, reads_more
from engine.kernel.table_layout import packed

STORAGE = {np.dtype(np.float16): "__half", np.dtype(np.float32): "float", np.dtype(np.uint8): "unsigned char"}


@cache
def _uniforms(count: int) -> np.dtype[Any]:
    return np.dtype([("u", np.float32, (count,))])


def uniforms_struct(values: NDArray[np.float32]) -> NDArray[Any]:
    """Return the struct of uniforms that `point` takes, as an array without axes."""
    struct = np.zeros((), _uniforms(max(len(values), 1)))
    struct["u"][: len(values)] = values
    return struct


def more_arguments(program: Program, inputs: PointInputs, width: int) -> tuple[Any, ...]:
    """Return the arguments of `point` for a program that reads more of a pixel than its channels."""
    planes = [image.buffer for image in inputs.planes[: images(program)]]
    missing = [np.uint64(0)] * (MOST_PLANES // PER_IMAGE - len(planes))
    return (place_struct(inputs.place or Place(), width), *planes, *missing)


def point_head(program: Program, source: PixelFormat | PlanarLayout, target: PixelFormat) -> dict[str, Any]:
    """Return the definitions for `point` in point.cu."""
    more: dict[str, Any] = {"IMAGES": images(program)} if reads_more(program) else {}
    if isinstance(source, PlanarLayout):
        more |= source.head
    else:
        more |= {"SOURCE": STORAGE[source.dtype], "SOURCE_CHANNELS": source.channels}
    return more | {
        "TARGET": STORAGE[target.dtype],
        "TARGET_CHANNELS": target.channels,
        "UNIFORMS": max(len(program.uniforms), 1),
    }


def filter_head(source: PixelFormat, target: PixelFormat) -> dict[str, Any]:
    """Return the definitions for the kernels of taps.cu."""
    formats = {"SOURCE": STORAGE[source.dtype], "TARGET": STORAGE[target.dtype], "CHANNELS": source.channels}
    return formats | DEFINITIONS


def laid_out(table: Table) -> NDArray[np.float32]:
    """Return `packed(table)`, but each 1D entry is followed by the next one, so that one access fetches both."""
    array = packed(table)
    return array if array.ndim > 2 else np.stack([array[:, :-1], array[:, 1:]], axis=2)


LUMA_HEAD = {
    **{f"LUMA_{name}": f"{weight!r}f" for name, weight in zip("RGB", LUMA, strict=True)},
    "TO_CB": f"{1.0 / CB_SCALE!r}f",
    "TO_CR": f"{1.0 / CR_SCALE!r}f",
}


def lines_of(definitions: dict[str, Any]) -> str:
    """Return the lines of a kernel's text that define what the backend decides."""
    return "#include <cuda_fp16.h>\n" + "".join(f"#define {name} {value}\n" for name, value in definitions.items())
