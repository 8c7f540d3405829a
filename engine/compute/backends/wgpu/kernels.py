"""The kernels of a device: fused runs of colour ops, cached by their structure, and hand-written kernels."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import shaders
from engine.compute.backends.wgpu.abilities import Abilities
from engine.compute.backends.wgpu.device import Device, Kernel
from engine.compute.backends.wgpu.image import SAMPLES, STORAGE, aliases
from engine.compute.backends.wgpu.numbers import PlaceNumbers, PlanarNumbers, PointNumbers, ScopeNumbers
from engine.core.bounded_cache import BoundedCache
from engine.core.records import dataclass
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import Program, trace
from engine.kernel.op import ColorOp
from engine.kernel.point_text import images, wgsl_point

KEPT_RUNS = 256
"""The number of runs whose kernels are kept, the most recently used last."""
Storages = tuple[np.dtype[Any], np.dtype[Any]]
FLOATS: Storages = (np.dtype(np.float32), np.dtype(np.float32))
PIXELS = 4
"""Pixels per invocation of point.wgsl, which share the data that is the same for all pixels."""
FUSED = "fn t_fma(a: f32, b: f32, c: f32) -> f32 { return fma(a, b, c); }\n"
FUSED_BY_DOUBLE = "fn t_fma(a: f32, b: f32, c: f32) -> f32 { return f32(f64(a) * f64(b) + f64(c)); }\n"
"""For software adapters: their fma rounds twice, as WGSL allows."""
POWERS_OF_TWO = "fn t_exp2_sum(x: f32, rest: f32) -> f32 { return exp2(x) * exp2(rest); }\n"
POWERS_BY_OCTAVE = "fn t_exp2_sum(x: f32, rest: f32) -> f32 { return t_exp2_by_octave(x, rest); }\n"
"""Two ways to compute 2 ** (x + rest). WGSL lets the error of exp2 grow with x; most devices are more accurate."""
WITH_MATHS = ("scopes.wgsl",)
ENTRIES = {
    "down": ("taps.wgsl", "rw-rrr"),
    "along": ("taps.wgsl", "-wwrrr"),
    "extreme": ("extremes.wgsl", "rwr"),
    "samples": ("samples.wgsl", "rwr"),
    "statistics": ("statistics.wgsl", "rwr"),
    "histogram": ("scopes.wgsl", "rwu"),
    "waveform": ("scopes.wgsl", "rwu"),
    "vectorscope": ("scopes.wgsl", "rwu"),
}
"""The hand-written kernels: file, and bindings as for Device.kernel."""


@dataclass(frozen=True)
class Run:
    """What the kernels of a run of ops take, and the kernels by storages and by whether they run in place."""

    arguments: Arguments
    kernels: dict[tuple[Storages, bool], Kernel]


class KernelStore:
    """The kernels of one device. Thread-safe."""

    def __init__(self, device: Device, abilities: Callable[[], Abilities]) -> None:
        """Create an empty store; `abilities` is called once, before the first kernel is compiled."""
        self._device = device
        self._abilities = functools.cache(abilities)
        self._runs: BoundedCache[tuple[Any, ...], Run] = BoundedCache(KEPT_RUNS)
        self._fixed: dict[tuple[str, Storages], Kernel] = {}
        self._lock = threading.RLock()

    def has(self, ops: Sequence[ColorOp], storages: Storages) -> bool:
        """Return whether the kernel of a run between two images is compiled."""
        run = self._runs.get(_key(ops))
        return run is not None and (storages, False) in run.kernels

    def has_fixed(self, entry: str, source: np.dtype[Any], target: np.dtype[Any] = FLOATS[1]) -> bool:
        """Return whether a hand-written kernel is compiled."""
        return (entry, (source, target)) in self._fixed

    def fixed(self, entry: str, source: np.dtype[Any], target: np.dtype[Any] = FLOATS[1]) -> Kernel:
        """Return a hand-written kernel, compiled on first use."""
        with self._lock:
            if (entry, (source, target)) not in self._fixed:
                file, bindings = ENTRIES[entry]
                text = self._around(shaders.text(file), source, target, file in WITH_MATHS)
                text = _vec4s("NUMBERS", len(ScopeNumbers._fields)) + text
                name = f"{entry}_{STORAGE[source][1]}_{STORAGE[target][1]}"
                self._fixed[entry, (source, target)] = self._device.kernel(name, text, entry, bindings)
            return self._fixed[entry, (source, target)]

    def point(self, ops: Sequence[ColorOp], storages: Storages, in_place: bool) -> tuple[Arguments, Kernel]:
        """Return the kernel of a run, compiled on first use, and what it takes."""
        with self._lock:
            run = self._runs.get(_key(ops))
            if run is None or (storages, in_place) not in run.kernels:
                program = trace(ops)
                if run is None:
                    run = Run(program.arguments, {})
                    self._runs.put(_key(ops), run)
                run.kernels[storages, in_place] = self._compiled(program, storages, in_place)
            return run.arguments, run.kernels[storages, in_place]

    def _compiled(self, program: Program, storages: Storages, in_place: bool) -> Kernel:
        counts = f"const PIXELS = {PIXELS}u;\n"
        counts += _vec4s("UNIFORMS", len(program.uniforms))
        planar = storages[0] == SAMPLES
        more = len(PlaceNumbers._fields) * program.placed + len(PlanarNumbers._fields) * planar
        counts += _vec4s("NUMBERS", len(PointNumbers._fields) + len(program.tables) + more)
        text = counts + self._around(wgsl_point(program, planar), *storages)
        if in_place:  # WebGPU allows no kernel to bind memory both as read-only and as writable
            text = text.replace("unpacked(source[i])", "unpacked(result[i])")
        bindings = ("-wurru" if in_place else "rwurru") + "r" * images(program)
        return self._device.kernel("point", text, "point", bindings)

    def _around(self, text: str, source: np.dtype[Any], target: np.dtype[Any], maths: bool = True) -> str:
        """Return a shader with what it builds on."""
        able = self._abilities()
        parts = [shaders.text("storages.wgsl"), aliases(source, target, able.packs_halves), text]
        if maths:
            fused = FUSED_BY_DOUBLE if self._device.rounds_twice else FUSED
            powers = POWERS_OF_TWO if able.exact_exp2 else POWERS_BY_OCTAVE
            parts = [fused, powers, shaders.text("maths.wgsl"), *parts]
        return "\n".join(parts)


def _vec4s(name: str, count: int) -> str:
    """Return the line of a shader that defines how many vec4 hold `count` numbers."""
    return f"const {name} = {max(1, -(-count // 4))}u;\n"


def _key(ops: Sequence[ColorOp]) -> tuple[Any, ...]:
    return tuple(op.structure for op in ops)
