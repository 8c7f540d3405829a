"""Shader modules without the runtime checks that WebGPU adds for untrusted code."""

from __future__ import annotations

from typing import Any

from wgpu.backends.wgpu_native import GPUShaderModule
from wgpu.backends.wgpu_native import _api as native

NO_CHECKS = 0


def unchecked_module(device: Any, text: str) -> Any:
    """Return a module of `text` without bounds checks and loop counters.

    Only for our own shaders, which never access memory out of bounds. wgpu-py has no function for this, but its native
    library has; if its interface has changed, the result is an ordinary module.
    """
    try:
        ffi, lib, create = native.ffi, native.lib, native.libf.wgpuDeviceCreateShaderModuleTrusted
        code = ffi.new("char[]", text.encode())
        source = ffi.new("WGPUShaderSourceWGSL *")
        source.chain.sType = lib.WGPUSType_ShaderSourceWGSL
        source.code.data, source.code.length = code, len(code) - 1
        whole = ffi.new("WGPUShaderModuleDescriptor *")
        whole.nextInChain = ffi.cast("WGPUChainedStruct *", source)
        return GPUShaderModule("", create(device._internal, whole, NO_CHECKS), device)
    except (AttributeError, TypeError):
        return device.create_shader_module(code=text)
