"""The preview of grades with mattes: planes that are read, lacking or late, and the ways to show a matte."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import UNMANAGED
from app.render import plane_gate
from app.render.comparison import Comparison
from app.render.kernels_ahead import KernelsAhead
from app.render.preview import Preview
from app.render.requests import View
from engine import Grade, Layer, create_executor, ops
from engine.grade.colour_settings import Viewing
from engine.mattes.channels import DepthRange
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.planes import ChannelPlane, CoveragePlane, Plane
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Rectangle
from engine.viewing import WholeLevels
from engine.viewing.scopes import ScopeOptions
from tests.app.render.conftest import SECONDS, Start
from tests.engine.backends import executor_on
from tests.engine.viewing.planes import ArrayReader, with_planes

WIDTH, HEIGHT = 60, 40
VIEW = View((0.0, 0.0, 60.0, 40.0), WIDTH, HEIGHT)
LEFT = Matte(Leaf(Rectangle(center=(15.0, 20.0), size=(15.0, 40.0))))
NEAR = Matte(Leaf(DepthRange(near=0.0, far=5.0, falloff_far=0.0)))
HERO = Matte(Leaf(Cryptomatte("CryptoObject", ("hero",))))
GREY, BRIGHT = 137, 188  # 0.25, and a stop above it


@pytest.fixture
def image() -> tuple[WholeLevels, ArrayReader]:
    """Grey, with depth below 5 in its upper half."""
    depth = np.full((HEIGHT, WIDTH), 9.0)
    depth[: HEIGHT // 2] = 1.0
    hero = np.zeros((HEIGHT, WIDTH))
    hero[:, 50:] = 1.0
    planes: dict[Plane, Any] = {ChannelPlane("Z"): depth, CoveragePlane("CryptoObject", ("hero",)): hero}
    pixels = np.full((HEIGHT, WIDTH, 4), 0.25, np.float32)
    pixels[..., 3] = 1.0
    return with_planes(pixels, planes)


def brighter(matte: Matte, **more: Any) -> Grade:
    return Grade([Layer(ops.Exposure(1.0), matte=matte, **more)])


def shown(preview: Preview, qtbot: Any, grade: Grade, view: View = VIEW) -> Any:
    """The exact frame of a grade."""
    with qtbot.waitSignal(
        preview.frame, timeout=SECONDS, check_params_cb=lambda _, request: request.exact and request.grade is grade
    ) as answer:
        preview.submit(grade, view)
    return answer.args[0]


def red(image: Any, x: int, y: int) -> int:
    return int(image.pixelColor(x, y).red())


def test_a_window_and_a_channel_cover_parts_of_the_frame(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    frame = shown(preview, qtbot, brighter(LEFT))
    assert [red(frame, x, 20) for x in (5, 45)] == [BRIGHT, GREY]
    frame = shown(preview, qtbot, brighter(NEAR))
    assert [red(frame, 30, y) for y in (5, 35)] == [BRIGHT, GREY]


def test_while_planes_are_read_the_frame_stays_as_it_was_and_that_is_said(image: Any, start: Start, qtbot: Any):
    levels, reader = image
    preview = start(levels)
    shown(preview, qtbot, Grade(()))
    frames: list[Any] = []
    preview.frame.connect(lambda frame, request: frames.append(frame))
    reader.held.clear()
    preview.submit(brighter(NEAR), VIEW)
    qtbot.waitUntil(reader.asked.is_set, timeout=SECONDS)
    # the signals of both threads arrive in any order
    qtbot.waitUntil(lambda: (preview.current_work or [""])[0] == "Reading depth, 25%", timeout=SECONDS)
    assert not frames and not preview.idle
    reader.held.set()
    qtbot.waitUntil(lambda: bool(frames) and preview.idle, timeout=SECONDS)
    assert red(frames[-1], 30, 5) == BRIGHT
    assert preview.current_work is None


def test_a_newer_grade_does_not_wait_for_planes(image: Any, start: Start, qtbot: Any):
    levels, reader = image
    preview = start(levels)
    shown(preview, qtbot, Grade(()))
    reader.held.clear()
    preview.submit(brighter(NEAR), VIEW)
    qtbot.waitUntil(reader.asked.is_set, timeout=SECONDS)
    assert red(shown(preview, qtbot, brighter(LEFT)), 5, 20) == BRIGHT
    qtbot.waitUntil(lambda: preview.idle, timeout=SECONDS)  # what nobody wants any more is not read to its end
    assert not reader.reads
    reader.held.set()


def test_the_first_frame_of_an_image_comes_without_what_takes_long(
    image: Any, start: Start, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(plane_gate, "FIRST_SECONDS", 0.02)
    levels, reader = image
    reader.held.clear()
    preview = start(levels)
    frames: list[Any] = []
    preview.frame.connect(lambda frame, request: frames.append((frame, request.exact)))
    preview.submit(brighter(NEAR), VIEW)
    qtbot.waitUntil(lambda: bool(frames), timeout=SECONDS)
    assert (red(frames[0][0], 30, 5), frames[0][1]) == (GREY, False)
    reader.held.set()
    qtbot.waitUntil(lambda: frames[-1][1], timeout=SECONDS)
    assert red(frames[-1][0], 30, 5) == BRIGHT


def test_an_entry_whose_channel_is_missing_is_left_out_and_that_is_said(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    lines: list[tuple[str, ...]] = []
    preview.lacking.connect(lines.append)
    far = Matte(Leaf(DepthRange(channel="depth.Z")))
    grade = Grade([Layer(ops.Exposure(1.0), matte=far), Layer(ops.Exposure(1.0), matte=LEFT)])
    frame = shown(preview, qtbot, grade, replace(VIEW, matte="overlay", entry=(0,)))
    assert [red(frame, x, 5) for x in (5, 45)] == [BRIGHT, GREY]
    assert len(lines[-1]) == 1 and "depth.Z" in lines[-1][0]
    shown(preview, qtbot, brighter(LEFT))
    assert not lines[-1]


def test_a_channel_that_cannot_be_read_is_lacking(image: Any, start: Start, qtbot: Any):
    levels, reader = image
    reader.missing = lambda planes: []
    preview = start(levels)
    lines: list[tuple[str, ...]] = []
    preview.lacking.connect(lines.append)
    frame = shown(preview, qtbot, brighter(Matte(Leaf(DepthRange(channel="depth.Z")))))
    assert red(frame, 5, 5) == GREY
    assert "depth.Z" in lines[-1][0]


def test_an_image_without_a_file_says_so(start: Start, qtbot: Any):
    preview = start(WholeLevels(np.full((HEIGHT, WIDTH, 4), 0.25, np.float32)))
    lines: list[tuple[str, ...]] = []
    preview.lacking.connect(lines.append)
    assert red(shown(preview, qtbot, brighter(NEAR)), 5, 5) == GREY
    assert lines[-1] == (f"{plane_gate.NO_FILE}. {plane_gate.LEFT_OUT}",)


@pytest.mark.parametrize(
    ("mode", "inside", "outside"),
    [("alone", (255, 255), (0, 0)), ("overlay", (209, 104), (GREY, GREY)), ("cut-out", (BRIGHT, BRIGHT), (0, 0))],
)
def test_a_matte_is_shown(image: Any, start: Start, qtbot: Any, mode: str, inside: Any, outside: Any):
    preview = start(image[0])
    frame = shown(preview, qtbot, brighter(LEFT), replace(VIEW, matte=mode, entry=(0,)))
    for x, right in ((5, inside), (45, outside)):
        colour = frame.pixelColor(x, 20)
        assert (colour.red(), colour.green()) == pytest.approx(right, abs=1)


def test_a_cut_out_lies_over_the_backdrop(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    frame = shown(preview, qtbot, brighter(LEFT), replace(VIEW, matte="cut-out", entry=(0,), backdrop="grey"))
    assert [red(frame, x, 20) for x in (5, 45)] == [BRIGHT, 119]


def test_the_matte_of_a_bypassed_entry_is_shown_and_no_entry_shows_the_frame(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    view = replace(VIEW, matte="alone", entry=(0,))
    assert red(shown(preview, qtbot, brighter(NEAR, enabled=False), view), 5, 5) == 255
    assert red(shown(preview, qtbot, Grade([ops.Exposure(1.0)]), view), 5, 5) == BRIGHT
    assert red(shown(preview, qtbot, brighter(LEFT), replace(view, entry=(4, 1))), 5, 5) == BRIGHT


def test_both_sides_of_a_comparison_have_their_own_planes(image: Any, start: Start, qtbot: Any):
    levels, _ = image
    depth = np.full((20, 30), 9.0)
    depth[:, :3] = 1.0
    other, _ = with_planes(np.full((20, 30, 4), 0.25, np.float32), {ChannelPlane("Z"): depth})
    comparison = Comparison("wipe", brighter(NEAR), UNMANAGED, other, offset=(-30, -20))
    preview = start(levels)
    frame = shown(preview, qtbot, brighter(NEAR), replace(VIEW, comparison=comparison))
    assert [red(frame, x, y) for x, y in ((5, 5), (5, 35), (31, 30), (50, 30))] == [BRIGHT, GREY, BRIGHT, GREY]


def test_scopes_and_samples_count_inside_the_matte_alone(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    preview.set_scopes(ScopeOptions(("histogram", "luma", "vectorscope"), "graded", False, "0-1"))
    grade, view = brighter(LEFT), replace(VIEW, entry=(0,), inside_matte=True)
    with qtbot.waitSignal(preview.scoped, timeout=SECONDS, check_params_cb=lambda reading: reading.exact) as answer:
        preview.submit(grade, view)
    reading = answer.args[0]
    assert reading.in_matte
    assert reading.histogram[0].sum() == reading.vectorscope.sum() == 30 * HEIGHT
    assert reading.histogram[0][128] == 30 * HEIGHT
    boxes = ((20, 10, 20, 10), (40, 10, 5, 5))
    with qtbot.waitSignal(preview.sampled, timeout=SECONDS) as answer:
        preview.sample(boxes, grade, UNMANAGED, Viewing(), (0,))
    inside, outside = answer.args[0]
    assert inside.graded[0] == pytest.approx(0.5)
    assert outside.graded == outside.source == outside.display == ()
    with qtbot.waitSignal(preview.sampled, timeout=SECONDS) as answer:
        preview.sample(boxes, grade, UNMANAGED, Viewing())
    assert answer.args[0][0].graded[0] == pytest.approx(0.375)


def test_an_object_is_highlighted_and_the_newest_one_wins(image: Any, start: Start, qtbot: Any):
    levels, reader = image
    preview = start(levels)
    shown(preview, qtbot, Grade(()))
    reader.held.clear()
    answers: list[Any] = []
    preview.highlighted.connect(lambda *answer: answers.append(answer))
    preview.highlight(HERO)
    qtbot.waitUntil(reader.asked.is_set, timeout=SECONDS)
    assert not answers
    reader.held.set()
    qtbot.waitUntil(lambda: bool(answers), timeout=SECONDS)
    found, region, matte = answers[-1]
    assert (region, matte) == (VIEW.region, HERO)
    assert [found.pixelColor(x, 20).alpha() for x in (5, 55)] == [0, 127]
    preview.highlight(None)
    assert answers[-1][0] is None
    preview.highlight(Matte(Leaf(Cryptomatte("CryptoAsset", ("hero",)))))
    qtbot.waitUntil(lambda: answers[-1][2] is not None, timeout=SECONDS)
    assert answers[-1][0] is None  # the file has no such layer


def test_thumbnails_are_made_once_nothing_else_waits(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    grade = Grade([Layer(ops.Exposure(1.0), matte=NEAR), Layer(ops.Exposure(1.0), matte=LEFT)])
    found: dict[Any, Any] = {}
    preview.matte_thumbnail.connect(lambda key, path, thumbnail: found.update({path: (key, thumbnail)}))
    shown(preview, qtbot, grade)
    preview.thumbnails("key", grade, UNMANAGED, ((0,), (1,), (2,)), (24, 24))
    qtbot.waitUntil(lambda: len(found) == 3, timeout=SECONDS)
    assert {key for key, _ in found.values()} == {"key"}
    near, left = found[(0,)][1], found[(1,)][1]
    assert (near.width(), near.height()) == (24, 16)
    assert [red(near, 12, y) for y in (2, 13)] == [255, 0]
    assert [red(left, x, 8) for x in (2, 20)] == [255, 0]
    assert found[(2,)][1] is None


def test_values_of_single_pixels_and_of_squares(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    with qtbot.waitSignal(preview.probed, timeout=SECONDS) as answer:
        preview.probe(30, 5, brighter(NEAR))
    assert answer.args[0].graded[0] == pytest.approx(0.5)
    for x, y in ((WIDTH, 5), (30, HEIGHT), (-1, 5)):
        preview.probe(x, y, brighter(NEAR))
        assert preview._probe is None, "the image has no such pixel"
    with qtbot.waitSignal(preview.coloured, timeout=SECONDS) as answer:
        preview.colours(((30, 5), (30, 35)), tuple(brighter(NEAR)))
    assert answer.args[1][:, 0] == pytest.approx([0.5, 0.25])
    view = View((30.0, 18.0, 4.0, 4.0), 400, 400)
    with qtbot.waitSignal(preview.values, timeout=SECONDS) as answer:
        preview.submit(brighter(NEAR), view)
    assert answer.args[0][:, 0, 0] == pytest.approx([0.5, 0.5, 0.25, 0.25])


def test_another_image_frees_what_was_decoded(image: Any, start: Start, qtbot: Any):
    levels, reader = image
    preview = start(levels)
    shown(preview, qtbot, brighter(NEAR))
    preview.set_image(WholeLevels(np.zeros((4, 4, 4), np.float32)))
    qtbot.waitUntil(lambda: reader.closed == 1, timeout=SECONDS)


def test_kernels_that_sliders_of_a_matte_need_are_compiled_ahead(
    image: Any, start: Start, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    wanted: list[Any] = []
    monkeypatch.setattr(KernelsAhead, "compile", lambda self, primitives, stages: wanted.append(stages))
    preview = start(image[0])
    shown(preview, qtbot, brighter(LEFT))
    qtbot.waitUntil(lambda: len(wanted) == 1, timeout=SECONDS)
    for stage in wanted[0]:
        executor_on("cpu").primitives.prepare(stage)
    shown(preview, qtbot, Grade(()))
    shown(preview, qtbot, brighter(LEFT))
    qtbot.waitUntil(lambda: len(wanted) == 3, timeout=SECONDS)
    assert wanted[1] == wanted[2] == []


def test_colours_leave_out_what_reads_a_plane_that_the_file_lacks(image: Any, start: Start, qtbot: Any):
    preview = start(image[0])
    found: list[Any] = []
    preview.coloured.connect(lambda _, values: found.append(values))
    preview.colours(((30, 5),), tuple(brighter(Matte(Leaf(DepthRange(channel="nope"))))))
    qtbot.waitUntil(lambda: bool(found), timeout=SECONDS)
    preview.colours(((30, 5),), ())
    qtbot.waitUntil(lambda: len(found) == 2, timeout=SECONDS)
    np.testing.assert_array_equal(*found)


VIEWS = [replace(VIEW, region=(float(x), 0.0, 30.0, 20.0)) for x in range(12)]
ONE_VIEW = 120_000
"""Bytes that a view and its planes take on the device; those of several take more."""


def test_planes_on_a_device_with_little_memory_make_place_for_others(image: Any, start: Start, qtbot: Any):
    grade = Grade([Layer(ops.Exposure(1.0), matte=matte) for matte in (NEAR, HERO)])
    plenty, little = create_executor("cpu"), create_executor("cpu")
    preview = start(image[0], plenty)
    expected = [shown(preview, qtbot, grade, view) for view in VIEWS]
    assert plenty.primitives.memory_stats().peak > 1.5 * ONE_VIEW, "all are kept where they can be"
    little.primitives.memory_limit = ONE_VIEW
    preview, failed = start(image[0], little), list[str]()
    preview.failed.connect(failed.append)
    for view, wanted in zip(VIEWS, expected, strict=True):
        assert shown(preview, qtbot, grade, view) == wanted
    assert not failed and not little.notes


def test_a_device_without_memory_for_a_view_says_so(image: Any, start: Start, qtbot: Any):
    executor = create_executor("cpu")
    executor.primitives.memory_limit = ONE_VIEW // 3
    preview = start(image[0], executor)
    with qtbot.waitSignal(preview.failed, timeout=SECONDS) as failed:
        preview.submit(brighter(NEAR), VIEW)
    assert failed.args == [
        "cpu: the limit of 0.0381 MB is reached; close what else uses its memory, or choose another device"
    ]
