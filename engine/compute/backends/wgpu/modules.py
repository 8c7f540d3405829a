"""Shader modules without the checks that WebGPU adds for texts from strangers."""

from __future__ import annotations

from typing import Any

from wgpu.backends.wgpu_native import GPUShaderModule
from wgpu.backends.wgpu_native import _api as native

NO_CHECKS = 0


def unchecked_module(device: Any, text: str) -> Any:
    """A module of `text`, in which no access to memory is held within its array and no loop is counted.

    For texts of ours alone: what they read lies within its array by how they are made. wgpu-py has no call for this,
    its native library has; where that has another form than today, the module is an ordinary one.
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
