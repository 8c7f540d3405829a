"""What is OpenCL's own: its devices and why one is not usable, errors of drivers, statistics. PoCL will do."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from engine import create_executor, detect_backends, ops
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from tests.engine.backends import LEFT_OUT, USABLE, executor_on
from tests.engine.images import plain

if "opencl" not in USABLE:
    pytest.skip(f"OpenCL: {LEFT_OUT.get('opencl', 'there is no device')}", allow_module_level=True)

import pyopencl as cl

from engine.compute.backends.opencl import OpenclDevice, OpenclPrimitives, detection, devices

CARD = OpenclDevice("a card", "a driver", "driver 1", False, 8 << 30, 8 << 30, "")


def primitives() -> Any:
    return executor_on("opencl").primitives


def reported(monkeypatch: pytest.MonkeyPatch, found: list[OpenclDevice]) -> dict[str, Any]:
    """What is said of OpenCL's devices if there are these."""
    monkeypatch.setattr("engine.compute.backends.opencl.devices", lambda: found)
    return {info.name: info for info in detect_backends() if info.name.startswith("opencl")}


def test_hardware_ranks_between_wgpu_and_the_cpu_and_software_below(monkeypatch: pytest.MonkeyPatch) -> None:
    software = replace(CARD, name="a program", is_software=True)
    found = reported(monkeypatch, [CARD, software])
    assert 10 < found["opencl"].priority < 100
    assert 0 < found["opencl:1"].priority < 10
    assert (found["opencl"].device, found["opencl"].details) == ("a card", "a driver, driver 1")


def test_a_device_that_is_not_usable_is_listed_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    found = reported(monkeypatch, [CARD, replace(CARD, reason="it computes without NaN")])
    assert [info.usable for info in found.values()] == [True, False]
    assert found["opencl:1"].reason == "it computes without NaN"


@pytest.mark.parametrize(
    ("differs", "says"),
    [
        ({"compiler_available": False}, "compiler"),
        ({"version": "OpenCL 1.1 old"}, "OpenCL 1.1 old"),
        ({"profile": "EMBEDDED_PROFILE"}, "full profile"),
        ({"single_fp_config": cl.device_fp_config.ROUND_TO_NEAREST}, "NaN and Inf"),
        ({"max_work_group_size": 64}, "at most 64 threads"),
        ({}, ""),
    ],
    ids=lambda value: str(*value) if isinstance(value, dict) else "",
)
def test_what_a_device_needs(differs: dict[str, Any], says: str) -> None:
    able: dict[str, Any] = {
        "available": True,
        "compiler_available": True,
        "version": "OpenCL 3.0 new",
        "profile": "FULL_PROFILE",
        "single_fp_config": cl.device_fp_config.INF_NAN,
        "endian_little": True,
        "max_work_group_size": 256,
    }
    reason = detection._reason(SimpleNamespace(**able | differs))
    assert says in reason if says else reason == ""


def test_a_machine_without_a_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cl, "get_platforms", list)
    (info,) = (info for info in detect_backends() if info.name == "opencl")
    assert (info.usable, info.reason) == (False, "there is no driver for OpenCL")
    with pytest.raises(BackendUnavailable, match="there is no device"):
        create_executor("opencl")


def test_a_machine_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyopencl" else found(name))
    (info,) = (info for info in detect_backends() if info.name == "opencl")
    assert not info.usable
    assert "tessera[opencl]" in info.reason
    with pytest.raises(BackendUnavailable, match="pyopencl is not installed"):
        create_executor("opencl")


def test_devices_are_chosen_by_number_and_by_name() -> None:
    name = devices()[0].name
    for which in ("opencl:0", f"opencl:{name[:7].upper()}"):
        assert name in create_executor(which).primitives.device
    with pytest.raises(BackendUnavailable, match="devices are: 0"):
        create_executor("opencl:abacus")


def test_an_image_beyond_the_device_is_out_of_memory() -> None:
    before = primitives().memory_stats()
    with pytest.raises(OutOfDeviceMemory, match="no memory left"):
        primitives().allocate(1 << 17, 1 << 17)
    assert primitives().memory_stats().count == before.count


def test_an_error_of_the_driver_is_a_lost_device_and_the_cpu_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, pixels = create_executor("opencl"), plain(6, 5)
    inside: Any = executor.primitives
    launch = inside._launch
    monkeypatch.setattr(
        inside, "_launch", lambda kernel, blocks, threads, arguments: launch(kernel, blocks, 1 << 20, arguments)
    )
    source = inside.upload(pixels)
    with pytest.raises(DeviceLost, match="failed"):
        inside.exec_point(source, source, [ops.Exposure(1.0)])
    source.free()
    assert np.allclose(executor.execute_color(pixels, [ops.Exposure(1.0)])[..., :3], 2.0 * pixels[..., :3])
    assert executor.primitives.name == "cpu"


def test_a_kernel_that_does_not_compile_is_said_in_a_line() -> None:
    with pytest.raises(KernelError, match="does not compile") as caught:
        primitives()._compiled("point.cu", "not a kernel")
    assert "\n" not in str(caught.value)


def test_a_device_has_one_context() -> None:
    first, second = OpenclPrimitives(), OpenclPrimitives()
    assert first._context is second._context


@pytest.mark.parametrize(("dtype", "channels"), [(np.float32, 4), (np.float16, 3)])
def test_means_have_the_digits_of_float64(dtype: Any, channels: int) -> None:
    """Without float64 on the device."""
    image = (np.random.default_rng(3).random((160, 100, channels)) + 1000.0 / 3.0).astype(dtype)
    image[0, 0] = np.nan
    image[1, 1] = -np.inf
    found = primitives().statistics(primitives().upload(image))
    good = np.where(np.isfinite(image), image, np.nan).astype(np.float64)
    assert np.allclose(found.mean, np.nanmean(good, (0, 1)), rtol=1e-7)
    assert np.array_equal(found.minimum, np.nanmin(good, (0, 1)))
    assert np.array_equal(found.maximum, np.nanmax(good, (0, 1)))
    assert (found.nan, found.inf, found.negative) == ((1,) * channels, (1,) * channels, (1,) * channels)
