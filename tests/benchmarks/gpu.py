"""The GPU backends: kernels against a device copy of the same image, fused against one op per pass, transfers,
filters, and whole runs from host to host.

    python -m tests.benchmarks.gpu [--json FOLDER]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine import create_executor, detect_backends, ops
from engine.compute.backends.base import GpuPrimitives
from engine.compute.devices import PRIORITIES
from engine.compute.handles import ImageHandle
from engine.kernel.op import ColorOp
from tests.benchmarks.cpu import chain
from tests.benchmarks.images import natural, noise
from tests.benchmarks.timing import table

WIDTH, HEIGHT = 7680, 4320
HOST_RUNS = (
    ("8K", 7680, 4320, None),
    ("8K tiles", 7680, 4320, 2048),
    ("16K", 15360, 8640, None),
    ("16K tiles", 15360, 8640, 2048),
)
LAUNCHES = 20
"""Launches between two waits, so that the wait does not count."""


def milliseconds(primitives: GpuPrimitives, jobs: dict[str, Callable[[], object]], rounds: int = 9) -> dict[str, float]:
    """Median milliseconds of one launch of each job, in turn."""
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(rounds + 1):
        for name, job in jobs.items():
            primitives.synchronize()
            start = time.perf_counter()
            for _ in range(LAUNCHES):
                job()
            primitives.synchronize()
            if number:
                found[name].append((time.perf_counter() - start) / LAUNCHES * 1000)
    return {name: statistics.median(values) for name, values in found.items()}


def in_passes(primitives: GpuPrimitives, source: ImageHandle, target: ImageHandle, run: list[ColorOp]) -> None:
    """One op per pass, each on the source."""
    for op in run:
        primitives.exec_point(source, target, [op])


def kernels(primitives: GpuPrimitives) -> list[dict[str, Any]]:
    """The chain fused and one op per pass, for each image and storage."""
    rows = []
    run: list[ColorOp] = chain()
    for image_name, image in (("natural", natural(WIDTH, HEIGHT)), ("noise", noise(WIDTH, HEIGHT))):
        for storage in (np.float32, np.float16):
            source = primitives.upload(image.astype(storage))
            target = primitives.allocate(WIDTH, HEIGHT, 4, storage)
            jobs: dict[str, Callable[[], object]] = {
                "copy": device_copy(primitives, source, target),
                "fused": partial(primitives.exec_point, source, target, run),
                "passes": partial(in_passes, primitives, source, target, run),
                "no 3D LUT": partial(primitives.exec_point, source, target, run[:3]),
            }
            times = milliseconds(primitives, jobs)
            rows.append({"image": image_name, "storage": np.dtype(storage).name, **times})
            source.free()
            target.free()
    return rows


def device_copy(primitives: GpuPrimitives, source: Any, target: Any) -> Callable[[], object]:
    """A plain copy on the device."""
    if primitives.name != "cuda":
        return lambda: primitives.exec_point(source, target, [ops.Exposure(0.0)])
    import cupy

    stream = primitives._stream  # type: ignore[attr-defined]
    size = source.buffer.nbytes

    def copy() -> None:
        cupy.cuda.runtime.memcpyAsync(
            target.buffer.data.ptr, source.buffer.data.ptr, size, cupy.cuda.runtime.memcpyDeviceToDevice, stream.ptr
        )

    return copy


def transfers(primitives: GpuPrimitives) -> dict[str, float]:
    """GB/s of an 8K float32 image, in and out."""
    image = natural(WIDTH, HEIGHT)
    handle = primitives.upload(image)
    seconds: dict[str, list[float]] = {"upload": [], "download": []}
    for _ in range(6):
        start = time.perf_counter()
        handle = primitives.upload(image)
        primitives.synchronize()
        seconds["upload"].append(time.perf_counter() - start)
        start = time.perf_counter()
        primitives.download(handle)
        seconds["download"].append(time.perf_counter() - start)
    return {name: image.nbytes / statistics.median(values[1:]) / 1e9 for name, values in seconds.items()}


def filters(primitives: GpuPrimitives) -> dict[str, float]:
    """Mpx/s: of the source for resizes, of the image for blurs."""
    source = primitives.upload(natural(WIDTH, HEIGHT))
    small = primitives.allocate(1920, 1080)
    same = primitives.allocate(WIDTH, HEIGHT)
    jobs: dict[str, Callable[[], object]] = {
        **{
            f"resize {name}": partial(primitives.exec_resize, source, small, name)
            for name in ("nearest", "bilinear", "catmull-rom", "lanczos3", "area")
        },
        **{f"blur {radius}": partial(primitives.exec_blur, source, same, radius) for radius in (5, 50)},
    }
    return {name: WIDTH * HEIGHT / value / 1e3 for name, value in milliseconds(primitives, jobs, 3).items()}


def host_to_host(name: str) -> dict[str, float]:
    """GB/s of image, in plus out, graded by the chain: whole, and in tiles of 2048."""
    found = {}
    for label, width, height, tile in HOST_RUNS:
        executor = create_executor(name, tile=tile)
        image = noise(width, height)
        run = chain()
        executor.execute_color(image[:64, :64], run)
        seconds = []
        for _ in range(3):
            start = time.perf_counter()
            executor.execute_color(image, run)
            seconds.append(time.perf_counter() - start)
        found[label] = 2 * image.nbytes / min(seconds) / 1e9
    return found


def report(name: str) -> dict[str, Any]:
    primitives = create_executor(name).primitives
    print(f"\n{name}: {primitives.device}, {WIDTH}x{HEIGHT} RGBA")
    rows = kernels(primitives)
    head = ["image", "storage", "copy ms", "fused ms", "x copy", "passes ms", "fusing buys", "without 3D LUT ms"]
    lines = [
        [r["image"], r["storage"], f"{r['copy']:.3f}", f"{r['fused']:.3f}", f"{r['fused'] / r['copy']:.2f}",
         f"{r['passes']:.3f}", f"{r['passes'] / r['fused']:.2f}", f"{r['no 3D LUT']:.3f}"]
        for r in rows
    ]  # fmt: skip
    print(table([head, *lines]), flush=True)
    moved, filtered = transfers(primitives), filters(primitives)
    print("transfers GB/s:", {k: round(v, 1) for k, v in moved.items()})
    print("filters Mpx/s:", {k: round(v) for k, v in filtered.items()}, flush=True)
    del primitives
    whole = host_to_host(name)
    print("host to host GB/s:", {k: round(v, 1) for k, v in whole.items()}, flush=True)
    return {"kernels": rows, "transfers": moved, "filters": filtered, "host_to_host": whole}


def ratios(found: dict[str, Any]) -> dict[str, float]:
    """Time of CUDA over that of wgpu in every row."""
    rows: dict[str, float] = {}
    for ours, theirs in zip(found["cuda"]["kernels"], found["wgpu"]["kernels"], strict=True):
        for name in ("copy", "fused", "passes", "no 3D LUT"):
            rows[f"{ours['image']} {ours['storage']} {name}"] = ours[name] / theirs[name]
    for part in ("transfers", "filters", "host_to_host"):  # rates
        rows |= {name: found["wgpu"][part][name] / rate for name, rate in found["cuda"][part].items()}
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="folder that gets the figures as JSON")
    parser.add_argument("--software", action="store_true", help="also measure adapters that are programs")
    arguments = parser.parse_args()
    usable = [info for info in detect_backends() if info.usable and info.name != "cpu"]
    usable = [info for info in usable if info.priority > PRIORITIES["cpu"] or arguments.software]
    if not usable:
        print("GPU: no backend besides the CPU is usable here")
        return 0
    found = {info.name: report(info.name) for info in usable}
    if {"cuda", "wgpu"} <= found.keys():
        print("\ntime of CUDA over wgpu:", {name: round(ratio, 2) for name, ratio in ratios(found).items()})
    if arguments.json:
        arguments.json.mkdir(parents=True, exist_ok=True)
        (arguments.json / "gpu.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
