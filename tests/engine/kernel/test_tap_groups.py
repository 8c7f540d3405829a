"""Groups of taps say the same as the taps."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernel.tap_groups import GROUP, TapGroups, takes_one_pixel_each
from engine.kernel.taps import Taps, blur_taps, resize_taps

TAPS = {
    "a blur": blur_taps(9.0, 61),
    "a blur that reaches beyond": blur_taps(40.0, 30),
    "shrunk": resize_taps("lanczos3", 130, 33),
    "enlarged": resize_taps("catmull-rom", 20, 71),
    "by area": resize_taps("area", 100, 27),
    "single pixels": resize_taps("nearest", 64, 19),
    "one result": resize_taps("bilinear", 50, 1),
    "part": resize_taps("lanczos3", 130, 33).part(7, 21, 3),
}


@pytest.mark.parametrize("taps", TAPS.values(), ids=TAPS)
def test_groups_hold_every_tap_and_no_other(taps: Taps) -> None:
    groups = TapGroups.of(taps)
    assert len(groups.spans) == -(-len(taps.first) // GROUP)
    for number, (first, steps, at, since, until) in enumerate(groups.spans):
        weights = groups.weights[at : at + steps]
        for result in range(GROUP):
            index = number * GROUP + result
            used = np.flatnonzero(~np.isnan(weights[:, result]))
            if index >= len(taps.first):
                assert not len(used)
                continue
            count = taps.count[index]
            assert list(first + used) == list(range(taps.first[index], taps.first[index] + count))
            assert np.array_equal(weights[used, result], taps.weights[index, :count])
        assert 0 <= since <= until <= steps
        assert not np.isnan(weights[since:until]).any()


def test_most_steps_of_a_wide_blur_need_no_test() -> None:
    _, steps, _, since, until = TapGroups.of(blur_taps(50.0, 640)).spans[40]
    assert (steps, since, until) == (101 + GROUP - 1, GROUP - 1, 101)


def test_equal_groups_share_their_weights() -> None:
    groups = TapGroups.of(blur_taps(16.0, 4096))
    assert len(groups.spans) == 512
    assert len(groups.weights) < 10 * groups.spans[:, 1].max()


def test_single_pixels_differ_from_sums() -> None:
    assert takes_one_pixel_each(resize_taps("nearest", 64, 19))
    assert takes_one_pixel_each(resize_taps("area", 64, 100))
    assert not takes_one_pixel_each(resize_taps("area", 64, 63))
    one = np.zeros(3, np.int32)
    assert not takes_one_pixel_each(Taps(one, one + 1, np.full((3, 1), 0.5, np.float32)))
