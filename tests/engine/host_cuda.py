"""The CUDA text of ops, compiled by the host's C++ compiler: the same source lines, run on the processor."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.core.geometry import Place
from engine.kernel.codegen import Program, trace
from engine.kernel.op import ColorOp, Table
from engine.kernel.point_text import cuda_point, images, place_struct, reads_more
from engine.kernel.table_layout import packed

COMPILER = next((path for name in ("g++", "clang++") if (path := shutil.which(name))), None)
CTYPES: dict[str, np.dtype[Any]] = {
    "float": np.dtype(np.float32),
    "__half": np.dtype(np.float16),
    "uchar": np.dtype(np.uint8),
}
PRELUDE = """
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <algorithm>
#include <xmmintrin.h>
using std::min; using std::max;
#define __device__
#define __global__
#define __forceinline__ inline
#define __restrict__
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct uint2 { uint32_t x, y; };
struct uchar4 { unsigned char x, y, z, w; };
static inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline uchar4 make_uchar4(int x, int y, int z, int w) {
    return {(unsigned char)x, (unsigned char)y, (unsigned char)z, (unsigned char)w};
}
struct __half { _Float16 value; };
static inline float __half2float(__half x) { return (float)x.value; }
static inline __half __float2half_rn(float x) { return {(_Float16)x}; }
static inline __half __ushort_as_half(unsigned short x) { __half y; memcpy(&y, &x, 2); return y; }
static inline float __int_as_float(int x) { float y; memcpy(&y, &x, 4); return y; }
static inline int __float_as_int(float x) { int y; memcpy(&y, &x, 4); return y; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fadd_rd(float a, float b) {
    const double sum = (double)a + (double)b;
    const float near = (float)sum;
    return (double)near > sum ? nextafterf(near, -INFINITY) : near;
}
template <typename T> static inline T __ldg(const T *p) { T x; memcpy(&x, p, sizeof(T)); return x; }
template <typename T> static inline T __ldcs(const T *p) { return __ldg(p); }
template <typename T> static inline void __stcs(T *p, T x) { memcpy(p, &x, sizeof(T)); }
struct Index { unsigned x; };
static const Index blockIdx{0}, blockDim{1}, threadIdx{0}, gridDim{1};
""" + shaders.text("language.cu")


def text(program: Program, source: str = "float", target: str = "float", channels: int = 4) -> str:
    """What the CUDA backend would compile after its head, with the definitions that it makes."""
    definitions = {"SOURCE": source, "TARGET": target, "SOURCE_CHANNELS": channels, "TARGET_CHANNELS": channels}
    definitions |= {"UNIFORMS": max(1, len(program.uniforms)), "IMAGES": images(program)}
    head = "".join(f"#undef {name}\n#define {name} {value}\n" for name, value in definitions.items())
    return head + cuda_point(program)


class HostCuda:
    """Runs of ops, all compiled at once into one library in `folder`."""

    def __init__(self, runs: Sequence[Sequence[ColorOp]], folder: Path, storage: str = "float", channels: int = 4):
        self._programs = [trace(run) for run in runs]
        self._dtype, self._channels = CTYPES[storage], channels
        parts = [PRELUDE, shaders.text("maths.cu")]
        for number, program in enumerate(self._programs):
            kernel = text(program, storage, storage, channels).replace("KERNEL ", "void ")
            parts.append(f"namespace run{number} {{\n{kernel}\n}}\n{_entry(number, storage, program)}")
        source, library = folder / "runs.cpp", folder / "runs.so"
        source.write_text("\n".join(parts), encoding="utf-8")
        assert COMPILER
        command = [COMPILER, "-std=c++17", "-O0", "-ffp-contract=off", "-fPIC", "-shared", "-w", "-mfma", "-mf16c"]
        done = subprocess.run([*command, "-o", library, source], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]
        self._library = ctypes.CDLL(str(library))

    def __call__(
        self,
        number: int,
        run: Sequence[ColorOp],
        pixels: NDArray[Any],
        place: Place | None = None,
        planes: Sequence[NDArray[np.float32]] = (),
    ) -> NDArray[Any]:
        """Pixels under the run whose structure has this number; `planes` are images of four planes."""
        program = self._programs[number]
        uniforms = np.append(program.arguments.uniform_values(run), np.float32(0.0))
        tables = [_laid_out(table) for table in program.arguments.table_values(run)]
        addresses = np.array([table.ctypes.data for table in tables] or [0], np.uint64)
        source = np.ascontiguousarray(pixels, self._dtype)
        target = np.empty_like(source)
        count = ctypes.c_uint(source.size // self._channels)
        arrays = [source, target, uniforms, addresses]
        if reads_more(program):
            assert len(planes) >= images(program) and (place is not None or not program.placed)
            others = [np.ascontiguousarray(image, np.float32) for image in planes]
            nothing = [np.zeros(0, np.float32)] * (2 - len(others))
            arrays += [place_struct(place or Place(), pixels.shape[1]), *others, *nothing]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        getattr(self._library, f"enter{number}")(*pointers[:2], count, *pointers[2:])
        return target


def _entry(number: int, storage: str, program: Program) -> str:
    taken, passed = "", "".join(f", tables[{n}]" for n in range(len(program.tables)))
    if reads_more(program):
        taken = ", const void *place, const float4 *low, const float4 *high"
        passed += f", *(const run{number}::Place *)place, low, high"
    return (
        f'extern "C" void enter{number}(const {storage} *source, {storage} *target, unsigned count,'
        f" const float *u, const float *const *tables{taken}) {{\n"
        f"    run{number}::Uniforms uniforms;\n    memcpy(&uniforms, u, sizeof(uniforms));\n"
        f"    const unsigned before = _mm_getcsr();\n    _mm_setcsr(before | 0x8040);  // subnormal numbers are 0\n"
        f"    run{number}::point(source, target, count, uniforms{passed});\n    _mm_setcsr(before);\n}}\n"
    )


def _laid_out(table: Table) -> NDArray[np.float32]:
    """As point.cu wants it: each entry of a curve beside the next one; a cube with four floats an entry."""
    array = packed(table)
    if array.ndim > 2:
        return np.ascontiguousarray(array)
    return np.ascontiguousarray(np.stack([array[:, :-1], array[:, 1:]], axis=2))


def code(body: str) -> str:
    """A body without its indentation, for comparing."""
    return re.sub(r"^ +", "", body, flags=re.MULTILINE)
