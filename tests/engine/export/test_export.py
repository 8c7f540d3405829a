"""engine.export.image: what is written, what is reported, and that nothing is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import pytest

from engine.errors import Cancelled, MemoryLimitError, TargetExists, TesseraError, UnsupportedFile
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.grade import Grade
from engine.io import describe, read_image
from engine.ops import Blur, Cdl, Exposure, Saturation

ROOT = Path(__file__).resolve().parents[3]
CPU = ExportOptions(backend="cpu", threads=1)
GRADE = Grade([Exposure(0.5), Cdl(slope=(1.1, 1.0, 0.9), power=(1.2, 1.1, 1.0)), Saturation(1.2)])


@pytest.fixture
def image(tmp_path):
    """A small EXR with colour in half, depth in float and an ID in uint."""
    rng = np.random.default_rng(5)
    colour = rng.gamma(1.0, 0.6, (150, 200, 4)).astype(np.float16)
    channels = {name: np.ascontiguousarray(colour[..., n]) for n, name in enumerate("RGBA")}
    channels["Z"] = rng.uniform(1.0, 1e4, (150, 200)).astype(np.float32)
    channels["id"] = rng.integers(0, 2**32, (150, 200), np.uint32)
    path = tmp_path / "in" / "shot.exr"
    path.parent.mkdir()
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "comments": "kept"}
    OpenEXR.File(header, channels).write(str(path))
    return path


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "graded.exr"


def options(**changes):
    fields: dict[str, Any] = {"backend": "cpu", "threads": 1, **changes}
    return ExportOptions(**fields)


def graded(path, grade):
    """The float64 answer for the image at `path`."""
    rgba = read_image(path).pixels.astype(np.float64)
    for op in grade.effective:
        rgba = op.reference(rgba)
    return rgba


def channels_of(path):
    with OpenEXR.File(str(path), separate_channels=True) as file:
        return {name: channel.pixels.copy() for name, channel in file.channels().items()}


def test_pixels_are_graded_and_the_rest_is_untouched(image, target):
    report = export_image(image, target, GRADE, CPU)
    before, after = channels_of(image), channels_of(target)
    assert set(before) == set(after)
    for name in ("A", "Z", "id"):
        assert before[name].tobytes() == after[name].tobytes()
    wanted = graded(image, GRADE)
    for n, name in enumerate("RGB"):
        assert after[name].dtype == np.float16
        np.testing.assert_allclose(after[name].astype(np.float64), wanted[..., n], rtol=6e-4, atol=1e-4)
    assert report.backend == "cpu"
    assert report.device
    assert report.pixels == 200 * 150
    assert 0.0 < report.seconds_compute < report.seconds_total < 120.0
    assert report.seconds_read > 0.0
    assert report.seconds_write > 0.0
    assert report.notes == ()


def test_the_type_asked_for_is_written(image, target):
    export_image(image, target, GRADE, options(type="float", compression="piz"))
    after = channels_of(target)
    assert after["R"].dtype == np.float32
    wanted = graded(image, GRADE)
    np.testing.assert_allclose(after["R"], wanted[..., 0], rtol=1e-5, atol=1e-5)
    assert describe(target).parts[0].compression == "piz"


def test_small_tiles_give_the_same_pixels(image, target):
    whole = target.with_name("whole.exr")
    grade = Grade([*GRADE, Blur(6.0)])
    export_image(image, whole, grade, options(type="float"))
    report = export_image(image, target, grade, options(type="float", tile=64))
    assert report.tiles > 1
    assert report.tile == 64
    for name in "RGB":
        np.testing.assert_allclose(channels_of(target)[name], channels_of(whole)[name], rtol=1e-6, atol=1e-6)


def test_a_layer_is_graded_where_it_is_asked(tmp_path, target):
    path = tmp_path / "layers.exr"
    grey = np.full((20, 30), 0.25, np.float16)
    names = [*"RGB", "albedo.R", "albedo.G", "albedo.B"]
    OpenEXR.File({}, dict.fromkeys(names, grey)).write(str(path))
    export_image(path, target, Grade([Exposure(1.0)]), options(layer="albedo"))
    after = channels_of(target)
    assert (after["albedo.G"] == 0.5).all()
    assert (after["G"] == 0.25).all()
    with pytest.raises(UnsupportedFile, match="nowhere"):
        export_image(path, target.with_name("b.exr"), Grade([Exposure(1.0)]), options(layer="nowhere"))


@pytest.mark.parametrize("grade", [Grade(), Grade([Exposure(0.0), Saturation(1.0)])], ids=["empty", "identity"])
def test_a_grade_that_changes_nothing_is_a_copy(image, target, grade):
    seen: list[float] = []
    report = export_image(image, target, grade, ExportOptions(backend="cuda"), progress=seen.append)
    assert target.read_bytes() == image.read_bytes()
    assert (report.strategy, report.backend) == ("copy", "none")
    assert report.pixels == 200 * 150
    assert seen == [1.0]


def test_a_copy_takes_type_and_compression(image, target):
    export_image(image, target, Grade(), ExportOptions(type="float", compression="zips"))
    assert describe(target).parts[0].compression == "zips"
    before, after = channels_of(image), channels_of(target)
    assert after["R"].dtype == np.float32
    assert (after["R"] == before["R"]).all()
    assert (after["id"] == before["id"]).all()


def test_progress_rises_to_one(image, target):
    seen: list[float] = []
    export_image(image, target, GRADE, options(tile=64), progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) > 1
    assert seen[-1] == 1.0


@pytest.mark.parametrize("grade", [GRADE, Grade()], ids=["graded", "copied"])
def test_an_existing_target_is_kept(image, target, grade):
    target.write_bytes(b"mine")
    with pytest.raises(TargetExists):
        export_image(image, target, grade, CPU)
    assert target.read_bytes() == b"mine"
    export_image(image, target, grade, options(force=True))
    assert describe(target).parts[0].width == 200


def alone(target: Path, content: bytes | None) -> None:
    """`target` is as it was, and there is nothing beside it."""
    there = {path.name: path.read_bytes() for path in target.parent.iterdir()}
    assert there == ({} if content is None else {target.name: content})


@pytest.mark.parametrize("content", [None, b"mine"], ids=["new", "replaced"])
@pytest.mark.parametrize("after", [0, 1, 3])
def test_cancelling_leaves_no_trace(image, target, content, after):
    if content is not None:
        target.write_bytes(content)
    done: list[float] = []
    with pytest.raises(Cancelled):
        export_image(
            image,
            target,
            GRADE,
            options(tile=32, force=True),
            progress=done.append,
            cancelled=lambda: len(done) >= after,
        )
    assert not done or done[-1] < 1.0
    alone(target, content)


def test_a_failure_in_the_middle_leaves_no_trace(image, target):
    def fail(done: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        export_image(image, target, GRADE, options(tile=32), progress=fail)
    alone(target, None)


@pytest.mark.parametrize(
    "change",
    [{"backend": "abacus"}, {"max_memory": 1000}, {"part": 7}, {"compression": "shrink"}],
    ids=lambda change: next(iter(change)),
)
def test_what_can_not_be_done_leaves_no_trace(image, target, change):
    with pytest.raises(TesseraError) as caught:
        export_image(image, target, GRADE, options(**change))
    assert isinstance(caught.value, MemoryLimitError) == ("max_memory" in change)
    alone(target, None)


def test_an_image_can_replace_itself(image):
    wanted = graded(image, GRADE)
    export_image(image, image, GRADE, options(force=True))
    np.testing.assert_allclose(channels_of(image)["G"].astype(float), wanted[..., 1], rtol=6e-4, atol=1e-4)
    assert [path.name for path in image.parent.iterdir()] == [image.name]


def test_the_report_is_json(image, target):
    about = export_image(image, target, GRADE, CPU).to_json()
    assert set(about) == {
        *("backend", "device", "strategy", "tile", "tiles", "pixels", "peak_memory", "colour", "notes"),
        *("seconds_read", "seconds_compute", "seconds_write", "seconds_total", "decoder", "encoder"),
        "file_size",
    }
    assert about["notes"] == []


def test_peak_memory_counts_what_was_held():
    code = """if True:
        from engine.core.system import peak_memory
        import numpy as np
        before = peak_memory()
        held = np.ones(2 * before // 8)
        del held
        print(before, peak_memory())
        """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert 2 * before < after < 4 * before
