"""Nothing that is kept for later grows without bound, and a config that was read again is freed."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import view_ops
from engine import create_executor, ops
from engine.color.management import manage
from engine.core.bounded_cache import BoundedCache
from engine.grade.blending import Mix
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.kernel.codegen import Program, trace
from engine.kernel.op import ColorOp
from engine.ocio import load_config
from engine.ocio.config_files import reload_config
from engine.ocio.identify import builtin_space, interop_id, space_for_chromaticities, space_for_id
from engine.viewing import FrameMaker
from engine.viewing.cost_model import KEPT
from engine.viewing.levels import WholeLevels
from tests.engine.images import plain
from tests.engine.shows import write_show
from tests.engine.tagged import REC709


def test_what_was_used_longest_ago_goes_first() -> None:
    kept: BoundedCache[str, int] = BoundedCache(2)
    made: list[str] = []

    def make(name: str) -> int:
        made.append(name)
        return len(made)

    assert [kept.of(name, lambda name=name: make(name)) for name in "abab"] == [1, 2, 1, 2]  # type: ignore[misc]
    assert kept.of("a", lambda: make("a")) == 1
    kept.put("c", 9)
    assert ("a" in kept, "b" in kept, "c" in kept, len(kept)) == (True, False, True, 2)
    assert kept.get("b") is None
    kept.clear()
    assert len(kept) == 0


def test_several_threads_keep_no_more() -> None:
    kept: BoundedCache[int, int] = BoundedCache(10)

    def use(start: int) -> None:
        for n in range(2000):
            assert kept.of(start + n % 37, lambda n=n: start + n % 37) == start + n % 37  # type: ignore[misc]

    threads = [threading.Thread(target=use, args=(start,)) for start in (0, 5, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 10


def test_a_config_that_was_read_again_is_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCIO", raising=False)
    path = write_show(tmp_path / "show")
    config: Any = load_config(path)
    metadata = {"acesImageContainerFlag": 1, "chromaticities": REC709}
    managed: Any = manage(ColourSetup(str(path)), tmp_path / "a.exr", metadata)
    _ = managed.working, managed.output, managed.displayed(Viewing()), managed.result_id
    view_ops(managed, Viewing())
    for space in config.spaces():
        interop_id(config, space.name)
        builtin_space(config, space.name)
    space_for_id(config, "lin_rec709_scene")
    space_for_chromaticities(config, REC709)
    assert managed.config is config
    old = weakref.ref(config)
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    fresh = reload_config(config, lambda _: None)
    assert fresh is not config
    del config, managed
    gc.collect()
    assert old() is None
    assert interop_id(fresh, "AP0") == interop_id(load_config(path), "AP0")


def test_ops_of_a_config_are_bounded(tmp_path: Path) -> None:
    config: Any = load_config(write_show(tmp_path / "show"))
    config._conversions._ops.most = 3
    for gain in range(1, 9):
        assert config.ops_between("Plate", "Plate Log", (("GAIN", str(gain)),))
        assert config.ops_between("Plate Log", "Plate", (("SHOT", f"sc{gain}"),))
    assert len(config._conversions._ops) <= 3


def test_what_frames_learn_is_bounded() -> None:
    maker = FrameMaker(create_executor("cpu", threads=1), WholeLevels(plain(4, 4)))
    region = (0.0, 0.0, 4.0, 4.0)
    exposure = ops.Exposure(0.5)
    for length in range(1, 2 * KEPT):
        maker.quick(region, 4, 4, [exposure] * length, ())
    assert len(maker.costs._seconds) <= KEPT
    assert len(maker.costs._paces) <= KEPT


def test_kernels_of_a_gpu_are_bounded(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    if backend == "cpu":
        pytest.skip("keeps a kernel of 11 KB for each structure of an op, not for each run of ops")
    module = f"engine.compute.backends.{'wgpu.kernels' if backend == 'wgpu' else 'c_primitives'}"
    monkeypatch.setattr(f"{module}.KEPT_RUNS", 3)
    executor = create_executor(backend)
    pixels = plain(4, 4)
    exposure = ops.Exposure(0.5)
    for length in range(1, 7):
        wanted = pixels[..., :3].astype(np.float64) * 2.0 ** (0.5 * length)
        for _ in range(2):
            found = executor.execute_color(pixels, [Mix((exposure,) * length, 1.0)])
            assert np.allclose(found[..., :3], wanted, rtol=1e-5)
    inside: Any = executor.primitives
    assert len(inside._kernels._runs if backend == "wgpu" else inside._runs) == 3


def test_a_kernel_of_the_cpu_keeps_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[weakref.ReferenceType[Program]] = []

    def traced(run: Sequence[ColorOp]) -> Program:
        program = trace(run)
        made.append(weakref.ref(program))
        return program

    monkeypatch.setattr("engine.compute.backends.cpu.kernels.trace", traced)
    executor = create_executor("cpu")
    pixels = plain(4, 4)
    assert np.allclose(executor.execute_color(pixels, [ops.Exposure(1.0)])[..., :3], 2.0 * pixels[..., :3])
    gc.collect()
    assert made and all(each() is None for each in made)
