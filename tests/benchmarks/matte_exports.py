"""Exports of a grade with mattes, in turn with the same grade without: `python -m tests.benchmarks.export --mattes`.

The image is RGBA half with a Cryptomatte layer of RANKS ranks and depth, ZIP, 7680x4320. The grade is a CDL within an
ellipse, and another one on some objects.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio

from engine import Grade, Layer, ops, save_grade
from engine.io.cryptomatte import hash_name
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Ellipse
from tests.benchmarks.images import natural

WIDTH, HEIGHT = 7680, 4320
STRIP = 256
RANKS, OBJECTS, CELL = 6, 200, 120
MIXED = 0.05
"""The share of pixels with several objects."""
NAME = "CryptoObject"
MB = 1 << 20

Timed = Callable[..., dict[str, Any]]


def names_of(count: int = OBJECTS) -> list[str]:
    """The names of the objects."""
    return [f"object_{n}" for n in range(count)]


def make(path: Path) -> None:
    """Write the image in bands: one strip again and again, whose objects change."""
    channels = [*"RGBA", *(f"{NAME}{rank // 2:02}.{pair}" for rank in range(RANKS) for pair in ("RG", "BA")[rank % 2])]
    spec = oiio.ImageSpec(WIDTH, HEIGHT, len(channels) + 1, "float")
    spec.channelnames = (*channels, "Z")
    spec.channelformats = ("half",) * 4 + ("float",) * (len(channels) - 3)
    spec.attribute("compression", "zip:1")
    start = f"cryptomatte/{hash_name(NAME):08x}"[: len("cryptomatte/") + 7]
    manifest = json.dumps({name: f"{hash_name(name):08x}" for name in names_of()})
    about = {"name": NAME, "hash": "MurmurHash3_32", "conversion": "uint32_to_float32", "manifest": manifest}
    for key, value in about.items():
        spec.attribute(f"{start}/{key}", value)
    file: Any = oiio.ImageOutput.create(str(path))
    assert file.open(str(path), spec), file.geterror()
    light = np.tile(natural(3840, STRIP), (1, 2, 1))
    for y in range(0, HEIGHT, STRIP):
        rows = np.concatenate([light, _ranks(y), np.full((STRIP, WIDTH, 1), 1.0 + y, np.float32)], axis=-1)
        rows = np.ascontiguousarray(rows[: HEIGHT - y], np.float32)
        assert file.write_scanlines(y, y + len(rows), 0, rows), file.geterror()
    file.close()


def _ranks(top: int) -> Any:
    """IDs and coverages of a strip, (STRIP, WIDTH, 2 * RANKS) float32."""
    hashes = np.array([hash_name(name) for name in names_of()], np.uint32)
    y, x = np.mgrid[top : top + STRIP, :WIDTH]
    first = (y // CELL * (WIDTH // CELL) + x // CELL) % OBJECTS
    mixed = np.random.default_rng(top).random((STRIP, WIDTH)) < MIXED
    found = np.zeros((STRIP, WIDTH, 2 * RANKS), np.float32)
    for rank in range(RANKS):
        share = np.where(mixed, 0.5 if rank == 0 else 0.1, float(rank == 0)).astype(np.float32)
        ids = np.where(share > 0, hashes[(first + rank) % OBJECTS], 0).astype(np.uint32)
        found[..., 2 * rank], found[..., 2 * rank + 1] = ids.view(np.float32), share
    return found


def grades(feather: float) -> tuple[Grade, Grade]:
    """The grade with its mattes, and without."""
    warm = ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, 0.0), power=(1.0, 1.1, 1.0), saturation=1.2)
    cold = ops.Cdl(slope=(0.9, 1.0, 1.2), offset=(0.0, 0.0, 0.02), power=(1.1, 1.0, 1.0), saturation=0.8)
    window = Ellipse(center=(3800.0, 2000.0), size=(1800.0, 1200.0), rotation=15.0, softness_out=400.0)
    objects = Cryptomatte(NAME, tuple(names_of()[::3]))
    mattes = Matte(Leaf(window)), replace(Matte(Leaf(objects)), feather=feather)
    matted = Grade([Layer(op, matte=matte) for op, matte in zip((warm, cold), mattes, strict=True)])
    return matted, Grade([warm, cold])


def against_no_mattes(folder: Path, rounds: int, timed: Timed, feather: float) -> dict[str, Any]:
    """Ratios of exports with the mattes and without, each pair one after the other."""
    source = folder / "objects.exr"
    if not source.exists():
        make(source)
    runs: dict[str, list[dict[str, Any]]] = {"mattes": [], "plain": []}
    for name, grade in zip(runs, grades(feather), strict=True):
        save_grade(grade, folder / f"{name}.json")
        _export(folder, source, name, timed)  # also compiles, and fills the disk's cache
    for _ in range(rounds):
        for name, found in runs.items():
            found.append(_export(folder, source, name, timed))
    pairs = list(zip(runs["mattes"], runs["plain"], strict=True))
    best = min(runs["mattes"], key=lambda each: each["seconds_total"])
    return {
        "feather": feather,
        "export s": statistics.median(each["seconds_total"] for each in runs["mattes"]),
        "without mattes s": statistics.median(each["seconds_total"] for each in runs["plain"]),
        "ratio": statistics.median(a["seconds_total"] / b["seconds_total"] for a, b in pairs),
        "the same in time of the processor": statistics.median(a["processor"] / b["processor"] for a, b in pairs),
        "rows of a band": best["tile"],
        "read, compute, write s": [best[f"seconds_{stage}"] for stage in ("read", "compute", "write")],
        "peak MB": max(each["peak_memory"] for each in runs["mattes"]) / MB,
        "without mattes peak MB": max(each["peak_memory"] for each in runs["plain"]) / MB,
    }


def _export(folder: Path, source: Path, name: str, timed: Timed) -> dict[str, Any]:
    report, target = folder / "report.json", folder / "out.exr"
    words = [sys.executable, "-m", "app.cli.main", "export", source, target, "--force", "--progress", "none"]
    words += ["--grade", folder / f"{name}.json", "--config", "raw", "--backend", "cpu", "--threads", "2"]
    used = timed([*words, "--report", report])
    return json.loads(report.read_text()) | used
