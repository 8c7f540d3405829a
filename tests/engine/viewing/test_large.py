"""Large images: what is decoded when, what stands in for the rest, and that it is right in the end."""

from __future__ import annotations

import shutil
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.core.geometry import Rect
from engine.errors import UnreadableFile
from engine.io import describe
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import offsets
from engine.io.source import FileSource
from engine.viewing import opening, store, units
from engine.viewing.large import LargeLevels
from engine.viewing.opening import LargeImage
from engine.viewing.units import Grid, grid_for, interleaved, samples_of
from tests.shared import FOUND, needs_found
from tests.typed import expect

WIDTH, HEIGHT = 301, 211
KINDS = ("scanline", "tiled", "mip-map")
SECONDS = 30.0


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every image counts as large."""
    monkeypatch.setattr(opening, "DIRECT_SAMPLES", 0)
    monkeypatch.setattr(store, "OVERVIEW_PIXELS", 2000)
    monkeypatch.setattr(units, "LEAST_PIXELS", 1024)


def pixels_of(width: int, height: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    light = np.stack([x / width, y / height, (x * y) % 7 / 7.0, np.ones_like(x, float)], -1)
    return light.astype(np.float16)


def write(path: Path, pixels: np.ndarray, kind: str) -> None:
    """An EXR of zip chunks; the mip-map's levels are half as bright each, so that a test can tell them."""
    height, width, channels = pixels.shape
    out = oiio.ImageOutput.create(str(path))
    assert out is not None
    level = 0
    while True:
        spec = oiio.ImageSpec(width, height, channels, "half")
        spec["compression"] = "zip"
        if kind != "scanline":
            spec.tile_width = spec.tile_height = 32
        if kind == "mip-map":
            spec["textureformat"] = "Plain Texture"
            spec["openexr:levelmode"], spec["openexr:roundingmode"] = 1, 1
        assert out.open(str(path), spec, "AppendMIPLevel" if level else "Create"), out.geterror()
        part = np.full((height, width, channels), 0.5**level, np.float16) if level else pixels
        assert out.write_image(np.ascontiguousarray(part)), out.geterror()
        if kind != "mip-map" or width == height == 1:
            break
        level, width, height = level + 1, max(1, -(-width // 2)), max(1, -(-height // 2))
    out.close()


class Watched:
    """Levels, and their messages."""

    def __init__(self, levels: LargeLevels) -> None:
        self.levels, self.errors = levels, list[str]()
        self._changed = threading.Event()
        levels.watch(self._changed.set, self.errors.append)

    def until(self, reached: Any) -> None:
        while not reached():
            assert self._changed.wait(SECONDS)
            self._changed.clear()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Any]:
    shown: list[LargeLevels] = []

    def open_file(kind: str, budget: int = 1 << 30) -> Watched:
        path = tmp_path / f"{kind}.exr"
        if not path.exists():
            write(path, pixels_of(WIDTH, HEIGHT), kind)
        image = opening.open_image(path, budget=budget)
        assert isinstance(image, opening.LargeImage)
        shown.append(image.levels)
        return Watched(image.levels)

    yield open_file
    for levels in shown:
        levels.rest()


def means(pixels: np.ndarray, level: int) -> np.ndarray:
    """Means of squares in float64, halving by halving; the last pixel of an odd side counts twice."""
    found = pixels.astype(np.float64)
    for _ in range(level):
        height, width = found.shape[:2]
        held = np.pad(found, ((0, height % 2), (0, width % 2), (0, 0)), "edge")
        found = held.reshape(-(-height // 2), 2, -(-width // 2), 2, -1).mean(axis=(1, 3))
    return found


@pytest.mark.parametrize("kind", ["scanline", "tiled"])
def test_levels_are_means_of_squares(opened: Any, kind: str):
    watched = opened(kind)
    levels = watched.levels
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    assert levels.stored.start == 0
    for level in levels.stored:
        np.testing.assert_allclose(levels.whole(level), means(pixels_of(WIDTH, HEIGHT), level), atol=2e-3)
    np.testing.assert_array_equal(levels.whole(0), pixels_of(WIDTH, HEIGHT))


@pytest.mark.parametrize("kind", KINDS)
def test_a_region_within_a_small_budget_is_right_and_the_budget_holds(opened: Any, kind: str):
    budget = 200_000  # the whole image takes 500,000
    watched = opened(kind, budget)
    levels = watched.levels
    assert levels.store.first > 0
    for corner in (Rect(10, 20, 40, 30), Rect(250, 170, 51, 41)):
        levels.want(0, corner)
        watched.until(lambda corner=corner: levels.region(0, corner)[1])
        np.testing.assert_array_equal(levels.region(0, corner)[0], pixels_of(WIDTH, HEIGHT)[corner.within(WHOLE)])
    half = Rect(3, 5, 20, 11)
    levels.want(1, half)
    watched.until(lambda: levels.region(1, half)[1])
    expected = means(pixels_of(WIDTH, HEIGHT), 1)[5:16, 3:23]
    np.testing.assert_allclose(levels.region(1, half)[0], expected, atol=1e-3)
    assert levels.used <= budget


WHOLE = Rect(0, 0, WIDTH, HEIGHT)


def test_the_first_look_comes_from_the_files_own_levels(opened: Any):
    watched = opened("mip-map")
    levels = watched.levels
    overview = levels.stored.start
    levels.want(overview, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    np.testing.assert_array_equal(levels.whole(overview), np.float16(0.5**overview))
    assert not levels.store.filled


@pytest.mark.parametrize("kind", ["scanline", "tiled"])
def test_something_stands_in_for_what_is_not_there(opened: Any, kind: str, monkeypatch: pytest.MonkeyPatch):
    watched = opened(kind)
    levels = watched.levels
    monkeypatch.setattr(levels, "_next_unit", lambda: None)
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.generation > 0)
    look, there = levels.region(0, Rect(100, 100, 64, 32))
    assert not there
    assert not levels.complete
    right = pixels_of(WIDTH, HEIGHT)[100:132, 100:164].astype(float)
    assert abs(look.astype(float) - right)[..., :2].max() < 0.35
    assert abs(look.astype(float).mean((0, 1)) - right.mean((0, 1)))[:2].max() < 0.2


def test_a_probe_reads_what_is_not_there(opened: Any):
    levels = opened("tiled", 100_000).levels
    np.testing.assert_array_equal(levels.exact(Rect(77, 99, 1, 1)), pixels_of(WIDTH, HEIGHT)[99:100, 77:78])
    np.testing.assert_array_equal(levels.exact(Rect(0, 0, 80, 70)), pixels_of(WIDTH, HEIGHT)[:70, :80])


def test_a_damaged_file_is_reported_once_and_shown_as_far_as_it_goes(tmp_path: Path):
    path = tmp_path / "cut.exr"
    noise = np.random.default_rng(0).random((HEIGHT, WIDTH, 4)).astype(np.float16)
    write(path, noise, "scanline")
    data = bytearray(path.read_bytes())
    data[-2000:] = bytes(2000)
    path.write_bytes(data)
    levels = expect(LargeImage, opening.open_image(path)).levels
    watched = Watched(levels)
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    assert len(watched.errors) == 1
    assert "cut.exr" in watched.errors[0]
    np.testing.assert_array_equal(levels.whole(0)[:128], noise[:128])
    assert not levels.whole(0)[-3:].any()


def damage_tile(path: Path, level: int) -> None:
    """Overwrite the coded pixels of the first tile of a mip level."""
    raw = exr_header.parse(path)
    header = raw.headers[0]
    assert header.tiles is not None
    sizes, side = header.level_sizes(), header.tiles[0]
    chunk = sum(-(-width // side) * -(-height // side) for width, height in sizes[:level])
    with path.open("r+b") as file:
        at = offsets(file, raw, 0)[chunk]
        file.seek(at + 16)
        (size,) = struct.unpack("<i", file.read(4))
        file.write(b"\xa5" * size)


@pytest.mark.parametrize("level", [3, 4])
def test_a_damaged_mip_level_is_made_from_the_image_itself(opened: Any, tmp_path: Path, level: int):
    path = tmp_path / "mip-map.exr"
    pixels = np.random.default_rng(1).random((HEIGHT, WIDTH, 4)).astype(np.float16)
    write(path, pixels, "mip-map")
    damage_tile(path, level)
    watched = opened("mip-map")
    levels = watched.levels
    assert levels.stored.start == 3
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    np.testing.assert_array_equal(levels.whole(0), pixels)
    np.testing.assert_allclose(levels.whole(4), means(pixels, 4), atol=2e-3)
    (line,) = watched.errors
    assert "mip-map.exr" in line and "mip levels are made from the image itself" in line
    assert ended(levels)


@needs_found
def test_a_mip_map_that_did_harm_comes_to_an_end(tmp_path: Path):
    path = Path(shutil.copy(FOUND / "exr-b2f4f7a4.exr", tmp_path / "case.exr"))
    levels = expect(LargeImage, opening.open_image(path)).levels
    watched = Watched(levels)
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    assert len(watched.errors) == 1
    assert ended(levels)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("problem", [MemoryError("none left"), RuntimeError("of ours"), UnreadableFile("a.exr", "so")])
@pytest.mark.parametrize("step", ["_open", "read_region", "put", "begin", "level"])
def test_whatever_fails_while_decoding_ends_the_threads_with_a_line(
    opened: Any, monkeypatch: pytest.MonkeyPatch, kind: str, problem: Exception, step: str
):
    watched = opened(kind)
    levels = watched.levels

    def fail(*_: Any, **__: Any) -> Any:
        raise problem

    owner = {"_open": levels, "read_region": FileSource}.get(step, levels.store)
    monkeypatch.setattr(owner, step, fail)
    levels.want(0, Rect(0, 0, 64, 64))
    for thread in levels._threads:
        thread.join(SECONDS)
    assert ended(levels)
    unused = (kind, step) in {("scanline", "level"), ("tiled", "level"), ("mip-map", "begin")}
    assert len(watched.errors) == (0 if unused else 1)
    monkeypatch.undo()
    monkeypatch.setattr(store, "OVERVIEW_PIXELS", 2000)
    levels.want(0, Rect(0, 0, 64, 64))  # what failed once is tried again
    watched.until(lambda: levels.region(0, Rect(0, 0, 64, 64))[1])
    levels.rest(SECONDS)
    assert ended(levels)


def test_a_first_look_that_is_cut_short_does_not_hold_the_next_one(opened: Any, monkeypatch: pytest.MonkeyPatch):
    watched = opened("tiled")
    levels = watched.levels
    true, begun, go_on = FileSource.read_region, threading.Event(), threading.Event()

    def slow(self: FileSource, rect: Rect) -> Any:
        if not go_on.is_set():
            begun.set()
            assert go_on.wait(SECONDS)
        return true(self, rect)

    monkeypatch.setattr(FileSource, "read_region", slow)
    levels.want(4, Rect(0, 0, 1, 1))
    assert begun.wait(SECONDS)
    before = list(levels._threads)
    levels.set_budget(100_000)
    levels.want(4, Rect(0, 0, 1, 1))
    go_on.set()
    for thread in before:
        thread.join(SECONDS)
    watched.until(lambda: levels.complete)
    assert ended(levels)


def ended(levels: LargeLevels) -> bool:
    """Whether every decoding thread ends."""
    for thread in levels._threads:
        thread.join(SECONDS)
    return not any(thread.is_alive() for thread in levels._threads)


def test_another_budget_takes_effect_at_once(opened: Any):
    watched = opened("scanline")
    levels = watched.levels
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    levels.set_budget(100_000)
    levels.want(4, Rect(0, 0, 1, 1))
    watched.until(lambda: levels.complete)
    assert levels.used <= 100_000
    assert levels.stored.start > 0


@pytest.mark.parametrize(("size", "chunk"), [((301, 211), (32, 32)), ((64, 1000), (0, 1)), ((999, 77), (100, 12))])
def test_units_cover_the_image_once_and_samples_lie_in_it(size: tuple[int, int], chunk: tuple[int, int]):
    grid: Grid = grid_for(*size, chunk)
    seen = np.zeros(size[::-1], int)
    for unit in interleaved(grid):
        seen[grid.rect(unit).within(Rect(0, 0, *size))] += 1
    assert (seen == 1).all()
    assert grid.across % 16 == 0 or grid.across == size[0]
    assert grid.down % 16 == 0
    for rect in (rect for row in samples_of(*size, chunk) for rect in row):
        assert rect.clipped(*size) == rect
        assert rect.pixels


def test_the_file_is_described_as_any_other(opened: Any, tmp_path: Path):
    opened("tiled")
    image = opening.open_image(tmp_path / "tiled.exr")
    assert image.info == describe(tmp_path / "tiled.exr")
    assert image.layer.name == ""
