"""From ops to kernel text: what is shared, what travels as a uniform, and that three languages say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import shaders
from engine import ops
from engine.errors import GradeError
from engine.kernel.codegen import Operand, Program, trace
from engine.kernel.dialects import CUDA, NUMBA, WGSL, literal, print_body, print_numba
from engine.kernel.op import REGISTRY, ColorOp, Slider, slider
from engine.kernel.pixel import Pixel, Vec, exp2, pow
from engine.kernel.point_text import GIVEN, INPUTS, PASSED, READS, TAKEN, cuda_point, wgsl_point
from engine.kernel.primitives import PRIMITIVES
from tests.engine.host_cuda import COMPILER, HostCuda, code
from tests.engine.images import any_color_op, chains
from tests.thorough import examples

LONG = [ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9)), ops.Contrast(1.2), ops.Saturation(0.8), ops.Log()] * 6


def temporary(pixel: Any, name: str = "Temporary", **fields: Any) -> ColorOp:
    """An op that is not left in the registry. Backends keep kernels by `name` and fields."""
    cls = type(name, (ColorOp,), {"pixel": pixel, "__annotations__": dict.fromkeys(fields, "float"), **fields})
    del REGISTRY[name]
    return cls()


def kinds(program: Program) -> Counter[str]:
    return Counter(i.op for i in program.instructions if i.op != "input")


# --- the program ------------------------------------------------------------------------------------------------


def test_equal_expressions_are_computed_once() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        return Vec((exp2(px.r) + px.g, exp2(px.r) + px.b, exp2(px.r) + px.g))

    program = trace([temporary(pixel)])
    assert kinds(program) == {"exp2": 1, "add": 2}
    assert program.outputs[0] == program.outputs[2]


def test_sharing_crosses_ops() -> None:
    once = trace([ops.Saturation(0.5)])
    assert kinds(trace([ops.Exposure(1.0), ops.Exposure(1.0)])) == {"mul": 6}
    luma = kinds(once)["fma"] + kinds(once)["mul"]
    assert luma < 9, "the luma is computed once for three channels"


def test_what_no_output_needs_is_left_out() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        _ = pow(px.r, 2.5) + exp2(px.g)
        return Vec((px.r, px.g, px.b * 2.0))

    program = trace([temporary(pixel)])
    assert kinds(program) == {"mul": 1}
    black = temporary(lambda self, px: Vec((0.0, 0.0, 0.0)))
    assert trace([ops.Cdl((1.1, 1.0, 0.9)), black]).instructions[-1].op == "input"


def test_a_product_that_is_used_once_is_fused_into_its_sum() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        twice = px.r * 3.0
        return Vec((px.r * px.g + px.b, px.r * px.g - px.b, twice + twice * px.b))

    assert kinds(trace([temporary(lambda self, px: Vec((px.r * px.g + px.b, px.g, px.b)))])) == {"fma": 1}
    assert kinds(trace([temporary(lambda self, px: Vec((px.b + px.r * px.g, px.g, px.b)))])) == {"fma": 1}
    assert kinds(trace([temporary(lambda self, px: Vec((px.r * px.g - px.b, px.g, px.b)))])) == {"fms": 1}
    assert kinds(trace([temporary(lambda self, px: Vec((px.b - px.r * px.g, px.g, px.b)))])) == {"mul": 1, "sub": 1}
    shared = kinds(trace([temporary(pixel)]))
    assert shared["mul"] == 2, "a product that is used twice is kept"


def test_zeros_of_different_sign_are_different_constants() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        return Vec((px.r * 0.0, px.r * -0.0, px.g + (self.gain * 0.0) + (self.gain * -0.0)))

    op = temporary(pixel, gain=slider(1.0, 0.0, 4.0))
    program = trace([op])
    constants = [str(arg.value) for i in program.instructions for arg in i.args if arg.kind == "c"]
    assert sorted(constants) == ["-0.0", "0.0"]
    assert program.outputs[0] != program.outputs[1]
    assert sorted(str(value) for value in program.arguments.uniform_values([op])) == ["-0.0", "0.0"]


def test_a_constant_that_is_no_number_is_shared_with_itself_alone() -> None:
    quiet, other = float("nan"), float(np.uint64(0x7FF8000000000001).view(np.float64))

    def pixel(self: Any, px: Pixel) -> Vec:
        return Vec((px.r + quiet, px.r + float("nan"), px.r + other))

    program = trace([temporary(pixel)])
    assert program.outputs[0] == program.outputs[1]
    assert program.outputs[0] != program.outputs[2]


def test_the_sign_of_a_zero_arrives_in_every_pixel(backend: str, executor: Any) -> None:
    if backend == "wgpu":
        pytest.skip("WGSL lets an implementation ignore the sign of a zero")
    op = temporary(lambda self, px: Vec((px.r * 0.0, px.r * -0.0, px.g)))
    pixels = np.ones((2, 3, 4), np.float32)
    signs = np.signbit(executor.execute_color(pixels, [op]))
    assert not signs[..., 0].any()
    assert signs[..., 1].all()


def powers_of(exponents: Sequence[float]) -> ColorOp:
    def pixel(self: Any, px: Pixel) -> Vec:
        return Vec(tuple(pow(x - 2.0, exponent) for x, exponent in zip(px.rgb, exponents, strict=True)))

    return temporary(pixel, f"Powers{exponents}")


@pytest.mark.parametrize("exponents", [(0.25, 0.5, 0.97), (1.0, 1.5, 2.4)])
def test_a_power_of_a_negative_number_is_nan_if_its_exponent_is_known(executor: Any, exponents: Any) -> None:
    pixels = np.full((2, 3, 4), 1.5, np.float32)
    assert np.isnan(executor.execute_color(pixels, [powers_of(exponents)])[..., :3]).all()


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_a_power_of_a_negative_number_is_nan_in_the_cuda_text(tmp_path: Path) -> None:
    run = [powers_of((0.25, 0.5, 0.97))]
    assert np.isnan(HostCuda([run], tmp_path)(0, run, np.full((2, 3, 4), 1.5, np.float32))[..., :3]).all()


def test_sliders_alone_are_the_host_s_work_in_float64() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        tiny = (self.gain + 1e-9) - self.gain  # float32 would make 0 of it
        return px.rgb * (tiny * 1e9)

    op = temporary(pixel, gain=slider(1.0, 0.0, 4.0))
    program = trace([op])
    assert kinds(program) == {"mul": 3}
    assert len(program.uniforms) == 1
    (value,) = program.arguments.uniform_values([op])
    assert value == np.float32(((1.0 + 1e-9) - 1.0) * 1e9)


def test_the_rest_of_an_exponent_travels_too() -> None:
    op = ops.Exponent((1.1, 1.1, 1.1))
    program = trace([op])
    whole, lost = program.arguments.uniform_values([op])[:2]
    assert float(whole) + float(lost) == pytest.approx(1.1, abs=1e-15)
    assert float(whole) != 1.1


def test_a_division_by_sliders_becomes_a_product() -> None:
    program = trace([temporary(lambda self, px: px.rgb / self.by, by=slider(3.0, 1.0, 4.0))])
    assert kinds(program) == {"mul": 3}


@settings(max_examples=examples(15))
@given(any_color_op())
def test_sliders_move_without_another_program(op: ColorOp) -> None:
    moved = op
    for name, kind in op.kinds().items():
        if isinstance(kind, Slider):
            try:
                moved = moved.replace(**{name: kind.default})
            except GradeError:
                continue
    assert moved.structure == op.structure
    assert print_numba(trace([moved])) == print_numba(trace([op]))


def test_choices_are_another_program() -> None:
    texts = [print_numba(trace([ops.Cdl(style=style)])) for style in ("noclamp", "asc")]
    assert texts[0] != texts[1]


@settings(max_examples=examples(15))
@given(chains())
def test_programs_are_in_order_and_without_loose_ends(run: list[ColorOp]) -> None:
    program = trace(run)
    used: set[int] = {o.index for o in program.outputs if o.kind == "v"}
    for number, instruction in enumerate(program.instructions):
        for arg in instruction.args:
            assert isinstance(arg, Operand)
            if arg.kind == "v":
                assert arg.index < number, "used before it is computed"
                used.add(arg.index)
            if arg.kind == "u":
                assert arg.index < len(program.uniforms)
    assert used == set(range(len(program.instructions)))
    assert len(set(program.instructions)) == len(program.instructions), "computed twice"
    assert trace(run).instructions == program.instructions, "the same ops give the same program"
    assert program.arguments.uniform_values(run).dtype == np.float32
    assert len(program.arguments.table_values(run)) == len(program.tables)


def test_a_run_may_be_of_any_length() -> None:
    program = trace([ops.Cdl((1.1, 1.0, 0.9), (0.01, 0.0, 0.0), (1.1, 1.0, 0.9), 1.1)] * 200)
    assert kinds(program)["pow"] == 600


def test_every_primitive_has_words_in_every_language() -> None:
    for dialect in (NUMBA, WGSL, CUDA):
        assert set(PRIMITIVES) <= set(dialect)


@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1e-40, 3.4028235e38, 0.2126, 1 / 3, 65504.0, 1.1754943508222875e-38])
def test_literals_read_back_as_the_same_float32(value: float) -> None:
    assert np.float32(literal(value)) == np.float32(value)


# --- the text ---------------------------------------------------------------------------------------------------


def test_the_text_is_readable_and_stable() -> None:
    """A golden text of one op: a change of it is a recompilation for everybody, so it should be meant."""
    program = trace([ops.Exposure(1.0)])
    assert code(print_body(program, NUMBA)) == (
        "v1 = (r_in * u0)\nv3 = (g_in * u0)\nv5 = (b_in * u0)\nr_out = v1\ng_out = v3\nb_out = v5\na_out = a_in\n"
    )
    assert code(print_body(program, CUDA)) == (
        "const float v1 = (r_in * u[0]);\nconst float v3 = (g_in * u[0]);\nconst float v5 = (b_in * u[0]);\n"
        "r = v1;\ng = v3;\nb = v5;\na = a_in;\n"
    )
    assert code(print_body(program, WGSL)) == (
        "let v1 = (r_in * u[0].x);\nlet v3 = (g_in * u[0].x);\nlet v5 = (b_in * u[0].x);\n"
        "r = v1;\ng = v3;\nb = v5;\na = a_in;\n"
    )


def test_each_frame_has_one_hole() -> None:
    """And one of each place for what ops read beside channels, of which nothing is left where they don't."""
    holes = {"point.wgsl": (INPUTS, READS), "point.cu": (INPUTS, TAKEN, GIVEN, PASSED)}
    program = trace([ops.Exposure(1.0)])
    for name, text in (("point.wgsl", wgsl_point(program)), ("point.cu", cuda_point(program))):
        for hole in (shaders.HOLE, *holes[name]):
            assert shaders.text(name).count(hole) == 1
            assert hole not in text


@settings(max_examples=examples(10))
@given(chains())
def test_texts_are_straight_lines(run: list[ColorOp]) -> None:
    program = trace(run)
    for dialect in (NUMBA, WGSL, CUDA):
        lines = print_body(program, dialect).splitlines()
        assert len(lines) == len([i for i in program.instructions if i.op != "input"]) + 4
        assert all(line.startswith(dialect["indent"]) and "nan" not in line for line in lines)
    compile(print_numba(program), "kernel.py", "exec")


# --- CUDA's text on the host ------------------------------------------------------------------------------------

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


# --- WGSL -------------------------------------------------------------------------------------------------------
