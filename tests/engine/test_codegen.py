"""From ops to kernel text: what is shared, what travels as a uniform, and that three languages say the same."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shaders
from engine import ops
from engine.errors import GradeError
from engine.kernel.codegen import Operand, Program, trace
from engine.kernel.dialects import CUDA, NUMBA, WGSL, literal, print_body, print_numba
from engine.kernel.op import REGISTRY, ColorOp, Slider, slider
from engine.kernel.pixel import Pixel, Vec, exp2, pow
from engine.kernel.primitives import PRIMITIVES
from tests.engine.conditioning import answer
from tests.engine.host_cuda import COMPILER, HostCuda, code, text
from tests.engine.images import OF_APPEARANCE, any_color_op, chains, ops_of, plain, rgba64, structures, wide
from tests.tolerance import CHAIN, ONE_OP

LONG = [ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9)), ops.Contrast(1.2), ops.Saturation(0.8), ops.Log()] * 6


def temporary(pixel: Any, **fields: Any) -> ColorOp:
    """An op that is not left in the registry."""
    cls = type("Temporary", (ColorOp,), {"pixel": pixel, "__annotations__": dict.fromkeys(fields, "float"), **fields})
    del REGISTRY["Temporary"]
    return cls()  # type: ignore[no-any-return]


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
    assert sorted(str(value) for value in program.uniform_values([op])) == ["-0.0", "0.0"]


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


def test_sliders_alone_are_the_host_s_work_in_float64() -> None:
    def pixel(self: Any, px: Pixel) -> Vec:
        tiny = (self.gain + 1e-9) - self.gain  # float32 would make 0 of it
        return px.rgb * (tiny * 1e9)

    op = temporary(pixel, gain=slider(1.0, 0.0, 4.0))
    program = trace([op])
    assert kinds(program) == {"mul": 3}
    assert len(program.uniforms) == 1
    (value,) = program.uniform_values([op])
    assert value == np.float32(((1.0 + 1e-9) - 1.0) * 1e9)


def test_the_rest_of_an_exponent_travels_too() -> None:
    op = ops.Exponent((1.1, 1.1, 1.1))
    program = trace([op])
    whole, lost = program.uniform_values([op])[:2]
    assert float(whole) + float(lost) == pytest.approx(1.1, abs=1e-15)
    assert float(whole) != 1.1


def test_a_division_by_sliders_becomes_a_product() -> None:
    program = trace([temporary(lambda self, px: px.rgb / self.by, by=slider(3.0, 1.0, 4.0))])
    assert kinds(program) == {"mul": 3}


@settings(max_examples=60)
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


@settings(max_examples=60)
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
    assert program.uniform_values(run).dtype == np.float32
    assert len(program.table_values(run)) == len(program.tables)


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
        "const auto v1 = (r_in * u[0]);\nconst auto v3 = (g_in * u[0]);\nconst auto v5 = (b_in * u[0]);\n"
        "r = v1;\ng = v3;\nb = v5;\na = a_in;\n"
    )
    assert code(print_body(program, WGSL)) == (
        "let v1 = (r_in * u[0].x);\nlet v3 = (g_in * u[0].x);\nlet v5 = (b_in * u[0].x);\n"
        "r = v1;\ng = v3;\nb = v5;\na = a_in;\n"
    )


def test_each_frame_has_one_hole() -> None:
    for name in ("point.wgsl", "point.cu"):
        assert shaders.text(name).count(shaders.HOLE) == 1


@settings(max_examples=40)
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


def one_of_each() -> list[tuple[type[ColorOp], dict[str, str], ColorOp]]:
    """Every structure, with one op of it."""
    return [(cls, words, one_of(cls, words)) for cls, words in structures()]


def one_of(cls: type[ColorOp], words: dict[str, str]) -> ColorOp:
    found: list[ColorOp] = []

    @settings(max_examples=1)
    @given(ops_of(cls, words))
    def take(op: ColorOp) -> None:
        found.append(op)

    take()
    return found[0]


def assert_right(run: Sequence[ColorOp], image: Any, result: Any, allowed: float, storage: Any = np.float32) -> None:
    error = answer(run, rgba64(image), flushes=True).error(result, allowed, storage)
    if error.max() > allowed:
        at = np.unravel_index(int(error.max(axis=-1).argmax()), error.shape[:-1])
        raise AssertionError(f"{run}: error {error.max():.3g}; {image[at]} became {result[at]}")


@needs_compiler
def test_cuda_text_of_every_op_on_the_host(tmp_path: Path) -> None:
    """point.cu and maths.cu with each op's body, compiled by a C++ compiler, against the float64 reference."""
    made = [(cls, words, op) for cls, words, op in one_of_each() if cls.__name__ not in OF_APPEARANCE]
    host = HostCuda([[op] for _, _, op in made], tmp_path)
    image = wide()

    def check(number: int, op: ColorOp, first: ColorOp) -> None:
        if op.structure == first.structure and not op.is_identity():
            assert_right([op], image, host(number, [op], image), ONE_OP)

    for number, (cls, words, first) in enumerate(made):
        run = given(st.just(number), ops_of(cls, words), st.just(first))(check)
        settings(max_examples=1)(run)()


STORAGES = [("__half", np.float16, 4), ("__half", np.float16, 3), ("float", np.float32, 3)]


@needs_compiler
@pytest.mark.parametrize(("storage", "dtype", "channels"), STORAGES)
def test_cuda_text_of_chains_on_the_host(tmp_path: Path, storage: str, dtype: Any, channels: int) -> None:
    runs: list[list[ColorOp]] = [list(LONG[:5])]

    @settings(max_examples=4)
    @given(chains(2, 6))
    def take(run: list[ColorOp]) -> None:
        runs.append([op for op in run if not op.is_identity()])

    take()
    host, image = HostCuda(runs, tmp_path, storage, channels), wide(dtype, channels)
    for number, run in enumerate(runs):
        assert_right(run, image, host(number, run, image), CHAIN, dtype)


@needs_compiler
def test_the_host_check_sees_a_wrong_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CUDA, "add", "({0} - {1})")
    monkeypatch.setitem(CUDA, "fma", "fmaf({0}, {1}, -{2})")
    run = [ops.Cdl((1.1, 1.0, 0.9), (0.1, 0.1, 0.1))]
    host = HostCuda([run], tmp_path)
    with pytest.raises(AssertionError, match="error"):
        assert_right(run, plain(), host(0, run, plain()), ONE_OP)


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_cuda_text_is_cuda(tmp_path: Path) -> None:
    """Through nvcc as far as PTX."""
    cube, curve = ops.Lut3d(np.zeros((2, 2, 2, 3))), ops.Lut1d([0.0, 1.0])
    run = [*LONG[:5], cube, cube.replace(interpolation="trilinear"), curve, ops.AcesRedModifier()]
    source = tmp_path / "long.cu"
    source.write_text("#include <cuda_fp16.h>\n" + shaders.text("maths.cu") + text(trace(run), "__half", "float"))
    done = subprocess.run(
        ["nvcc", "-std=c++17", "-ptx", "-O0", "-Xptxas", "-O0", "-o", tmp_path / "long.ptx", source],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:4000]
    assert ".entry point" in (tmp_path / "long.ptx").read_text()


# --- WGSL -------------------------------------------------------------------------------------------------------


def adapter() -> Any:
    wgpu = pytest.importorskip("wgpu")
    try:
        found = wgpu.gpu.enumerate_adapters_sync()
    except Exception as error:  # noqa: BLE001 (whatever a driver says: there is none)
        pytest.skip(f"no adapter: {error}")
    vulkan = [a for a in found if a.info["backend_type"] != "OpenGL"]
    if not vulkan:
        pytest.skip("there is no adapter, not even a software one")
    return vulkan[0]


def wgsl(program: Program) -> str:
    """A whole shader, RGBA float32 in and out."""
    counts = f"const UNIFORMS = {max(1, -(-len(program.uniforms) // 4))}u;\nconst NUMBERS = 32u;\nconst PIXELS = 4u;\n"
    maths = "fn t_fma(a: f32, b: f32, c: f32) -> f32 { return fma(a, b, c); }\n"
    maths += "fn t_exp2_sum(x: f32, rest: f32) -> f32 { return exp2(x) * exp2(rest); }\n" + shaders.text("maths.wgsl")
    pixels = "alias Source = vec4f;\nalias Target = vec4f;\n"
    pixels += "fn unpacked(p: vec4f) -> vec4f { return p; }\nfn packed(p: vec4f) -> vec4f { return p; }\n"
    frame = shaders.text("point.wgsl").replace(shaders.HOLE, print_body(program, WGSL))
    return counts + maths + pixels + frame


def test_wgsl_of_every_op_and_of_a_long_chain_is_valid() -> None:
    import wgpu

    device = adapter().request_device_sync()
    for cls, words, op in one_of_each():
        try:
            device.create_shader_module(code=wgsl(trace([op])))
        except wgpu.GPUError as error:
            pytest.fail(f"{cls.__name__} {words}: {error}")
    device.create_shader_module(code=wgsl(trace(LONG)))
    with pytest.raises(wgpu.GPUError):
        device.create_shader_module(code=wgsl(trace(LONG)).replace("t_pow_held(", "t_power(", 1))
