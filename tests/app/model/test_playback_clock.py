"""Which frame of a sequence is shown when, and which are dropped."""

from __future__ import annotations

import pytest

from app.model.playback_clock import LATE_SECONDS, PlaybackClock

RATE = 10.0
FRAMES = (1, 2, 3, 5, 6)


def started(loops: bool = True, last: int = 0) -> PlaybackClock:
    clock = PlaybackClock(RATE, len(FRAMES), last, loops)
    clock.start(100.0)
    return clock


def test_it_stands_still_before_its_start():
    clock = PlaybackClock(RATE, len(FRAMES), 3, True)
    assert (clock.starts, clock.wanted(500.0), clock.is_over(500.0)) == (True, 3, False)
    assert clock.wait_ms(500.0) == 50
    clock.start(500.0)
    assert not clock.starts
    assert clock.next(500.05, FRAMES, FRAMES, ()) is None
    assert clock.next(500.15, FRAMES, FRAMES, ()) == 4


def test_frames_that_are_a_little_late_are_shown_one_after_the_other():
    clock, now = started(), 100.1 + 0.99 * LATE_SECONDS
    assert clock.next(now, FRAMES, FRAMES, ()) == 1
    clock.show(1)
    assert clock.next(now + 0.02, FRAMES, FRAMES, ()) == 2
    clock.show(2)
    assert clock.dropped == 0


def test_of_frames_that_are_very_late_only_the_newest_decoded_one_is_shown():
    clock = started()
    assert clock.next(100.35, FRAMES, FRAMES, ()) == 3
    assert clock.next(100.35, FRAMES, {2, 3}, ()) == 2
    clock.show(3)
    assert (clock.dropped, clock.last) == (2, 3)


def test_it_waits_for_a_frame_that_is_decoded_late_but_not_for_a_bad_one():
    clock = PlaybackClock(24.0, len(FRAMES), 0, True)
    clock.start(100.0)
    assert clock.next(100.0 + 2.5 / 24.0, FRAMES, {3}, ()) is None
    assert clock.next(100.0 + 2.5 / 24.0, FRAMES, {3}, {2}) == 2


def test_numbers_go_round():
    clock = started(last=4)
    assert clock.next(100.15, FRAMES, {1}, ()) == 5
    assert clock.next(100.15, FRAMES, {2}, ()) is None


def test_what_is_wanted_is_the_next_frame_or_if_that_is_very_late_the_one_that_is_due():
    clock = started()
    assert clock.wanted(100.15) == 1
    assert clock.wanted(100.45) == 4


@pytest.mark.parametrize(("now", "wait"), [(100.0, 50), (100.08, 20), (100.0999, 1), (100.3, 50)])
def test_it_looks_again_when_the_next_frame_is_due_and_not_all_the_time(now: float, wait: int):
    assert started().wait_ms(now) == pytest.approx(wait, abs=1)


def test_it_is_over_once_the_last_frame_has_had_its_time():
    clock = started(loops=False)
    assert not clock.is_over(100.55)  # frames that are late are still to come
    assert clock.is_over(100.51 + LATE_SECONDS)
    assert clock.next(101.0, FRAMES, FRAMES, ()) == 4
    clock.show(4)
    assert not clock.is_over(100.49)
    assert clock.is_over(100.51)
    assert not started().is_over(1000.0)
