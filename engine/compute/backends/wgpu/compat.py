"""All that Tessera uses of wgpu-py beyond its public interface, written for version WRITTEN_FOR.

`check_library` and `check_device` raise BackendUnavailable if a name is missing in the installed version; the other
functions rely on these checks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

import wgpu
from wgpu.backends import wgpu_native

from engine.errors import BackendUnavailable

WRITTEN_FOR = "0.32"
LIBRARY_NAMES = (
    *("_api.ffi.new", "_api.lib.WGPUSType_ShaderSourceWGSL", "_api.libf.wgpuDeviceCreateShaderModuleTrusted"),
    *("GPUShaderModule", "GPUCanvasContext._get_capabilities"),
    *("GPUCanvasContext._drop_texture", "GPUCanvasContext._release"),
)
DEVICE_NAMES = ("_internal", "_poller._poll_func")
NO_CHECKS = 0
EAGER, PAUSE = 50, 0.0002
"""The number of immediate polls, which take a few tenths of a millisecond in all; then the pause between polls in
seconds."""


def check_library() -> None:
    """Raise BackendUnavailable if the installed wgpu-py lacks a name that this module uses."""
    _require(wgpu_native, LIBRARY_NAMES)


def check_device(device: Any) -> None:
    """Raise BackendUnavailable if a newly opened device lacks a name that this module uses."""
    _require(device, DEVICE_NAMES)


def _require(owner: Any, names: Sequence[str]) -> None:
    for name in names:
        try:
            attrgetter(name)(owner)
        except AttributeError:
            what = f"wgpu: version {wgpu.__version__} has no {name}, which Tessera uses"
            raise BackendUnavailable(what, f"install version {WRITTEN_FOR}") from None


def parse_types_quickly(ffi: Any) -> None:
    """Let cffi parse the name of a type with the typedefs that it mentions, not with all of the library's.

    wgpu-py looks up some 50 names until the first frame. Each took 15 ms with 430 typedefs: most of the time to open a
    device. cffi has no setting for this; a version without these names, or in which they are something else, parses
    with all typedefs, and so does this one where few do not suffice.
    """
    parser: Any = getattr(ffi, "_parser", None)
    parse = getattr(parser, "_parse", None)
    known = isinstance(getattr(parser, "_declarations", None), dict)
    if not known or not callable(parse) or getattr(parse, "__module__", "") == __name__:
        return  # another cffi, or already replaced

    def parse_few(*given: Any, **named: Any) -> Any:  # the text and perhaps options; cffi holds its lock meanwhile
        declarations = parser._declarations
        words = set(re.findall(r"\w+", " ".join(map(str, (*given, *named.values())))))
        parser._declarations = {n: each for n, each in declarations.items() if n.removeprefix("typedef ") in words}
        try:
            return parse(*given, **named)
        except Exception:  # noqa: BLE001 (whatever it is, cffi's own parsing comes next)
            pass
        finally:
            parser._declarations = declarations
        return parse(*given, **named)

    with suppress(AttributeError):  # of a parser whose methods can't be replaced
        parser._parse = parse_few


# -- devices


def unchecked_module(device: Any, text: str) -> Any:
    """Return a shader module of `text` without bounds checks and loop counters, which WebGPU adds for untrusted code.

    Only for our own shaders, which never access memory out of bounds. wgpu-py has no function for this, but its native
    library has.
    """
    api = wgpu_native._api
    ffi, create = api.ffi, api.libf.wgpuDeviceCreateShaderModuleTrusted
    code = ffi.new("char[]", text.encode())
    source = ffi.new("WGPUShaderSourceWGSL *")
    source.chain.sType = api.lib.WGPUSType_ShaderSourceWGSL
    source.code.data, source.code.length = code, len(code) - 1
    whole = ffi.new("WGPUShaderModuleDescriptor *")
    whole.nextInChain = ffi.cast("WGPUChainedStruct *", source)
    return wgpu_native.GPUShaderModule("", create(device._internal, whole, NO_CHECKS), device)


def poll_instead_of_wait(device: Any) -> None:
    """Make wgpu-py's thread poll a device repeatedly instead of blocking in the native library.

    While one thread blocks in the native library no other can submit to the same device. wgpu-py has no setting for
    this. A lost device has no such thread and stays as it is.
    """
    poller = device._poller
    if poller is None or getattr(poller._poll_func, "__module__", "") == __name__:
        return  # lost, or already replaced
    poll, asked = poller._poll_func, 0

    def ask(block: bool) -> None:
        nonlocal asked
        asked = asked + 1 if block else 0
        poll(False)
        if asked > EAGER:
            time.sleep(PAUSE)

    poller._poll_func = ask


def has_no_poller(error: AttributeError) -> bool:
    """Return whether an error says that a device has no thread to wait with, because it is lost."""
    return "get_token" in str(error)


# -- surfaces


def surface_capabilities(context: Any, adapter: Any) -> Any:
    """Return a dict of what the surface of a canvas context can do: `formats`, `usages`, `present_modes`."""
    return context._get_capabilities(adapter)


def set_present_mode(context: Any, adapter: Any, mode: str) -> None:
    """Make `configure` use a present mode of the surface; by default wgpu-py uses fifo."""
    context._get_capabilities(adapter)["present_modes"] = [mode]  # wgpu-py's cache, which `configure` reads


def drop_texture(context: Any) -> None:
    """Release the texture to draw into, presented or not."""
    context._drop_texture()


def release_context(context: Any) -> None:
    """Release a canvas context and its surface, even if the context is still referenced."""
    context._release()
