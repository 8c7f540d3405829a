"""The kernels of colour ops in CUDA C++, OpenCL C and WGSL: a template with its body and what the body reads.

A `planar` kernel reads a planar frame, whose codes are R, G and B, instead of an image.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.core.geometry import Place
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import Program
from engine.kernel.dialects import CUDA, OPENCL, WGSL, print_body

PER_IMAGE = 4
"""Planes of an image."""
INPUTS, READS, PLANAR = "//INPUTS//\n", "//READS//\n", "//PLANAR//\n"
TAKEN, GIVEN, PASSED = "/*TAKEN*/", "/*GIVEN*/", "/*PASSED*/"
"""Places of the templates that stay empty for ops that read channels alone."""
FIRST_TABLE = 5
"""The index in `numbers` of point.wgsl of the offset of the first table."""
C_READS = "    const float x_in = in.x, y_in = in.y, x_low = in.x_low, y_low = in.y_low;\n"
PLACE_NUMBERS = 11
"""Numbers of point_inputs.wgsl."""
WGSL_LOAD = "        let pixel = unpacked(source[i]);\n"
WGSL_PLANAR_LOAD = """\
        if !t_is_here(i) {
            continue;
        }
        let pixel = t_pixel(i);
"""
WGSL_PLACE = """\
        let across = t_along(number(PLACE + 1u) + i % number(PLACE), t_place(3u), t_place(5u));
        let down = t_along(number(PLACE + 2u) + i / number(PLACE), t_place(7u), t_place(9u));
        let x_in = across.x;
        let y_in = down.x;
        let x_low = across.y;
        let y_low = down.y;
"""


def images(program: Program | Arguments) -> int:
    """Return the number of images of planes that a program reads."""
    return -(-program.planes // PER_IMAGE)


def reads_more(program: Program | Arguments) -> bool:
    """Return whether a program reads more of a pixel than its channels."""
    return program.placed or program.planes > 0


def cuda_point(program: Program, planar: bool = False) -> str:
    """Return the text of `point` in CUDA C++: see `_c_point`."""
    return _c_point(program, planar, CUDA)


def opencl_point(program: Program, planar: bool = False) -> str:
    """Return the text of `point` in OpenCL C: see `_c_point`."""
    return _c_point(program, planar, OPENCL)


def _c_point(program: Program, planar: bool, dialect: dict[str, str]) -> str:
    """Return the text of `point`, without what the backend prepends: language, definitions and maths.cu.

    It takes the source, the target, the number of pixels, the uniforms and each table. A program that `reads_more`
    takes three more arguments, place and two images of planes, and needs IMAGES defined. A `planar` one needs PLANAR
    defined; its source are four planes and a struct.
    """
    tables = range(len(program.tables))
    taken = "".join(f", GLOBAL const float *t{n}" for n in tables)
    inputs, given, passed, reads = "", taken, "".join(f", t{n}" for n in tables), ""
    if reads_more(program):
        inputs = shaders.text("point_inputs.cu") + "\n"
        taken, passed = taken + ", const Inputs in", passed + ", t_inputs(place, low, high, i)"
        given += ", const Place place, GLOBAL const float4 *low, GLOBAL const float4 *high"
        planes = (f"    const float p{n}_in = in.planes[{n // 4}].{'xyzw'[n % 4]};\n" for n in range(program.planes))
        reads = C_READS + "".join(planes)
    if program.paths:
        inputs += shaders.text("polygon.cu")
    text = shaders.text("point.cu").replace(PLANAR, shaders.text("planar.cu") if planar else "")
    text = text.replace(INPUTS, inputs).replace(TAKEN, taken).replace(GIVEN, given)
    return text.replace(PASSED, passed).replace(shaders.HOLE, reads + print_body(program, dialect))


def wgsl_point(program: Program, planar: bool = False) -> str:
    """Return the text of `point` in WGSL, without what the backend prepends."""
    inputs, reads = "", ""
    if planar:
        number = FIRST_TABLE + len(program.tables) + PLACE_NUMBERS * program.placed
        inputs = f"const PLANAR = {number}u;\n" + shaders.text("planar.wgsl") + "\n"
    if program.placed:
        inputs += f"const PLACE = {FIRST_TABLE + len(program.tables)}u;\n" + shaders.text("point_inputs.wgsl") + "\n"
        reads = WGSL_PLACE
    for image in range(images(program)):
        inputs += f"@group(0) @binding({6 + image}) var<storage, read> planes{image}: array<vec4f>;\n"
        reads += f"        let four{image} = planes{image}[i];\n"
    reads += "".join(
        f"        let p{n}_in = four{n // PER_IMAGE}.{'xyzw'[n % PER_IMAGE]};\n" for n in range(program.planes)
    )
    if program.paths:
        inputs += shaders.text("polygon.wgsl")
    text = shaders.text("point.wgsl").replace(INPUTS, inputs).replace(READS, reads)
    if planar:
        text = text.replace(WGSL_LOAD, WGSL_PLANAR_LOAD)
    return text.replace(shaders.HOLE, print_body(program, WGSL))


_PLACE = np.dtype([("numbers", np.float32, 8), ("first", np.int32, 2), ("width", np.uint32)])


def place_struct(place: Place, width: int) -> NDArray[Any]:
    """Return the struct Place of point_inputs.cu for an image of a width, as an array without axes."""
    struct = np.zeros((), _PLACE)
    struct["numbers"], struct["first"], struct["width"] = place.in_halves(), (place.column, place.row), width
    return struct
