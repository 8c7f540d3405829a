"""The policy itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tolerance import CHAIN, ONE_OP, WGPU, assert_close, policy_error, tolerance

INF, NAN = np.inf, np.nan


def error(result: object, reference: object, storage: object = np.float32) -> float:
    return float(policy_error(result, reference, storage).max())


def test_an_error_is_measured_against_the_largest_channel() -> None:
    assert error([0.5, 1000.1, 0.0], [0.5, 1000.0, 0.0]) == pytest.approx(1e-4)
    assert error([0.6, 1000.0, 0.0], [0.5, 1000.0, 0.0]) == pytest.approx(1e-4)


def test_below_one_an_error_is_absolute() -> None:
    assert error([1e-3, 0.0, 0.0], [0.0, 0.0, 0.0]) == pytest.approx(1e-3)


def test_each_pixel_has_its_own_scale_and_inf_is_none() -> None:
    errors = policy_error([[1000.0, 1.0], [0.5, 0.6], [INF, 0.6]], [[1000.0, 0.0], [0.5, 0.5], [INF, 0.5]])
    assert errors[:, 1] == pytest.approx([1e-3, 0.1, 0.1])


@pytest.mark.parametrize(
    ("result", "reference", "agree"),
    [
        (NAN, NAN, True), (INF, INF, True), (-INF, -INF, True), (INF, -INF, False), (NAN, INF, False),
        (INF, NAN, False), (0.0, NAN, False), (NAN, 0.0, False), (1.0, INF, False), (INF, 1.0, False),
        (INF, 1e39, True), (-INF, -1e39, True), (INF, -1e39, False), (NAN, 1e39, False), (3e38, 1e39, False),
    ],
)  # fmt: skip
def test_what_is_not_finite_must_agree(result: float, reference: float, agree: bool) -> None:
    assert (error([result, 0.5], [reference, 0.5]) == 0.0) is agree


def test_the_range_is_that_of_the_storage() -> None:
    assert error([INF], [65600.0], np.float16) == 0.0
    assert error([INF], [65000.0], np.float16) > ONE_OP
    assert error([65504.0], [65519.0], np.float16) == 0.0
    assert error([INF], [65600.0]) > 1.0
    assert error([INF, 1.01], [1e6, 1.0], np.float16) < 1e-7


def test_float16_may_round_and_no_more() -> None:
    exact = np.random.default_rng(0).uniform(-300.0, 300.0, (500, 3))
    assert error(exact.astype(np.float16), exact, np.float16) == 0.0
    assert error(exact.astype(np.float16), exact) > ONE_OP
    next_one = np.nextafter(exact.astype(np.float16), np.float16(INF))
    assert (policy_error(next_one, exact, np.float16).max(axis=-1) > ONE_OP).mean() > 0.7
    tiny = np.array([[3e-8, 1e-7, 0.0]])
    assert error(tiny.astype(np.float16), tiny, np.float16) == 0.0


def test_the_policy_is_the_one_that_is_promised() -> None:
    assert (ONE_OP, CHAIN, WGPU) == (1e-6, 2e-6, 1e-5)
    assert [tolerance(b, chain) for b in ("cpu", "cuda", "wgpu", "opencl") for chain in (False, True)] == [
        1e-6, 2e-6, 1e-6, 2e-6, 1e-5, 1e-5, 1e-5, 1e-5,
    ]  # fmt: skip


def test_a_failure_shows_the_worst_pixel() -> None:
    reference = np.zeros((4, 5, 3))
    result = reference.copy()
    result[1, 2, 0], result[2, 3, 1] = 0.25, 0.5
    with pytest.raises(AssertionError, match=r"cpu: error 0\.5, allowed 1e-06; 2 pixels of 20; the worst, at \(2, 3\)"):
        assert_close(result, reference)
    assert_close(reference + 1.5e-6, reference, chain=True)
    with pytest.raises(AssertionError):
        assert_close(reference + 1.5e-6, reference)
