"""What is prepared is exactly what runs: afterwards nothing is compiled, on any backend, for export and for display."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from app.model.view_ops import grade_ops, view_ops
from engine import create_executor, ops
from engine.color.management import manage
from engine.compute.backends.base import GpuPrimitives
from engine.compute.backends.cpu.kernels import CODE, function
from engine.compute.executor import TiledExecutor
from engine.compute.plan import PixelFormat
from engine.export.frames import FrameExporter, FrameJob, Recipe
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import Grade
from engine.io.exr.chunk_samples import COMPILED
from engine.kernel.codegen import Program
from engine.kernel.op import ColorOp, Op
from engine.viewing import FrameMaker
from engine.viewing.levels import WholeLevels
from tests.engine.images import plain

HALF, FLOAT = np.dtype(np.float16), np.dtype(np.float32)
GRADES: dict[str, list[Op]] = {
    "colour": [ops.Exposure(0.5), ops.Contrast(1.3), ops.Saturation(0.0)],
    "filters": [ops.Exposure(0.5), ops.Blur(2.0), ops.Contrast(1.3), ops.Blur(1.0), ops.Saturation(0.2)],
    "filter last": [ops.Contrast(1.2), ops.Blur(3.0)],
    "filter alone": [ops.Blur(3.0)],
    "nothing": [ops.Exposure(0.0), ops.Blur(0.0)],
}
every_grade = pytest.mark.parametrize("grade", GRADES.values(), ids=GRADES)
every_format = pytest.mark.parametrize(
    "form", [PixelFormat(kind, n) for kind in (HALF, FLOAT) for n in (3, 4)], ids=lambda f: f"{f.dtype}-{f.channels}"
)


def compiled(primitives: GpuPrimitives) -> int:
    """How many kernels this backend has ready."""
    inside: Any = primitives
    if primitives.name == "cpu":
        return len(inside._kernels) + len(CODE) + function.cache_info().currsize
    if primitives.name == "wgpu":
        return sum(len(run.kernels) for run in inside._kernels._runs._values.values()) + len(inside._kernels._fixed)
    return sum(len(run.modules) for run in inside._runs._values.values()) + len(inside._modules)


@pytest.fixture
def fresh(backend: str) -> TiledExecutor:
    """An executor that has compiled nothing yet."""
    return create_executor(backend)


def image(form: PixelFormat) -> np.ndarray[Any, Any]:
    return plain(24, 16)[..., : form.channels].astype(form.dtype)


def programs() -> set[int]:
    """The programs that there are, by their addresses."""
    gc.collect()
    return {id(each) for each in gc.get_objects() if isinstance(each, Program)}


def test_kernels_keep_no_program(fresh: TiledExecutor) -> None:
    """Garbage collection would visit all the instructions of each, time and again."""
    before = programs()
    fresh.execute_color(image(PixelFormat(HALF, 4)), GRADES["colour"])
    assert compiled(fresh.primitives)
    assert not programs() - before


@every_grade
@every_format
def test_arrays(fresh: TiledExecutor, grade: list[Op], form: PixelFormat) -> None:
    fresh.prepare(grade, form)
    assert fresh.prepared(grade, form)
    before = compiled(fresh.primitives)
    fresh.execute_color(image(form), grade)
    assert compiled(fresh.primitives) == before


@every_grade
@every_format
def test_display(fresh: TiledExecutor, grade: list[Op], form: PixelFormat) -> None:
    fresh.prepare(grade, form, display=True)
    assert fresh.prepared(grade, form, display=True)
    before = compiled(fresh.primitives)
    fresh.display(fresh.upload(image(form)), grade)
    assert compiled(fresh.primitives) == before


def test_what_is_prepared_for_one_use_is_not_said_to_be_for_another(fresh: TiledExecutor) -> None:
    grade, form = GRADES["filters"], PixelFormat(FLOAT, 4)
    assert not fresh.prepared(grade, form)
    assert not fresh.prepared(grade, form, display=True)
    fresh.prepare(GRADES["colour"], form)
    if fresh.name != "cpu":  # whose kernels take any format, and each op has its own
        assert not fresh.prepared(GRADES["colour"], PixelFormat(HALF, 4))
        assert not fresh.prepared(GRADES["colour"], form, display=True)
        assert not fresh.prepared([*GRADES["colour"], ops.Exposure(1.0)], form)
        assert not fresh.prepared([*GRADES["colour"], ops.Blur(2.0)], form)


@every_grade
def test_frames_of_a_view(backend: str, grade: list[Op]) -> None:
    shown = (ops.Exposure(0.0), ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse"))
    region = (0.0, 0.0, 64.0, 48.0)
    maker = FrameMaker(create_executor(backend), WholeLevels(plain(64, 48).astype(np.float16)))
    wanted: tuple[Sequence[Op], Sequence[ColorOp]] = (grade, shown)
    assert not maker.prepared(*wanted)
    maker.prepare(*wanted)
    assert maker.prepared(*wanted)
    before = compiled(maker.executor.primitives)
    maker.quick(region, 32, 24, *wanted)
    maker.exact(region, 32, 24, *wanted, lambda: False)
    assert maker.prepared(*wanted)
    assert compiled(maker.executor.primitives) == before


@pytest.mark.parametrize("backdrop", ["", "checker"])
@pytest.mark.parametrize("name", ["colour", "filters"])
def test_frames_of_a_managed_view(backend: str, name: str, backdrop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCIO", raising=False)
    managed = manage(ColourSetup(input="ACES2065-1", output="ACEScg"))
    graded = grade_ops(managed, Grade(GRADES[name]))
    assert len(graded) > len(GRADES[name]), "conversions between spaces"
    shown = view_ops(managed, Viewing("sRGB - Display", "Un-tone-mapped", exposure=0.5))
    wanted = graded, [op for op in shown if isinstance(op, ColorOp)]
    maker = FrameMaker(create_executor(backend), WholeLevels(plain(64, 48).astype(np.float16)))
    maker.set_backdrop(backdrop, 32)
    assert not maker.prepared(*wanted)
    maker.prepare(*wanted)
    assert maker.prepared(*wanted)
    before = compiled(maker.executor.primitives)
    maker.quick((0.0, 0.0, 64.0, 48.0), 32, 24, *wanted)
    maker.exact((0.0, 0.0, 64.0, 48.0), 32, 24, *wanted, lambda: False)
    assert compiled(maker.executor.primitives) == before


def test_a_backdrop_has_a_kernel_of_its_own(backend: str) -> None:
    maker = FrameMaker(create_executor(backend), WholeLevels(plain(64, 48)))
    maker.prepare((), (ops.Exposure(0.5),))
    maker.set_backdrop("grey", 32)
    assert not maker.prepared((), (ops.Exposure(0.5),))


def test_a_frame_that_ran_is_prepared(backend: str) -> None:
    maker = FrameMaker(create_executor(backend), WholeLevels(plain(64, 48)))
    wanted = GRADES["filters"], (ops.Exposure(0.0),)
    maker.exact((0.0, 0.0, 64.0, 48.0), 32, 24, *wanted, lambda: False)
    assert maker.prepared(*wanted)


@pytest.fixture
def exr(tmp_path: Path) -> Path:
    pixels = np.random.default_rng(1).random((48, 32)).astype(np.float16)
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "acesImageContainerFlag": 1}
    OpenEXR.File(header, dict.fromkeys("RGB", pixels)).write(str(tmp_path / "a.exr"))
    return tmp_path / "a.exr"


MANAGED = {
    "between spaces": {"colour": ColourSetup(output="ACEScg")},
    "display": {"viewing": Viewing("sRGB - Display")},
    "crop and resize": {"crop": "4,6,20,30", "resize": (11, 13)},
}


@pytest.mark.parametrize("options", MANAGED.values(), ids=MANAGED)
@pytest.mark.parametrize("grade", ["colour", "filters"])
def test_an_export_prepares_what_it_runs(
    backend: str, exr: Path, grade: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OCIO", raising=False)
    function(*COMPILED, 5)  # which reads the image, on any backend
    counts = watched(monkeypatch)
    asked = ExportOptions(backend=backend, threads=2, **options)
    export_image(exr, exr.with_name("b.exr"), Grade(GRADES[grade]), asked)
    assert len(counts) == 2 and counts[0] == counts[1] > 0


def test_a_sequence_prepares_what_its_frames_run(backend: str, exr: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCIO", raising=False)
    counts = watched(monkeypatch)
    asked = ExportOptions(backend=backend, threads=1, colour=ColourSetup(output="ACEScg"))
    exporter = FrameExporter(Recipe(Grade(GRADES["filters"]), asked), 1, 1, [backend])
    result = exporter.run(FrameJob(1, exr, exr.with_name("b.exr")))
    assert result.state == "done", result.log
    assert len(counts) == 2 and counts[0] == counts[1] > 0


def watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Kernels that were ready before and after each image that was exported, by bands or whole on the device."""
    counts: list[int] = []

    def counting(true: Callable[..., Any]) -> Callable[..., Any]:
        def counted(self: TiledExecutor, *args: Any, **named: Any) -> Any:
            counts.append(compiled(self.primitives))
            try:
                return true(self, *args, **named)
            finally:
                counts.append(compiled(self.primitives))

        return counted

    for name in ("execute_color_streaming", "process"):
        monkeypatch.setattr(TiledExecutor, name, counting(getattr(TiledExecutor, name)))
    return counts


# -- nothing of what is asked for is dropped


@every_grade
def test_display_runs_filters_too(executor: TiledExecutor, grade: list[Op]) -> None:
    pixels = plain(40, 30)
    shown = executor.display(executor.upload(pixels), grade)
    values = executor.execute_color(pixels, grade)[..., :3]
    wanted = np.rint(np.clip(np.nan_to_num(values), 0.0, 1.0) * 255.0)
    assert np.abs(shown[..., :3].astype(float) - wanted).max() <= 1.0
    assert (shown[..., 3] == 255).all()


def test_display_of_another_size(executor: TiledExecutor) -> None:
    shown = executor.display(executor.upload(plain(40, 30)), [ops.Resize(20.0, 10.0, "area"), ops.Exposure(1.0)])
    assert shown.shape == (10, 20, 4)
