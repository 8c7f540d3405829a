"""The preview by itself: the newest request wins, devices come and go, and the image stays."""

from __future__ import annotations

import gc
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import UNMANAGED
from app.render.comparison import Comparison
from app.render.preview import Preview
from app.render.requests import View
from engine import Grade, ops
from engine.errors import BackendUnavailable, DeviceLost
from engine.grade.colour_settings import Viewing
from engine.viewing import WholeLevels
from engine.viewing.scopes import ScopeOptions
from tests.app.fakes import FakeExecutor

SECONDS = 20_000
VIEW = View((0.0, 0.0, 60.0, 40.0), 60, 40)
Start = Callable[..., Preview]


@pytest.fixture
def start(qtbot: Any) -> Iterator[Start]:
    """Starts a preview of a plain image with executors by name."""
    made: list[Preview] = []

    def run(executors: dict[str, Any], backend: str = "first") -> Preview:
        def create(name: str) -> Any:
            if isinstance(executors[name], Exception):
                raise executors[name]
            return executors[name]

        preview = Preview(create, backend)
        made.append(preview)
        preview.set_image(WholeLevels(np.full((40, 60, 4), 0.25, np.float16)))
        preview.start()
        return preview

    yield run
    for preview in made:
        preview.stop()


def submit(preview: Preview, qtbot: Any, stops: float) -> Any:
    """The exact frame of an exposure."""
    grade = Grade([ops.Exposure(stops)])

    def wanted(_image: Any, request: Any) -> bool:
        return request.exact and request.grade is grade

    with qtbot.waitSignal(preview.frame, timeout=SECONDS, check_params_cb=wanted) as answer:
        preview.submit(grade, VIEW)
    return answer.args[0]


class Held(FakeExecutor):
    """Makes no frame until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Event(), threading.Event()

    def display(self, handle: Any, ops: Any, inputs: Any = None) -> Any:
        self.begun.set()
        self.go.wait(SECONDS / 1000)
        return super().display(handle, ops, inputs)


def test_the_newest_request_wins(start: Start, qtbot: Any):
    executor = Held()
    preview = start({"first": executor})
    seen: list[float] = []
    preview.frame.connect(lambda _image, request: seen.append(request.grade.entries[0].stops))
    preview.submit(Grade([ops.Exposure(-1.0)]), VIEW)
    executor.begun.wait(SECONDS / 1000)
    for stops in range(60):
        preview.submit(Grade([ops.Exposure(stops / 60)]), VIEW)
    executor.go.set()
    submit(preview, qtbot, 2.0)
    assert set(seen) <= {-1.0, 59 / 60, 2.0}
    assert seen == sorted(seen)
    assert seen[-1] == 2.0


def test_another_backend_takes_over_and_shows_the_same(start: Start, qtbot: Any):
    first, second = FakeExecutor("one"), FakeExecutor("two")
    preview = start({"first": first, "second": second})
    before = submit(preview, qtbot, 1.0)
    names: list[str] = []
    preview.ready.connect(names.append)
    with qtbot.waitSignal(preview.frame, timeout=SECONDS):
        preview.set_backend("second")
    assert names == ["two"]
    assert "display" in second.calls
    count = len(first.calls)
    assert submit(preview, qtbot, 1.0) == before
    assert len(first.calls) == count


def test_a_backend_that_is_not_there_is_reported_and_the_last_one_stays(start: Start, qtbot: Any):
    first = FakeExecutor()
    preview = start({"first": first, "none": BackendUnavailable("there is no CUDA here", "take another")})
    submit(preview, qtbot, 0.0)
    with qtbot.waitSignal(preview.failed, timeout=SECONDS) as answer:
        preview.set_backend("none")
    assert "there is no CUDA here" in answer.args[0]
    submit(preview, qtbot, 1.0)


def test_a_first_backend_that_is_not_there_leaves_room_for_another(start: Start, qtbot: Any):
    preview = start({"first": BackendUnavailable("no", "no"), "second": FakeExecutor("two")})
    with qtbot.waitSignal(preview.ready, timeout=SECONDS) as answer:
        preview.set_backend("second")
    assert answer.args == ["two"]
    submit(preview, qtbot, 1.0)


class Failing(FakeExecutor):
    """Loses its device at the first frame; the next one works."""

    lost = False
    notes = ("the device was lost; going on with another",)

    def display(self, handle: Any, ops: Any, inputs: Any = None) -> Any:
        if not self.lost:
            raise DeviceLost("the device was lost")
        return super().display(handle, ops, inputs)

    def fall_back(self, failed: Any, error: Any) -> None:
        self.lost = True


def test_losing_the_device_moves_the_image_and_loses_no_grade(start: Start, qtbot: Any):
    executor = Failing()
    preview = start({"first": executor})
    with qtbot.waitSignal(preview.failed, timeout=SECONDS) as failed:
        image = submit(preview, qtbot, 1.0)
    assert failed.args == ["the device was lost; going on with another"]
    assert executor.calls.count("upload") == 2
    assert image.pixelColor(30, 20).red() == pytest.approx(188, abs=1)


def test_memory_is_reported_and_a_budget_is_taken(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor()})
    with qtbot.waitSignal(preview.memory, timeout=SECONDS) as answer:
        preview.set_budget(1 << 20)
    assert answer.args == [40 * 60 * 8, 1 << 20]


class Counting(FakeExecutor):
    """Counts the images that are brought to the device."""

    def __init__(self) -> None:
        super().__init__()
        self.uploads = 0

    def upload(self, pixels: Any) -> Any:
        self.uploads += 1
        return super().upload(pixels)


def test_an_expected_image_is_on_the_device_before_it_is_displayed(start: Start, qtbot: Any):
    device = Counting()
    preview = start({"first": device})
    preview.set_image(None)
    levels = WholeLevels(np.full((40, 60, 4), 0.25, np.float16))
    preview.expect(levels)
    qtbot.waitUntil(lambda: device.uploads == 1 and preview.idle, timeout=SECONDS)
    preview.set_image(levels)
    submit(preview, qtbot, 1.0)
    assert device.uploads == 1


def test_an_expected_image_that_is_not_displayed_is_released(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor()})
    shown = preview.levels
    preview.expect(WholeLevels(np.full((40, 60, 4), 0.25, np.float16)))
    submit(preview, qtbot, 1.0)
    assert preview.levels is shown  # what is displayed is not disturbed
    preview.set_image(None)
    levels = WholeLevels(np.full((40, 60, 4), 0.25, np.float16))
    gone = weakref.ref(levels)
    preview.expect(levels)
    del levels
    preview.set_image(None)
    qtbot.waitUntil(lambda: gc.collect() >= 0 and gone() is None, timeout=SECONDS)


def test_without_an_image_nothing_is_held(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor()})
    submit(preview, qtbot, 1.0)
    levels = weakref.ref(preview.levels)
    preview.set_image(None)
    qtbot.waitUntil(lambda: gc.collect() >= 0 and levels() is None, timeout=SECONDS)


class Broken(FakeExecutor):
    """Raises what nobody expects while `broken`."""

    broken = True

    def display(self, handle: Any, ops: Any, inputs: Any = None) -> Any:
        if self.broken:
            raise ZeroDivisionError("float division by zero")
        return super().display(handle, ops, inputs)


def test_an_internal_error_is_reported_once_and_the_next_frame_is_made(
    start: Start, qtbot: Any, caplog: pytest.LogCaptureFixture
):
    executor = Broken()
    preview = start({"first": executor})
    failed: list[str] = []
    preview.failed.connect(failed.append)
    with caplog.at_level(logging.ERROR, "tessera"):
        for stops in (0.0, 1.0, 2.0):
            preview.submit(Grade([ops.Exposure(stops)]), VIEW)
            qtbot.waitUntil(lambda: preview.idle)
        qtbot.waitUntil(lambda: bool(failed))
    executor.broken = False
    submit(preview, qtbot, 1.0)
    assert len(failed) == 1 and "\n" not in failed[0]
    assert "Internal error" in failed[0] and "ZeroDivisionError: float division by zero" in failed[0]
    assert "Traceback" in caplog.text and "in display" in caplog.text


def test_a_device_that_fails_in_a_way_of_its_own_leaves_the_last_one(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor(), "odd": ImportError("libcuda.so.1")})
    submit(preview, qtbot, 0.0)
    with qtbot.waitSignal(preview.failed, timeout=SECONDS) as answer:
        preview.set_backend("odd")
    assert "starting the device odd" in answer.args[0] and "libcuda.so.1" in answer.args[0]
    submit(preview, qtbot, 1.0)


class Growing(WholeLevels):
    """Black until it is decoded, as far as it is watched."""

    def __init__(self) -> None:
        super().__init__(np.zeros((40, 60, 4), np.float16))
        self.resting = True

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        self.on_change, self.resting = on_change, False

    def rest(self, wait_seconds: float = 0.0) -> None:
        self.resting = True

    def decode(self) -> None:
        self._pixels = np.full((40, 60, 4), 1.0, np.float16)
        self.generation += 1
        if not self.resting:
            self.on_change()


def against(levels: WholeLevels | None) -> View:
    """A view of both side by side, the other image on the right."""
    comparison = Comparison("wipe", Grade(()), UNMANAGED, levels)
    return View((0.0, 0.0, 60.0, 40.0), 60, 40, comparison=comparison)


def right(image: Any) -> int:
    return int(image.pixelColor(50, 20).red())


def test_the_image_that_is_compared_with_sharpens(start: Start, qtbot: Any):
    preview, other = start({"first": FakeExecutor()}), Growing()
    frames: list[Any] = []
    preview.frame.connect(lambda image, _: frames.append(image))
    preview.submit(Grade(()), against(other))
    qtbot.waitUntil(lambda: bool(frames))
    assert right(frames[-1]) == 0
    other.decode()
    qtbot.waitUntil(lambda: right(frames[-1]) == 255)
    preview.submit(Grade(()), VIEW)
    assert other.resting
    preview.submit(Grade(()), against(other))
    assert not other.resting
    preview.set_image(None)
    assert other.resting


def test_another_backend_goes_on_with_the_comparison(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor(), "second": FakeExecutor("two")})
    failed: list[str] = []
    preview.failed.connect(failed.append)
    other = WholeLevels(np.full((40, 60, 4), 1.0, np.float16))
    for change in (lambda: preview.submit(Grade(()), against(other)), lambda: preview.set_backend("second")):
        with qtbot.waitSignal(preview.frame, timeout=SECONDS) as answer:
            change()
        assert right(answer.args[0]) == 255
    assert failed == []


def test_an_image_that_is_no_longer_compared_with_is_let_go(start: Start, qtbot: Any):
    preview = start({"first": FakeExecutor()})
    other = WholeLevels(np.full((40, 60, 4), 1.0, np.float16))
    with qtbot.waitSignal(preview.frame, timeout=SECONDS):
        preview.submit(Grade(()), against(other))
    kept = weakref.ref(other)
    del other
    submit(preview, qtbot, 1.0)
    qtbot.waitUntil(lambda: gc.collect() >= 0 and kept() is None, timeout=SECONDS)


def test_scopes_that_are_asked_for_before_another_view_are_read_of_that_view(qtbot: Any):
    preview = Preview(lambda _name: FakeExecutor(), "first")
    preview.set_image(WholeLevels(np.full((40, 60, 4), 0.25, np.float16)))
    readings: list[Any] = []
    preview.scoped.connect(readings.append)
    preview.submit(Grade(), replace(VIEW, viewing=Viewing("one display", "view")))
    preview.set_scopes(ScopeOptions())
    preview.submit(Grade(), replace(VIEW, viewing=Viewing("another display", "view")))
    preview.start()
    try:
        qtbot.waitUntil(lambda: preview.idle and bool(readings), timeout=SECONDS)
        qtbot.wait(20)
        assert {reading.view for reading in readings} == {("another display", "view")}
    finally:
        preview.stop()
