"""Every op and random chains, on every backend and storage, against the ops' own float64 reference.

The image holds what breaks arithmetic. Where the float64 answer can't be known in float32 (large numbers that cancel,
a jump between branches), a result is judged against the nearest answer of inputs moved by a unit in the last place: see
`conditioning`. The policy is never loosened, and well-conditioned pixels have one answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from numpy.typing import NDArray

from engine import ops
from engine.compute.executor import TiledExecutor
from engine.errors import GradeError
from engine.kernel.op import ColorOp, Slider, TableKind, color_ops
from engine.kernel.pixel import FLOAT_MIN
from tests.engine.backends import USABLE
from tests.engine.conditioning import HEADROOM, answer, mixes
from tests.engine.images import OF_APPEARANCE, any_color_op, chains, ops_of, plain, rgba64, structures, wide
from tests.thorough import THOROUGH, examples
from tests.tolerance import ONE_OP, assert_close, policy_error, tolerance

STORAGES = [(dtype, channels) for dtype in (np.float32, np.float16) for channels in (4, 3)]
WIDE = {storage: wide(*storage) for storage in STORAGES}


def chosen() -> Iterator[tuple[type[ColorOp], dict[str, str]]]:
    """Structures that have every option of every choice of every op; in thorough tests all combinations of them.

    Of hue curves those of RGB forward and of HSY in reverse, which have all the steps.
    """
    seen = set[tuple[Any, ...]]()
    for cls, words in structures():
        if words.get("takes", "") == ("hsy" if words.get("direction") == "forward" else "rgb"):
            continue
        options = {(cls, *each) for each in words.items()}
        if THOROUGH or not words or not options <= seen:
            yield cls, words
        seen |= options


FIRST = dict(reversed(list(structures())))
"""The structure of each op that GPUs run, with a kernel for two storages; thorough tests run all there, too."""
STRUCTURES = [
    pytest.param(backend, cls, words, id="-".join([backend, cls.__name__, *words.values()]))
    for backend in USABLE
    for cls, words in chosen()
    if THOROUGH or backend == "cpu" or words == FIRST[cls]
]


def reads_tables(cls: type[ColorOp]) -> bool:
    return any(isinstance(kind, TableKind) for kind in cls.kinds().values())


CHAINS = (*OF_APPEARANCE, "ColorWarp", "HueLumaGrid", "GradingPrimary", "GradingRgbCurve", "GradingTone", "Mix")
"""Ops that are a chain by themselves: a model there and back, curve after curve, control after control."""


def images_for(run: Sequence[ColorOp]) -> dict[tuple[Any, int], NDArray[Any]]:
    """The wide images; for ops that reckon in hues, scene light or what the appearance model makes of it."""
    if not run or type(run[0]).__name__ not in OF_APPEARANCE:
        return WIDE
    noise = rgba64(plain())
    grey = np.abs(noise[..., 3:]) * (1.0, 1.0, 1.0, 0.0)
    light = noise * (0.05, 0.05, 0.05, 1.0) + 0.5 * grey  # of moderate saturation, so within gamuts
    op = run[0]
    if isinstance(op, ops.GradingHueCurve):
        seen = light if op.takes == "rgb" else np.abs(light) * (0.25, 0.25, 1.0, 1.0)
    elif isinstance(op, (ops.Aces2Jmh, ops.Aces2OutputTransform, ops.RgbHsy)):
        forward = op if op.direction == "forward" else op.turned()
        seen = light if forward is op else forward.reference(np.abs(light) * 0.25 + 0.02)
    else:
        seen = ops.Aces2Jmh().reference(light)
        seen = seen if getattr(op, "direction", "forward") == "forward" else op.turned().reference(seen)
    return {(dtype, channels): seen[..., :channels].astype(dtype) for dtype, channels in STORAGES}


def assert_parity(
    executor: TiledExecutor, run: Sequence[ColorOp], backend: str, storages: Sequence[tuple[Any, int]] = STORAGES
) -> None:
    """The chain's result in every storage is within the policy."""
    allowed = tolerance(backend, chain=len(run) > 1 or any(type(op).__name__ in CHAINS for op in run))
    for (dtype, channels), image in images_for(run).items():
        if (dtype, channels) not in storages:
            continue
        right = answer(
            run, rgba64(image), flushes=backend != "cpu"
        )  # first: where it reads beyond a table, it says so and does not crash
        before = image.tobytes()
        result = executor.execute_color(image, run)
        assert result.dtype == dtype
        assert result.shape == image.shape
        assert image.tobytes() == before, "the input was written to"
        error = right.error(result, allowed, dtype)
        if error.max() > allowed:
            at = np.unravel_index(int(error.max(axis=-1).argmax()), error.shape[:-1])
            raise AssertionError(
                f"{backend}, {np.dtype(dtype)} x {channels}: error {error.max():.3g}, allowed {allowed:g}, in"
                f" {(error.max(axis=-1) > allowed).sum()} pixels; {image[at]} became {result[at]}, not"
                f" {right.exact[at]} (nor {right.moved[0][at]}, {right.moved[1][at]})"
            )


@pytest.mark.parametrize(("backend", "cls", "words"), STRUCTURES, indirect=["backend"])
def test_every_op(cls: type[ColorOp], words: dict[str, str], backend: str, executor: TiledExecutor) -> None:
    @settings(max_examples=examples(1 if cls is ops.InverseLut3d else 2))
    @given(ops_of(cls, words))
    def check(op: ColorOp) -> None:
        assert_parity(executor, [op], backend, STORAGES if THOROUGH or backend == "cpu" else STORAGES[::3])

    check()


TAKING = [
    pytest.param(backend, cls, id=f"{backend}-{cls.__name__}")
    for backend in USABLE
    for cls in color_ops()
    if THOROUGH or backend == "cpu" or cls.__name__ in OF_APPEARANCE or reads_tables(cls)
]
"""On GPUs, ops that read tables or see other images above."""


@pytest.mark.parametrize(("backend", "cls"), TAKING, indirect=["backend"])
def test_every_op_takes_any_pixel(cls: type[ColorOp], executor: TiledExecutor) -> None:
    """No table is read beyond its ends, whatever comes in; the reference would say so."""

    @settings(max_examples=examples(1))
    @given(ops_of(cls) if THOROUGH else ops_of(cls, FIRST.get(cls)))
    def check(op: ColorOp) -> None:
        for image in WIDE.values():
            assert op.reference(rgba64(image)).shape[-1] == 4
            assert executor.execute_color(image, [op]).shape == image.shape

    check()


WELL_CONDITIONED: list[ColorOp] = [
    ops.Exposure(3.3),
    ops.Cdl((1.7, 1.0, 0.4), (0.0, 0.0, 0.0), (1.0, 2.3, 3.9), 1.0),
    ops.Exponent((3.9, 2.2, 1.7), "mirror"),
    ops.Exponent((1.0 / 3.9, 1.0 / 2.2, 0.1), "clamp"),
    ops.ExponentWithLinear(direction="reverse"),
    ops.ExponentWithLinear(),
    ops.Contrast(3.7, 0.18),
    ops.Saturation(1.3),
    ops.WhiteBalance(4300.0, 10.0),
    ops.Log(10.0),
    ops.Log(10.0, "reverse"),
    ops.LogCamera(direction="reverse"),
    ops.Range(0.0, 1.0, 0.1, 0.9),
    ops.Lut1d(np.linspace(0.0, 1.0, 65) ** 2.0),
    ops.Lut3d(np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 17) ** 1.3] * 3, indexing="ij"), axis=-1)),
]


@pytest.mark.parametrize("op", WELL_CONDITIONED, ids=lambda op: type(op).__name__)
def test_well_conditioned_ops_are_within_the_policy_alone(op: ColorOp, backend: str, executor: TiledExecutor) -> None:
    """No allowance for conditioning; above the normal range only, below which GPUs may see 0."""
    image = WIDE[np.float32, 4]
    image = np.where(np.abs(image) < FLOAT_MIN, np.float32(0.0), image)
    wanted = op.reference(rgba64(image))
    huge = (np.isfinite(wanted) & (np.abs(wanted) > HEADROOM)).any(axis=-1)
    result = executor.execute_color(image, [op])
    assert_close(result[~huge], wanted[~huge], backend)


def test_chains(backend: str, executor: TiledExecutor) -> None:
    @settings(max_examples=examples(4 if backend == "cpu" else 2))
    @given(chains())
    @example([])
    def check(run: list[ColorOp]) -> None:
        assert_parity(executor, run, backend)

    check()


def test_long_chain(backend: str, executor: TiledExecutor) -> None:
    """One of everything, in an order that stays near 0..1."""
    run = [ops.Exposure(0.3), ops.WhiteBalance(5200.0), ops.Cdl((1.1, 1.0, 0.9)), ops.Contrast(1.2)] * 4
    image = plain()
    result = executor.execute_color(image, run)
    assert answer(run, rgba64(image)).error(result, tolerance(backend, True)).max() <= tolerance(backend, True)


@pytest.mark.parametrize("cls", [op for op in color_ops() if op is not ops.Matrix], ids=lambda op: op.__name__)
def test_alpha_is_carried_bit_for_bit(cls: type[ColorOp], executor: TiledExecutor) -> None:
    @settings(max_examples=examples(1))
    @given(ops_of(cls))
    def check(op: ColorOp) -> None:
        if getattr(op, "channels", "rgb") == "rgba":
            return
        for dtype in (np.float32, np.float16):
            image = WIDE[dtype, 4]
            alpha, was = executor.execute_color(image, [op])[..., 3], image[..., 3]
            assert np.array_equal(np.isnan(alpha), np.isnan(was))
            assert (alpha.view(f"u{alpha.itemsize}") == was.view(f"u{was.itemsize}"))[~np.isnan(was)].all()

    check()


@settings(max_examples=examples(2))
@given(run=chains(1, 3))
def test_rgb_is_graded_as_if_it_were_opaque(run: list[ColorOp], executor: TiledExecutor) -> None:
    rgb = WIDE[np.float32, 3]
    opaque = np.concatenate([rgb, np.ones_like(rgb[..., :1])], axis=-1)
    alone, beside = executor.execute_color(rgb, run), executor.execute_color(opaque, run)[..., :3]
    assert np.array_equal(alone, beside, equal_nan=True)


@settings(max_examples=examples(3))
@given(run=chains(1, 3))
def test_result_at_a_pixel_depends_on_that_pixel_alone(run: list[ColorOp], executor: TiledExecutor) -> None:
    """Whatever lies beside it in a block or at its end."""
    image = WIDE[np.float32, 4]
    whole = executor.execute_color(image, run)
    for part in (np.s_[:1, :1], np.s_[3:5, 7:8], np.s_[11:, 5:], np.s_[::2, ::3]):
        assert executor.execute_color(image[part], run).tobytes() == whole[part].tobytes()


FOLDING = ("DoubleLog", "GammaLog", "AcesGamutCompress", "GradingTone", "GradingPrimary")
"""Ops whose sliders may bend the curve back on itself: inverted as they are by default."""
INEXACT: tuple[str, ...] = (
    "Aces2GamutCompress",
    "Aces2Jmh",
    "Aces2OutputTransform",
    "Aces2ToneCompress",
    "AcesRedModifier",
)
INEXACT = (*INEXACT, "GradingHueCurve", "RgbHsy", "Lut1d", "Lut3d")
"""Ops whose inverse is exact within some hues only, to some digits, or for LUTs that give no colour twice; they have
their own tests."""


@pytest.mark.parametrize("cls", [c for c in color_ops() if c.__name__ not in INEXACT], ids=lambda op: op.__name__)
def test_inverse_undoes(cls: type[ColorOp]) -> None:
    """Where the op neither clamps nor folds: where moving a channel of the input moves the output."""

    @settings(max_examples=examples(4))
    @given(ops_of(cls))
    def check(op: ColorOp) -> None:
        if getattr(op, "direction", "forward") == "reverse":
            op = op.turned()
        if cls.__name__ in FOLDING:
            op = op.replace(**{n: k.default for n, k in op.kinds().items() if isinstance(k, Slider)})
        try:
            back = op.inverse()
        except GradeError as error:
            assert str(error)
            return
        rgba = rgba64(np.abs(plain(20, 21)) * 0.2 + 0.05)
        there = op.reference(rgba)
        lost, reach = sensitivity(op, rgba)
        apart = np.abs(back.reference(there) - rgba)[~lost]
        assert (apart <= 1e-9 * reach[~lost][:, None]).all(), f"{op} leaves {apart.max():.2g}"

    check()


def sensitivity(op: ColorOp, rgba: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each pixel: whether some change of the input is lost; and how much the inverse magnifies errors."""
    step = 1e-5
    columns = [(op.reference(rgba + step * axis) - op.reference(rgba - step * axis)) / (2 * step) for axis in np.eye(4)]
    jacobian = np.nan_to_num(np.stack(columns, axis=-1), posinf=0.0, neginf=0.0)
    singular = np.linalg.svd(jacobian, compute_uv=False)
    lost = (singular[..., -1] < 1e-5) | (singular[..., -1] < 1e-5 * singular[..., 0])
    scale = np.maximum(np.abs(op.reference(rgba)).max(axis=-1), 1.0)
    with np.errstate(divide="ignore"):
        return lost, np.maximum(scale / singular[..., -1], 1.0)


@given(op=any_color_op())
@settings(max_examples=examples(15))
def test_an_op_that_is_left_out_would_change_nothing(op: ColorOp) -> None:
    rgba = rgba64(WIDE[np.float32, 4])
    rgba = rgba[np.isfinite(rgba).all(axis=-1)]
    tables = {name: getattr(op, name) for name, kind in op.kinds().items() if isinstance(kind, TableKind)}
    with contextlib.suppress(GradeError):
        op = type(op)(**tables)
    if op.is_identity():
        assert policy_error(op.reference(rgba), rgba).max() <= 1e-12


@pytest.mark.parametrize("op", [ops.Matrix(), ops.Saturation(0.5), ops.WhiteBalance(5000.0), ops.Cdl()])
def test_conditioning_knows_which_ops_mix_channels(op: ColorOp) -> None:
    assert mixes(op)
    assert not mixes(ops.Exponent((2.0, 2.0, 2.0)))
    assert not mixes(ops.Lut1d([0.0, 0.5, 1.0]))


def test_conditioning_leaves_ordinary_pixels_one_answer() -> None:
    """The interval is no way around the policy: hardly any ordinary pixel of ordinary ops is given room."""
    rgba = rgba64(plain())
    run = [ops.Exposure(0.5), ops.Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (0.9, 1.0, 1.1), 1.2), ops.Saturation(1.1)]
    for number, op in enumerate(run):
        assert answer([op], rgba).unsure(ONE_OP).mean() < 0.01, number
    right = answer([ops.Exposure(0.5)], rgba)
    assert right.error(right.exact * (1.0 + 3e-6), ONE_OP).max() > ONE_OP
