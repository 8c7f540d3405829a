"""How fast the window answers with mattes: `python -m tests.benchmarks.window --mattes`.

3840x2160 half with LAYERS Cryptomatte layers, in a canvas of 1920x1080, through the ACES 2 view. The grade is an
exposure within an ellipse, a CDL on an object of Cryptomatte, and a 33-point LUT; the exposure slider is dragged as in
the other measurements, also without the mattes and with a feathered one. Then objects are highlighted under the
pointer, and clicked: the time from the edit of the matte to the frame that shows it in red.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from tests.benchmarks.turns import Turns

WIDTH, HEIGHT = 3840, 2160
LAYERS, RANKS, CELL = 6, 6, 120
"""Layers, ranks of each, and the side of an object in pixels."""
CLICKS = 12
SEED_SHARE = 0.05
"""The share of pixels with several objects."""


def write_objects(pixels: Any, path: Path) -> list[list[str]]:
    """Write an image (height, width, 4) with Cryptomatte layers, each a part; return the names of their objects."""
    import OpenEXR

    from engine.io.cryptomatte import hash_name

    rng = np.random.default_rng(3)
    stored: dict[str, Any] = {"compression": OpenEXR.ZIPS_COMPRESSION, "type": OpenEXR.scanlineimage}
    parts = [OpenEXR.Part(dict(stored), {"RGBA": np.ascontiguousarray(pixels.astype(np.float16))}, "rgba")]
    mixed = np.flatnonzero(rng.random(WIDTH * HEIGHT) < SEED_SHARE)
    names = []
    for number in range(LAYERS):
        name, across = f"Crypto{number}", WIDTH // CELL
        objects = [f"{name.lower()}_{n}" for n in range(across * (HEIGHT // CELL))]
        hashes = np.array([hash_name(each) for each in objects], np.uint32)
        y, x = np.mgrid[:HEIGHT, :WIDTH]
        first = ((y + 17 * number) // CELL % (HEIGHT // CELL) * across + x // CELL).ravel()
        channels: dict[str, Any] = {}
        for rank in range(RANKS):
            ids, coverage = np.zeros(WIDTH * HEIGHT, np.uint32), np.zeros(WIDTH * HEIGHT, np.float32)
            where = slice(None) if rank == 0 else mixed
            ids[where] = hashes[(first[where] + rank) % len(objects)]
            coverage[where] = 1.0 if rank == 0 else 0.1
            coverage[mixed] = 0.5 if rank == 0 else 0.1
            for letter, values in zip(("RG", "BA")[rank % 2], (ids.view(np.float32), coverage), strict=True):
                channels[f"{name}{rank // 2:02}.{letter}"] = values.reshape(HEIGHT, WIDTH)
        start = f"cryptomatte/{hash_name(name):08x}"[: len("cryptomatte/") + 7]
        header = stored | {
            f"{start}/name": name,
            f"{start}/hash": "MurmurHash3_32",
            f"{start}/conversion": "uint32_to_float32",
        }
        listed = ",".join(f'"{each}":"{code:08x}"' for each, code in zip(objects, hashes, strict=True))
        header[f"{start}/manifest"] = f"{{{listed}}}"
        parts.append(OpenEXR.Part(header, channels, name))
        names.append(objects)
    OpenEXR.File(parts).write(str(path))
    return names


def grade_with(names: tuple[str, ...], feather: float = 0.0, plain: bool = False) -> Any:
    """The grade; with `plain` without its mattes."""
    from engine import Grade, Layer, ops
    from engine.mattes.cryptomatte import Cryptomatte
    from engine.mattes.tree import Leaf, Matte
    from engine.mattes.windows import Ellipse

    axis = np.linspace(0.0, 1.0, 33)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1) ** 0.9
    cdl = ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, 0.0), power=(1.0, 1.1, 1.0), saturation=1.2)
    window = Ellipse(center=(1900.0, 1000.0), size=(900.0, 600.0), rotation=15.0, softness_out=200.0)
    ellipse, objects = Matte(Leaf(window), feather=feather), Matte(Leaf(Cryptomatte("Crypto0", names)))
    if plain:
        return Grade([ops.Exposure(0.1), cdl, ops.Lut3d(cube)])
    return Grade([Layer(ops.Exposure(0.1), matte=ellipse), Layer(cdl, matte=objects), ops.Lut3d(cube)])


def measure(turns: Turns, window: Any, names: list[list[str]], drag: Any) -> None:
    """Print all measurements; `drag(turns, window, size, name)` measures the drag of a slider."""
    from engine import ops
    from engine.ocio import load_config

    view = load_config("ocio://studio-config-latest").view_ops("ACEScg")
    patch("app.render.requests.view_ops", lambda *_: (ops.Exposure(0.0), *view)).start()
    print(f"first frame with a Cryptomatte matte: {1000 * first_frame(turns, window, names[0][100]):.0f} ms")
    for title, grade in (
        ("no mattes", grade_with((), plain=True)),
        ("a window and Cryptomatte", grade_with((names[0][100],))),
        ("no mattes again", grade_with((), plain=True)),
        ("a window and Cryptomatte again", grade_with((names[0][100],))),
        ("the window feathered by 200", grade_with((names[0][100],), 200.0)),
    ):
        window.document.open_grade(grade, None)
        drag(turns, window, (1920, 1080), f"{title}, ACES 2 view")
    window.document.open_grade(grade_with((names[0][100],)), None)
    window.document.select(1)
    window.workspace.set_view(matte="overlay")
    for number, layer in enumerate(names[:2]):
        taken = [highlighted(turns, window, f"Crypto{number}", layer[100 + step]) for step in range(CLICKS)]
        first, rest = 1000 * taken[0], sorted(1000 * each for each in taken[1:])
        print(f"highlight of an object of layer {number + 1}: first {first:.0f} ms, ", end="")
        print(f"then median {statistics.median(rest):.0f} ms, at most {rest[-1]:.0f} ms")
    frames = [clicked(turns, window, names[0][100 + step]) for step in range(1, CLICKS)]
    for title, several in zip(("its first", "its exact"), zip(*frames, strict=True), strict=True):
        milliseconds = sorted(1000 * each for each in several)
        print(f"click on an object to {title} frame: median {statistics.median(milliseconds):.0f} ms, ", end="")
        print(f"at most {milliseconds[-1]:.0f} ms")


def first_frame(turns: Turns, window: Any, name: str) -> float:
    """Seconds from a grade with a matte to its exact frame, while nothing of the layer has been decoded."""
    shown: list[Any] = []
    window.preview.frame.connect(lambda _, request: shown.append(request))
    start = time.perf_counter()
    window.document.open_grade(grade_with((name,)), None)
    grade = window.document.grade
    turns.wait(lambda: any(request.grade is grade and request.exact for request in shown))
    return time.perf_counter() - start


def highlighted(turns: Turns, window: Any, layer: str, name: str) -> float:
    """Seconds from a request to the highlight of an object."""
    from engine.mattes.cryptomatte import Cryptomatte
    from engine.mattes.tree import Leaf, Matte

    matte, answers = Matte(Leaf(Cryptomatte(layer, (name,)))), list[Any]()
    take = lambda image, _, answered: answers.append(image) if answered == matte else None  # noqa: E731
    window.preview.highlighted.connect(take)
    turns.wait(lambda: window.preview.idle)
    start = time.perf_counter()
    window.preview.highlight(matte)
    turns.wait(lambda: bool(answers))
    taken = time.perf_counter() - start
    window.preview.highlighted.disconnect(take)
    assert answers[0] is not None
    return taken


def clicked(turns: Turns, window: Any, name: str) -> tuple[float, float]:
    """Seconds from a matte of another object to the first and to the exact frame with it in red."""
    document, frames = window.document, list[tuple[float, Any]]()
    take = lambda _, request: frames.append((time.perf_counter(), request))  # noqa: E731
    window.preview.frame.connect(take)
    turns.wait(lambda: window.preview.idle)
    entry = document.grade.entries[1]
    source = replace(entry.matte.root.source, names=(name,))
    matte = replace(entry.matte, root=replace(entry.matte.root, source=source))
    start = time.perf_counter()
    document.edit(document.grade.with_entry(1, replace(entry, matte=matte)), "object")
    grade = document.grade
    turns.wait(lambda: any(request.grade is grade and request.exact for _, request in frames))
    window.preview.frame.disconnect(take)
    first = next(when for when, request in frames if request.grade is grade)
    exact = next(when for when, request in frames if request.grade is grade and request.exact)
    return first - start, exact - start
