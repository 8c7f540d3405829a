"""Every source on every backend against its float64 reference, up to coordinates of 32K.

The positions of pixels are exact, so windows have one answer. Colours and planes are float32 numbers that may be off by
two units in the last place: where a steep edge makes more of that than the policy allows, a coverage is judged against
the nearest one of such moved inputs, as in `tests.engine.conditioning`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.core.geometry import Place
from engine.kernel.op import Choice
from engine.mattes import Ellipse, LinearGradient, MatteSource, RadialGradient, Rectangle
from engine.mattes import Path as Outline
from tests.engine.conditioning import rounding_steps
from tests.engine.host_cuda import HostCuda
from tests.engine.kernel.test_codegen import needs_compiler
from tests.engine.mattes.examples import ALL, example, scene
from tests.thorough import examples
from tests.tolerance import policy_error, tolerance

Array = NDArray[np.float64]
HEIGHT, WIDTH = 41, 53
UNITS = 2.0 * 2.0**-23
MOVES = examples(16)
"""Moved inputs that a steep edge is judged against, besides the corners."""
STEP = 4.0
ORIGINS = ((0.0, 0.0), (8000.0, 4200.0), (32300.0, 32100.0))


def chosen() -> Iterator[Any]:
    """Every source, with choices that have every option once."""
    for cls in ALL:
        kinds = {name: kind.options for name, kind in cls.kinds().items() if isinstance(kind, Choice)}
        for number in range(max((len(options) for options in kinds.values()), default=1)):
            words = {name: options[number % len(options)] for name, options in kinds.items()}
            yield pytest.param(cls, words, id="-".join([cls.__name__, *words.values()]))


def inputs(source: MatteSource, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """RGBA, and planes 0-3, of an image that suits a source."""
    at = scene(source, HEIGHT * WIDTH, seed)
    rgba = np.concatenate([at.rgb, np.ones((len(at.rgb), 1))], axis=1)
    planes = np.resize(at.planes.T, (4, len(at.rgb))).T
    return tuple(each.reshape(HEIGHT, WIDTH, 4).astype(np.float32) for each in (rgba, planes))  # type: ignore[return-value]


def moved_references(source: MatteSource, rgba: Array, planes: Array) -> Iterator[Array]:
    """The references of inputs that are off by a few units, with steps that round as float32 does."""
    rng = np.random.default_rng(4)
    corners = [np.array((*signs, 1.0)) for signs in itertools.product((-1.0, 1.0), repeat=3)]
    for corner in (*corners, *corners, *[rng.uniform(-1.0, 1.0, rgba.shape) for _ in range(MOVES)]):
        step = UNITS * np.broadcast_to(corner * rng.uniform(0.5, 1.0), rgba.shape)
        with rounding_steps(source, step / UNITS):
            yield source.reference(rgba * (1.0 + step), None, planes * (1.0 + step))[..., 0]


def error_of(source: MatteSource, result: Array, place: Place, rgba: Array, planes: Array, allowed: float) -> Array:
    """The error of a coverage by the policy."""
    exact = source.reference(rgba, place, planes[..., : max(len(source.planes), 1)])[..., 0]
    error = policy_error(result[..., None], exact[..., None])[..., 0]
    at = error > allowed
    if source.family == "Windows" or not at.any():
        return error
    span = np.stack([exact[at], *(each[0] for each in moved_references(source, rgba[at][None], planes[at][None]))])
    nearest = np.clip(result[at], span.min(axis=0), span.max(axis=0))
    error[at] = np.abs(result[at] - nearest)
    return error


def check(source: MatteSource, result: Any, place: Place, images: Any, backend: str) -> None:
    """AssertionError if a coverage is not within the policy, or its channels differ."""
    allowed = tolerance(backend, chain=source.family == "Qualifiers")  # curves, then distances or angles
    assert np.array_equal(result, np.repeat(result[..., :1], 4, axis=-1))
    assert ((result >= 0.0) & (result <= 1.0)).all()
    rgba, planes = (each.astype(np.float64) for each in images)
    error = error_of(source, result[..., 0].astype(np.float64), place, rgba, planes, allowed)
    assert error.max() <= allowed, f"{error.max():.3g} in {(error > allowed).sum()} pixels; {source}"


def run(executor: TiledExecutor, source: MatteSource, images: Any, place: Place) -> Any:
    """The coverage on a backend."""
    device = executor.primitives
    rgba, planes = (device.upload(each) for each in images)
    target = device.allocate(WIDTH, HEIGHT)
    device.exec_point(rgba, target, [source], place, [planes])
    return device.download(target)


@pytest.mark.parametrize(("cls", "words"), list(chosen()))
def test_every_source(cls: type[MatteSource], words: dict[str, str], executor: TiledExecutor, backend: str) -> None:
    rng = np.random.default_rng(1)
    for origin in ORIGINS if cls.family == "Windows" else ORIGINS[:1]:
        for number in range(examples(2)):
            source = example(cls, rng, origin, **words)
            images = inputs(source, number)
            for step in (1.0, STEP):
                corner = (40.0 + 90.0 * number * (step == 1.0)) % 300.0
                place = Place(origin[0] + corner, origin[1] + corner, step, step)
                check(source, run(executor, source, images, place), place, images, backend)


def hard_windows(x: float, y: float) -> list[MatteSource]:
    """Windows whose edges are a pixel wide, of up to 20,000 pixels, that cross the part of the image at x and y."""
    big, at = 20000.7, (x + 28.37, y + 20.21)
    far = at[0] - 0.6 * big, at[1] - 0.8 * big
    handles = (0.0, 0.0, 0.0, 0.0)
    corners = ((x - 13972.0, y - 11980.0), (x + 15428.5, y + 13220.5), (x - 3000.0, y + 12000.0))
    return [
        Ellipse(at, (20.1, 12.3), 33.3),
        Ellipse(far, (big, big * 1.0001), 12.0),
        Ellipse(far, (big, big), softness_in=1000.0),
        Rectangle(at, (20.1, 12.3), 33.3, 0.3),
        Rectangle(far, (big, big), 53.13),
        Rectangle(far, (big, big), 5.0, 1.0),
        RadialGradient(at, 15.0, 16.5, 0.7, 20.0),
        RadialGradient(far, big - 1.0, big, 1.0, 20.0),
        LinearGradient((far[0], far[1]), (at[0], at[1])),
        LinearGradient(at, (at[0] + 0.9, at[1] + 0.5)),
        Outline(points=tuple((*corner, *handles) for corner in corners)),
    ]


@pytest.mark.parametrize("origin", ORIGINS)
def test_edges_a_pixel_wide_anywhere(origin: tuple[float, float], executor: TiledExecutor, backend: str) -> None:
    images = np.zeros((HEIGHT, WIDTH, 4), np.float32), np.zeros((HEIGHT, WIDTH, 4), np.float32)
    for source in hard_windows(*origin):
        place = Place(*origin)
        result = run(executor, source, images, place)
        assert ((result > 0.0) & (result < 1.0)).any(), source
        check(source, result, place, images, backend)


@pytest.mark.parametrize("origin", ORIGINS)
def test_edges_between_half_pixels(origin: tuple[float, float], executor: TiledExecutor, backend: str) -> None:
    """As in an enlarged image: its pixels have more digits than the centres of large windows, and than a float32."""
    images = np.zeros((HEIGHT, WIDTH, 4), np.float32), np.zeros((HEIGHT, WIDTH, 4), np.float32)
    place = Place(origin[0] + 0.3, origin[1] + 0.1, 0.125, 0.125)
    for source in hard_windows(origin[0] - 25.0, origin[1] - 17.0):
        check(source, run(executor, source, images, place), place, images, backend)


@needs_compiler
def test_every_source_as_cuda(tmp_path: Path) -> None:
    """The CUDA text, compiled for the host: of every source, with the first of its choices."""
    rng = np.random.default_rng(3)
    runs: list[MatteSource] = [example(cls, rng, ORIGINS[2]) for cls in ALL] + hard_windows(*ORIGINS[2])
    kernels = {source.structure: source for source in runs}
    host = HostCuda([[source] for source in kernels.values()], tmp_path)
    for source in runs:
        images = inputs(source, 5)
        place = Place(*ORIGINS[2])
        result = host(list(kernels).index(source.structure), [source], images[0], place, images[1:])
        check(source, result, place, images, "cuda")
