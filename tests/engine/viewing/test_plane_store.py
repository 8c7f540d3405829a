"""The store of planes: what is read when, on which thread, and what is kept."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.bounded_cache import SizedCache
from engine.core.geometry import Rect
from engine.errors import UnsupportedFile
from engine.mattes.planes import ChannelPlane, CoveragePlane, FilePlane, IdPlane, Plane
from engine.viewing import plane_store
from engine.viewing.plane_names import named
from engine.viewing.plane_store import FRAME, THUMBNAILS, PlaneStore
from tests.engine.viewing.planes import ArrayReader, with_planes

WIDTH, HEIGHT = 100, 60
DEPTH, OTHER = ChannelPlane("Z"), ChannelPlane("Y")
REGION = (0.0, 0.0, 100.0, 60.0)
SECONDS = 20.0


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> tuple[PlaneStore, ArrayReader]:
    cache = SizedCache[Any, Any](1 << 20, lambda array: array.nbytes)
    monkeypatch.setattr(plane_store, "kept_arrays", lambda: cache)
    rng = np.random.default_rng(1)
    planes: dict[Plane, Any] = {DEPTH: rng.random((HEIGHT, WIDTH)), OTHER: rng.random((HEIGHT, WIDTH))}
    levels, reader = with_planes(np.zeros((HEIGHT, WIDTH, 3), np.float16), planes)
    assert levels.planes is not None
    return levels.planes, reader


class Listener:
    """What a store says, and that it has said it."""

    def __init__(self, store: PlaneStore) -> None:
        self.said: list[str] = []
        self._news = threading.Condition()
        store.watch(self)

    def __call__(self, purpose: str) -> None:
        with self._news:
            self.said.append(purpose)
            self._news.notify()

    def wait(self, until: Callable[[], bool]) -> None:
        with self._news:
            assert self._news.wait_for(until, SECONDS)


def test_what_is_wanted_is_read_on_a_thread_and_then_there(made: Any):
    store, reader = made
    heard = Listener(store)
    needs = store.needs([DEPTH, OTHER, DEPTH], REGION, 1)
    assert len(needs) == 2 and store.unknown([DEPTH])
    assert not store.want(FRAME, needs)
    heard.wait(lambda: heard.said == [FRAME])
    assert store.want(FRAME, needs) and not store.unknown([DEPTH]) and not store.reads_for(FRAME)
    arrays, rect = store.arrays([DEPTH, OTHER], REGION, 1)
    assert rect == Rect(0, 0, 50, 30) and len(reader.reads) == 1
    np.testing.assert_array_equal(arrays[0], reader.level(DEPTH, 1))


def test_frames_come_before_thumbnails_and_nothing_is_read_twice(made: Any):
    store, reader = made
    heard = Listener(store)
    reader.held.clear()
    store.want(THUMBNAILS, store.needs([DEPTH], REGION, 4))
    assert reader.asked.wait(SECONDS)
    reader.asked.clear()
    store.want(FRAME, store.needs([OTHER], REGION, 0))
    assert reader.asked.wait(SECONDS)  # for the frame now
    reader.held.set()
    heard.wait(lambda: len(heard.said) == 2)
    assert heard.said == [FRAME, THUMBNAILS]
    assert [read[2] for read in reader.reads] == [0, 4]


def test_planes_that_were_not_wanted_are_read_at_once(made: Any):
    store, reader = made
    arrays, _ = store.arrays([DEPTH], REGION, 2)
    np.testing.assert_array_equal(arrays[0], reader.level(DEPTH, 2))
    with pytest.raises(UnsupportedFile):
        store.arrays([ChannelPlane("N")], REGION, 0)


def test_the_nearest_level_that_was_read_is_found_the_finer_ones_first(made: Any):
    store, _ = made
    assert store.level_there([DEPTH], REGION, 2) is None
    store.arrays([DEPTH], REGION, 4)
    assert store.level_there([DEPTH], REGION, 2) == 4
    store.arrays([DEPTH], REGION, 1)
    assert store.level_there([DEPTH], REGION, 2) == 1
    assert store.level_there([DEPTH, OTHER], REGION, 2) is None


def test_of_a_large_level_the_visible_region_is_read(made: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plane_store, "WHOLE_PIXELS", 1000)
    monkeypatch.setattr(plane_store, "REGION_STEP", 16)
    store, reader = made
    arrays, rect = store.arrays([DEPTH], (40.0, 20.0, 10.0, 10.0), 0)
    assert rect == Rect(32, 16, 32, 16)
    np.testing.assert_array_equal(arrays[0], reader.level(DEPTH, 0)[16:32, 32:64])
    assert store.arrays([DEPTH], (39.0, 19.0, 10.0, 10.0), 0)[0][0] is arrays[0]


def test_what_is_missing_is_known_and_never_read(made: Any):
    store, reader = made
    heard = Listener(store)
    lacking = ChannelPlane("N")
    store.want(FRAME, store.needs([lacking, DEPTH], REGION, 0))
    heard.wait(lambda: bool(heard.said))
    assert [each.plane for each in store.missing([lacking, DEPTH])] == [lacking]
    assert store.lacks([lacking, DEPTH]) == {lacking}
    assert store.want(FRAME, store.needs([lacking], REGION, 3))
    assert all(lacking not in planes for planes, _, _ in reader.reads)


def test_at_rest_files_are_closed_and_nothing_is_read(made: Any):
    store, reader = made
    Listener(store)
    store.look_up([DEPTH])
    reader.held.clear()
    store.want(FRAME, store.needs([DEPTH], REGION, 0))
    assert reader.asked.wait(SECONDS)
    store.rest()
    reader.held.set()
    again = Listener(store)
    store.want(FRAME, store.needs([DEPTH], REGION, 0))
    again.wait(lambda: bool(again.said))
    assert reader.closed == 1


def test_planes_of_a_later_frame_are_read_ahead_and_their_files_closed(made: Any):
    store, reader = made
    lacking = ChannelPlane("N")
    assert store.frame_needs is None
    needs = [*store.needs([DEPTH, OTHER, lacking], REGION, 1), *store.needs([DEPTH], REGION, 2)]
    store.read_ahead(needs)
    assert [(planes, level) for planes, _, level in reader.reads] == [((DEPTH, OTHER), 1), ((DEPTH,), 2)]
    assert reader.closed == 1 and store.lacks([lacking]) == {lacking}
    heard = Listener(store)
    assert store.want(FRAME, needs) and store.frame_needs == tuple(needs)
    assert len(reader.reads) == 2 and not heard.said
    store.read_ahead(store.needs([OTHER], REGION, 2))
    assert len(reader.reads) == 3 and reader.closed == 1, "it is displayed by now"


def test_planes_that_can_not_be_read_ahead_count_as_missing(made: Any, monkeypatch: pytest.MonkeyPatch):
    store, reader = made

    def fail(*_: Any) -> Any:
        raise UnsupportedFile("image.exr", "is damaged", "write it again")

    monkeypatch.setattr(reader, "read", fail)
    store.read_ahead(store.needs([DEPTH], REGION, 0))
    assert [str(each.text) for each in store.missing([DEPTH])] == ["image.exr: is damaged; write it again"]
    assert store.lacks([DEPTH]) == {DEPTH}


def test_the_planes_of_all_images_keep_to_one_budget(made: Any):
    store, _ = made
    kept = plane_store.kept_arrays()
    kept.budget = 4 * WIDTH * HEIGHT + 100
    store.arrays([DEPTH], REGION, 0)
    store.arrays([OTHER], REGION, 0)
    assert kept.used == 4 * WIDTH * HEIGHT
    assert store.level_there([DEPTH], REGION, 0) is None
    both, _ = store.arrays([DEPTH, OTHER], REGION, 0)  # more than the budget
    assert [array.shape for array in both] == [(HEIGHT, WIDTH)] * 2


def test_planes_go_with_their_image(made: Any, monkeypatch: pytest.MonkeyPatch):
    levels, _ = with_planes(np.zeros((HEIGHT, WIDTH, 3), np.float16), {DEPTH: np.zeros((HEIGHT, WIDTH))})
    assert levels.planes is not None
    levels.planes.arrays([DEPTH], REGION, 0)
    kept, store = plane_store.kept_arrays(), weakref.ref(levels.planes)
    assert kept.used
    del levels
    gc.collect()
    assert store() is None and kept.used == 0


def test_planes_are_called_by_what_the_user_knows():
    assert named([DEPTH]) == "depth"
    assert named([CoveragePlane("CryptoObject", ("a",)), CoveragePlane("CryptoObject", ("b",))]) == (
        "Cryptomatte CryptoObject"
    )
    assert named([FilePlane("/x/roto.0001.exr"), IdPlane("id", (1,))]) == "roto.0001.exr, channel id"
    assert named([ChannelPlane(name) for name in "abc"]) == "3 matte channels"


def test_planes_that_can_not_be_kept_together_are_read_when_they_are_needed(made: Any):
    store, reader = made
    kept = plane_store.kept_arrays()
    kept.budget = 4 * WIDTH * HEIGHT + 100
    heard = Listener(store)
    needs = store.needs([DEPTH, OTHER, ChannelPlane("N")], REGION, 0)
    assert store.want(FRAME, needs), "or else one would push out the other for ever"
    assert store.lacks(need.plane for need in needs) == {ChannelPlane("N")}
    assert not reader.reads and not heard.said
    for plane in (DEPTH, OTHER, DEPTH):
        np.testing.assert_array_equal(store.arrays([plane], REGION, 0)[0][0], reader.level(plane, 0))
