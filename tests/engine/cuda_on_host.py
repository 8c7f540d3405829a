"""Hand-written CUDA kernels on the processor: compiled by the host's C++ compiler, each thread of a block a fiber.

`HostQueue` and `modules` give what the CUDA backend's queues and modules give, so that its own code runs on them.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from tests.engine.host_cuda import COMPILER

CANARY, GAP = 0xA5, 64
"""The byte of memory around each buffer, and how many of them there are on each side."""
OPTIONS = (
    *("-O2", "-std=c++17", "-shared", "-fPIC", "-fno-strict-aliasing", "-w", "-msse2", "-mfpmath=sse"),
    "-fvisibility=hidden",
)
"""Hidden, so that kernels call each other and not functions of the same name in the process, such as zlib's inflate."""
_SIGNATURE = re.compile(
    r'^(?:KERNEL|KERNEL_OF\(\w+\)|extern "C" __global__ void(?:\s+__launch_bounds__\(\w+\))?)\s+(\w+)\(([^)]*)\)',
    re.MULTILINE,
)


class HostModule:
    """The kernels of a text."""

    def __init__(self, text: str, head: dict[str, Any], folder: Path, name: str) -> None:
        self._signatures = dict(_SIGNATURE.findall(text))
        definitions = "".join(f"#define {key} {value}\n" for key, value in head.items())
        wrappers = "".join(_wrapper(name, _types(text)) for name, text in self._signatures.items())
        source, library = folder / f"{name}.cpp", folder / f"{name}.so"
        source.write_text(
            f'#include "cuda_blocks.h"\n{definitions}{shaders.text("language.cu")}{text}\n{wrappers}', encoding="utf-8"
        )
        assert COMPILER is not None
        command = [COMPILER, *OPTIONS, f"-I{Path(__file__).parent}", str(source), "-o", str(library)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        self._library = ctypes.CDLL(str(library))

    def get_function(self, name: str) -> Callable[..., None]:
        run = self._library[f"run_{name}"]
        kinds = _types(self._signatures[name])

        def launch(blocks: tuple[int], threads: tuple[int], arguments: tuple[Any, ...], stream: Any = None) -> None:
            assert len(arguments) == len(kinds), name
            values = [_argument(value) for value in arguments]
            pointers = (ctypes.c_void_p * len(values))(*(value.ctypes.data for value in values))
            run(ctypes.c_uint(blocks[0]), ctypes.c_uint(threads[0]), pointers)

        return launch


def _types(parameters: str) -> list[str]:
    """The types of a kernel's parameters."""
    cleaned = parameters.replace("__restrict__", "")
    return [re.sub(r"\w+\s*$", "", each).replace("const Channels", "Channels").strip() for each in cleaned.split(",")]


def _wrapper(name: str, kinds: list[str]) -> str:
    values = ", ".join(f"*({kind} *)arguments[{n}]" for n, kind in enumerate(kinds))
    body = f"host::launch(blocks, threads, [=] {{ {name}({values}); }});"
    exported = 'extern "C" __attribute__((visibility("default"))) void'
    return f"{exported} run_{name}(unsigned blocks, unsigned threads, void **arguments) {{ {body} }}\n"


def _argument(value: Any) -> NDArray[Any]:
    """The bytes of a launch argument: a buffer's address, or a number or structure as it is."""
    return np.array([value.data.ptr], np.uint64) if isinstance(value, HostBuffer) else np.asarray(value)


class HostBuffer:
    """Memory of the 'device', with canaries before and behind it."""

    def __init__(self, nbytes: int) -> None:
        self._all = np.full(nbytes + 2 * GAP + 16, CANARY, np.uint8)
        start = GAP + -(self._all.ctypes.data + GAP) % 16
        self._start, self.bytes = start, self._all[start : start + nbytes]
        self.data = SimpleNamespace(ptr=self.bytes.ctypes.data)

    @property
    def intact(self) -> bool:
        """Whether nothing was written around it."""
        before, behind = self._all[: self._start], self._all[self._start + self.bytes.size :]
        return bool((before == CANARY).all() and (behind == CANARY).all())


class HostQueue:
    """What the CUDA backend's queue is for code that decodes or encodes chunks; it remembers its buffers."""

    stream = None

    def __init__(self) -> None:
        self.buffers: list[HostBuffer] = []

    def empty(self, count: int, dtype: Any = np.uint8) -> HostBuffer:
        buffer = HostBuffer(max(count * np.dtype(dtype).itemsize, 1))
        buffer.bytes[:] = 0xEE
        self.buffers.append(buffer)
        return buffer

    def sent(self, array: NDArray[Any]) -> HostBuffer:
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        buffer = self.empty(max(raw.size, 1))
        buffer.bytes[: raw.size] = raw
        return buffer

    def copy(self, target: int, source: int, nbytes: int) -> None:
        ctypes.memmove(target, source, nbytes)

    def received(self, buffer: HostBuffer, count: int, dtype: Any) -> NDArray[Any]:
        return buffer.bytes[: count * np.dtype(dtype).itemsize].view(dtype).copy()

    @property
    def intact(self) -> bool:
        """Whether nothing was written outside of any buffer."""
        return all(buffer.intact for buffer in self.buffers)


def modules(folder: Path) -> Callable[[str, dict[str, Any], str], HostModule]:
    """What compiles and keeps modules, as the CUDA backend does."""
    known: dict[Any, HostModule] = {}

    def module(name: str, head: dict[str, Any], text: str) -> HostModule:
        key = (name, *head.items())
        if key not in known:
            known[key] = HostModule(text, head, folder, f"{name.partition('.')[0]}_{len(known)}")
        return known[key]

    return module


@contextmanager
def host_queue() -> Iterator[HostQueue]:
    """A queue that is checked when the work is done."""
    queue = HostQueue()
    yield queue
    assert queue.intact, "a kernel wrote outside of its memory"
