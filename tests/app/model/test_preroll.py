"""Playback begins when the decoded frames last, or after a time."""

from __future__ import annotations

from app.model.preroll import FEW_CORES, LEAST_SECONDS, MOST_SECONDS, SHARE, Preroll


def begins_with(rate: float, count: int, decoding: float, cores: int = FEW_CORES) -> int:
    """The frames that are there when playback begins, if `decoding` frames are decoded in each second."""
    preroll = Preroll(rate, count, cores)
    return next(n for n in range(count + 1) if preroll.is_over(n, count, n / decoding))


def test_fast_decoding_needs_half_a_second_of_frames():
    assert begins_with(24.0, 1000, 24.0 / SHARE) == 24.0 * LEAST_SECONDS


def test_slow_decoding_needs_as_many_frames_as_it_will_be_late():
    count, decoding = 48, 16.0
    frames = begins_with(24.0, count, decoding)
    assert frames + SHARE * decoding * (count / 24.0) >= count > frames


def test_a_short_sequence_is_decoded_whole():
    assert begins_with(24.0, 6, 12.0) == 6


def test_what_is_decoded_already_begins_at_once():
    assert Preroll(24.0, 48, FEW_CORES).is_over(48, 48, 1.0)
    assert not Preroll(24.0, 48, FEW_CORES).is_over(47, 48, 1.0)


def test_it_ends_after_a_time_with_what_there_is_if_not_all_frames_fit():
    preroll = Preroll(24.0, 1000, 1)
    assert not preroll.is_over(0, 100, 10.0)
    assert not preroll.is_over(1, 100, 10.0 + MOST_SECONDS - 0.01)
    assert preroll.is_over(1, 100, 10.0 + MOST_SECONDS)


def test_frames_that_all_fit_are_waited_for():
    preroll = Preroll(24.0, 100, FEW_CORES)
    assert not preroll.is_over(0, 100, 10.0)
    assert not preroll.is_over(20, 100, 10.0 + 2.0 * MOST_SECONDS)


def test_few_cores_decode_all_frames_first():
    assert begins_with(24.0, 48, 40.0, FEW_CORES - 1) == 48 > begins_with(24.0, 48, 40.0)
