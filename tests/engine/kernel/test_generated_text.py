"""The CUDA text of every op run on the host, and the WGSL text compiled."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shaders
from engine import ops
from engine.kernel.codegen import Program, trace
from engine.kernel.dialects import CUDA, print_body
from engine.kernel.op import ColorOp
from engine.kernel.point_text import wgsl_point
from tests.engine.conditioning import answer
from tests.engine.host_cuda import HostCuda, text
from tests.engine.images import OF_APPEARANCE, chains, ops_of, plain, rgba64, structures, wide
from tests.engine.kernel.test_codegen import LONG, needs_compiler
from tests.thorough import THOROUGH, cases
from tests.tolerance import CHAIN, ONE_OP


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
    if not THOROUGH:
        made = list({cls: each for each in made for cls in each[:1]}.values())
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
@pytest.mark.parametrize(("storage", "dtype", "channels"), cases(STORAGES[:1], *STORAGES[1:]))
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
def test_cuda_text_of_aces_2_on_the_host(tmp_path: Path) -> None:
    """With the forms for what is known of operands."""
    run = [ops.Aces2OutputTransform()]
    body = print_body(trace(run), CUDA)
    for form in ("t_pow(true, true, ", "t_pow(false, true, ", "t_div_well(", "t_at(", "t_after(", "t_min_of_both("):
        assert form in body
    assert_right(run, plain(), HostCuda([run], tmp_path)(0, run, plain()), CHAIN)


def test_forms_keep_to_what_is_known() -> None:
    """The other form where the offset, the exponent or the base may be anything."""
    for op, form in (
        (ops.Log(direction="reverse"), "t_exp2_scaled("),
        (ops.LogAffine(direction="reverse"), "t_exp2_affine("),
        (ops.Exponent(exponent=(1.5, 1.5, 1.5)), "t_pow(true, false, "),
        (ops.Contrast(contrast=1.2), "t_pow(false, false, "),
    ):
        assert set(re.findall(r"t_exp2\w*\(|t_pow\(\w+, \w+, ", print_body(trace([op]), CUDA))) == {form}


@needs_compiler
def test_the_host_check_sees_a_wrong_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CUDA, "add", "({0} - {1})")
    monkeypatch.setitem(CUDA, "fma", "fmaf({0}, {1}, -{2})")
    run = [ops.Cdl((1.1, 1.0, 0.9), (0.1, 0.1, 0.1))]
    host = HostCuda([run], tmp_path)
    with pytest.raises(AssertionError, match="error"):
        assert_right(run, plain(), host(0, run, plain()), ONE_OP)


def kernels(program: Program) -> str:
    """What the CUDA backend compiles for half in and float out."""
    return shaders.text("language.cu") + shaders.text("maths.cu") + text(program, "__half", "float")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_cuda_text_is_cuda(tmp_path: Path) -> None:
    """Through nvcc as far as PTX."""
    cube, curve = ops.Lut3d(np.zeros((2, 2, 2, 3))), ops.Lut1d([0.0, 1.0])
    run = [*LONG[:5], cube, cube.replace(interpolation="trilinear"), curve, ops.AcesRedModifier()]
    source = tmp_path / "long.cu"
    source.write_text("#include <cuda_fp16.h>\n" + kernels(trace(run)))
    done = subprocess.run(
        ["nvcc", "-std=c++17", "-ptx", "-O0", "-Xptxas", "-O0", "-o", tmp_path / "long.ptx", source],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:4000]
    assert ".entry point" in (tmp_path / "long.ptx").read_text()


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
    return counts + maths + pixels + wgsl_point(program)


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
