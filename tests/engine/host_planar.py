"""The CUDA text of planar frames, compiled by the host's C++ compiler as that of images is in `host_cuda`."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.planar import PlanarFormat
from engine.compute.planar_layout import WORD, PlanarLayout, frame_struct, planes_in_order
from engine.compute.ycbcr import YcbcrToRgb
from engine.core.geometry import Rect
from engine.kernel.codegen import Program, trace
from engine.kernel.op import ColorOp
from engine.kernel.point_text import cuda_point
from tests.engine.host_cuda import COMPILER, PRELUDE

OPTIONS = ("-std=c++17", "-O0", "-ffp-contract=off", "-fPIC", "-shared", "-w", "-mfma", "-mf16c")


class HostPlanar:
    """Kernels for planar frames, without tables, all compiled at once into one library in `folder`."""

    def __init__(self, formats: Sequence[PlanarFormat], ops: Sequence[ColorOp], folder: Path) -> None:
        self._ops = tuple(ops)
        self._numbers: dict[Any, int] = {}
        parts = [PRELUDE, shaders.text("maths.cu")]
        for format in formats:
            key = PlanarLayout.of(format), format.matrix == "identity"
            if key not in self._numbers:
                self._numbers[key] = number = len(self._numbers)
                parts.append(_namespace(number, trace(self._run(format)), key[0]))
        self._library = _library("\n".join(parts), folder / "planar")

    def _run(self, format: PlanarFormat) -> list[ColorOp]:
        return [YcbcrToRgb.of(format), *self._ops]

    def __call__(self, planes: Sequence[NDArray[Any]], format: PlanarFormat, region: Rect) -> NDArray[np.float32]:
        number = self._numbers[PlanarLayout.of(format), format.matrix == "identity"]
        held = [np.ascontiguousarray(plane) for plane in planes]
        run = self._run(format)
        uniforms = np.append(trace(run).arguments.uniform_values(run), np.float32(0.0))
        addresses = np.array(planes_in_order([plane.ctypes.data for plane in held], format), np.uint64)
        struct = frame_struct(format, region)
        target = np.empty((region.height, region.width, 4), np.float32)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (addresses, struct, target, uniforms)]
        getattr(self._library, f"enter{number}")(*pointers[:3], ctypes.c_uint(region.pixels), pointers[3])
        return target


class HostSamples:
    """The kernel that rounds codes, for samples of a type."""

    def __init__(self, dtype: Any, folder: Path) -> None:
        text = shaders.text("samples.cu")
        head = f"#define WORD {WORD[np.dtype(dtype)]}\n"
        self._library = _library(PRELUDE + head + text, folder / f"samples_{np.dtype(dtype).name}")

    def __call__(self, codes: NDArray[Any], target: NDArray[Any], numbers: Sequence[int], limits: Any) -> None:
        """Fill the plane `target` from pixels (count, 4); `numbers` are step, channel, shift and two keys; `limits` the
        share of the noise, and the smallest and the largest code."""
        floats = (ctypes.c_float(limit) for limit in limits)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (codes, target)]
        self._library.samples(*pointers, *(ctypes.c_uint(n) for n in (target.size, *numbers)), *floats)


def _library(text: str, path: Path) -> ctypes.CDLL:
    source, library = path.with_suffix(".cpp"), path.with_suffix(".so")
    source.write_text(text, encoding="utf-8")
    assert COMPILER
    done = subprocess.run([COMPILER, *OPTIONS, "-o", library, source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return ctypes.CDLL(str(library))


def _namespace(number: int, program: Program, layout: PlanarLayout) -> str:
    definitions = layout.head | {"TARGET": "float", "TARGET_CHANNELS": 4, "UNIFORMS": max(1, len(program.uniforms))}
    head = "".join(f"#undef {name}\n#define {name} {value}\n" for name, value in definitions.items())
    text = cuda_point(program, planar=True).replace("KERNEL ", "void ")
    return (
        f"{head}#undef ORIGIN\n#undef PIXEL\n#undef PLANE\nnamespace run{number} {{\n{text}\n}}\n"
        f'extern "C" void enter{number}(const void **planes, const void *frame, float *target,'
        " unsigned count, const float *u) {\n"
        f"    run{number}::Uniforms uniforms;\n    memcpy(&uniforms, u, sizeof(uniforms));\n"
        f"    run{number}::Frame taken;\n    memcpy(&taken, frame, sizeof(taken));\n"
        f"    typedef const {layout.head['WORD']} *Plane;\n"
        f"    run{number}::point((Plane)planes[0], (Plane)planes[1], (Plane)planes[2], (Plane)planes[3], taken, target,"
        " count, uniforms);\n}\n"
    )
